"""The last operations of programs, and how each one ended."""

from collections.abc import Sequence

import pytest

from blerun.glance import glance
from blerun.room import Entry

DOOR = "C0:FF:EE:00:00:01"
PIN = "6c610002-1b1a-4e1c-8f6b-0b6c1d2e3f40"
LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"


def shown(*events: Sequence[str]) -> list[str]:
    """The glance of a log. A call has a client, and any event may have an attribute and a value."""
    entries = []
    for number, (event, *rest) in enumerate(events):
        client = ":1.7" if event.partition(".")[2] else ""
        attribute, value = [*rest, "", ""][:2]
        entries.append(Entry(number, 0.0, client, event, DOOR, attribute, bytes.fromhex(value)))
    return glance(entries, {DOOR: "Door-1"})


CONNECT = ["Device1.Connect"], ["link-up"]
WRITE = "GattCharacteristic1.WriteValue", PIN, "0815"
OTHER_WRITE = "GattCharacteristic1.WriteValue", PIN, "0816"
STILL_UNDER_WAY = "nothing happened at the device; the write before it was still under way"
READ = "GattCharacteristic1.ReadValue", LEVEL
SUBSCRIBE = "GattCharacteristic1.StartNotify", LEVEL


@pytest.mark.parametrize(
    "events, ends",
    [
        ([WRITE, ("written", PIN, "0815")], ["accepted"]),
        (
            [WRITE, ("written", PIN, "0815"), ("write-refused-0x80", PIN, "0815")],
            ["refused, ATT error 0x80"],
        ),
        ([WRITE], ["nothing happened at the device"]),
        ([READ, ["read", LEVEL]], ["answered"]),
        (
            [READ, ["read", LEVEL], ["read-refused-0x05", LEVEL], ["agent-missing"]],
            ["waits: no agent is registered, or it refused"],
        ),
        (
            [
                READ,
                ["read-refused-0x05", LEVEL],
                ["agent-asked"],
                ["paired-encrypted"],
                ["read", LEVEL],
            ],
            ["answered"],
        ),
        ([READ, ["link-down"]], ["the connection ended"]),
        ([SUBSCRIBE, ["subscribed", LEVEL]], ["subscribed, 0 notifications"]),
        (
            [SUBSCRIBE, ["subscribed", LEVEL], ("notified", LEVEL, "57"), READ, ["read", LEVEL]],
            ["subscribed, 1 notification, the last one 57", "answered"],
        ),
        # bluetoothd refuses a write while another one waits for its response.
        (
            [WRITE, OTHER_WRITE, ("written", PIN, "0815")],
            ["accepted", STILL_UNDER_WAY],
        ),
        (
            [WRITE, WRITE, ("written", PIN, "0815"), ("write-refused-0x80", PIN, "0815")],
            ["refused, ATT error 0x80", STILL_UNDER_WAY],
        ),
        (
            [
                WRITE,
                ("written", PIN, "0815"),
                ("write-refused-0x05", PIN, "0815"),
                ["agent-asked"],
                OTHER_WRITE,
            ],
            ["waits for the answer of an agent", STILL_UNDER_WAY],
        ),
        (
            [WRITE, ("written", PIN, "0815"), OTHER_WRITE, ("written", PIN, "0816")],
            ["accepted", "accepted"],
        ),
        # The first one was refused before it was sent, as the written value says.
        (
            [WRITE, OTHER_WRITE, ("written", PIN, "0816")],
            ["nothing happened at the device", "accepted"],
        ),
        (
            [WRITE, *CONNECT, WRITE, ("written", PIN, "0815")],
            ["nothing happened at the device", "connected", "accepted"],
        ),
        # Two reads of a characteristic are one request.
        ([READ, READ, ["read", LEVEL]], ["answered", "answered"]),
        ([["Device1.Disconnect"], ["link-down"]], ["disconnected"]),
        ([["Simulator1.DropLink"]], []),
    ],
)
def test_an_operation_is_shown_with_its_ending(
    events: list[Sequence[str]], ends: list[str]
) -> None:
    assert [line.rpartition("→ ")[2] for line in shown(*events)] == ends


def test_operations_have_the_name_of_the_device_and_short_uuids() -> None:
    lines = shown(*CONNECT, READ, ["read", LEVEL], WRITE, ("written", PIN, "0815"))
    assert [line.split("  ")[0] for line in lines] == [
        "Door-1 connect",
        "Door-1 read 2a19",
        f"Door-1 write {PIN} 08 15",
    ]


def test_a_connection_that_drops_between_operations_is_said() -> None:
    dropped = "Door-1: the connection ended, and no program had asked for it"
    assert shown(*CONNECT, ["link-down"]) == ["Door-1 connect  → connected", dropped]
    asked = shown(*CONNECT, ["Device1.Disconnect"], ["link-down"], *CONNECT, ["link-down"])
    assert asked[-1] == dropped
    assert dropped not in shown(*CONNECT, ["Device1.Disconnect"], ["link-down"])
    assert dropped not in shown(*CONNECT, ["link-down"], *CONNECT)


def test_a_request_of_the_device_to_pair_is_told_apart_from_the_operations() -> None:
    read = [READ, ["read", LEVEL]]
    asked, missing = ["security-requested"], ["agent-missing"]
    line = "Door-1 read 2a19  → answered"
    assert shown(*read, asked, missing) == [
        line,
        "Door-1: it asked to pair, and no agent is registered, or it refused",
    ]
    assert shown(*read, asked, ["agent-asked"])[1:] == [
        "Door-1: it asked to pair, and waits for the answer of an agent"
    ]
    assert shown(*read, asked, ["agent-asked"], ["paired-encrypted"]) == [line]
    assert shown(*read, asked, missing, ["link-down"])[1:] == [
        "Door-1: it asked to pair, and no agent is registered, or it refused",
        "Door-1: the connection ended, and no program had asked for it",
    ]


def test_the_last_five_operations_are_shown() -> None:
    reads = [event for _ in range(9) for event in (READ, ["read", LEVEL])]
    assert len(shown(*CONNECT, *reads)) == 5
