"""A room: simulated devices and a simulated BlueZ on a private bus, with methods that steer them."""

import json
import os
import selectors
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from blerun.agent import Agent, AgentRegistration, passkey_number
from blerun.bus import ControlBus, SimulationError
from blerun.devices import LoadedDevice, keys, text
from blerun.logic import Logic, answering, octets
from blerun.program import PROGRAM

# The variables that `blerun simulate` sets: the bus, and for Qt the simulated release of BlueZ.
VARIABLES = ("DBUS_SYSTEM_BUS_ADDRESS", "BLUETOOTH_FORCE_DBUS_LE_VERSION")
# The options of `blerun simulate` for each timing. A scenario whose host has a delay keeps it.
TIMES = {"fast": ["--disconnect-delay", "0s"], "exact": []}
REFUSED = "write-refused-0x"
STARTING = 60.0
ENDING = 20.0
POLLING = 0.01
MOST_PRINTED = 65_536
PCAP_HEAD = 24

Handler = TypeVar("Handler", bound=Callable[..., Any])


def wait_until(happened: Callable[[], object], timeout: float, complaint: str) -> None:
    """Polls a condition. Raises `SimulationError` with the complaint after the timeout."""
    end = time.monotonic() + timeout
    while not happened():
        if time.monotonic() > end:
            raise SimulationError("TimedOut", f"{complaint} within {timeout:g} s")
        time.sleep(POLLING)


def _digits(value: object) -> str:
    """Writes the bytes of a field as hexadecimal digits."""
    if isinstance(value, bytes | bytearray):
        return value.hex()
    raise TypeError(f"a field cannot be {value!r}: expected text, numbers or bytes")


class Entry(NamedTuple):
    """An entry of the log. docs/simulator-control.md describes the events."""

    number: int
    seconds: float
    client: str
    event: str
    device: str
    attribute: str
    value: bytes

    def __str__(self) -> str:
        fields = [self.client, self.event, self.device, self.attribute, self.value.hex(" ")]
        return f"{self.seconds:10.6f}  " + "  ".join(field for field in fields if field)


