"""ld2410-ble follows a person who comes nearer."""

import asyncio
from itertools import pairwise

import pytest
from bleak import BleakScanner
from ld2410_ble import LD2410BLE
from waiting import until


async def states(count, timeout=30, **options):
    device = await BleakScanner.find_device_by_name("HLK-LD2410B_0005", timeout=10)
    radar = LD2410BLE(device, **options)
    seen = []
    radar.register_callback(seen.append)
    await radar.initialise()
    try:
        await until(lambda: len(seen) >= count, timeout)
    finally:
        await radar.stop()
    return seen


def test_reports_distances_and_the_energy_of_each_gate(simulated_bluez):
    simulated_bluez("presence.yaml")
    seen = asyncio.run(states(3))
    first = seen[0]
    assert first.is_moving and first.is_static
    distances = [state.moving_target_distance for state in seen]
    assert 30 in [before - after for before, after in pairwise(distances)]
    assert first.static_target_distance == 150
    assert first.motion_energy_gates == [12, 20, 30, 40, 50, 60, 40, 30, 20]
    assert first.max_motion_gates == 8


def test_reports_nothing_without_the_password(simulated_bluez):
    radar = simulated_bluez("presence.yaml")["HLK-LD2410B_0005"]
    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(states(1, timeout=1, password=b"123456"))
    assert radar.written("fff2")[0][8:14] == b"123456"


def test_a_report_with_the_byte_of_a_line_feed_is_lost_in_the_library(simulated_bluez):
    radar = simulated_bluez("presence.yaml")["HLK-LD2410B_0005"]
    report = bytearray.fromhex("f4f3f2f10d0002aa01 0a00 3c 000000 9001 5500f8f7f6f5")

    async def hear():
        device = await BleakScanner.find_device_by_name("HLK-LD2410B_0005", timeout=10)
        heard = []
        library = LD2410BLE(device)
        library.register_callback(heard.append)
        await library._ensure_connected()  # Without the password: the radar is silent.
        await library._client.start_notify("fff1", library._notification_handler)
        for distance in (10, 11):
            report[9] = distance
            await asyncio.to_thread(radar.notify, "fff1", bytes(report))
        await until(lambda: heard)
        await library.stop()
        return [state.moving_target_distance for state in heard]

    # At 10 cm: version 0.2.0 searches with a pattern in which `.` matches no line feed.
    assert asyncio.run(hear()) == [11]
