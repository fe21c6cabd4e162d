"""The pytest plugin: rooms of simulated devices, and chains that run in them.

docs/python.md leads to a first test.
"""

import hashlib
import json
import re
import shutil
import subprocess
import traceback
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from blerun.devices import LoadedDevice, text
from blerun.glance import glance
from blerun.program import PROGRAM
from blerun.room import TIMES, Room

SHOWN = 30
LONGEST_NAME = 120


@dataclass
class ChainRun:
    """The result of a chain: exit status, printed text, and events (docs/output.md)."""

    status: int
    output: str
    events: list[dict[str, Any]]


@dataclass
class SimulatedBlueZ:
    """Starts rooms: `simulated_bluez("lock.yaml")`, `simulated_bluez(Device("Door-1", …))`."""

    request: pytest.FixtureRequest
    environment: pytest.MonkeyPatch
    files: Path
    rooms: list[Room] = field(default_factory=list)
    chains: int = 0

    def __call__(
        self,
        *definitions: "Definition",
        seed: int | None = None,
        times: str | None = None,
        bluez: str | None = None,
    ) -> Room:
        """Starts a room and makes it the system bus of this test.

        Definitions are devices in Python, or files, also with changes, with paths relative to the folder of the test.
        Times are "exact", as bluetoothd has them, or "fast"; `bluez` is the simulated release of BlueZ, such as "5.82". If not
        given, they are those of this run.
        """
        __tracebackhide__ = True
        option = self.request.config.getoption
        name = f"room-{len(self.rooms) + 1}"
        paths = [self._path(each, name, n) for n, each in enumerate(definitions, 1)]
        seed = option("--blerun-seed") if seed is None else seed
        config = self.request.config
        room = Room(
            paths, seed, self.request.path.parent, times or _times(config), bluez or _bluez(config)
        )
        self.rooms.append(room)
        self.use(room)
        if option("--blerun-artifacts"):
            room.record(self.files / f"{name}.pcap")
        for number, each in enumerate(definitions, 1):
            if isinstance(each, LoadedDevice):
                room.change(each.used.get("address", _address(number)), each)
        return room

    def _path(self, definition: "Definition", room: str, number: int) -> Path:
        if isinstance(definition, LoadedDevice):
            definition = definition.scenario(_address(number))
        elif not isinstance(definition, Mapping):
            return Path(definition)
        address = _address(number)
        path = self.files / f"{room}-{number}.json"
        given = definition if "devices" in definition else {"address": address, **definition}
        path.write_text(text(given, indent=2, find=self._find), "utf-8")
        return path

    def _find(self, key: str, given: Any) -> Any:
        """Resolves the path of a key of a device in Python, relative to the folder of the test."""
        folder = self.request.path.parent
        if key == "program" and isinstance(given, list | tuple) and given:
            program = str(folder / given[0]) if "/" in str(given[0]) else given[0]
            words = [program, *given[1:]]
            change = ["sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(folder)]
            # Without them, blerun reports a program that cannot be started.
            return [*change, *words] if shutil.which(str(program)) else words
        if not isinstance(given, str | Path):
            return given
        if key != "csv":
            return str(folder / given)
        # blerun reads tables only below the folder of the device file.
        copy = self.files / given
        if (folder / given).is_file() and copy.resolve().is_relative_to(self.files.resolve()):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / given, copy)
        return str(given)

    def use(self, room: Room) -> None:
        """Makes a room the system bus of this test and its child processes, if there are several."""
        for name, value in room.variables.items():
            self.environment.setenv(name, value)

    def run(
        self, file: str | Path, *options: str, check: bool = True, **variables: object
    ) -> ChainRun:
        """Runs a chain in the current room: see the fixture `blerun_run`."""
        __tracebackhide__ = True
        if not self.rooms:
            pytest.fail("blerun_run needs a room: call simulated_bluez first")
        self.chains += 1
        events = self.files / f"chain-{self.chains}.jsonl"
        reports = [f"--report={path}" for path in (events, events.with_suffix(".html"))]
        sets = [f"--set={name}={value}" for name, value in variables.items()]
        ended = subprocess.run(
            [PROGRAM, "run", file, *options, *sets, "--no-journal", *reports],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=self.request.path.parent,
            encoding="utf-8",
            errors="replace",
        )
        if check and ended.returncode != 0:
            pytest.fail(f"blerun run {file}: status {ended.returncode}\n{ended.stdout}")
        lines = events.read_text("utf-8").splitlines() if events.exists() else []
        return ChainRun(ended.returncode, ended.stdout, [json.loads(line) for line in lines])

    def check(self) -> None:
        """Waits for handlers that still run, and raises the first error of a handler."""
        __tracebackhide__ = True
        for room in self.rooms:
            room.settle()
            if room.handler_errors:
                raise room.handler_errors[0]


Definition = str | Path | Mapping[str, Any] | LoadedDevice


def _address(number: int) -> str:
    """The address of a device without one: none of the ready-made devices, which may be in the same room."""
    return "DE:FA:17:00:" + number.to_bytes(2, "big").hex(":").upper()