class Room:
    """Simulated devices on a private bus at `address`, until `close`.

    `times` is "exact", as bluetoothd has them, or "fast": a connection ends at once after Disconnect.
    `bluez` is the simulated release of BlueZ, such as "5.82".
    """

    def __init__(
        self,
        files: Sequence[Path],
        seed: int | None = None,
        cwd: Path | None = None,
        times: str = "exact",
        bluez: str | None = None,
    ):
        __tracebackhide__ = True
        if times not in TIMES:
            raise ValueError(f"unknown times {times!r}: expected {' or '.join(TIMES)}")
        self.files, self.seed, self.times = files, seed, times
        self.handler_errors: list[BaseException] = []
        self._logic: dict[tuple[str, str], Logic] = {}
        self._monitor: subprocess.Popen[bytes] | None = None
        seeded = [] if seed is None else ["--seed", str(seed)]
        released = [] if bluez is None else ["--bluez", bluez]
        # `cat` ends at the end of its input: also when this process is killed.
        shown = " ".join(f"${variable}" for variable in VARIABLES)
        command = ["sh", "-c", f'echo "{shown}"; exec cat >/dev/null']
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        self._process = subprocess.Popen(
            [
                PROGRAM,
                "simulate",
                *files,
                *seeded,
                *released,
                *TIMES[times],
                "--control",
                "--",
                *command,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C reaches the tests alone, which then close the room.
            cwd=cwd,
        )
        try:
            self.variables = dict(zip(VARIABLES, self._first_line().split(" "), strict=True))
            self.address = self.variables[VARIABLES[0]]
            self.bluez = self.variables[VARIABLES[1]]
            self._bus = ControlBus(self.address)
            self._agents = AgentRegistration(self._bus)
        except BaseException:
            self._end()
            raise

    def _first_line(self) -> str:
        __tracebackhide__ = True
        assert self._process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            if not selector.select(STARTING):
                complaint = f"blerun simulate did not start within {STARTING:g} s"
                raise SimulationError("NotStarted", complaint)
        line = self._process.stdout.readline().decode().strip()
        if not line:
            self._process.wait(ENDING)
            raise SimulationError("NotStarted", self._printed().strip())
        return line

    def _printed(self) -> str:
        return os.pread(self._errors.fileno(), MOST_PRINTED, 0).decode(errors="replace")

    def messages(self) -> list[str]:
        """The messages of the simulation on standard error, without the greeting."""
        if self._errors.closed:
            return []
        return [line for line in self._printed().splitlines() if line.startswith("blerun: ")][1:]

    def _end(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        for end in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(ENDING)
                break
            except subprocess.TimeoutExpired:
                end()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def record(self, trace: Path) -> None:
        """Records the messages on the bus, for Wireshark, if dbus-monitor is installed."""
        if program := shutil.which("dbus-monitor"):
            with trace.open("wb") as file:
                command = [program, "--address", self.address, "--pcap"]
                self._monitor = subprocess.Popen(command, stdout=file, start_new_session=True)
            # The recording has begun when messages follow the header of the file.
            wait_until(
                lambda: trace.stat().st_size > PCAP_HEAD, STARTING, "dbus-monitor recorded nothing"
            )

    def close(self) -> None:
        """Ends the simulation and its bus. A second call does nothing."""
        if self._errors.closed:
            return
        for logic in self._logic.values():
            logic.close()
        self._bus.close()
        self._end()
        if self._monitor:  # It ends with its bus.
            self._monitor.wait(ENDING)

    @property
    def environment(self) -> dict[str, str]:
        """An environment for programs that use this room."""
        return {**os.environ, **self.variables}

    def __getitem__(self, device: str) -> "RoomDevice":
        """Returns a device by its name or address."""
        return RoomDevice(self, device)

    def __iter__(self) -> Iterator["RoomDevice"]:
        """Iterates over the devices."""
        return (RoomDevice(self, address) for address in self.devices())

    def __contains__(self, device: str) -> bool:
        """Returns whether a device has this name or address."""
        return self.find(device) is not None

    def find(self, device: str) -> tuple[str, str, bool] | None:
        """Returns the address and the name of a device, and whether it is connected; None if unknown."""
        for address, name, connected in self.call("ListDevices")[0]:
            if device.casefold() in (address.casefold(), name.casefold()):
                return address, name, connected
        return None

    def call(self, method: str, signature: str = "", *arguments: object) -> list[Any]:
        """Calls a method of the control interface."""
        if (logic := answering.get()) and logic in self._logic.values():
            return logic.act(method, *arguments)
        return self._bus.call(method, signature, *arguments)

    def attach(self, names: tuple[str, str], event: str, handler: Callable[..., Any]) -> None:
        """Adds a handler to the logic of the device with this address and name."""
        if not (logic := self._logic.get(names)):
            logic = self._logic[names] = Logic(names, self.handler_errors)
        handlers = {**logic.handlers, event: handler}
        asked = [
            each for each in handlers if not each.startswith("timer ")
        ]  # Timers need no request.
        self.call("AttachLogic", "ssas", names[0], logic.path, asked)
        logic.handlers = handlers

    def settle(self) -> None:
        """Waits until no handler runs, or the simulation has given up its logic."""
        for logic in self._logic.values():
            logic.settle()

    def devices(self) -> list[str]:
        """Returns the addresses of the devices."""
        return [address for address, _, _ in self.call("ListDevices")[0]]

    def change(self, address: str, loaded: LoadedDevice) -> None:
        """Applies the changes of a loaded device, before a client uses it."""
        device = self[address]
        for characteristic, value in loaded.values.items():
            device.set(characteristic, value)
        if loaded.advertisement:
            device.advertise(**loaded.advertisement)
        for fault in loaded.faults:
            device.fault(**fault)

    def names(self) -> dict[str, str]:
        """Returns the names of the devices, by address."""
        return {address: name for address, name, _ in self.call("ListDevices")[0]}

    def fault(self, fault: str | None = None, **rule: Any) -> None:
        """Adds a fault to every device: see `RoomDevice.fault`."""
        for address in self.devices():
            self[address].fault(fault, **rule)

    def restart(self, seconds: float = 0.1) -> None:
        """Lets bluetoothd crash, and returns when it has started again, after this time."""
        self.call("Restart", "u", round(seconds * 1000))
        self._agents.renew()

    def agent(self, passkey: int | str | None = None, confirm: bool = True) -> Agent:
        """Registers an agent, as a desktop has one, in place of an earlier one of this room.

        It types the passkey when bluetoothd asks for one, and confirms numbers and pairings, or
        refuses them.
        """
        agent = Agent(passkey_number(passkey), confirm)
        self._agents.register(agent)
        return agent

    def log(self, since: int = 0) -> list[Entry]:
        """Returns the log of calls and events: the entries with numbers above `since`."""
        rows = self.call("ReadLog", "t", since)[0]
        return [Entry(r[0], r[1] / 1e6, r[2], r[3], r[4], r[5], bytes(r[6])) for r in rows]


class RoomDevice:
    """A device of a room."""

    def __init__(self, room: Room, name: str):
        self.room, self.name = room, name

    @property
    def connected(self) -> bool:
        """Whether it is connected."""
        return self._row()[2]

    def _row(self) -> tuple[str, str, bool]:
        if row := self.room.find(self.name):
            return row
        self.room.call("GetValue", "ss", self.name, "")  # The refusal of this call suggests a name.
        raise SimulationError("UnknownDevice", f"unknown device '{self.name}'")

    def on(self, event: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of an event of docs/device-logic.md: `on("connected")`."""

        def attach(handler: Handler) -> Handler:
            self.room.attach(self._row()[:2], event, handler)
            return handler

        return attach

    def on_read(self, characteristic: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of reads. It returns the value, or None for the present one."""
        return self.on(f"read {characteristic}")

    def on_write(self, characteristic: str) -> Callable[[Handler], Handler]:
        """Decorates the handler of writes. It gets the value, and may return another one to store."""
        return self.on(f"write {characteristic}")

    def on_subscribe(self, characteristic: str) -> Callable[[Handler], Handler]:
        """Decorates the handler called when notifications or indications are enabled."""
        return self.on(f"subscribed {characteristic}")

    def wake(self, timer: str, seconds: float) -> None:
        """Starts a timer, in a handler: the handler of `on("timer relock")` is called after this time."""
        if not answering.get():
            complaint = f"wake('{timer}') of {self.name} can be called only in a handler"
            raise SimulationError("NotInHandler", complaint)
        self.room.call("Wake", "ssu", self.name, timer, round(seconds * 1000))

    def drop(self) -> None:
        """Drops the connection, as if the device were out of range."""
        self.room.call("DropLink", "s", self.name)

    def vanish(self) -> None:
        """Makes the device disappear, with its connection."""
        self.room.call("Vanish", "s", self.name)

    def appear(self) -> None:
        """Makes the device appear again."""
        self.room.call("Appear", "s", self.name)

    def lose_bonds(self) -> None:
        """Makes the device lose its bonds, as after a reset; hosts still have them."""
        self.room.call("LoseBonds", "s", self.name)

    def request_security(self) -> None:
        """Makes the connected device ask to pair, unless the connection is encrypted."""
        self.room.call("RequestSecurity", "s", self.name)

    def move(self, rssi: int, within: float = 0.0) -> None:
        """Changes the RSSI to a value in dBm, evenly within a number of seconds."""
        self.room.call("Move", "snu", self.name, rssi, round(within * 1000))

    def advertise(self, **change: Any) -> None:
        """Changes the advertised data, by keys of a device file: `advertise(rssi=-70)`."""
        self.room.call("Advertise", "ss", self.name, text(keys(change)))

    def get(self, characteristic: str) -> Any:
        """Returns the current value, without a read by a client: bytes, or the fields of a described value.

        A value that the `names` of the device describe is a dict, or what its format is without fields.
        """
        fields = self.room.call("GetFields", "ss", self.name, characteristic)[0]
        return json.loads(fields) if fields else self.raw(characteristic)

    def raw(self, characteristic: str) -> bytes:
        """Returns the bytes of the current value, also of a described one."""
        return bytes(self.room.call("GetValue", "ss", self.name, characteristic)[0])

    def unused(self) -> list[str]:
        """Returns the unused `responses` of a device with `unrecorded`."""
        return list(self.room.call("ListUnused", "s", self.name)[0])

    def set(self, characteristic: str, value: int | bytes | Mapping[str, Any]) -> None:
        """Stores a value as the device does, and sends it to subscribers.

        A number is one byte. Of a described value some fields may be given; the others stay.
        """
        if isinstance(value, Mapping):
            fields = json.dumps(value, ensure_ascii=False, default=_digits)
            self.room.call("SetFields", "sss", self.name, characteristic, fields)
        else:
            self.room.call("SetValue", "ssay", self.name, characteristic, octets(value))

    def notify(
        self,
        characteristic: str,
        value: int | bytes | Mapping[str, Any],
        timeout: float = 5.0,
    ) -> None:
        """Stores a value and, outside of handlers, waits until it was sent to a subscriber."""
        if answering.get():  # The simulation waits for this handler, and sends nothing.
            return self.set(characteristic, value)
        seen = max((entry.number for entry in self.room.log()), default=0)
        self.set(characteristic, value)
        sent = self.raw(characteristic) if isinstance(value, Mapping) else octets(value)
        wait_until(
            lambda: sent in self._values("notified", characteristic, seen),
            timeout,
            f"{characteristic} of {self.name} was notified to nobody",
        )

    def written(self, characteristic: str, refused: bool = False) -> list[bytes]:
        """Returns the values that clients wrote and the device accepted, in order.

        With `refused` those that it refused, too.
        """
        found = self.room.call("FindCharacteristic", "ss", self.name, characteristic)
        values: list[bytes] = []
        for entry in self.room.log():
            if [entry.device, entry.attribute] != found:
                continue
            if entry.event == "written":
                values.append(entry.value)
            elif entry.event.startswith(REFUSED) and not refused and entry.value in values:
                # The entry of the refused write is before this one, and is the last with its value.
                del values[len(values) - 1 - values[::-1].index(entry.value)]
        return values

    def wait_for_write(
        self, characteristic: str, timeout: float = 5.0, count: int = 1
    ) -> list[bytes]:
        """Returns the accepted values once there are `count`. Blocks: for clients in other threads or
        processes."""
        times = "once" if count == 1 else f"{count} times"
        what = f"{characteristic} of {self.name} was not written {times}"
        wait_until(lambda: len(self.written(characteristic)) >= count, timeout, what)
        return self.written(characteristic)

    def _values(self, event: str, characteristic: str, since: int = 0) -> list[bytes]:
        found = self.room.call("FindCharacteristic", "ss", self.name, characteristic)
        log = self.room.log(since)
        return [e.value for e in log if [e.event, e.device, e.attribute] == [event, *found]]

    def fault(self, fault: str | None = None, **rule: Any) -> None:
        """Adds a named fault, `fault("slow", on="read", by="3s")`, or a rule,
        `fault(on="read", nth=1, do="lose-link")`."""
        named: Mapping[str, Any] = {} if fault is None else {"fault": fault}
        self.room.call("AddFault", "ss", self.name, text({**named, **keys(rule)}))

    def clear_faults(self) -> None:
        """Removes all faults."""
        self.room.call("ClearFaults", "s", self.name)
