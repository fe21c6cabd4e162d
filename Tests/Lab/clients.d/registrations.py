"""Registers applications and advertisements, right and wrong ones, with the first adapter. Prints
how bluetoothd calls the program, and what it answers."""
import asyncio

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

ADAPTER = "/org/bluez/hci0"
GATT, ADVERTISING = "org.bluez.GattManager1", "org.bluez.LEAdvertisingManager1"
SERVICE, CHARACTERISTIC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
DESCRIPTOR, ADVERTISEMENT = "org.bluez.GattDescriptor1", "org.bluez.LEAdvertisement1"
PROPERTIES = "org.freedesktop.DBus.Properties"
UUID = "6e5d000{}-1b1a-4e1c-8f6b-0b6c1d2e3f41"
ANY = Variant("q", 0)


def shown(value):
    if isinstance(value, Variant):
        return f"<{value.signature} {shown(value.value)}>"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {shown(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return str(value)


class Program:
    """A client that serves `{path: {interface: properties}}`."""

    def __init__(self, bus, objects):
        self.bus, self.objects = bus, objects
        bus.add_message_handler(self.handle)

    def handle(self, call):
        if call.message_type is not MessageType.METHOD_CALL:
            return None
        print(f"  called {call.path} {call.interface}.{call.member} {shown(call.body)}", flush=True)
        if call.member == "GetManagedObjects":
            return Message.new_method_return(call, "a{oa{sa{sv}}}", [self.objects])
        if call.member == "GetAll":
            return Message.new_error(call, "org.example.None", "there is none")
        return Message.new_method_return(call)

    async def call(self, interface, member, signature, *body):
        call = Message(destination="org.bluez", path=ADAPTER, interface=interface, member=member,
                       signature=signature, body=list(body))
        reply = await asyncio.wait_for(self.bus.call(call), 60)
        text = f"{reply.error_name}: " if reply.message_type is MessageType.ERROR else "replied "
        print(member, text + shown(reply.body).strip(), flush=True)
        return reply.message_type is not MessageType.ERROR


async def program(objects):
    return Program(await MessageBus(bus_type=BusType.SYSTEM).connect(), objects)


def service(**more):
    given = {"UUID": Variant("s", UUID.format(0)), "Primary": Variant("b", True), **more}
    return {"/a/s": {SERVICE: {name: value for name, value in given.items() if value}}}


def characteristic(flags, **more):
    given = {"UUID": Variant("s", UUID.format(1)), "Service": Variant("o", "/a/s"),
             "Flags": Variant("as", flags), **more}
    return {"/a/s/c": {CHARACTERISTIC: {name: value for name, value in given.items() if value}}}


def descriptor(flags, **more):
    given = {"UUID": Variant("s", UUID.format(2)), "Characteristic": Variant("o", "/a/s/c"),
             "Flags": Variant("as", flags), **more}
    return {"/a/s/c/d": {DESCRIPTOR: {name: value for name, value in given.items() if value}}}


APPLICATIONS = {
    "nothing": {}, "another interface": {"/a/x": {"org.example.X": {}}},
    "a service": service(), "its handle": service(Handle=ANY),
    "no UUID": service(UUID=None), "no Primary": service(Primary=None),
    "secondary": service(Primary=Variant("b", False)),
    "a short UUID": service(UUID=Variant("s", "180f")),
    "a UUID of 32 bits": service(UUID=Variant("s", "0000180f")),
    "a UUID with 0x": service(UUID=Variant("s", "0x180f")),
    "a wrong UUID": service(UUID=Variant("s", "hello")),
    "a UUID that is a number": service(UUID=Variant("u", 3)),
    "Generic Access": service(UUID=Variant("s", "1800")),
    "Generic Attribute": service(UUID=Variant("s", "1801")),
    "Includes of texts": service(Includes=Variant("as", ["x"])),
    "Includes of nothing": service(Includes=Variant("ao", ["/a/none"])),
    "Includes": {**service(Includes=Variant("ao", ["/a/t"])),
                 "/a/t": {SERVICE: {"UUID": Variant("s", "180f"), "Primary": Variant("b", True)}}},
    "a handle that is none": service(Handle=Variant("u", 0)),
    "a demanded handle": service(Handle=Variant("q", 0x80)),
    "a handle in use": service(Handle=Variant("q", 1)),
    "handles": {**service(Handle=ANY), **characteristic(["read", "notify"], Handle=ANY),
                **descriptor(["read"], Handle=ANY)},
    "a characteristic of nothing": {**service(), **characteristic(
        ["read"], Service=Variant("o", "/a/none"))},
    "a characteristic alone": characteristic(["read"]),
    "a characteristic first": {**characteristic(["read"]), **service()},
    "without Flags": {**service(), **characteristic([], Flags=None)},
    "no flags": {**service(), **characteristic([])},
    "a wrong flag": {**service(), **characteristic(["read", "fly"])},
    "a characteristic without UUID": {**service(), **characteristic(["read"], UUID=None)},
    "a descriptor of nothing": {**service(), **descriptor(["read"])},
    "a wrong flag of a descriptor": {**service(), **characteristic(["read"]),
                                     **descriptor(["notify"])},
    "outside of the root": {"/b/s": service()["/a/s"]},
}


def octets(count):
    return Variant("ay", bytes(count))


def company(value):
    return {"ManufacturerData": Variant("a{qv}", {0xffff: value})}


def data(uuid, value):
    return {"ServiceData": Variant("a{sv}", {uuid: value})}


ADVERTISEMENTS = {
    "nothing more": {}, "broadcast": {"Type": Variant("s", "broadcast")},
    "a wrong type": {"Type": Variant("s", "fly")},
    "UUIDs": {"ServiceUUIDs": Variant("as", ["180d", UUID.format(1)])},
    "a wrong UUID": {"ServiceUUIDs": Variant("as", ["hello"])},
    "UUIDs that are a text": {"ServiceUUIDs": Variant("s", "180d")},
    "two long UUIDs": {"ServiceUUIDs": Variant("as", [UUID.format(1), UUID.format(2)])},
    "27 bytes": company(octets(27)), "28 bytes": company(octets(28)),
    "a text of a company": company(Variant("s", "x")),
    "27 bytes of a service": data("180f", octets(27)), "28 of them": data("180f", octets(28)),
    "13 bytes of a long UUID": data(UUID.format(1), octets(13)),
    "14 of them": data(UUID.format(1), octets(14)), "of no service": data("q", octets(1)),
    "31 bytes": {**company(octets(23)), "ServiceUUIDs": Variant("as", ["180d"])},
    "32 bytes": {**company(octets(24)), "ServiceUUIDs": Variant("as", ["180d"])},
    "a name": {"LocalName": Variant("s", "Pump")}, "a long name": {"LocalName": Variant("s", "N" * 40)},
    "two names": {"LocalName": Variant("s", "Pump"), "Includes": Variant("as", ["local-name"])},
    "the host's name": {"Includes": Variant("as", ["local-name"])},
    "the TX power": {"Includes": Variant("as", ["tx-power"])},
    "too much with it": {**company(octets(27)), "Includes": Variant("as", ["tx-power"])},
    "the host's appearance": {"Includes": Variant("as", ["appearance"])},
    "an unknown one": {"Includes": Variant("as", ["rainbow"])},
    "an appearance": {"Appearance": Variant("q", 0x340)},
    "two of them": {"Appearance": Variant("q", 0x340), "Includes": Variant("as", ["appearance"])},
    "discoverable": {"Discoverable": Variant("b", True)},
    "too much beside": {**company(octets(27)), "Discoverable": Variant("b", True)},
    "a discoverable broadcast": {"Type": Variant("s", "broadcast"),
                                 "Discoverable": Variant("b", True)},
    "discoverable for too long": {"Discoverable": Variant("b", True), "Timeout": Variant("q", 2),
                                  "DiscoverableTimeout": Variant("q", 5)},
    "a secondary channel": {"SecondaryChannel": Variant("s", "1M")},
    "a duration": {"Duration": Variant("q", 2)}, "a wrong duration": {"Duration": Variant("u", 2)},
    "flags as data": {"Data": Variant("a{yv}", {1: octets(1)})},
    "data": {"Data": Variant("a{yv}", {0x26: octets(1)})},
}


async def applications():
    for name, objects in APPLICATIONS.items():
        print("application:", name)
        one = await program(objects)
        if await one.call(GATT, "RegisterApplication", "oa{sv}", "/a", {}):
            await one.call(GATT, "UnregisterApplication", "o", "/a")
        one.bus.disconnect()
        await asyncio.sleep(0.05)
    one = await program(service())
    for member, path in [("Register", "/a"), ("Register", "/a"), ("Unregister", "/z"),
                         ("Unregister", "/a"), ("Unregister", "/a")]:
        more = [{}] if member == "Register" else []
        await one.call(GATT, member + "Application", "o" + "a{sv}" * len(more), path, *more)
    one.bus.disconnect()


async def advertisements():
    for name, more in ADVERTISEMENTS.items():
        print("advertisement:", name)
        one = await program({"/v": {ADVERTISEMENT: {"Type": Variant("s", "peripheral"), **more}}})
        if await one.call(ADVERTISING, "RegisterAdvertisement", "oa{sv}", "/v", {}):
            await one.call(ADVERTISING, "UnregisterAdvertisement", "o", "/v")
        one.bus.disconnect()
        await asyncio.sleep(0.05)
    print("advertisement: one that the program does not have")
    one = await program({})
    await one.call(ADVERTISING, "RegisterAdvertisement", "oa{sv}", "/v", {})
    one.bus.disconnect()
    await asyncio.sleep(0.1)
    print("advertisement: many")
    one = await program({f"/v{each}": {ADVERTISEMENT: {"Type": Variant("s", "peripheral")}}
                         for each in range(6)})
    for each in [0, 0, 1, 2, 3, 4, 5]:
        await one.call(ADVERTISING, "RegisterAdvertisement", "oa{sv}", f"/v{each}", {})
    await one.call(PROPERTIES, "GetAll", "s", ADVERTISING)
    one.bus.disconnect()
    await asyncio.sleep(1)
    print("advertisement: for a second")
    one = await program({"/v": {ADVERTISEMENT: {"Type": Variant("s", "peripheral"),
                                                "Timeout": Variant("q", 1)}}})
    await one.call(ADVERTISING, "RegisterAdvertisement", "oa{sv}", "/v", {})
    await asyncio.sleep(4)
    await one.call(ADVERTISING, "UnregisterAdvertisement", "o", "/v")
    await one.call(PROPERTIES, "GetAll", "s", ADVERTISING)


async def main():
    await applications()
    await advertisements()


asyncio.run(main())
