"""Notifications, by signals and by descriptors; descriptors for writing."""
import asyncio
import os

from player import BATTERY, CHRC, ECHO, HEART, INDICATED, SHORT, SINK
from . import scenario
from .links import connect
from .scan import leaves


async def told(p, *values):
    """The echo notifies of each."""
    for each in values:
        await p.side.set_echo(each)
        await asyncio.sleep(0.1)


@scenario("subscriptions")
async def subscriptions(p):
    await p.connected()
    echo, short, indicated, battery = await p.find(ECHO, SHORT, INDICATED, BATTERY)
    await p.step("end none", p.characteristic(echo, "StopNotify"))
    await p.step("begin", p.characteristic(echo, "StartNotify"))
    await p.step("three values, two the same", told(p, b"one", b"one", b"two"))
    await p.step("begin again", p.characteristic(echo, "StartNotify"))
    await p.step("one more value", told(p, b"three"))
    await p.step("acquire meanwhile", p.characteristic(echo, "AcquireNotify", "a{sv}", {}))
    await p.step("what was written is told", p.write(echo, b"four"))
    await p.step("what was commanded is told", p.write(echo, b"five", "command"))
    await p.step("a read meanwhile", p.read(echo))
    await p.step("end", p.characteristic(echo, "StopNotify"))
    await p.step("nobody is told", told(p, b"six"))
    await p.step("end again", p.characteristic(echo, "StopNotify"))
    await p.step("of one that cannot", p.characteristic(short, "StartNotify"))
    await p.step("end of one that cannot", p.characteristic(short, "StopNotify"))
    await p.step("indications", p.characteristic(indicated, "StartNotify"))
    await p.step("one comes", p.side.indicate(b"\x01\x02\x03"))
    await p.step("end indications", p.characteristic(indicated, "StopNotify"))
    await p.step("the battery's", p.characteristic(battery, "StartNotify"))
    await p.step("the battery falls", p.side.battery(50))
    await p.step("the battery stays", p.side.battery(50))
    await p.step("end the battery's", p.characteristic(battery, "StopNotify"))
    await p.step("the battery is as it was", p.side.battery(87))
    await p.step("the tree", p.tree())


@scenario("a stream of notifications")
async def stream(p):
    await p.connected()
    heart = await p.find(HEART)
    await p.step("begin", p.characteristic(heart, "StartNotify"), settle=0.9)
    await p.step("end", p.characteristic(heart, "StopNotify"), settle=0.5)


@scenario("two clients subscribe")
async def two(p):
    await p.connected()
    echo = await p.find(ECHO)
    other = await p.another("other")
    await p.step("one begins", p.characteristic(echo, "StartNotify"))
    await p.step("the other begins", other.call(echo, CHRC, "StartNotify"))
    await p.step("a value", told(p, b"one"))
    await p.step("one ends", p.characteristic(echo, "StopNotify"))
    await p.step("the other hears on", told(p, b"two"))
    await p.step("the other acquires", other.call(echo, CHRC, "AcquireNotify", "a{sv}", {}))
    await p.step("one acquires", p.characteristic(echo, "AcquireNotify", "a{sv}", {}))
    await p.step("the other leaves", leaves(other), settle=0.5)
    await p.step("nobody is told", told(p, b"three"))


@scenario("a subscription that outlives its link")
async def across(p):
    await p.connected()
    echo = await p.find(ECHO)
    await p.step("begin", p.characteristic(echo, "StartNotify"))
    await p.step("the link is lost", p.side.drop(), settle=0.6)
    await p.step("end without a link", p.get_all(echo, CHRC))
    await connect(p)
    await p.step("a value", told(p, b"one"))
    await p.step("begin again", p.characteristic(echo, "StartNotify"))
    await p.step("disconnect", p.device("Disconnect"), settle=0.5)
    await connect(p, "connect again")
    await p.step("another value", told(p, b"two"))
    await p.step("end", p.characteristic(echo, "StopNotify"))
    await p.step("disconnect again", p.device("Disconnect"), settle=0.5)
    await p.step("end again", p.characteristic(echo, "StopNotify"))


async def early(p, value):
    """The echo notifies before it has answered the subscription, which it does three seconds after it."""
    await asyncio.sleep(1)
    await p.side.set_echo(value)


@scenario("a value before the answer to the subscription", seconds=11)
async def before(p):
    await p.connected()
    echo = await p.find(ECHO)
    await p.side.subscribed_after(3)
    await p.together("begin", p.characteristic(echo, "StartNotify"), early(p, b"early"))
    await p.step("a value", told(p, b"one"))
    await p.step("end", p.characteristic(echo, "StopNotify"))
    reply, _ = await p.together(
        "acquire", p.characteristic(echo, "AcquireNotify", "a{sv}", {}), early(p, b"early too"))
    fd = reply.unix_fds[0]
    await p.step("another value", told(p, b"two"))
    await p.step("what it gives", now(given, p, fd))
    await p.step("close it", now(os.close, fd))
    await p.side.subscribed_after(0)


