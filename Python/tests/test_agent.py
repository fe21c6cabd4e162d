"""The agent of a room, which answers bluetoothd during pairings of the code under test."""

import asyncio

import pytest
from bleak import BleakClient, BleakScanner
from bleak.exc import BleakError

from blerun import Device, Room
from blerun.plugin import SimulatedBlueZ

SECRET = {"characteristic": "fff1", "properties": ["read"], "value": {"u8": 7}}
UUID = "0000fff1-0000-1000-8000-00805f9b34fb"


def safe(**security: object) -> Device:
    services = [{"service": "fff0", "characteristics": [{**SECRET, "security": "encrypted"}]}]
    return Device("Safe-1", services=services, security=security)


async def read(pairs: bool) -> int:
    device = await BleakScanner.find_device_by_name("Safe-1", timeout=10)
    assert device
    async with BleakClient(device) as client:
        if pairs:
            await client.pair()
        return (await client.read_gatt_char(UUID))[0]


def paired(room: Room) -> list[str]:
    return [entry.event for entry in room.log() if entry.event.startswith("paired")]


def test_an_agent_types_the_passkey(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(safe(pairing="passkey-entry", passkey="042137"))
    agent = room.agent(passkey="042137")
    assert asyncio.run(read(pairs=True)) == 7
    assert agent.asked == ["RequestPasskey"]
    assert paired(room) == ["paired-authenticated"]


def test_a_wrong_passkey_fails_the_pairing(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(safe(pairing="passkey-entry", passkey="042137"))
    room.agent(passkey=1)

    async def pair() -> None:
        device = await BleakScanner.find_device_by_name("Safe-1", timeout=10)
        assert device
        gone = asyncio.Event()
        async with BleakClient(device, disconnected_callback=lambda _: gone.set()) as client:
            with pytest.raises(BleakError):
                await client.pair()
            # bluetoothd ends the connection. A disconnect() of bleak before 3.0 that meets its end raises EOFError.
            await asyncio.wait_for(gone.wait(), 10)

    asyncio.run(pair())
    assert paired(room) == []


@pytest.mark.parametrize("confirm", [True, False])
def test_an_agent_confirms_a_pairing_that_a_read_needs_or_refuses(
    simulated_bluez: SimulatedBlueZ, confirm: bool
) -> None:
    room = simulated_bluez(safe(pairing="just-works"))
    agent = room.agent(confirm=confirm)

    if confirm:
        assert asyncio.run(read(pairs=False)) == 7
    else:
        with pytest.raises(asyncio.TimeoutError):
            asyncio.run(asyncio.wait_for(read(pairs=False), 3))
    assert agent.asked[0] == "RequestAuthorization"
    assert paired(room) == (["paired-encrypted"] if confirm else [])


def test_an_agent_replaces_an_earlier_one_and_outlives_bluetoothd(
    simulated_bluez: SimulatedBlueZ,
) -> None:
    room = simulated_bluez(safe(pairing="passkey-entry", passkey="042137"))
    first, second = room.agent(passkey=1), room.agent(passkey=42137)
    room.restart()
    assert asyncio.run(read(pairs=True)) == 7
    assert "RequestPasskey" not in first.asked
    assert second.asked == ["RequestPasskey"]


async def logged(room: Room, event: str) -> None:
    async def wait() -> None:
        while all(entry.event != event for entry in room.log()):
            await asyncio.sleep(0.02)

    await asyncio.wait_for(wait(), 10)


@pytest.mark.parametrize("confirm", [True, False])
def test_a_device_asks_to_pair_as_it_is_connected(
    simulated_bluez: SimulatedBlueZ, confirm: bool
) -> None:
    room = simulated_bluez(safe(pairing="just-works", request="connected"))
    agent = room.agent(confirm=confirm)

    async def stay() -> None:
        device = await BleakScanner.find_device_by_name("Safe-1", timeout=10)
        assert device
        async with BleakClient(device):
            await logged(room, "paired-encrypted" if confirm else "agent-missing")

    asyncio.run(stay())
    assert agent.asked == ["RequestAuthorization"]
    assert paired(room) == (["paired-encrypted"] if confirm else [])
    assert [entry.event for entry in room.log()].count("security-requested") == 1


def test_a_test_has_a_device_ask_to_pair_with_no_agent_there(
    simulated_bluez: SimulatedBlueZ,
) -> None:
    room = simulated_bluez(safe(pairing="just-works"))

    async def ask() -> None:
        device = await BleakScanner.find_device_by_name("Safe-1", timeout=10)
        assert device
        async with BleakClient(device) as client:
            room["Safe-1"].request_security()
            await logged(room, "agent-missing")
            assert client.is_connected

    asyncio.run(ask())
    events = [entry.event for entry in room.log()]
    assert events[events.index("security-requested") + 1] == "agent-missing"
    assert paired(room) == []


@pytest.mark.parametrize("passkey", [-1, 1_000_000, "12a", 1.5])
def test_a_passkey_has_six_digits(simulated_bluez: SimulatedBlueZ, passkey: object) -> None:
    room = simulated_bluez(safe(pairing="just-works"))
    with pytest.raises(ValueError, match="expected 0 to 999999"):
        room.agent(passkey=passkey)  # type: ignore[arg-type]
