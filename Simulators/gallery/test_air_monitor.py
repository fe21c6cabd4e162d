"""airthings-ble reads the air monitor."""

import asyncio
import logging

import pytest
from airthings_ble import AirthingsBluetoothDeviceData
from airthings_ble.parser import DisconnectedError
from bleak import BleakScanner
from bleak.exc import BleakError


def update():
    async def connect_and_read():
        device = await BleakScanner.find_device_by_name("Airthings Wave+", timeout=10)
        return await AirthingsBluetoothDeviceData(logging.getLogger()).update_device(device)

    return asyncio.run(connect_and_read())


def test_reads_all_sensors_and_the_battery(simulated_bluez):
    simulated_bluez("air-monitor.yaml")
    device = update()
    assert device.model.product_name == "Wave Plus"
    assert (device.identifier, device.sw_version) == ("123456", "G-BLE-1.5.3-master+0")
    assert device.sensors == {
        "battery": 90,
        "co2": 812,
        "humidity": 46.5,
        "illuminance": 20,
        "pressure": 997.6,
        "radon_1day_avg": 41,
        "radon_1day_level": "good",
        "radon_longterm_avg": 122,
        "radon_longterm_level": "fair",
        "temperature": 21.34,
        "voc": 95,
    }


def test_a_sensor_that_has_no_value_yet_is_left_out(simulated_bluez):
    monitor = simulated_bluez("air-monitor.yaml")["Airthings Wave+"]
    values = bytearray(monitor.get("b42e2a68-ade7-11e4-89d3-123b93f75cba"))
    values[4:6] = b"\xff\xff"  # radon of the last day
    monitor.set("b42e2a68-ade7-11e4-89d3-123b93f75cba", bytes(values))
    assert update().sensors["radon_1day_avg"] is None


def test_a_connection_that_drops_in_the_middle_is_an_error(simulated_bluez):
    monitor = simulated_bluez("air-monitor.yaml")["Airthings Wave+"]
    monitor.fault(on="read", nth=3, do="lose-link")
    with pytest.raises((BleakError, DisconnectedError)):
        update()