def given(p, descriptor):
    """Reads the packets that wait in a file descriptor, as a fact of the recording."""
    packets = []
    while True:
        try:
            it = os.read(descriptor, 600)
        except BlockingIOError:
            packets.append("nothing more")
            break
        except OSError as error:
            packets.append(os.strerror(error.errno))
            break
        if not it:
            packets.append("the end")
            break
        packets.append(it.hex())
    p.note(packets=packets)


def taken(p, descriptor, octets):
    """Whether a descriptor takes a packet."""
    try:
        p.note(written=os.write(descriptor, octets))
    except OSError as error:
        p.note(error=os.strerror(error.errno))


async def now(act, *arguments):
    act(*arguments)


@scenario("notifications over a descriptor")
async def acquired(p):
    await p.connected()
    echo, short, indicated = await p.find(ECHO, SHORT, INDICATED)
    acquire = ("AcquireNotify", "a{sv}", {})
    fd = (await p.step("acquire", p.characteristic(echo, *acquire))).unix_fds[0]
    await p.step("two values", told(p, b"one", b"two"))
    await p.step("what it gives", now(given, p, fd))
    await p.step("acquire again", p.characteristic(echo, *acquire))
    other = await p.another("other")
    await p.step("another client acquires", other.call(echo, CHRC, *acquire))
    await p.step("another client subscribes", other.call(echo, CHRC, "StartNotify"))
    await p.step("subscribe", p.characteristic(echo, "StartNotify"))
    await p.step("a read meanwhile", p.read(echo))
    await p.step("properties meanwhile", p.get_all(echo, CHRC))
    await p.step("another client ends it", other.call(echo, CHRC, "StopNotify"))
    await p.step("end it", p.characteristic(echo, "StopNotify"))
    await p.step("what it gives then", now(given, p, fd))
    await p.step("close it", now(os.close, fd))
    fd = (await p.step("acquire once more", p.characteristic(echo, *acquire))).unix_fds[0]
    await p.step("a write to it", now(taken, p, fd, b"x"))
    await p.step("close that", now(os.close, fd))
    await p.step("acquire what cannot", p.characteristic(short, *acquire))
    await p.step("acquire indications", p.characteristic(indicated, *acquire))
    await p.step("properties", p.get_all(indicated, CHRC))
    fd = (await p.step("acquire for the last time", p.characteristic(echo, *acquire))).unix_fds[0]
    await p.step("a value is left", told(p, b"left"))
    await p.step("the link is lost", p.side.drop(), settle=0.6)
    await p.step("what a lost one gives", now(given, p, fd))
    await p.step("close the lost one", now(os.close, fd))


@scenario("writing over a descriptor")
async def acquired_writing(p):
    await p.connected()
    echo, short, sink = await p.find(ECHO, SHORT, SINK)
    acquire = ("AcquireWrite", "a{sv}", {})
    fd = (await p.step("acquire", p.characteristic(echo, *acquire))).unix_fds[0]
    await p.step("write", now(taken, p, fd, b"through"))
    await p.step("read", p.read(echo))
    await p.step("acquire again", p.characteristic(echo, *acquire))
    await p.step("a request", p.write(echo, b"x", "request"))
    await p.step("a command", p.write(echo, b"x", "command"))
    await p.step("what it gives", now(given, p, fd))
    await p.step("another one", p.characteristic(sink, *acquire))
    await p.step("properties", p.get_all(echo, CHRC))
    await p.step("a packet of the longest", now(taken, p, fd, b"y" * 514))
    await p.step("a packet of one more", now(taken, p, fd, b"y" * 515))
    await p.step("close it", now(os.close, fd))
    await p.step("acquire what cannot", p.characteristic(short, *acquire))
    fd = (await p.step("acquire once more", p.characteristic(echo, *acquire))).unix_fds[0]
    await p.step("the link is lost", p.side.drop(), settle=0.6)
    await p.step("write to the lost one", now(taken, p, fd, b"x"))
    await p.step("what the lost one gives", now(given, p, fd))
    await p.step("close the lost one", now(os.close, fd))


@scenario("clients that leave")
async def leaving(p):
    await p.connected()
    echo = await p.find(ECHO)
    other = await p.another("other")
    await p.step("one subscribes", other.call(echo, CHRC, "StartNotify"))
    await p.step("it leaves", leaves(other), settle=0.5)
    another = await p.another("another")
    answer = await p.step("one acquires writing",
                          another.call(echo, CHRC, "AcquireWrite", "a{sv}", {}))
    await p.step("it leaves, its descriptor stays", leaves(another), settle=0.5)
    await p.step("it closes", now(os.close, answer.unix_fds[0]), settle=0.5)
    # Not so with AcquireNotify: bluetoothd 5.66 may die of it.
    await p.step("the link stays", p.tree())
