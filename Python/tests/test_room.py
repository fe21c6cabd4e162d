"""Rooms, through bleak and through the control interface."""

import asyncio
import json
import subprocess
from contextlib import suppress

import pytest
from bleak import BleakClient, BleakScanner
from bleak.backends.scanner import AdvertisementData
from bleak.exc import BleakError

from blerun import ATTError, Device, Room, SimulationError
from blerun.devices import text
from blerun.plugin import SimulatedBlueZ

LEVEL = "00002a19-0000-1000-8000-00805f9b34fb"
COMMAND = "6c610002-1b1a-4e1c-8f6b-0b6c1d2e3f40"


def door(name: str = "Door-1", level: int = 87) -> Device:
    battery = {"properties": ["read", "notify"], "value": {"u8": level}}
    command = {"properties": ["write"], "value": {"u8": 0}}
    return Device(
        name,
        address_type="random",
        services=[
            {
                "service": "battery",
                "characteristics": [{"characteristic": "battery-level", **battery}],
            },
            {
                "service": "6c610001-1b1a-4e1c-8f6b-0b6c1d2e3f40",
                "characteristics": [{"characteristic": COMMAND, **command}],
            },
        ],
    )


async def connected(name: str = "Door-1") -> BleakClient:
    device = await BleakScanner.find_device_by_name(name, timeout=10)
    assert device
    return BleakClient(device)


async def scanned(count: int = 1) -> list[AdvertisementData]:
    """What the first devices in the air advertise."""

    async def advertised() -> list[AdvertisementData]:
        seen: dict[str, AdvertisementData] = {}
        async with BleakScanner() as scanner:
            async for device, data in scanner.advertisement_data():
                seen[device.address] = data
                if len(seen) == count:
                    break
        return list(seen.values())

    return await asyncio.wait_for(advertised(), 10)


async def read(name: str = "Door-1") -> int:
    async with await connected(name) as client:
        return (await client.read_gatt_char(LEVEL))[0]


def test_bleak_reads_what_the_room_sets(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())
    assert asyncio.run(read()) == 87
    room["door-1"].set("battery-level", 40)
    assert asyncio.run(read()) == 40
    assert room["Door-1"].get("battery-level") == b"\x28"
    events = [entry.event for entry in room.log()]
    assert events.count("read") == 2
    assert events[-1] == "left"


def test_steering_works_inside_an_event_loop(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())

    async def watch() -> list[bytes]:
        values: asyncio.Queue[bytes] = asyncio.Queue()
        left = asyncio.Event()
        device = await BleakScanner.find_device_by_name("Door-1", timeout=10)
        assert device
        async with BleakClient(device, disconnected_callback=lambda _: left.set()) as client:
            assert room["Door-1"].connected
            await client.start_notify(LEVEL, lambda _, value: values.put_nowait(bytes(value)))
            room["Door-1"].notify("battery-level", 12)
            value = await asyncio.wait_for(values.get(), 5)
            room["Door-1"].drop()
            await asyncio.wait_for(left.wait(), 5)
        return [value]

    assert asyncio.run(watch()) == [b"\x0c"]
    assert not room["Door-1"].connected


def test_a_notification_to_nobody_is_an_error(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())
    with pytest.raises(SimulationError, match="notified to nobody within"):
        room["Door-1"].notify("battery-level", 12, timeout=0.1)


def test_writes_are_found_by_name_and_by_uuid(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())

    async def write() -> None:
        async with await connected() as client:
            await client.write_gatt_char(COMMAND, b"\x01", response=True)
            await client.write_gatt_char(COMMAND, b"\x02", response=True)

    assert room["Door-1"].written(COMMAND) == []
    asyncio.run(write())
    assert room["Door-1"].wait_for_write(COMMAND, count=2) == [b"\x01", b"\x02"]
    assert room["Door-1"].written("battery-level") == []
    with pytest.raises(SimulationError, match="not written 3 times within"):
        room["Door-1"].wait_for_write(COMMAND, timeout=0.1, count=3)


