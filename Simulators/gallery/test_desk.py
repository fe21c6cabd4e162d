"""idasen moves the desk."""

import asyncio

import pytest
from idasen import IdasenDesk


def test_moves_to_a_height_and_reports_it(simulated_bluez):
    simulated_bluez("desk.yaml")
    heights = []

    async def move():
        address = await IdasenDesk.discover()
        assert address == "C0:FF:EE:04:00:01"
        async with IdasenDesk(address) as desk:

            async def moved(height):
                heights.append(height)

            await desk.monitor(moved)
            assert await desk.get_height() == pytest.approx(0.72)
            await desk.move_to_target(0.735)
            return await desk.get_height_and_speed()

    assert asyncio.run(move()) == pytest.approx((0.735, 0))
    assert heights == sorted(heights)
    assert heights[-1] == pytest.approx(0.735)


def test_stops(simulated_bluez):
    desk = simulated_bluez("desk.yaml")["Desk 1234"]

    async def stop():
        async with IdasenDesk("C0:FF:EE:04:00:01") as desk:
            await desk.move_up()
            async with asyncio.timeout(30):
                while await desk.get_height() < 0.721:
                    await asyncio.sleep(0.05)
                await desk.stop()
                while await desk.get_speed() != 0:
                    await asyncio.sleep(0.05)
            return await desk.get_height()

    # bleak knows an address that it has seen.
    asyncio.run(IdasenDesk.discover())
    assert 0.72 < asyncio.run(stop()) < 0.76
    assert desk.written("99fa0002-338a-1024-8a49-009c0215f78a")[-1] == b"\xff\x00"
