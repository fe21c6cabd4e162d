"""python-ember-mug reads and heats the mug."""

import asyncio

from ember_mug import EmberMug
from ember_mug.consts import DeviceModel, LiquidState
from ember_mug.data import Colour
from ember_mug.scanner import find_device
from ember_mug.utils import get_model_info_from_advertiser_data
from waiting import until

TARGET = "fc540003-236c-4c94-8fa9-944a3e5353fa"


async def find():
    device, advertisement = await find_device()
    return EmberMug(device, get_model_info_from_advertiser_data(advertisement))


def test_reads_everything(simulated_bluez):
    simulated_bluez("mug.yaml").agent()

    async def update():
        mug = await find()
        async with mug.connection():
            await mug.update_initial()
            await mug.update_all()
        return mug.data

    data = asyncio.run(update())
    assert data.model_info.model == DeviceModel.MUG_2_10_OZ
    assert (data.name, data.current_temp, data.target_temp) == ("EMBER", 54.25, 55.0)
    assert data.liquid_state == LiquidState.TARGET_TEMPERATURE
    assert (data.battery.percent, data.battery.on_charging_base) == (84, True)
    assert data.led_colour == Colour(255, 128, 0, 255)
    assert data.meta.serial_number == "AB1234CD"
    assert data.firmware.version == 378


def test_sets_the_temperature_and_hears_of_it(simulated_bluez):
    room = simulated_bluez("mug.yaml")
    room.agent()

    async def heat():
        mug = await find()
        async with mug.connection():
            await mug.set_target_temp(57.5)
            await until(lambda: mug._queued_updates)
            # The event of the mug has queued a read of the target.
            await mug.update_queued_attributes()

    asyncio.run(heat())
    assert room["Ember Ceramic Mug"].written(TARGET) == [(5750).to_bytes(2, "little")]
    assert "read" in [entry.event for entry in room.log() if entry.attribute == TARGET]
