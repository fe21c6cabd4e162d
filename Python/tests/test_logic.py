"""Device logic in Python, with a peer in place of the simulation, which sends events and reads
answers."""

import asyncio
import json
import socket
import tempfile
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from blerun import ATTError, Room, RoomDevice, SimulationError
from blerun.room import wait_until


class Peer:
    """Replaces the simulation of Door-1 and Door-2."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.handles: list[str] = []
        self.calls: list[str] = []
        self.count = 0

    def call(self, method: str, _: str, *arguments: Any) -> list[Any]:
        if method == "ListDevices":
            return [
                [["C0:00:00:00:00:01", "Door-1", False], ["C0:00:00:00:00:02", "Door-2", False]]
            ]
        if method == "AttachLogic":
            if "write pni" in arguments[2]:
                raise SimulationError("UnknownCharacteristic", "unknown characteristic 'pni'")
            if not self.handles:
                self.socket.connect(arguments[1])
                assert self.event("start", seed=0) == {}
            self.handles = arguments[2]
        self.calls.append(method)
        return []

    def event(self, event: str, **keys: object) -> dict[str, Any]:
        """Sends an event, and returns the answer without its id."""
        self.count += 1
        sent = {"v": 1, "id": self.count, "at": 0.5, "device": "Door-1", "event": event, **keys}
        self.socket.sendall(json.dumps(sent).encode() + b"\n")
        answer: dict[str, Any] = json.loads(self.socket.makefile().readline())
        assert answer.pop("id") == self.count
        return answer

    def write(self, value: str) -> dict[str, Any]:
        return self.event("write", characteristic="pin", handle="write PIN", value=value)


@pytest.fixture
def peer() -> Iterator[Peer]:
    peer = Peer()
    yield peer
    peer.socket.close()


@pytest.fixture
def door(peer: Peer) -> Iterator[RoomDevice]:
    room = Room.__new__(Room)
    room._bus, room._logic, room.handler_errors = peer, {}, []  # type: ignore[assignment]
    yield room["door-1"]
    for logic in room._logic.values():
        logic.close()


def test_what_a_handler_does_is_the_answer(peer: Peer, door: RoomDevice) -> None:
    @door.on_write("PIN")
    def pin(value: bytes) -> None:
        if value != b"4711":
            raise ATTError(0x80)
        door.notify("state", 0)
        door.room["Door-1"].set("count", b"\x01\x02")
        door.advertise(rssi=-70, manufacturer_data={0x1234: b"\x0a"})
        door.wake("relock", 5)
        door.request_security()
        door.drop()

    assert peer.handles == ["write PIN"]
    assert peer.write("00") == {"error": 0x80}
    assert peer.write(b"4711".hex()) == {
        "do": [
            {"notify": "state", "value": "00"},
            {"notify": "count", "value": "0102"},
            {"advertise": {"rssi": -70, "manufacturer-data": {"4660": {"hex": "0a"}}}},
            {"wake": "relock", "in": "5000ms"},
            {"request-security": True},
            {"disconnect": True},
        ]
    }
    assert peer.calls == ["AttachLogic"]


def test_each_event_has_its_handler(peer: Peer, door: RoomDevice) -> None:
    seen = []
    door.on_write("PIN")(lambda value: value[::-1])
    door.on_subscribe("state")(lambda: seen.append("subscribed"))
    door.on("connected")(lambda: seen.append("connected"))
    door.on("timer relock")(lambda: door.set("state", 1))
    numbers = iter([7, b"\x08\x09"])
    door.room["C0:00:00:00:00:01"].on_read("state")(lambda: next(numbers))
    assert peer.handles == ["write PIN", "subscribed state", "connected", "read state"]

    state = {"characteristic": "6c610003", "handle": "read state"}
    assert peer.event("read", offset=0, **state) == {"value": "07"}
    assert peer.event("read", offset=0, **state) == {"value": "0809"}
    assert peer.event("read", offset=1, **state) == {
        "value": "0809"
    }  # A further part of a long value.
    assert peer.write("0102") == {"value": "0201"}
    assert peer.event("subscribed", characteristic="s", handle="subscribed state") == {}
    assert peer.event("connected", handle="connected") == {}
    assert peer.event("timer", name="relock") == {"do": [{"notify": "state", "value": "01"}]}
    assert peer.event("timer", name="another") == {}
    assert seen == ["subscribed", "connected"]


def test_a_handler_can_be_a_coroutine_function(peer: Peer, door: RoomDevice) -> None:
    @door.on_write("PIN")
    async def pin(value: bytes) -> bytes:
        await asyncio.sleep(0)
        door.notify("state", value)
        return b"\x01"

    expected = {"value": "01", "do": [{"notify": "state", "value": "05"}]}
    assert peer.write("05") == expected

    async def inside_a_loop() -> None:
        assert peer.write("05") == expected

    asyncio.run(inside_a_loop())


def test_what_a_handler_raises_is_kept(peer: Peer, door: RoomDevice) -> None:
    @door.on_write("PIN")
    def pin(value: bytes) -> None:
        assert value == b"4711"

    door.on("connected")(lambda: pytest.fail("unexpected"))
    assert peer.write("00") == {"error": 0x0E}
    assert peer.event("connected", handle="connected") == {}
    first, second = door.room.handler_errors
    assert "assert value ==" in "".join(traceback.format_exception(first))
    assert str(second) == "unexpected"
    assert peer.write(b"4711".hex()) == {}


def test_logic_that_the_simulation_gives_up_is_an_error(peer: Peer, door: RoomDevice) -> None:
    door.on_write("PIN")(lambda _: None)
    peer.socket.shutdown(socket.SHUT_RDWR)
    wait_until(lambda: door.room.handler_errors, 30, "nothing was raised")
    assert "the logic of Door-1" in str(door.room.handler_errors[0])


@pytest.mark.parametrize("event", ["write PIN", "subscribed state", "connected"])
def test_logic_that_is_given_up_while_a_handler_runs_is_an_error(
    peer: Peer, door: RoomDevice, event: str
) -> None:
    started, released = threading.Event(), threading.Event()

    def hang(*_: bytes) -> None:
        started.set()
        released.wait()

    door.on(event)(hang)
    sent = {"v": 1, "id": 2, "at": 0.5, "device": "Door-1", "event": "x", "handle": event}
    peer.socket.sendall(json.dumps(sent).encode() + b"\n")
    assert started.wait(30)
    peer.socket.close()
    door.room.settle()
    [error] = door.room.handler_errors
    assert str(error).endswith(f"the logic of Door-1, whose handler of '{event}' has not returned")
    released.set()


def test_a_handler_that_runs_is_waited_for(peer: Peer, door: RoomDevice) -> None:
    started, released = threading.Event(), threading.Event()

    def fail() -> None:
        started.set()
        released.wait()
        pytest.fail("late")

    door.on("connected")(fail)
    sent = {"v": 1, "id": 2, "at": 0.5, "device": "Door-1", "event": "x", "handle": "connected"}
    peer.socket.sendall(json.dumps(sent).encode() + b"\n")
    assert started.wait(30)
    threading.Timer(0.1, released.set).start()
    door.room.settle()
    assert [str(error) for error in door.room.handler_errors] == ["late"]


def test_the_socket_of_a_handler_is_in_no_folder(
    peer: Peer, door: RoomDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        door.on("connected")(lambda: None)
        assert list(Path(folder).iterdir()) == []


@pytest.mark.parametrize(
    "name, call",
    [
        ("get", lambda door: door.get("state")),
        ("log", lambda door: door.room.log()),
        ("another", lambda door: door.room["Door-2"].set("state", 1)),
        ("large", lambda door: door.set("state", 256)),
    ],
)
def test_what_a_handler_cannot_do_is_an_error(
    peer: Peer, door: RoomDevice, name: str, call: Any
) -> None:
    door.on_write("PIN")(lambda _: call(door))
    assert peer.write("00") == {"error": 0x0E}
    [error] = door.room.handler_errors
    if name != "large":
        assert isinstance(error, SimulationError) and error.name == "InHandler"
    assert peer.calls == ["AttachLogic"]


def test_a_handler_of_nothing_is_refused(peer: Peer, door: RoomDevice) -> None:
    with pytest.raises(SimulationError, match="unknown characteristic"):
        door.on_write("pni")(lambda _: None)
    with pytest.raises(SimulationError, match="unknown device"):
        door.room["Dor-1"].on_write("PIN")(lambda _: None)
    door.on_write("PIN")(lambda _: 1)
    assert peer.write("00") == {"value": "01"}


@pytest.mark.parametrize("code", [0, 0x180, "unlikely-error"])
def test_an_att_error_is_a_number_of_one_byte(code: Any) -> None:
    with pytest.raises(ValueError, match="expected a number such as 0x80"):
        ATTError(code)
