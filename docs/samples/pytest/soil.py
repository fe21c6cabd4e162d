"""The program under test: it reads a soil sensor with bleak."""

import asyncio

from bleak import BleakClient, BleakScanner

BATTERY_LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"


async def battery(name, attempts=3, timeout=10):
    """The battery level in percent. A dropped connection is tried again. The timeout of each scan is in seconds."""
    for attempt in range(1, attempts + 1):
        device = await BleakScanner.find_device_by_name(name, timeout=timeout)
        if device is None:
            raise LookupError(f"{name} is not in range")
        try:
            async with BleakClient(device) as client:
                return (await client.read_gatt_char(BATTERY_LEVEL))[0]
        except Exception:
            if attempt == attempts:
                raise
            await asyncio.sleep(0.1)