_made = pytest.StashKey[SimulatedBlueZ]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("blerun")
    group.addoption(
        "--blerun-artifacts",
        metavar="DIR",
        help="Keep a folder for each failed test in DIR: logs, messages, pages of chains.",
    )
    group.addoption(
        "--blerun-seed", metavar="N", type=int, help="The seed of rooms that are given none."
    )
    times = (
        "The times of rooms: fast (default) ends a connection at once after Disconnect; exact waits "
        "2 s, as bluetoothd does."
    )
    group.addoption("--blerun-times", choices=list(TIMES), help=times)
    parser.addini("blerun_times", times)
    bluez = "The simulated release of BlueZ, such as 5.82; a scenario's own is kept"
    group.addoption("--blerun-bluez", metavar="RELEASE", help=bluez)
    parser.addini("blerun_bluez", bluez)


def _bluez(config: pytest.Config) -> str | None:
    """The release that the option names, else the ini file."""
    return config.getoption("--blerun-bluez") or config.getini("blerun_bluez") or None


def _times(config: pytest.Config) -> str:
    """The times of rooms: those of the option, else of the ini file, else fast."""
    return config.getoption("--blerun-times") or config.getini("blerun_times") or "fast"


def pytest_configure(config: pytest.Config) -> None:
    if (times := _times(config)) not in TIMES:
        raise pytest.UsageError(f"blerun_times: expected {' or '.join(TIMES)}, found '{times}'")


def pytest_report_header(config: pytest.Config) -> str:
    times = _times(config)
    return {
        "fast": "blerun: fast times: a connection ends at once after Disconnect (--blerun-times exact: 2 s)",
        "exact": "blerun: exact times: a connection ends 2 s after Disconnect, as with bluetoothd",
    }[times]


@pytest.fixture
def simulated_bluez(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[SimulatedBlueZ]:
    """Rooms of simulated devices, each with a simulated BlueZ, until the end of the test."""
    files = tmp_path / "blerun"
    files.mkdir()
    made = SimulatedBlueZ(request, monkeypatch, files)
    request.node.stash[_made] = made
    try:
        yield made
    finally:
        with ExitStack() as ends:  # Closes each room, even if another one fails.
            for room in made.rooms:
                ends.callback(room.close)
    folder = request.config.getoption("--blerun-artifacts")
    if folder and list(files.glob("*.log")):  # Written for failed tests.
        name = re.sub(r"[^\w.-]+", "-", request.node.nodeid)
        if len(name) > LONGEST_NAME:
            digest = hashlib.sha256(request.node.nodeid.encode()).hexdigest()
            name = f"{name[:LONGEST_NAME]}-{digest[:8]}"
        path = request.config.invocation_params.dir / folder / name
        shutil.copytree(files, path, dirs_exist_ok=True)
    made.check()


@pytest.fixture
def blerun_run(simulated_bluez: SimulatedBlueZ) -> Callable[..., ChainRun]:
    """Runs chains in the current room: `blerun_run("unlock.yaml", pin="1234")`.

    Further arguments are options of `blerun run`; keywords set variables of the chain. A chain that
    fails fails the test with its explanation, unless `check` is false.
    """
    return simulated_bluez.run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Fails a test if a handler of its devices has failed."""
    __tracebackhide__ = True
    yield
    if made := item.stash.get(_made, None):
        made.check()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the logs of the rooms to the report of a failed test, before the rooms are closed."""
    report = yield
    made = item.stash.get(_made, None)
    if made is None or call.when == "teardown":
        return report
    if not report.failed:
        for room in (
            made.rooms
        ):  # The error was a skip or an expected failure: not raised again at the teardown.
            if call.excinfo and call.excinfo.value in room.handler_errors:
                room.handler_errors.remove(call.excinfo.value)
        return report
    for number, room in enumerate(made.rooms, 1):
        ends: list[str] = []
        try:
            entries = room.log()
            lines = [str(entry) for entry in entries]
            ends = glance(entries, room.names())
        except Exception as error:  # Must not replace the failure of the test.
            lines = [f"(no log: {error})"]
        lines += room.messages()
        seed = "default seed" if room.seed is None else f"seed {room.seed}"
        title = f"blerun room {number}, {seed}, {room.times} times, BlueZ {room.bluez}"
        left_out = [f"({len(lines) - SHOWN} earlier entries)"] if len(lines) > SHOWN else []
        report.sections.append((title, "\n".join(left_out + lines[-SHOWN:])))
        if ends:
            report.sections.append((f"blerun room {number}, in short", "\n".join(ends)))
        for raised in room.handler_errors:
            if call.excinfo and call.excinfo.value is not raised:
                printed = "".join(traceback.format_exception(raised))
                report.sections.append((f"blerun room {number}, error in a handler", printed))
        room.handler_errors.clear()
        path = made.files / f"room-{number}.log"
        path.write_text("\n".join([title, *map(str, room.files), *lines]) + "\n", "utf-8")
    return report
