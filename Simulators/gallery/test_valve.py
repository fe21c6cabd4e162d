"""gardena-bluetooth opens and closes the valve."""

import asyncio
from datetime import datetime

from bleak import BleakScanner
from gardena_bluetooth.client import Client
from gardena_bluetooth.const import Battery, DeviceConfiguration, ScanService, Valve
from gardena_bluetooth.parse import ManufacturerData, ProductType


async def find():
    def is_valve(_, advertisement):
        data = advertisement.manufacturer_data.get(ManufacturerData.company, b"")
        kind = ProductType.from_manufacturer_data(ManufacturerData.decode(data))
        return kind == ProductType.VALVE

    return await BleakScanner.find_device_by_filter(
        is_valve, timeout=10, service_uuids=[ScanService]
    )


def test_reads_what_the_valve_is_set_to(simulated_bluez):
    simulated_bluez("valve.yaml")

    async def read():
        client = Client(await find())
        values = [
            await client.read_char(characteristic)
            for characteristic in (
                Battery.battery_level,
                DeviceConfiguration.custom_device_name,
                Valve.manual_watering_time,
                Valve.state,
            )
        ]
        await client.disconnect()
        return values

    assert asyncio.run(read()) == [80, "Roses", 1800, False]


def test_opens_for_a_time(simulated_bluez):
    valve = simulated_bluez("valve.yaml")["Valve-1"]

    async def open_for(seconds):
        client = Client(await find())
        await client.write_char(Valve.remaining_open_time, seconds)
        assert await client.read_char(Valve.state)
        async with asyncio.timeout(seconds + 30):
            while await client.read_char(Valve.state):
                await asyncio.sleep(0.1)
        await client.disconnect()

    asyncio.run(open_for(5))
    assert valve.written(Valve.remaining_open_time.uuid) == [b"\x05\x00\x00\x00"]


def test_sets_the_clock_that_is_wrong(simulated_bluez):
    simulated_bluez("valve.yaml")
    now = datetime(2026, 5, 4, 12, 0)

    async def set_clock():
        client = Client(await find())
        await client.update_timestamp(DeviceConfiguration.unix_timestamp, now)
        time = await client.read_char(DeviceConfiguration.unix_timestamp)
        await client.disconnect()
        return time

    assert asyncio.run(set_clock()) == now
