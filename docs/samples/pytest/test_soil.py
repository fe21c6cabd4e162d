import asyncio

import pytest

import soil


def test_reads_the_battery_level():
    assert asyncio.run(soil.battery("Soil-1")) == 64


def test_reads_a_changed_level(sensor):
    sensor("SetValue", "battery-level", 12)
    assert asyncio.run(soil.battery("Soil-1")) == 12


def test_reports_a_sensor_that_is_not_there():
    with pytest.raises(LookupError):
        asyncio.run(soil.battery("Soil-9", timeout=2))
