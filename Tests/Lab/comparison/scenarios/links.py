"""Links: made, given up, ended by us, by the device and by the adapter."""
import asyncio
import os

from dbus_fast import MessageType, Variant

from clients import BLUEZ, PEER
from player import (ADAPTER, ADP, BATTERY, BATTERY1, CHRC, DEV, DEVICE, ECHO, HEART, SLOW)
from . import scenario
from .scan import leaves


async def connect(p, title="connect"):
    """A step: the link is made, and its services are resolved."""
    p.begin(title)
    answer = await p.device("Connect")
    if answer.message_type is not MessageType.ERROR:
        await p.until_services()


def powered(p, is_on):
    return p.set(ADAPTER, ADP, "Powered", Variant("b", is_on))


@scenario("a link is made and ended")
async def link(p):
    await p.known()
    await connect(p)
    await p.step("the tree", p.tree())
    await p.step("connect again", p.device("Connect"))
    await p.step("disconnect", p.device("Disconnect"), settle=0.5)
    await p.step("the tree without a link", p.tree())
    await p.step("disconnect again", p.device("Disconnect"))
    await p.step("read without a link", p.read(await p.find(BATTERY)))
    await p.step("write without a link", p.write(await p.find(ECHO), b"x"))
    await p.step("subscribe without a link", p.characteristic(await p.find(ECHO), "StartNotify"))
    await p.step("acquire without a link",
                 p.characteristic(await p.find(ECHO), "AcquireNotify", "a{sv}", {}))
    await p.step("acquire writing without a link",
                 p.characteristic(await p.find(ECHO), "AcquireWrite", "a{sv}", {}))
    await connect(p, "connect once more")
    await p.step("read", p.read(await p.find(BATTERY)))
    await p.step("remove it", p.adapter("RemoveDevice", "o", DEVICE), settle=0.5)
    await p.step("remove it again", p.adapter("RemoveDevice", "o", DEVICE))
    await p.step("the tree at the end", p.tree())


@scenario("a link in a scan")
async def scanning(p):
    await p.unknown()
    await p.step("start", p.adapter("StartDiscovery"), settle=0.6)
    await connect(p)
    await p.step("stop", p.adapter("StopDiscovery"))
    await p.step("start with a link", p.adapter("StartDiscovery"), settle=0.6)
    await p.step("stop with a link", p.adapter("StopDiscovery"))


@scenario("two clients connect at once")
async def both(p):
    await p.known()
    other = await p.another("other")
    p.begin("both connect")
    first = asyncio.ensure_future(p.device("Connect"))
    # There is no order between the calls of two connections. The answer to a second call of the first
    # client comes when bluetoothd has received its first one.
    await asyncio.sleep(0.01)
    await p.client.ask(BLUEZ, "/", PEER, "Ping")
    await asyncio.gather(first, other.call(DEVICE, DEV, "Connect"))
    await p.until_services()
    await p.step("one leaves", leaves(other), settle=0.5)
    await p.together("two disconnect", p.device("Disconnect"), p.device("Disconnect"), settle=0.5)


@scenario("an attempt that is given up")
async def given_up(p):
    await p.known()
    await p.side.absent(True)
    pending = await began(p, "connect to nobody", p.device("Connect", within=8))
    await p.step("connect once more", p.device("Connect"))
    await p.step("disconnect", p.device("Disconnect"), settle=0.5)
    await pending
    pending = await began(p, "connect to nobody again", p.device("Connect", within=5))
    await p.step("remove it", p.adapter("RemoveDevice", "o", DEVICE), settle=0.5)
    await p.step("nothing more comes", pending)
    await p.side.absent(False)


async def began(p, title, doing, settle=0.7):
    """A step that begins something; it ends in a later one."""
    p.begin(title)
    pending = asyncio.ensure_future(doing)
    await asyncio.sleep(settle)
    return pending


@scenario("an attempt that nobody answers", seconds=44)
async def nobody(p):
    await p.known()
    await p.side.absent(True)
    await p.step("connect", p.device("Connect"), settle=0.5)
    await p.step("the tree", p.tree())
    await p.side.absent(False)
    await connect(p, "connect when it is back")


async def busy(p):
    """A link in use: notifications, both descriptors, a read that takes its time."""
    await p.connected()
    heart, echo, battery, slow = await p.find(HEART, ECHO, BATTERY, SLOW)
    await p.step("subscribe", p.characteristic(battery, "StartNotify"))
    notified = await p.step("acquire", p.characteristic(heart, "AcquireNotify", "a{sv}", {}))
    written = await p.step("acquire writing", p.characteristic(echo, "AcquireWrite", "a{sv}", {}))
    pending = await began(p, "read", p.read(slow), settle=0.3)
    return [*notified.unix_fds, *written.unix_fds], pending


async def left(p, descriptors, pending):
    await pending
    for descriptor in descriptors:
        os.close(descriptor)
    await p.step("the tree", p.tree())


@scenario("the link of a device in use is lost")
async def lost(p):
    descriptors, pending = await busy(p)
    await p.step("it is lost", p.side.drop(), settle=1.2)
    await left(p, descriptors, pending)
    await connect(p, "connect again")
    await p.step("the tree, connected", p.tree())


@scenario("a device in use hangs up")
async def hung_up(p):
    descriptors, pending = await busy(p)
    await p.step("it hangs up", p.side.hang_up(), settle=1.2)
    await left(p, descriptors, pending)


@scenario("the adapter is switched off under a device in use")
async def off(p):
    descriptors, pending = await busy(p)
    await p.step("off", powered(p, False), settle=1.2)
    await left(p, descriptors, pending)
    await p.step("connect while off", p.device("Connect"))
    await p.step("on", powered(p, True), settle=0.5)
    await connect(p, "connect")


@scenario("a device in use is disconnected")
async def disconnected(p):
    descriptors, pending = await busy(p)
    await p.step("disconnect", p.device("Disconnect"), settle=0.7)
    await left(p, descriptors, pending)


@scenario("a device in use is removed")
async def removed(p):
    descriptors, pending = await busy(p)
    await p.step("remove", p.adapter("RemoveDevice", "o", DEVICE), settle=0.7)
    await left(p, descriptors, pending)


@scenario("calls while a link ends")
async def ending(p):
    await p.connected()
    battery = await p.find(BATTERY)
    # It ends two seconds after the first call.
    pending = await began(p, "disconnect", p.device("Disconnect"), settle=0.2)
    await p.step("read meanwhile", p.read(battery), settle=0.1)
    await p.step("connect meanwhile", p.device("Connect"), settle=0.1)
    await p.step("disconnect meanwhile", p.device("Disconnect"), settle=0.5)
    await pending


@scenario("properties while a link stands")
async def properties(p):
    await p.connected()
    await p.step("of the device", p.get_all(DEVICE, DEV))
    await p.step("of its battery", p.get_all(DEVICE, BATTERY1))
    await p.step("the battery falls", p.side.battery(50), settle=0.5)
    await p.step("of a characteristic", p.get_all(await p.find(ECHO), CHRC))
    await p.step("the battery is read", p.read(await p.find(BATTERY)))
    await p.step("the battery is charged", p.side.battery(87), settle=0.5)
