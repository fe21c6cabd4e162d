"""Open files that are sent where nobody wants them, and sockets that nobody closes."""
import asyncio
import os

from dbus_fast import Variant

from clients import close
from player import ADAPTER, ADP, CHRC, DEV, DEVICE, ECHO, OM, PROPS, SINK
from . import scenario
from .scan import leaves


@scenario("files that nobody wants")
async def unwanted(p):
    await p.connected()
    echo = await p.find(ECHO)
    file = os.open("/dev/null", os.O_RDONLY)
    fds = [file]
    for title, path, interface, member, signature, *body in (
            ("instead of options", echo, CHRC, "ReadValue", "h", 0),
            ("beside options", echo, CHRC, "ReadValue", "a{sv}h", {}, 0),
            ("among options", echo, CHRC, "ReadValue", "a{sv}", {"fd": Variant("h", 0)}),
            ("as an offset", echo, CHRC, "ReadValue", "a{sv}", {"offset": Variant("h", 0)}),
            ("as a value", echo, CHRC, "WriteValue", "ha{sv}", 0, {}),
            ("beside a value", echo, CHRC, "WriteValue", "aya{sv}", b"x", {"fd": Variant("h", 0)}),
            ("for a socket", echo, CHRC, "AcquireWrite", "h", 0),
            ("to connect with", DEVICE, DEV, "Connect", "h", 0),
            ("to scan with", ADAPTER, ADP, "StartDiscovery", "h", 0),
            ("as a filter", ADAPTER, ADP, "SetDiscoveryFilter", "a{sv}", {"RSSI": Variant("h", 0)}),
            ("as a name", ADAPTER, PROPS, "Set", "ssv", ADP, "Alias", Variant("h", 0)),
            ("as power", ADAPTER, PROPS, "Set", "ssv", ADP, "Powered", Variant("h", 0)),
            ("for the tree", "/", OM, "GetManagedObjects", "h", 0),
            ("to nobody", "/org/bluez/nobody", DEV, "Connect", "h", 0),
            ("for a method that is not there", DEVICE, DEV, "Open", "h", 0)):
        await p.step(title, p.client.call(path, interface, member, signature, *body, fds=fds),
                     settle=0.15)
    os.close(file)


@scenario("sockets that nobody closes")
async def unclosed(p):
    await p.connected()
    echo, sink = await p.find(ECHO, SINK)
    other = await p.another("other")
    kept = await p.step("take the notifications",
                        other.call(echo, CHRC, "AcquireNotify", "a{sv}", {}))
    also = await p.step("take the writing", other.call(sink, CHRC, "AcquireWrite", "a{sv}", {}))
    for title, path, member in (("notifications", echo, "AcquireNotify"),
                                ("writing", sink, "AcquireWrite")):
        await p.step(f"{title}, again", other.call(path, CHRC, member, "a{sv}", {}))
        await p.step(f"{title}, by somebody else", p.characteristic(path, member, "a{sv}", {}))
    await p.step("subscribe", p.characteristic(echo, "StartNotify"))
    await p.step("write", p.write(sink, b"x", "command"))
    # bluetoothd may die where the socket of notifications is closed after its client has left.
    await p.step("the writing's holder leaves", leaves(other), settle=0.4)
    await p.step("writing is still held", p.characteristic(sink, "AcquireWrite", "a{sv}", {}))
    close(also)
    await asyncio.sleep(0.3)
    await p.step("it is closed", p.characteristic(sink, "AcquireWrite", "a{sv}", {}))
    async with p.unheard():
        await p.side.drop()
        await asyncio.sleep(0.4)
    close(kept)
