"""Runs pytest with the plugin: reports, chains, parallel tests, interrupted tests."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

DEVICE = """
from blerun import Device

DOOR = Device("Door-1", services=[{"service": "battery", "characteristics": [
    {"characteristic": "battery-level", "properties": ["read"], "value": {"u8": 87}}]}])
"""
DBUS = 231  # LINKTYPE_DBUS, the link type of D-Bus messages in a capture.
CHAIN = """
name: Battery
device: { name: Door-1 }
variables:
  least: { type: integer, default: 20 }
steps:
  - read: battery-level
    expect: { percent: { min: "{least}" } }
"""


def test_a_failure_shows_the_log_and_the_seed(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", chain=CHAIN)
    pytester.makepyfile(
        DEVICE
        + """
def test_fails(simulated_bluez, blerun_run):
    room = simulated_bluez(DOOR, seed=7)
    blerun_run("chain.yaml")
    room["Door-1"].set("battery-level", 5)
    assert False

def test_passes(simulated_bluez):
    simulated_bluez(DOOR)
"""
    )
    result = pytester.runpytest_subprocess("--blerun-artifacts", "kept", "--blerun-seed", "3")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*- blerun room 1, seed 7, fast times, BlueZ 5.* -*", "*Simulator1.SetValue*2a19*05"]
    )
    [folder] = (pytester.path / "kept").iterdir()
    assert folder.name.endswith("test_fails")
    assert {path.name for path in folder.iterdir()} == {
        "room-1.log",
        "room-1.pcap",
        "room-1-1.json",
        "chain-1.html",
        "chain-1.jsonl",
    }
    assert (
        (folder / "room-1.log")
        .read_text()
        .startswith("blerun room 1, seed 7, fast times, BlueZ 5.")
    )
    trace = (folder / "room-1.pcap").read_bytes()
    assert int.from_bytes(trace[20:24], "little") == DBUS
    places = [trace.index(name) for name in (b"Connect", b"ReadValue", b"SetValue")]
    assert places == sorted(places)


def test_an_error_of_a_handler_fails_the_test(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", chain=CHAIN)
    pytester.makepyfile(
        DEVICE
        + """
import pytest

@pytest.fixture
def door(simulated_bluez):
    door = simulated_bluez(DOOR)["Door-1"]

    @door.on_read("battery-level")
    def level():
        return undefined

    return door

def test_does_not_see_it(door, blerun_run):
    blerun_run("chain.yaml", check=False)

def test_fails_by_it(door, blerun_run):
    blerun_run("chain.yaml")

def test_reads_nothing(door):
    pass
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*test_does_not_see_it*",
            ">*return undefined",
            "E*NameError: name 'undefined' is not defined",
            "*test_fails_by_it*",
            "E*where  chain.yaml:6:5",
            "*- blerun room 1, error in a handler -*",
            "NameError: name 'undefined' is not defined",
        ]
    )


