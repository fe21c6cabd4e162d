"""Discovery and its filters."""
import asyncio

from dbus_fast import Variant

from clients import text
from player import ADAPTER, ADP, DEV, DEVICE, PROPS, added
from . import scenario


def filter(p, **keys):
    return p.adapter("SetDiscoveryFilter", "a{sv}",
                     {name: Variant(*value) for name, value in keys.items()})


@scenario("a scan")
async def scan(p):
    await p.unknown()
    await p.step("stop without a start", p.adapter("StopDiscovery"))
    await p.step("start", p.adapter("StartDiscovery"), settle=0.6)
    await p.step("the tree", p.tree())
    await p.step("the device's properties", p.get_all(DEVICE, DEV))
    await p.step("start again", p.adapter("StartDiscovery"))
    await p.step("a filter while it goes on", filter(p, Transport=("s", "le")), settle=0.6)
    await p.step("stop", p.adapter("StopDiscovery"))
    await p.step("stop again", p.adapter("StopDiscovery"))
    await p.step("the tree afterwards", p.tree())


@scenario("a scan with every report")
async def duplicates(p):
    await p.unknown()
    await p.step("filter", filter(p, Transport=("s", "le"), DuplicateData=("b", True)))
    await p.step("start", p.adapter("StartDiscovery"), settle=0.7)
    await p.step("stop", p.adapter("StopDiscovery"))


@scenario("filters")
async def filters(p):
    await p.unknown()
    await p.step("which there are", p.adapter("GetDiscoveryFilters"))
    await p.step("transport bogus", filter(p, Transport=("s", "bogus")))
    await p.step("transport of another type", filter(p, Transport=("b", True)))
    await p.step("RSSI and Pathloss", filter(p, RSSI=("n", -90), Pathloss=("q", 20)))
    await p.step("RSSI of another type", filter(p, RSSI=("i", -90)))
    await p.step("RSSI out of range", filter(p, RSSI=("n", -300)))
    await p.step("Pathloss out of range", filter(p, Pathloss=("q", 300)))
    await p.step("UUIDs that are none", filter(p, UUIDs=("as", ["what"])))
    await p.step("UUIDs of another type", filter(p, UUIDs=("s", "180d")))
    await p.step("DuplicateData of another type", filter(p, DuplicateData=("s", "yes")))
    await p.step("Discoverable of another type", filter(p, Discoverable=("u", 1)))
    await p.step("Pattern of another type", filter(p, Pattern=("u", 1)))
    await p.step("a key that nobody knows", filter(p, Bogus=("s", "le")))
    await p.step("an RSSI and a transport", filter(p, RSSI=("n", -90), Transport=("s", "le")))
    await p.step("BR/EDR, of an adapter that has LE alone", filter(p, Transport=("s", "bredr")))
    await p.step("transport auto", filter(p, Transport=("s", "auto")))
    await p.step("none", filter(p))
    await p.step("a filter of another type", p.adapter("SetDiscoveryFilter", "as", ["le"]))


@scenario("scans that a filter keeps devices from")
async def filtered(p):
    await p.known()     # its name is remembered
    await p.unknown()
    for title, keys, finds in (
            ("a service that nobody has", {"UUIDs": ("as", ["fff0"])}, False),
            ("a pattern that nobody has", {"Pattern": ("s", "Thermo")}, False),
            ("a service that the device has", {"UUIDs": ("as", ["180d"])}, True),
            ("a pattern that the device has", {"Pattern": ("s", "Lab")}, True),
            ("a pattern that its address has", {"Pattern": ("s", "C0:FF")}, True),
            ("discoverable ones", {"Discoverable": ("b", True)}, True),
            ("BR/EDR", {"Transport": ("s", "bredr")}, False)):
        await p.step(f"filter: {title}", filter(p, **keys))
        p.begin(f"start: {title}")
        await p.adapter("StartDiscovery")
        if finds:
            await p.until(added(DEV, DEVICE))
        await p.settled(0.5)
        await p.step(f"stop: {title}", p.adapter("StopDiscovery"))
        await p.unknown()


@scenario("two clients scan")
async def two(p):
    await p.unknown()
    other = await p.another("other")
    await p.step("one starts", p.adapter("StartDiscovery"), settle=0.5)
    await p.step("the other starts", other.call(ADAPTER, ADP, "StartDiscovery"), settle=0.5)
    await p.step("one stops", p.adapter("StopDiscovery"))
    await p.step("the other stops", other.call(ADAPTER, ADP, "StopDiscovery"))
    await p.step("the other starts again", other.call(ADAPTER, ADP, "StartDiscovery"), settle=0.5)
    await p.step("it leaves", leaves(other), settle=0.5)


async def leaves(client):
    client.leave()


