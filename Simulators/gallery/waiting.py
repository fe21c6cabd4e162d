"""A wait of the tests for what a device or a library does next."""

import asyncio


async def until(holds, timeout=30):
    """Waits until `holds()` is true: a busy machine takes longer than an idle one."""
    async with asyncio.timeout(timeout):
        while not holds():
            await asyncio.sleep(0.02)
