"""The tree, its introspection, and calls of what is not there."""
from dbus_fast import Variant

from player import ADAPTER, ADP, BATTERY, CHRC, DESC, DEV, DEVICE, ECHO, OM, PROPS, SERVICE, assigned
from . import scenario

COMPARED = (ADP, DEV, "org.bluez.Battery1", SERVICE, CHRC, DESC)
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"


def introspect(p, path):
    return p.client.call(path, INTROSPECTABLE, "Introspect")


@scenario("introspection")
async def introspection(p):
    await p.connected()
    known = await p.objects()
    for path in ["/", "/org", *p.of_both(known), "/none", ADAPTER + "/dev_00_00_00_00_00_00"]:
        await p.step(f"of {p.called(known, path)}", introspect(p, path), settle=0.02)


@scenario("the tree of a connected device")
async def tree(p):
    await p.connected()
    await p.step("managed objects", p.tree())
    known = await p.objects()
    for path in p.of_both(known):
        for interface in known[path]:
            if interface in COMPARED:
                await p.step(f"{interface} of {p.called(known, path)}", p.get_all(path, interface), settle=0.02)


@scenario("calls of what is not there")
async def absent(p):
    await p.connected()
    battery, echo = await p.find(BATTERY, ECHO)
    service = await p.find(assigned(0x180F), interface=SERVICE)
    for title, path, interface, member, signature, *body in (
            ("an object", battery + "ff", CHRC, "ReadValue", "a{sv}", {}),
            ("a device", ADAPTER + "/dev_00_11_22_33_44_55", DEV, "Connect", ""),
            ("an adapter", "/org/bluez/hci9", ADP, "StartDiscovery", ""),
            ("a method", battery, CHRC, "Bogus", ""),
            ("an interface", battery, "org.bluez.Bogus1", "ReadValue", "a{sv}", {}),
            ("an interface of another object", battery, DEV, "Connect", ""),
            ("no argument", battery, CHRC, "ReadValue", ""),
            ("one of another type", battery, CHRC, "ReadValue", "s", "x"),
            ("one too many", battery, CHRC, "ReadValue", "a{sv}s", {}, "x"),
            ("a method with an argument", DEVICE, DEV, "Connect", "s", "x"),
            ("a method without an interface", DEVICE, None, "Connect", ""),
            ("a method that none has, without an interface", DEVICE, None, "Bogus", ""),
            ("the tree of another object", ADAPTER, OM, "GetManagedObjects", ""),
            ("properties of the root", "/", PROPS, "GetAll", "s", OM),
            ("properties of a type", battery, PROPS, "GetAll", "u", 1),
            ("a method of Properties", battery, PROPS, "Bogus", ""),
            ("to remove no object path", ADAPTER, ADP, "RemoveDevice", "s", "x"),
            ("to remove another device", ADAPTER, ADP, "RemoveDevice", "o", DEVICE[:-1] + "2"),
            ("to remove an attribute", ADAPTER, ADP, "RemoveDevice", "o", battery),
            ("a profile that is none", DEVICE, DEV, "ConnectProfile", "s", "bogus"),
            ("a profile that it has not", DEVICE, DEV, "ConnectProfile", "s", assigned(0x110A)),
            ("to end a profile that it has not", DEVICE, DEV, "DisconnectProfile", "s",
             assigned(0x110A))):
        await p.step(title, p.client.call(path, interface, member, signature, *body, within=5),
                     settle=0.1)
    for title, path, interface, name, it in (
            ("to set Value", echo, CHRC, "Value", Variant("ay", b"x")),
            ("to set Notifying", echo, CHRC, "Notifying", Variant("b", True)),
            ("to set UUID", service, SERVICE, "UUID", Variant("s", "x")),
            ("to set what is not there", echo, CHRC, "Bogus", Variant("s", "x"))):
        await p.step(title, p.set(path, interface, name, it), settle=0.1)
    for title, path, interface, name in (
            ("Value", echo, CHRC, "Value"), ("MTU", echo, CHRC, "MTU"),
            ("Handle", echo, CHRC, "Handle"), ("Notifying of one that cannot", service, CHRC, "Notifying"),
            ("Includes", service, SERVICE, "Includes")):
        await p.step(f"get {title}", p.get(path, interface, name), settle=0.1)
