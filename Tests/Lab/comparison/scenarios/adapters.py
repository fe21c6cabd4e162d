"""Adapters that are pulled out and put in, several of them, and a bluetoothd that is killed."""
import asyncio

from dbus_fast import Variant

from clients import BLUEZ, BUS, text
from player import ADAPTER, ADP, BATTERY, DEV, DEVICE, ECHO, HEART, PROPS, SLOW, added
from sides import FIRST, SECOND
from . import scenario
from .links import began, connect

ADVERTISING = "org.bluez.LEAdvertisingManager1"
OTHER = ADAPTER[:-1] + "1"
THERE = DEVICE.replace(ADAPTER, OTHER)      # the device, as the second adapter knows it


async def there(p, path):
    """Waits until an adapter is on, and has what bluetoothd adds when the kernel has told its features."""
    await p.wait_for(path, ADP, "Powered")
    await p.wait_for(path, ADVERTISING, "SupportedInstances")


async def comes(p, title, adapter, path):
    """A step: the adapter is plugged in, and on. It is not asked meanwhile: an answer flushes the signals of its object."""
    p.begin(title)
    await p.side.plug_in(adapter)
    await p.until(added(ADVERTISING, path))
    await p.settled(1.5)
    async with p.unheard():
        await there(p, path)


@scenario("an adapter is pulled out under a device in use")
async def pulled_out(p):
    await p.connected()
    echo, slow = await p.find(ECHO, SLOW)
    await p.step("listen", p.characteristic(echo, "StartNotify"))
    pending = await began(p, "a read that takes its time", p.read(slow, within=5), settle=0.3)
    await p.step("out", p.side.pull_out(FIRST), settle=1)
    await pending
    await p.step("the tree without it", p.tree())
    await p.step("a call to it", p.adapter("StartDiscovery"))
    await p.step("a call to the device", p.device("Connect"))
    await comes(p, "in again", FIRST, ADAPTER)
    await p.step("the tree with it", p.tree())
    await connect(p)
    await p.step("the tree with a link", p.tree())
    await p.step("read", p.read(await p.find(BATTERY)))


@scenario("an adapter is pulled out in a scan")
async def pulled_out_in_a_scan(p):
    await p.unknown()
    await p.step("start", p.adapter("StartDiscovery"), settle=0.6)
    await p.step("out", p.side.pull_out(FIRST), settle=1)
    await comes(p, "in again", FIRST, ADAPTER)
    await p.step("stop", p.adapter("StopDiscovery"))
    await p.step("the tree", p.tree())


@scenario("two adapters", seconds=12)
async def two(p):
    await p.known()
    try:
        await comes(p, "a second one", SECOND, OTHER)
        await p.step("the tree", p.tree())
        other = p.client
        await p.step("scan with it", other.call(OTHER, ADP, "SetDiscoveryFilter", "a{sv}",
                                                {"Transport": text("le")}),
                     other.call(OTHER, ADP, "StartDiscovery"), settle=0.6)
        await p.step("stop", other.call(OTHER, ADP, "StopDiscovery"))
        p.begin("connect over it")
        await other.call(THERE, DEV, "Connect")
        await p.until_services()
        await p.step("the tree with a link", p.tree())
        await p.step("connect over the first", p.device("Connect", within=1.5))
        await p.step("give that up", p.device("Disconnect"), settle=0.5)
        await p.step("the first is off", p.set(ADAPTER, ADP, "Powered", Variant("b", False)),
                     settle=0.5)
        battery = (await p.find(BATTERY)).replace(ADAPTER, OTHER)
        await p.step("read over the second", p.read(battery))
        await p.step("the first is on", p.set(ADAPTER, ADP, "Powered", Variant("b", True)),
                     settle=0.5)
        await p.step("the second goes", p.side.pull_out(SECOND), settle=1)
        await p.step("the tree without it", p.tree())
        await connect(p, "connect over the first, again")
        await p.step("read", p.read(await p.find(BATTERY)))
    finally:
        async with p.unheard():
            await p.orderly.call(ADAPTER, PROPS, "Set", "ssv", ADP, "Powered", Variant("b", True))


@scenario("bluetoothd is killed and started again", seconds=10)
async def killed(p):
    await p.connected()
    echo, slow = await p.find(ECHO, SLOW)
    await p.step("listen", p.characteristic(echo, "StartNotify"))
    process = await p.orderly.ask(BUS, "/org/freedesktop/DBus", BUS,
                                  "GetConnectionUnixProcessID", "s", BLUEZ)
    pending = await began(p, "a read that takes its time", p.read(slow, within=5), settle=0.3)
    await p.step("killed", p.side.kill_daemon(process.body[0]), settle=0.5)
    await pending
    async with p.unheard():
        await asyncio.sleep(3)
        await p.side.start_daemon()
        for _ in range(600):
            if all([await each.follow() for each in [p.orderly, *p.clients]]):
                break
            await asyncio.sleep(0.05)
        await there(p, ADAPTER)
        await asyncio.sleep(1)
    await p.step("the tree", p.tree())
    await p.step("a stale path", p.read(echo))
    await p.step("stop listening", p.characteristic(echo, "StopNotify"))
    await connect(p)
    await p.step("the tree with a link", p.tree())
    await p.step("read", p.read(await p.find(BATTERY)))
    await p.step("listen again", p.characteristic(await p.find(HEART), "StartNotify"), settle=0.6)
    await p.step("stop", p.characteristic(await p.find(HEART), "StopNotify"))
