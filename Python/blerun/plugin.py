"""The pytest plugin: rooms of simulated devices, and chains that run in them.

docs/python.md leads to a first test.
"""

import json
import re
import subprocess
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from blerun.program import PROGRAM
from blerun.room import Room

SHOWN = 30


@dataclass
class SimulatedBlueZ:
    """Makes rooms: `simulated_bluez("lock.yaml")`, `simulated_bluez(Device("Door-1", …))`."""

    folder: Path
    generated: Path
    seed: int | None
    set_environment: Callable[[str, str], None]
    rooms: list[Room] = field(default_factory=list)

    def __call__(
        self, *definitions: str | Path | Mapping[str, Any], seed: int | None = None
    ) -> Room:
        """Starts a room and makes it the system bus of this test.

        Definitions are files, which are looked up beside the test, or devices in Python.
        """
        __tracebackhide__ = True
        files = [self._file(index, each) for index, each in enumerate(definitions)]
        room = Room(files, self.seed if seed is None else seed, self.folder)
        self.rooms.append(room)
        self.use(room)
        return room

    def use(self, room: Room) -> None:
        """Makes a room the system bus of this test and of what it starts, if it has several."""
        self.set_environment("DBUS_SYSTEM_BUS_ADDRESS", room.address)

    def _file(self, index: int, definition: str | Path | Mapping[str, Any]) -> Path:
        if not isinstance(definition, Mapping):
            return Path(definition)
        path = self.generated / f"room-{len(self.rooms) + 1}-{index + 1}.json"
        address = f"C0:FF:EE:00:00:{index + 1:02X}"
        path.write_text(json.dumps({"address": address, **definition}, indent=2))
        return path


@dataclass
class ChainRun:
    """What a chain did: its exit status, what it printed, and its events (docs/output.md)."""

    status: int
    output: str
    events: list[dict[str, Any]]


_made = pytest.StashKey[SimulatedBlueZ]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("blerun")
    group.addoption(
        "--blerun-artifacts", metavar="DIR", help="Keep the logs of rooms of failed tests in DIR."
    )
    group.addoption(
        "--blerun-seed", metavar="N", type=int, help="The seed of rooms that are given none."
    )


@pytest.fixture
def simulated_bluez(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[SimulatedBlueZ]:
    """Rooms of simulated devices, each with a simulated BlueZ, until the end of the test."""
    seed: int | None = request.config.getoption("--blerun-seed")
    made = SimulatedBlueZ(request.path.parent, tmp_path, seed, monkeypatch.setenv)
    request.node.stash[_made] = made
    try:
        yield made
    finally:
        for room in made.rooms:
            room.close()


@pytest.fixture
def blerun_run(
    simulated_bluez: SimulatedBlueZ, request: pytest.FixtureRequest, tmp_path: Path
) -> Callable[..., ChainRun]:
    """Runs chains in the room in use: `blerun_run("unlock.yaml", pin="1234")`.

    Further arguments are options of `blerun run`; keywords set variables of the chain. A chain that
    fails fails the test with its explanation, unless `check` is false.
    """

    def run(file: str | Path, *options: str, check: bool = True, **variables: object) -> ChainRun:
        __tracebackhide__ = True
        if not simulated_bluez.rooms:
            pytest.fail("blerun_run needs a room: call simulated_bluez first")
        report = tmp_path / "blerun-run.jsonl"
        report.unlink(missing_ok=True)
        sets = [f"--set={name}={value}" for name, value in variables.items()]
        command = [PROGRAM, "run", file, *options, *sets, "--no-journal", "--report", report]
        ended = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=request.path.parent,
            text=True,
        )
        if check and ended.returncode != 0:
            pytest.fail(f"blerun run {file}: status {ended.returncode}\n{ended.stdout}")
        lines = report.read_text().splitlines() if report.exists() else []
        return ChainRun(ended.returncode, ended.stdout, [json.loads(line) for line in lines])

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds what happened in the rooms to the report of a failure, while they are there."""
    report = yield
    made = item.stash.get(_made, None)
    if made is None or not report.failed or call.when == "teardown":
        return report
    for number, room in enumerate(made.rooms, 1):
        try:
            lines = [str(entry) for entry in room.log()]
        except Exception as error:  # A report of the test's failure is worth more than this one.
            lines = [f"(no log: {error})"]
        seed = "default seed" if room.seed is None else f"seed {room.seed}"
        title = f"blerun room {number}, {seed}"
        left_out = [f"({len(lines) - SHOWN} earlier entries)"] if len(lines) > SHOWN else []
        report.sections.append((title, "\n".join(left_out + lines[-SHOWN:])))
        if folder := item.config.getoption("--blerun-artifacts"):
            name = re.sub(r"[^\w.-]+", "-", item.nodeid)
            path = item.config.invocation_params.dir / folder / f"{name}.room-{number}.log"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join([title, *map(str, room.files), *lines]) + "\n")
    return report