def test_a_refused_write_is_not_among_the_written(simulated_bluez: SimulatedBlueZ) -> None:
    code = {"characteristic": "fff1", "properties": ["write"]}
    code["responses"] = [{"when": {"u8": 1}}, {"refuse": 0x80}]
    short = {"characteristic": "fff3", "properties": ["write"], "longest": 1}
    services = [{"service": "fff0", "characteristics": [code, short]}]
    room = simulated_bluez(Device("Door-1", services=services))
    uuid = "0000{}-0000-1000-8000-00805f9b34fb"

    async def write() -> None:
        async with await connected() as client:
            for name, value in (
                ("fff1", b"\1"),
                ("fff1", b"\2"),
                ("fff3", b"\1\2"),
                ("fff1", b"\1"),
            ):
                with suppress(BleakError):
                    await client.write_gatt_char(uuid.format(name), value, response=True)
            room["Door-1"].fault(on="write", do="refuse 0x81")
            with pytest.raises(BleakError):
                await client.write_gatt_char(uuid.format("fff1"), b"\1", response=True)

    asyncio.run(write())
    assert room["Door-1"].written("fff1") == [b"\1", b"\1"]
    assert room["Door-1"].written("fff1", refused=True) == [b"\1", b"\2", b"\1", b"\1"]
    assert room["Door-1"].written("fff3") == []
    refusals = [entry.event for entry in room.log() if "refused" in entry.event]
    assert refusals == ["write-refused-0x80", "write-refused-0x0d", "write-refused-0x81"]


def test_described_values_are_dicts(simulated_bluez: SimulatedBlueZ) -> None:
    fields = [{"sequence": "u16"}, {"flags": "u8", "bits": {"low": 0, "tamper": 1}}]
    record = {"characteristic": "record", "properties": ["read"], "value": {"hex": "010002"}}
    soil = Device(
        "Soil-1",
        names={"record": {"uuid": COMMAND, "fields": fields}},
        services=[
            {"service": "fff0", "characteristics": [record]},
            {
                "service": "battery",
                "characteristics": [
                    {"characteristic": "battery-level", "properties": ["read"], "value": {"u8": 9}}
                ],
            },
        ],
    )
    room = simulated_bluez(soil)
    device = room["Soil-1"]
    assert device.get("record") == {"sequence": 1, "flags": {"low": False, "tamper": True}}
    device.set("record", {"sequence": 7, "flags": {"low": True}})
    assert device.raw("record") == bytes([7, 0, 3])
    device.set("record", {"flags.tamper": False})
    assert device.get("record")["flags"] == {"low": True, "tamper": False}
    assert device.get("battery-level") == b"\x09"
    device.set("battery-level", {"percent": 50})
    assert device.get("battery-level") == b"\x32"
    with pytest.raises(SimulationError, match="did you mean 'sequence'"):
        device.set("record", {"sequenze": 7})


def test_bytes_in_described_values_are_digits() -> None:
    fields = [{"is": b"\xa4\x01"}, {"data": "bytes", "size": 2}]
    record = {"uuid": 0xFFF1, "fields": fields, "examples": [{"hex": b"\xa4\x01\x05\x06"}]}
    written = json.loads(
        text(
            {
                "names": {"record": record, "lock": 0x0001},
                "value": {"fields": {"data": b"\x05\x06"}},
                "responses": [{"when": {"record": {"data": b"\x07\x08"}}, "notify": b"\x09"}],
                "variables": {"record": b"\x0a"},
            }
        )
    )
    assert written["names"]["record"]["fields"][0] == {"is": "a401"}
    assert written["names"]["record"]["examples"] == [{"hex": "a4010506"}]
    assert written["names"]["lock"] == "0001"
    assert written["value"] == {"fields": {"data": "0506"}}
    [response] = written["responses"]
    assert response == {"when": {"record": {"data": "0708"}}, "notify": {"hex": "09"}}
    assert written["variables"] == {"record": {"hex": "0a"}}


def test_refusals_are_exceptions_with_names(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())

    def refusal(*call: object) -> str:
        with pytest.raises(SimulationError) as raised:
            room.call(*call)  # type: ignore[arg-type]
        return raised.value.name

    assert refusal("DropLink", "s", "Door-1") == "NotConnected"
    assert refusal("DropLink", "s", "Dor-1") == "UnknownDevice"
    assert refusal("GetValue", "ss", "Door-1", "batery-level") == "UnknownCharacteristic"
    assert refusal("AddFault", "ss", "Door-1", "{ on: raed }") == "InvalidFault"
    with pytest.raises(SimulationError, match="unknown simulated device 'Dor-1'"):
        _ = room["Dor-1"].connected
    with pytest.raises(ValueError):
        room["Door-1"].set("battery-level", 256)


