"""eq3btsmart sets the thermostat."""

import asyncio

from bleak import BleakScanner
from eq3btsmart.const import OperationMode
from eq3btsmart.thermostat import Thermostat
from eq3btsmart.thermostat_config import ThermostatConfig
from waiting import until

ADDRESS = "C0:FF:EE:04:00:06"


def state(thermostat):
    status = thermostat.status
    return status.target_temperature.value, status.operation_mode, status.is_boost, status.is_locked


def test_reads_the_state(simulated_bluez):
    simulated_bluez("radiator.yaml")

    async def read():
        device = await BleakScanner.find_device_by_address(ADDRESS, timeout=10)
        thermostat = Thermostat(ThermostatConfig(ADDRESS), device)
        await thermostat.async_connect()
        await until(lambda: thermostat.device_data and thermostat.status)
        await thermostat.async_disconnect()
        return thermostat

    thermostat = asyncio.run(read())
    assert thermostat.device_data.device_serial.value == "MEQ0616418"
    assert thermostat.status.target_temperature.value == 21
    assert thermostat.status.valve == 38
    assert thermostat.status.presets.eco_temperature.value == 17
    assert thermostat.status.is_dst


def test_sets_temperature_mode_boost_and_lock(simulated_bluez):
    simulated_bluez("radiator.yaml")

    async def change():
        device = await BleakScanner.find_device_by_address(ADDRESS, timeout=10)
        thermostat = Thermostat(ThermostatConfig(ADDRESS), device)
        await thermostat.async_connect()
        await until(lambda: thermostat.status)
        assert state(thermostat) == (21, OperationMode.AUTO, False, False)
        for request, expected in (
            (thermostat.async_set_temperature(18.5), (18.5, OperationMode.AUTO, False, False)),
            (
                thermostat.async_set_mode(OperationMode.MANUAL),
                (18.5, OperationMode.MANUAL, False, False),
            ),
            (thermostat.async_set_boost(True), (18.5, OperationMode.MANUAL, True, False)),
            (thermostat.async_set_locked(True), (18.5, OperationMode.MANUAL, True, True)),
            (thermostat.async_set_mode(OperationMode.OFF), (4.5, OperationMode.OFF, True, True)),
        ):
            await request
            # The answer is a notification.
            await until(lambda expected=expected: state(thermostat) == expected)
        await thermostat.async_disconnect()

    asyncio.run(change())
