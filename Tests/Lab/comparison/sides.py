"""The two worlds in which a scenario is played, and what can be done to the device in each.

Both understand the same commands; what they are is said at `Lab`. Each takes its time until the
command is done.
"""
import asyncio
import ctypes
import os
import pathlib
import signal
import socket
import struct
import subprocess
import time

from dbus_fast import BusType, Message, MessageType
from dbus_fast.aio import MessageBus

ADDRESS = "C0:FF:EE:00:00:01"
# The addresses of hci0, and of an adapter that is there when a scenario puts it in.
FIRST, SECOND = "00:AA:01:00:00:00", "00:AA:01:00:00:01"
BLUEZ, BUS, PROPS = "org.bluez", "org.freedesktop.DBus", "org.freedesktop.DBus.Properties"
ADAPTER = "/org/bluez/hci0"
DEVICE = f"{ADAPTER}/dev_{ADDRESS.replace(':', '_')}"
ADP, DEV = "org.bluez.Adapter1", "org.bluez.Device1"
DAEMON = [os.environ.get("LAB_DAEMON", ""), "-n"]


def lab(number):
    """A characteristic of the peripheral's test service."""
    return f"6e5d{number:04x}-1b1a-4e1c-8f6b-0b6c1d2e3f40"


def unpair(address):
    """Has the kernel remove the keys of a device with a random address, whoever had it make them.

    By the kernel's management interface: Unpair Device, as bluetoothd and btmgmt ask for it.
    """
    any_controller, management = 0xFFFF, 3
    with socket.socket(socket.AF_BLUETOOTH, socket.SOCK_RAW, socket.BTPROTO_HCI) as control:
        where = struct.pack("<HHH", socket.AF_BLUETOOTH, any_controller, management)
        if ctypes.CDLL(None, use_errno=True).bind(control.fileno(), where, len(where)) != 0:
            raise OSError(ctypes.get_errno(), "the management interface")
        device = bytes.fromhex(address.replace(":", ""))[::-1] + bytes([2])     # a random one
        command = device + bytes([1])   # and disconnects it
        control.settimeout(20)
        control.send(struct.pack("<HHH", 0x001B, 0, len(command)) + command)
        while True:
            event, _, _ = struct.unpack_from("<HHH", answer := control.recv(1024))
            if event in (0x0001, 0x0002) and struct.unpack_from("<H", answer, 6)[0] == 0x001B:
                return


async def becomes(value, holds, within):
    """Whether a value, which is asked for again and again, becomes like that in time."""
    end = time.monotonic() + within
    while not holds(await value()):
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.05)
    return True


class Lab:
    """The lab's peripheral, told over its fifo (../peripheral.py)."""

    name = "bluetoothd"

    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        await self.tell("pause 1")

    async def begin(self):
        """bluetoothd runs, and the device is there and disconnected. No scenario finds the keys of an earlier
        one, which the kernel may have kept.

        bluetoothd may have ended by itself in an earlier scenario. It may also have lost track of a
        connection, and then takes the device for connected as long as it runs (../OBSERVED.md,
        "already connected").
        """
        unpair(ADDRESS)
        if await self.value(DEVICE, DEV, "Connected"):
            await self.drop()
            if not await self.comes(DEVICE, DEV, "Connected", lambda it: not it):
                process = await self.call(BUS, "/org/freedesktop/DBus", BUS,
                                          "GetConnectionUnixProcessID", "s", BLUEZ)
                await self.kill_daemon(process.body[0])
                await asyncio.sleep(3)
        if self.is_absent:
            await self.absent(False)
        if await self.value(ADAPTER, ADP, "Address") is None:
            await self.start_daemon()
            await self.comes(ADAPTER, ADP, "Address", lambda it: it is not None, within=30)

    async def call(self, destination, path, interface, member, signature, *body):
        return await self.bus.call(Message(destination=destination, path=path, interface=interface,
                                           member=member, signature=signature, body=list(body)))

    async def value(self, path, interface, name):
        """The value of a property of bluetoothd's; None for one that is not there."""
        answer = await self.call(BLUEZ, path, PROPS, "Get", "ss", interface, name)
        return None if answer.message_type is MessageType.ERROR else answer.body[0].value

    async def comes(self, path, interface, name, holds, within=5):
        return await becomes(lambda: self.value(path, interface, name), holds, within)

    async def tell(self, command):
        events = pathlib.Path(os.environ["LAB_EVENTS"])
        before = events.stat().st_size
        with open(os.environ["LAB_PERIPHERAL"], "w") as fifo:
            fifo.write(command + "\n")
        for _ in range(2000):
            if f"done {command}" in events.read_bytes()[before:].decode(errors="replace"):
                return
            await asyncio.sleep(0.01)
        raise RuntimeError(f"the peripheral did not do: {command}")

    async def drop(self):
        await self.tell("drop")

    async def hang_up(self):
        await self.tell("disconnect")

    is_absent = False

    async def absent(self, is_absent):
        self.is_absent = is_absent
        await self.tell(f"advertise {'off' if is_absent else 'on'}")

    async def battery(self, level):
        await self.tell(f"battery {level}")

    async def set_echo(self, octets):
        await self.tell(f"set-echo {octets.hex()}")

    async def subscribed_after(self, seconds):
        """The echo answers a subscription that late, and is subscribed to meanwhile."""
        await self.tell(f"subscribed-after {seconds}")

    async def indicate(self, octets):
        await self.tell(f"indicate {octets.hex()}")

    async def refuse_reads(self, code):
        """lab(10) fails with that error when it is read."""
        await self.tell(f"refuse-reads {code}")

    async def pair_by(self, method):
        """One of the simulator's words: `security` in Simulators/README.md; or asking, which asks to pair as
        it is connected."""
        await self.tell("pairing " + ("off" if method == "reject" else "on"))
        await self.tell("request-security-at " + ("connect" if method == "asking" else "never"))
        words = {"reject": "just-works", "asking": "just-works",
                 "passkey-entry": "passkey-entry 123456"}
        await self.tell(f"pair-by {words.get(method, method)}")

    async def person_types(self, passkey):
        """The person at a device that asks for a passkey types what was shown."""
        await self.tell(f"type {passkey}")

    async def request_security(self):
        await self.tell("request-security")

    async def add_service(self):
        await self.tell("service add")

    async def plug_in(self, adapter):
        await self.tell(f"adapter in {adapter}")

    async def pull_out(self, adapter):
        await self.tell(f"adapter out {adapter}")

    async def kill_daemon(self, process):
        """What is left of its links goes within two seconds."""
        os.kill(process, signal.SIGKILL)

    async def start_daemon(self):
        subprocess.Popen(DAEMON, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)