def test_faults_of_devices_and_of_rooms(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door("Door-1"), door("Door-2"))
    room.fault(on="read", do="refuse 0x80")
    room["Door-2"].clear_faults()
    with pytest.raises(Exception, match="0x80"):
        asyncio.run(read("Door-1"))
    assert asyncio.run(read("Door-2")) == 87


def test_a_device_out_of_range_is_not_found(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())
    room["Door-1"].vanish()

    async def find(timeout: float) -> bool:
        return await BleakScanner.find_device_by_name("Door-1", timeout=timeout) is not None

    assert not asyncio.run(find(timeout=0.5))
    room["Door-1"].appear()
    room["Door-1"].move(-40)
    assert asyncio.run(find(timeout=10))


def test_any_name_is_that_of_a_device(simulated_bluez: SimulatedBlueZ) -> None:
    data = {"manufacturer-data": {0x1234: b"\x0a\x0b"}}
    tag = Device("Tür \N{DOOR}", advertisement=data)
    other = Device("Door-1", address="C0:FF:EE:00:00:01")  # The address of a ready-made device.
    simulated_bluez(tag, other)

    found = {seen.local_name: seen.manufacturer_data for seen in asyncio.run(scanned(2))}
    assert found == {"Tür \N{DOOR}": {0x1234: b"\x0a\x0b"}, "Door-1": {}}
    with pytest.raises(TypeError, match="a device file cannot have"):
        simulated_bluez(Device("Tag-2", advertisement={"name": {1, 2}}))


def test_a_device_advertises_something_else(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())
    room["Door-1"].advertise(rssi=-70, rssi_spread=0, manufacturer_data={0x1234: b"\x0a\x0b"})

    [advertised] = asyncio.run(scanned())
    assert (advertised.rssi, advertised.manufacturer_data) == (-70, {0x1234: b"\x0a\x0b"})
    with pytest.raises(SimulationError, match="did you mean 'rssi'"):
        room["Door-1"].advertise(rsi=-70)


def test_device_logic_is_in_the_test(simulated_bluez: SimulatedBlueZ) -> None:
    device = simulated_bluez(door())["door-1"]
    commands = []

    @device.on_write(COMMAND.upper())
    def command(value: bytes) -> int:
        commands.append(value)
        if value == b"\x01":
            raise ATTError(0x80)
        device.notify("battery-level", 5)
        device.wake("low", 0.05)
        return 9

    device.on_read("180f/2a19")(lambda: b"\x2a")
    device.on("timer low")(device.drop)

    async def use() -> list[int]:
        values: asyncio.Queue[int] = asyncio.Queue()
        left = asyncio.Event()
        found = await BleakScanner.find_device_by_name("Door-1", timeout=10)
        assert found
        async with BleakClient(found, lambda _: left.set()) as client:
            values.put_nowait((await client.read_gatt_char(LEVEL))[0])
            await client.start_notify(LEVEL, lambda _, value: values.put_nowait(value[0]))
            with pytest.raises(Exception, match="0x80"):
                await client.write_gatt_char(COMMAND, b"\x01", response=True)
            await client.write_gatt_char(COMMAND, b"\x02", response=True)
            await asyncio.wait_for(left.wait(), 5)
        return [values.get_nowait() for _ in range(values.qsize())]

    assert asyncio.run(use()) == [42, 5]
    assert commands == [b"\x01", b"\x02"]
    assert device.get(COMMAND) == b"\x09"
    with pytest.raises(SimulationError, match="did you mean 'battery-level'"):
        device.on_write("batery-level")(lambda value: None)


def test_bluetoothd_restarts(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door())
    assert asyncio.run(read()) == 87
    room.restart()
    assert asyncio.run(read()) == 87


def test_a_test_has_several_rooms(simulated_bluez: SimulatedBlueZ) -> None:
    rooms: list[Room] = [simulated_bluez(door(level=level)) for level in (1, 2)]
    assert asyncio.run(read()) == 2
    simulated_bluez.use(rooms[0])
    assert asyncio.run(read()) == 1
    assert rooms[0].address != rooms[1].address


