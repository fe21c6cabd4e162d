"""Clients of org.bluez that keep what their connections carry. See recording.py for the entries."""
import asyncio
import os

from dbus_fast import BusType, Message, MessageFlag, MessageType, Variant
from dbus_fast.aio import MessageBus

from recording import content, short

BLUEZ = "org.bluez"
BUS = "org.freedesktop.DBus"
PEER = "org.freedesktop.DBus.Peer"


class Silence:
    """The stand-in for the reply to a call that got none."""
    message_type, body, unix_fds, error_name, signature = MessageType.ERROR, [], [], None, ""


class Client:
    """One connection to the bus; `keep` takes each entry."""

    def __init__(self, stream, keep):
        self.stream, self.keep, self.muted = stream, keep, False
        self.calls, self.agent, self.owner, self.has_left = {}, None, None, False
        self.heard = asyncio.Event()

    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM, negotiate_unix_fd=True).connect()
        self.bus.add_message_handler(self.hear)
        await self.ask(BUS, "/org/freedesktop/DBus", BUS, "AddMatch", "s", "sender='org.bluez'")
        await self.follow()
        return self

    async def follow(self):
        """From now on what the present bluetoothd says is heard; false when there is none."""
        owner = await self.ask(BUS, "/org/freedesktop/DBus", BUS, "GetNameOwner", "s", BLUEZ)
        is_there = owner.message_type is not MessageType.ERROR
        if is_there:
            self.owner = owner.body[0]
        return is_there

    async def ask(self, destination, path, interface, member, signature="", *body):
        """A call that is not part of the recording."""
        return await self.bus.call(Message(destination=destination, path=path, interface=interface,
                                           member=member, signature=signature, body=list(body)))

    async def call(self, path, interface, member, signature="", *body, within=60, fds=()):
        message = Message(destination=BLUEZ, path=path, interface=interface, member=member,
                          signature=signature, body=list(body), serial=self.bus.next_serial(),
                          unix_fds=list(fds))
        what = f"{short(interface)}.{member}"
        self.calls[message.serial] = what
        self.entry("call", message, body=content(signature, body, fds))
        try:
            return await asyncio.wait_for(self.bus.call(message), within)
        except asyncio.TimeoutError:
            self.calls.pop(message.serial, None)
            self.entry("silence", None, of=what, within=within)
            return Silence()
        except (EOFError, ConnectionError):     # we have left
            return Silence()

    async def caught_up(self):
        """Waits until everything that bluetoothd has sent so far has arrived. The bus answers for a
        bluetoothd that has ended."""
        if self.owner and not self.has_left:
            await asyncio.wait_for(self.ask(self.owner, "/", PEER, "Ping"), 30)

    def leave(self):
        self.has_left = True
        self.bus.disconnect()

    def entry(self, kind, message, **more):
        if self.muted:
            return
        entry = {"kind": kind, "stream": self.stream}
        if message is not None:
            for name in ("path", "interface", "member", "signature"):
                if getattr(message, name, None):
                    entry[name] = getattr(message, name)
        entry.update(more)
        self.keep(entry)

    def hear(self, m):
        kind = m.message_type
        if kind in (MessageType.METHOD_RETURN, MessageType.ERROR):
            of = self.calls.pop(m.reply_serial, None)
            if of is not None:
                # The bus answers for an org.bluez that is not there.
                name = {"name": m.error_name} if kind is MessageType.ERROR else {}
                self.entry("error" if name else "reply", m, of=of, **name,
                           body=content(m.signature, m.body, m.unix_fds))
        elif m.sender != self.owner:
            return None
        elif kind is MessageType.SIGNAL:
            self.entry("signal", m, body=content(m.signature, m.body))
        elif kind is MessageType.METHOD_CALL:
            unanswered = {"of": "no answer wanted"} if m.flags & MessageFlag.NO_REPLY_EXPECTED else {}
            self.entry("request", m, **unanswered, body=content(m.signature, m.body))
            if self.agent:
                asyncio.ensure_future(self.answer(m))
                self.heard.set()
                return True
        self.heard.set()
        return None

    async def answer(self, m):
        """Sends the reply of the client's agent to a call of bluetoothd."""
        answer = await self.agent(m)
        if answer is None or m.flags & MessageFlag.NO_REPLY_EXPECTED:
            return
        signature, *body = answer
        if signature == "error":
            reply = Message.new_error(m, *body)
            self.entry("answer", None, of=m.member, name=body[0])
        else:
            reply = Message.new_method_return(m, signature, body)
            self.entry("answer", None, of=m.member, body=content(signature, body))
        await self.bus.send(reply)


def close(answer):
    """Closes the descriptors of an answer."""
    for descriptor in answer.unix_fds:
        os.close(descriptor)


def text(it):
    return Variant("s", it)