def test_a_handler_that_hangs_fails_a_test_that_tolerates_it(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", chain=CHAIN)
    pytester.makepyfile(
        DEVICE
        + """
import time

def test_hangs(simulated_bluez, blerun_run):
    door = simulated_bluez(DOOR)["Door-1"]
    door.on_read("battery-level")(lambda: time.sleep(60))
    blerun_run("chain.yaml", check=False)

def test_is_another(simulated_bluez, blerun_run):
    simulated_bluez(DOOR)
    blerun_run("chain.yaml")
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["E*given up the logic of Door-1, whose handler of 'read battery-level' has not returned"]
    )


def test_files_of_a_device_in_python_are_beside_the_test(pytester: pytest.Pytester) -> None:
    (pytester.path / "device").mkdir()
    (pytester.path / "device" / "tag.yaml").write_text("name: Tag-1\naddress: C0:FF:EE:00:00:01\n")
    tests = pytester.path / "tests"
    tests.mkdir()
    (tests / "levels.csv").write_text("level\n61\n62\n")
    (tests / "logic.sh").write_text(
        "#!/bin/sh\nread -r line; pwd >folder; echo '{\"id\": 1}'; cat >/dev/null\n"
    )
    (tests / "logic.sh").chmod(0o755)
    pytester.makepyfile(
        **{
            "tests/test_files": """
from pathlib import Path
import pytest
from blerun import Device

PARTS = [{"u8": {"column": "level"}}]

def test_use(simulated_bluez):
    room = simulated_bluez({"scenario": "x", "devices": [{"use": "../device/tag.yaml"}]})
    assert "Tag-1" in room

@pytest.mark.parametrize("program", [["./logic.sh"], ["sh", "logic.sh"]])
def test_program(simulated_bluez, program):
    simulated_bluez(Device("Door-1", logic={"program": program}))
    assert Path(__file__).with_name("folder").read_text().strip() == str(Path(__file__).parent)

def test_table(simulated_bluez):
    level = {"characteristic": "battery-level", "properties": ["read"]}
    level["series"] = {"csv": "levels.csv", "parts": PARTS, "every": "1h"}
    service = {"service": "battery", "characteristics": [level]}
    room = simulated_bluez(Device("T-1", services=[service]))
    assert room["T-1"].get("battery-level") in (b"\\x3d", b"\\x3e")

def test_missing(simulated_bluez):
    simulated_bluez(Device("Door-1", logic={"program": ["./missing"]}))
"""
        }
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["E*no such file: */tests/missing*"])


def test_a_device_of_a_file_is_loaded_with_changes(pytester: pytest.Pytester) -> None:
    devices = pytester.path / "devices"
    devices.mkdir()
    (devices / "lamp.yaml").write_text(
        "name: Lamp\naddress: C0:FF:EE:00:00:01\n"
        "names: { colour: 6c610002-1b1a-4e1c-8f6b-0b6c1d2e3f40 }\n"
        "services:\n  - service: fff0\n    characteristics:\n"
        "      - { characteristic: colour, properties: [read], value: { hex: 0011ff } }\n"
        "      - { characteristic: fff2, properties: [read], value: { u8: 1 } }\n"
    )
    pytester.makepyfile(
        """
import pytest
from blerun import Device, SimulationError

LAMP = "devices/lamp.yaml"

def test_changes(simulated_bluez):
    red = Device.load(LAMP, name="Red", values={"colour": b"\\xff\\x00\\x00", "FFF2": 2})
    other = Device.load(LAMP, address="C0:FF:EE:00:00:09", advertisement={"rssi": -90})
    room = simulated_bluez(LAMP, red, other)
    assert room.names() == {
        "C0:FF:EE:00:00:01": "Lamp", "DE:FA:17:00:00:02": "Red", "C0:FF:EE:00:00:09": "Lamp"
    }
    assert room["Red"].get("colour") == b"\\xff\\x00\\x00"
    assert room["Red"].get("fff2") == b"\\x02"
    for address in ("C0:FF:EE:00:00:01", "C0:FF:EE:00:00:09"):
        assert room[address].get("colour") == b"\\x00\\x11\\xff"

def test_faults(simulated_bluez):
    import asyncio
    from bleak import BleakClient, BleakScanner

    async def read():
        async with BleakClient(await BleakScanner.find_device_by_name("Lamp")) as client:
            await client.read_gatt_char("0000fff2-0000-1000-8000-00805f9b34fb")

    simulated_bluez(Device.load(LAMP, faults=[{"on": "read", "do": "refuse 0x81"}]))
    with pytest.raises(Exception, match="0x81"):
        asyncio.run(read())

def test_mistake(simulated_bluez):
    simulated_bluez(Device.load(LAMP, values={"color": 1}))

def test_no_file(simulated_bluez):
    simulated_bluez(Device.load("devices/missing.yaml"))
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["E*did you mean 'colour'*", "E*missing.yaml*"])


def test_the_seed_of_the_command_line_is_that_of_rooms(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        DEVICE + "def test(simulated_bluez):\n    simulated_bluez(DOOR); assert 0\n"
    )
    result = pytester.runpytest_subprocess("--blerun-seed", "11")
    result.stdout.fnmatch_lines(["*- blerun room 1, seed 11, fast times, BlueZ 5.* -*"])


CONNECTS = (
    DEVICE
    + """
import asyncio
import time
from bleak import BleakClient, BleakScanner

async def connect():
    async with BleakClient(await BleakScanner.find_device_by_name("Door-1")):
        begin = time.monotonic()
    return time.monotonic() - begin
"""
)


@pytest.mark.parametrize(
    "options, ini, times",
    [
        ([], "", "fast"),
        (["--blerun-times", "exact"], "", "exact"),
        ([], "blerun_times = exact", "exact"),
        (["--blerun-times", "fast"], "blerun_times = exact", "fast"),
    ],
)
def test_a_disconnect_takes_the_time_that_is_asked_for(
    pytester: pytest.Pytester, options: list[str], ini: str, times: str
) -> None:
    pytester.makeini(f"[pytest]\n{ini}\n")
    expected = "< 2" if times == "fast" else ">= 2"
    pytester.makepyfile(
        CONNECTS
        + f"""
def test_passes(simulated_bluez):
    simulated_bluez(DOOR)
    assert asyncio.run(connect()) {expected}

def test_asks_itself(simulated_bluez):
    room = simulated_bluez(DOOR, times="exact")
    assert asyncio.run(connect()) >= 2
    assert False
"""
    )
    result = pytester.runpytest_subprocess(*options)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [f"blerun: {times} times: *", "*- blerun room 1, default seed, exact times, BlueZ 5.* -*"]
    )


