# bleak (Python), of the lab's own environment: scans, a link, reads, writes, notifications, pairing.
"$CLIENT_PYTHON" -c "import bleak" 2>/dev/null || exit 77
"$CLIENT_PYTHON" -W ignore - <<'PROGRAM'
import asyncio

from bleak import BleakClient, BleakScanner

ADDRESS, ABSENT = "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:99"


def assigned(number):
    return f"{number:08x}-0000-1000-8000-00805f9b34fb"


def lab(number):
    return f"6e5d{number:04x}-1b1a-4e1c-8f6b-0b6c1d2e3f40"


async def until(holds):
    """Waits until something holds, ten seconds at most."""
    for _ in range(100):
        if holds():
            break
        await asyncio.sleep(0.1)


async def attempt(what, doing):
    try:
        answer = await asyncio.wait_for(doing, 60)
        print(what, "->", bytes(answer).hex() if isinstance(answer, (bytes, bytearray)) else answer)
    except Exception as error:
        print(what, "!!", type(error).__name__, error)


async def main():
    found = await BleakScanner.discover(4, return_adv=True)
    for device, data in found.values():
        print(device.address, device.name, data.service_uuids, data.manufacturer_data,
              data.tx_power, data.rssi)
    device = await BleakScanner.find_device_by_name("Lab HRM", 30)
    for uuid in (0x180D, 0x1811):
        print([each.name for each in await BleakScanner.discover(
            2, service_uuids=[assigned(uuid)])])
    drops = []
    client = BleakClient(device, drops.append)
    await attempt("connect", client.connect())
    for service in sorted(client.services, key=lambda it: it.handle):
        print(service.uuid, service.description)
        for each in sorted(service.characteristics, key=lambda it: it.handle):
            if each.uuid not in (assigned(0x2B29), assigned(0x2B2A)):
                print("  ", each.uuid, each.properties, each.max_write_without_response_size,
                      sorted(it.uuid for it in each.descriptors))
    print("MTU", client.mtu_size)
    for number in (1, 2, 3, 5, 7, 10):
        await attempt(f"read {number}", client.read_gatt_char(lab(number)))
    await attempt("read the battery", client.read_gatt_char("2a19"))
    for number in (1, 2, 3, 7):
        for kind in (True, False):
            await attempt(f"write {number}, answer {kind}",
                          client.write_gatt_char(lab(number), b"abcdef", response=kind))
    heard = []
    await attempt("listen", client.start_notify(lab(1), lambda _, it: heard.append(bytes(it))))
    await attempt("again", client.start_notify(lab(1), lambda _, it: heard.append(bytes(it))))
    await client.write_gatt_char(lab(1), b"one", response=True)
    await until(lambda: heard)
    await asyncio.sleep(0.3)
    print("heard", heard)
    await attempt("stop", client.stop_notify(lab(1)))
    await attempt("stop again", client.stop_notify(lab(1)))
    await attempt("listen to one that cannot", client.start_notify(lab(3), print))
    beats = []
    await attempt("listen to the heart", client.start_notify("2a37", lambda _, it: beats.append(it)))
    await until(lambda: len(beats) > 2)
    print("beats", len(beats) > 2)
    echo = client.services.get_characteristic(lab(1))
    for each in sorted(echo.descriptors, key=lambda it: it.uuid):
        await attempt(f"descriptor {each.uuid}", client.read_gatt_descriptor(each.handle))
    await attempt("pair", client.pair())
    # The reply and the drop are two messages: which of them asyncio delivers first is chance.
    print("drops", len(drops))
    await attempt("unpair", client.unpair())
    await until(lambda: drops)
    await asyncio.sleep(0.5)
    print("drops", len(drops), "connected", client.is_connected)
    await attempt("disconnect", client.disconnect())
    await attempt("nobody", BleakClient(ABSENT, timeout=3).connect())
    device = await BleakScanner.find_device_by_address(ADDRESS, 30)
    async with BleakClient(device) as client:
        print(await asyncio.gather(*(client.read_gatt_char("2a19") for _ in range(3))))


asyncio.run(main())
PROGRAM
