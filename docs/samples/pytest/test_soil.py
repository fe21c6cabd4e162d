import asyncio

import pytest

import soil


def test_reads_the_battery_level(simulated_bluez):
    simulated_bluez("sensor.yaml")
    assert asyncio.run(soil.battery("Soil-1")) == 64


def test_reads_a_changed_level(simulated_bluez):
    room = simulated_bluez("sensor.yaml")
    room["Soil-1"].set("battery-level", 12)
    assert asyncio.run(soil.battery("Soil-1")) == 12


def test_connects_again_after_a_lost_connection(simulated_bluez):
    room = simulated_bluez("sensor.yaml")
    room["Soil-1"].fault(on="read", nth=1, do="lose-link")
    assert asyncio.run(soil.battery("Soil-1")) == 64
    assert [entry.event for entry in room.log()].count("link-up") == 2


def test_reports_a_sensor_that_is_not_there(simulated_bluez):
    simulated_bluez("sensor.yaml")
    with pytest.raises(LookupError):
        asyncio.run(soil.battery("Soil-9", timeout=2))