def test_a_failure_without_an_exception_of_bleak_says_what_another_process_did(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(client=CONNECTS + "\nasyncio.run(connect())\n")
    pytester.makepyfile(
        DEVICE
        + """
import subprocess
import sys

def test_runs_a_program(simulated_bluez):
    simulated_bluez(DOOR)
    subprocess.run([sys.executable, "client.py"], check=True)
    assert False
"""
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(
        ["*- blerun room 1, in short -*", "Door-1 connect * → connected", "*→ disconnected"]
    )


def test_a_scenario_keeps_its_own_delay(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        CONNECTS
        + """
def test(simulated_bluez):
    host = {"disconnect-delay": "3s"}  # Longer than the 2 s of bluetoothd.
    device = {"address": "C0:FF:EE:00:00:01", **DOOR}
    simulated_bluez({"scenario": "x", "host": host, "devices": [device]})
    assert asyncio.run(connect()) >= 3
"""
    )
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


def test_the_release_of_bluez_is_chosen_for_a_run_and_for_a_room(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        DEVICE
        + """
import pytest

@pytest.mark.parametrize("bluez", ["5.66", "5.82"])
def test_releases(simulated_bluez, bluez):
    assert simulated_bluez(DOOR, bluez=bluez).bluez == bluez

def test_run(simulated_bluez):
    assert simulated_bluez(DOOR).bluez == "5.72"
    assert False
"""
    )
    result = pytester.runpytest_subprocess("--blerun-bluez", "5.72")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*blerun room 1, * times, BlueZ 5.72*"])


def test_unknown_times_are_refused(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        DEVICE + "def test(simulated_bluez):\n    simulated_bluez(DOOR, times='slow')\n"
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["E*ValueError: unknown times 'slow': expected fast or exact"])
    pytester.makeini("[pytest]\nblerun_times = slow\n")
    result = pytester.runpytest_subprocess()
    result.stderr.fnmatch_lines(["ERROR: blerun_times: expected fast or exact, found 'slow'"])


def test_a_mistake_in_a_device_is_explained(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        'def test(simulated_bluez):\n    simulated_bluez({"name": 1, "servces": []})\n'
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(
        ["*room-1-1.json:4:3: servces: unknown key*did you mean 'services'*"]
    )
    result.stdout.no_fnmatch_line("*room.py*")


def test_a_chain_runs_in_the_room(pytester: pytest.Pytester) -> None:
    pytester.makefile(".yaml", chain=CHAIN)
    pytester.makepyfile(
        DEVICE
        + """
def test_passes(simulated_bluez, blerun_run):
    simulated_bluez(DOOR)
    run = blerun_run("chain.yaml")
    assert run.status == 0
    assert [e["value"] for e in run.events if e["event"] == "value"] == [{"percent": 87}]

def test_is_checked_here(simulated_bluez, blerun_run):
    simulated_bluez(DOOR)
    assert blerun_run("chain.yaml", check=False, least=90).status == 1

def test_fails(simulated_bluez, blerun_run):
    simulated_bluez(DOOR)
    blerun_run("chain.yaml", least=90)

def test_has_no_room(blerun_run):
    blerun_run("chain.yaml")
"""
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        ["E*expected percent >= 90, got 87 %*", "E*where  chain.yaml:6:5", "E*needs a room*"]
    )


def test_tests_run_in_parallel(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        DEVICE
        + """
import pytest

@pytest.mark.parametrize("level", range(6))
def test(simulated_bluez, level):
    room = simulated_bluez(DOOR)
    room["Door-1"].set("battery-level", level)
    assert room["Door-1"].get("battery-level") == bytes([level])
    assert len(room.log()) == 1
"""
    )
    pytester.runpytest_subprocess("-n", "3").assert_outcomes(passed=6)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_tests_are_ended(
    pytester: pytest.Pytester, number: signal.Signals
) -> None:
    pytester.makepyfile(
        DEVICE
        + """
import time

def test(simulated_bluez):
    room = simulated_bluez(DOOR)
    bus = room.address.split("=")[1].split(",")[0]
    print(room._process.pid, room._monitor.pid, bus, flush=True)
    time.sleep(60)
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider"]
    command += ["--blerun-artifacts", "kept"]
    # Background jobs of a shell ignore SIGINT, and so would their children.
    obey = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=obey) as tests:
        assert tests.stdout
        line = next(line for line in tests.stdout if "blerun-bus" in line)
        *processes, bus = line.split()
        tests.send_signal(number)
        assert tests.wait(60) != 0
    end = time.monotonic() + 60
    paths = [bus, *(f"/proc/{process}" for process in processes)]
    while (left := list(filter(os.path.exists, paths))) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == []


def test_a_missing_dbus_daemon_is_named(pytester: pytest.Pytester, tmp_path: Path) -> None:
    (tmp_path / "sh").symlink_to("/bin/sh")
    pytester.makepyfile(
        DEVICE
        + f"""
def test(simulated_bluez, monkeypatch):
    monkeypatch.setenv("PATH", {str(tmp_path)!r})
    simulated_bluez(DOOR)
"""
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["E*install the package dbus-daemon*"])