def test_other_programs_use_the_environment(simulated_bluez: SimulatedBlueZ) -> None:
    host = {"bluez": "5.83"}
    room = simulated_bluez({"scenario": "x", "host": host, "devices": []})
    simulated_bluez(door())
    names = "DBUS_SYSTEM_BUS_ADDRESS", "BLUETOOTH_FORCE_DBUS_LE_VERSION"
    program = f"import os; print(*[os.environ[name] for name in {names}])"

    def printed(environment: dict[str, str] | None) -> list[str]:
        command = ["python3", "-c", program]
        return subprocess.check_output(command, env=environment, text=True).split()

    assert printed(room.environment) == [room.address, "5.83"]
    simulated_bluez.use(room)
    assert printed(None) == [room.address, "5.83"]


def test_a_device_in_python_has_the_keys_of_a_file() -> None:
    device = Device("Tag-1", address_type="public", faults=[{"on": "read", "do": "lose-link"}])
    assert device == {
        "name": "Tag-1",
        "services": [],
        "address-type": "public",
        "faults": [{"on": "read", "do": "lose-link"}],
    }


def test_devices_of_a_room_are_iterated_and_looked_up(simulated_bluez: SimulatedBlueZ) -> None:
    room = simulated_bluez(door(), door("Door-2", 40) | {"address": "C0:FF:EE:00:00:02"})
    assert [device.get("battery-level") for device in room] == [b"\x57", b"\x28"]
    assert "door-2" in room
    assert "C0:FF:EE:00:00:02" in room
    assert "Door-3" not in room


def test_bytes_are_values_and_numbers_are_uuids(simulated_bluez: SimulatedBlueZ) -> None:
    level = {"characteristic": 0x2A19, "properties": ["read"], "value": b"\x57"}
    other = {"characteristic": 0x0001, "properties": ["read"], "value": {"hex": b"\x01\x02"}}
    data = {"services": [0x180F], "service-data": {0xFEAA: b"\x00"}}
    services = [
        {"service": 0x180F, "includes": [0x1234], "characteristics": [level, other]},
        {"service": 0x1234},
    ]
    names = {"lock": 0x0001}
    room = simulated_bluez(Device("Door-1", advertisement=data, services=services, names=names))
    assert room["Door-1"].get("battery-level") == b"\x57"
    assert room["Door-1"].get("lock") == b"\x01\x02"

    [advertised] = asyncio.run(scanned())
    assert advertised.service_data == {"0000feaa-0000-1000-8000-00805f9b34fb": b"\x00"}
    assert asyncio.run(read()) == 0x57
    with pytest.raises(ValueError, match="invalid value 300"):
        room["Door-1"].set("battery-level", 300)


def test_a_number_under_a_name_of_the_author_is_no_uuid(simulated_bluez: SimulatedBlueZ) -> None:
    level = {"characteristic": 0xFFF1, "properties": ["read", "write"], "value": {"u8": 1}}
    machine = {
        "machine": "counter",
        "with": {"service": {"of": 0xFFF1, "as": "u8"}},
        "variables": {"read": 0, "write": b"\x01", "hex": b"\x02"},
        "tables": {"on": [{"u8": 1}], "services": [b"\x03"]},
        "states": {
            "names": {"on": [{"write": 0xFFF1, "do": {"let": {"read": 3}}, "to": "let"}]},
            "let": {"on": [{"read": 0xFFF1, "do": {"let": {"read": 7, "hex": b"\x04"}}}]},
        },
    }
    device = Device(
        "M-1", services=[{"service": 0xFFF0, "characteristics": [level]}], machines=[machine]
    )
    written = json.loads(text(device))["machines"][0]
    assert written["with"] == {"service": {"of": "fff1", "as": "u8"}}
    assert written["variables"] == {"read": 0, "write": {"hex": "01"}, "hex": {"hex": "02"}}
    assert written["tables"] == {"on": [{"u8": 1}], "services": [{"hex": "03"}]}
    assert written["states"]["names"]["on"][0]["write"] == "fff1"
    [transition] = written["states"]["let"]["on"]
    assert transition["do"] == {"let": {"read": 7, "hex": {"hex": "04"}}}
    assert transition["read"] == "fff1"
    assert "M-1" in simulated_bluez(device)
