"""Other pytest plugins, and libraries that programs with bleak use."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from bleak import BleakClient, BleakScanner
from bleak_retry_connector import establish_connection
from bluetooth_adapters import get_adapters

from blerun import Device, RoomDevice
from blerun.plugin import SimulatedBlueZ

BATTERY = {"characteristic": "battery-level", "properties": ["read"], "value": {"u8": 87}}
LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"


@pytest.fixture
def door(simulated_bluez: SimulatedBlueZ) -> RoomDevice:
    services = [{"service": "battery", "characteristics": [BATTERY]}]
    return simulated_bluez(Device("Door-1", services=services))["Door-1"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"  # The only backend of bleak.


@pytest_asyncio.fixture
async def client(door: RoomDevice) -> AsyncIterator[BleakClient]:
    device = await BleakScanner.find_device_by_name("Door-1", timeout=10)
    assert device
    async with BleakClient(device) as client:
        yield client
    assert not door.connected


@pytest.mark.asyncio
async def test_a_test_and_a_fixture_of_pytest_asyncio(
    door: RoomDevice, client: BleakClient
) -> None:
    door.set("battery-level", 40)
    assert await client.read_gatt_char(LEVEL) == b"\x28"


@pytest.mark.anyio
async def test_a_test_of_anyio(door: RoomDevice) -> None:
    device = await BleakScanner.find_device_by_name("Door-1", timeout=10)
    assert device
    async with BleakClient(device) as client:
        door.set("battery-level", 40)
        assert await client.read_gatt_char(LEVEL) == b"\x28"


@pytest.mark.asyncio
async def test_bleak_retry_connector_connects_at_the_second_attempt(door: RoomDevice) -> None:
    device = await BleakScanner.find_device_by_name("Door-1", timeout=10)
    assert device
    door.fault("connect-flickers", nth=1)
    client = await establish_connection(BleakClient, device, "Door-1")
    assert await client.read_gatt_char(LEVEL) == b"\x57"
    await client.disconnect()
    connects = [entry for entry in door.room.log() if entry.event == "Device1.Connect"]
    assert len(connects) == 2


@pytest.mark.asyncio
async def test_bluetooth_adapters_finds_the_adapter_and_what_it_has_seen(door: RoomDevice) -> None:
    await BleakScanner.find_device_by_name("Door-1", timeout=10)
    adapters = get_adapters()
    await adapters.refresh()
    assert list(adapters.adapters) == ["hci0"]
    assert adapters.default_adapter == "hci0"
    [seen] = adapters.history.values()
    assert seen.device.name == "Door-1"