@scenario("the adapter is switched off in a scan")
async def off(p):
    await p.unknown()
    await p.step("start", p.adapter("StartDiscovery"), settle=0.5)
    # Heard once more while the adapter goes off, it would be an object again.
    await p.side.absent(True)
    await p.step("off", p.set(ADAPTER, ADP, "Powered", Variant("b", False)), settle=0.5)
    await p.step("the tree", p.tree())
    await p.step("start while off", p.adapter("StartDiscovery"))
    await p.step("stop while off", p.adapter("StopDiscovery"))
    await p.step("filter while off", filter(p, Transport=("s", "le")))
    await p.step("remove while off", p.adapter("RemoveDevice", "o", DEVICE))
    await p.step("connect while off", p.device("Connect"))
    await p.step("pair while off", p.device("Pair"))
    await p.step("off again", p.set(ADAPTER, ADP, "Powered", Variant("b", False)))
    await p.step("on", p.set(ADAPTER, ADP, "Powered", Variant("b", True)), settle=0.5)
    await p.step("on again", p.set(ADAPTER, ADP, "Powered", Variant("b", True)))
    await p.step("stop", p.adapter("StopDiscovery"))
    await p.side.absent(False)


@scenario("the device's name and trust")
async def settings(p):
    await p.known()
    await p.step("alias", p.set(DEVICE, DEV, "Alias", text("mine")))
    await p.step("the same alias", p.set(DEVICE, DEV, "Alias", text("mine")))
    await p.step("no alias", p.set(DEVICE, DEV, "Alias", text("")))
    await p.step("alias of another type", p.set(DEVICE, DEV, "Alias", Variant("u", 1)))
    await p.step("trusted", p.set(DEVICE, DEV, "Trusted", Variant("b", True)))
    await p.step("trusted again", p.set(DEVICE, DEV, "Trusted", Variant("b", True)))
    await p.step("trusted of another type", p.set(DEVICE, DEV, "Trusted", text("yes")))
    await p.step("not trusted", p.set(DEVICE, DEV, "Trusted", Variant("b", False)))
    await p.step("its address", p.set(DEVICE, DEV, "Address", text("C0:FF:EE:00:00:02")))
    await p.step("what it has not", p.set(DEVICE, DEV, "Bogus", text("x")))
    await p.step("all it has", p.get_all(DEVICE, DEV))
    for name in ("Alias", "Icon", "Class", "RSSI", "TxPower", "Appearance", "Modalias",
                 "ServicesResolved", "Bogus"):
        await p.step(f"get {name}", p.get(DEVICE, DEV, name), settle=0.05)


@scenario("the adapter's properties")
async def adapter(p):
    await p.unknown()
    await p.step("all", p.get_all(ADAPTER, ADP))
    for name, first, again in (
            ("Alias", text("mine"), text("")),
            ("Discoverable", Variant("b", True), Variant("b", False)),
            ("DiscoverableTimeout", Variant("u", 60), Variant("u", 180)),
            ("Pairable", Variant("b", True), Variant("b", False)),
            ("PairableTimeout", Variant("u", 60), Variant("u", 0))):
        await p.step(f"{name}", p.set(ADAPTER, ADP, name, first))
        await p.step(f"{name}, the same", p.set(ADAPTER, ADP, name, first))
        await p.step(f"{name}, as it was", p.set(ADAPTER, ADP, name, again))
        await p.step(f"{name} of another type", p.set(ADAPTER, ADP, name, Variant("d", 1.5)))
    await p.step("Powered of another type", p.set(ADAPTER, ADP, "Powered", text("on")))
    for name in ("Address", "Name", "Discovering", "UUIDs"):
        await p.step(f"set {name}", p.set(ADAPTER, ADP, name, text("x")), settle=0.1)
    for name in ("Alias", "Class", "Modalias", "Roles", "ExperimentalFeatures", "Bogus"):
        await p.step(f"get {name}", p.get(ADAPTER, ADP, name), settle=0.05)
    await p.step("get of an interface that it has not", p.get(ADAPTER, DEV, "Name"))
    await p.step("get all of it", p.get_all(ADAPTER, DEV))
    await p.step("set of it", p.set(ADAPTER, DEV, "Alias", text("x")))


@scenario("a device that nobody connects to", seconds=32)
async def expiry(p):
    await p.known()
    p.begin("it is gone")
    await p.side.absent(True)
    await p.until(lambda e: e.get("member") == "InterfacesRemoved", within=40)
    await asyncio.sleep(0.3)
    await p.side.absent(False)


@scenario("properties by their interface")
async def interfaces(p):
    await p.known()
    for path in ("/", "/org", "/org/bluez", ADAPTER, DEVICE):
        await p.step(f"of {path}", p.client.call(path, PROPS, "GetAll", "s", "org.bluez.Bogus"),
                     settle=0.05)
        await p.step(f"of {path}, its Properties", p.client.call(path, PROPS, "GetAll", "s", PROPS),
                     settle=0.05)
        await p.step(f"a ping of {path}", p.client.call(path, "org.freedesktop.DBus.Peer", "Ping"),
                     settle=0.05)