# Those of the simulated device, as peripheral.yaml has them.
FAULTS = (f"on: read, characteristic: {lab(9)}, do: slow 1s",
          f"on: write, characteristic: {lab(1)}, do: answer-late 2ms")


class Simulator:
    """The simulated device, steered over its control object (docs/simulator-control.md)."""

    name = "simulator"

    def __init__(self, security):
        self.security = security

    async def open(self):
        self.bus = await MessageBus(bus_type=BusType.SYSTEM).connect()
        await self.steer("Offer", "ssb", ADDRESS, lab(0x100), False)
        await self.pull_out(SECOND)

    async def begin(self):
        """The device is there. One that is removed leaves nothing behind."""
        if self.is_absent:
            await self.absent(False)

    async def steer(self, member, signature="", *body):
        answer = await self.bus.call(Message(
            destination="blerun.Simulator1", path="/blerun/simulator",
            interface="blerun.Simulator1", member=member, signature=signature, body=list(body)))
        if answer.message_type is MessageType.ERROR:
            raise RuntimeError(f"{member}: {answer.error_name} {answer.body}")

    async def drop(self):
        await self.steer("DropLink", "s", ADDRESS)

    hang_up = drop

    is_absent = False

    async def absent(self, is_absent):
        self.is_absent = is_absent
        await self.steer("Vanish" if is_absent else "Appear", "s", ADDRESS)

    async def battery(self, level):
        await self.steer("SetValue", "ssay", ADDRESS, "battery-level", bytes([level]))

    async def set_echo(self, octets):
        await self.steer("SetValue", "ssay", ADDRESS, lab(1), octets)

    async def subscribed_after(self, seconds):
        late = f"on: subscribe, characteristic: {lab(1)}, do: answer-late {round(seconds * 1000)}ms"
        await self.set_faults(*([late] if seconds else []))

    async def indicate(self, octets):
        await self.steer("SetValue", "ssay", ADDRESS, lab(6), octets)

    async def refuse_reads(self, code):
        await self.set_faults(f"on: read, characteristic: {lab(10)}, do: refuse 0x{code:02x}")

    async def set_faults(self, *rules):
        await self.steer("ClearFaults", "s", ADDRESS)
        for rule in (*FAULTS, *rules):
            await self.steer("AddFault", "ss", ADDRESS, f"{{ {rule} }}")

    async def pair_by(self, method):
        if method != self.security:
            raise RuntimeError(f"this device pairs by {self.security}, not {method}")

    async def person_types(self, passkey):
        pass    # types by itself, two seconds later

    async def request_security(self):
        await self.steer("RequestSecurity", "s", ADDRESS)

    async def plug_in(self, adapter):
        await self.steer("PlugIn", "si", adapter, -1)

    async def pull_out(self, adapter):
        await self.steer("Unplug", "s", adapter)

    async def kill_daemon(self, process):
        """There is another three seconds later."""
        self.restarting = asyncio.ensure_future(self.steer("Restart", "u", 3000))

    async def start_daemon(self):
        await self.restarting

    async def add_service(self):
        await self.steer("Offer", "ssb", ADDRESS, lab(0x100), True)
