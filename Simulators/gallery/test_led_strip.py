"""led-ble switches and colours the strip."""

import asyncio

from bleak import BleakScanner
from led_ble import LEDBLE
from waiting import until


def test_switches_it_on_and_sets_a_colour(simulated_bluez):
    simulated_bluez("led-strip.yaml")

    async def light():
        device = await BleakScanner.find_device_by_name("LEDBLE-00000008", timeout=10)
        strip = LEDBLE(device)
        await strip.update()
        was = strip.on, strip.rgb
        await strip.turn_on()
        await strip.set_rgb((0, 0, 200))
        # What the strip says itself, and not what the library expects.
        strip._state = None
        await strip.update()
        await until(lambda: strip._state)
        await strip.stop()
        return was, (strip.on, strip.rgb), strip.model_data.description

    assert asyncio.run(light()) == (
        (False, (255, 128, 0)),
        (True, (0, 0, 200)),
        "Controller RGB&W",
    )


def test_connects_again_after_the_link_dropped(simulated_bluez):
    device = simulated_bluez("led-strip.yaml")["LEDBLE-00000008"]

    async def light():
        found = await BleakScanner.find_device_by_name("LEDBLE-00000008", timeout=10)
        strip = LEDBLE(found)
        await strip.update()
        device.drop()
        await until(lambda: not strip._client.is_connected)
        await strip.turn_on()
        await until(lambda: device.written("ffd9")[-1] == b"\xcc\x23\x33")
        await strip.stop()

    asyncio.run(light())
