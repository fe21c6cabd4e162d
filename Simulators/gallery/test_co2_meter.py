"""aranet4 reads the CO2 meter."""

import asyncio

import aranet4
from aranet4.client import Aranet4, Param
from bleak import BleakScanner

ADDRESS = "C0:FF:EE:04:00:07"


def test_finds_the_meter_and_its_advertised_measurements(simulated_bluez):
    simulated_bluez("co2-meter.yaml")
    seen = []
    [device] = aranet4.client.find_nearby(seen.append, 5)
    assert device.address == ADDRESS
    assert (seen[0].readings.co2, seen[0].readings.temperature) == (612, 21.8)
    assert str(seen[0].manufacturer_data.version) == "v1.4.13"


def test_reads_the_measurements(simulated_bluez):
    simulated_bluez("co2-meter.yaml")
    asyncio.run(BleakScanner.find_device_by_address(ADDRESS, timeout=10))
    now = aranet4.client.get_current_readings(ADDRESS)
    assert (now.co2, now.temperature, now.pressure, now.humidity) == (612, 21.8, 1013.2, 39)
    assert (now.battery, now.status.name, now.interval, now.ago) == (92, "GREEN", 300, 21)
    assert (now.name, now.version, now.stored) == ("Aranet4 0A1B2", "v1.4.13", 3)


def test_reads_its_memory_and_sets_the_interval(simulated_bluez):
    simulated_bluez("co2-meter.yaml")

    async def use():
        await BleakScanner.find_device_by_address(ADDRESS, timeout=10)
        meter = Aranet4(ADDRESS)
        await meter.connect()
        records = [await meter.get_records(param, 3) for param in (Param.CO2, Param.TEMPERATURE)]
        is_set = await meter.set_readings_interval(10)
        await meter.device.disconnect()
        return records, is_set

    assert asyncio.run(use()) == ([[540, 580, 612], [21.0, 21.5, 21.8]], True)
