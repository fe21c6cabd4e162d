"""Reads and writes of characteristics and descriptors."""
from dbus_fast import Variant

from player import (BATTERY, CHRC, CODED, CONTROL, DESC, ECHO, FAILING, HEART, LOCATION, LONG, NAME,
                    REFUSING, SHORT, SINK, SLOW, TWICE, assigned)
from . import scenario


def at(offset):
    return {"offset": Variant("q", offset)}


@scenario("reads")
async def reads(p):
    await p.connected()
    battery, location, name, long = await p.find(BATTERY, LOCATION, NAME, LONG)
    refusing, failing, heart = await p.find(REFUSING, FAILING, HEART)
    for title, doing in (
            ("a value", p.read(battery)), ("the same again", p.read(battery)),
            ("another", p.read(location)), ("a text", p.read(name)), ("512 octets", p.read(long)),
            ("from an offset", p.read(long, at(500))), ("from the end", p.read(long, at(512))),
            ("from behind the end", p.read(long, at(600))),
            ("from behind a short one's end", p.read(name, at(100))),
            ("an offset of another type", p.read(long, {"offset": Variant("u", 5)})),
            ("an offset that is a text", p.read(long, {"offset": Variant("s", "x")})),
            ("an option that nobody knows", p.read(battery, {"bogus": Variant("s", "x")})),
            ("not permitted", p.read(refusing)), ("an application's error", p.read(failing)),
            ("one that only notifies", p.read(heart))):
        await p.step(title, doing, settle=0.15)


@scenario("the errors of reads")
async def codes(p):
    await p.connected()
    coded = await p.find(CODED)
    # 5, 8, 12 and 15 have bluetoothd pair: see pairing.py.
    for code in (1, 2, 3, 4, 6, 7, 9, 10, 11, 13, 14, 16, 17, 0x13, 0x80, 0x9F, 0xA0, 0xE0, 0xFC,
                 0xFD, 0xFE, 0xFF):
        await p.side.refuse_reads(code)
        await p.step(f"0x{code:02x}", p.read(coded), settle=0.1)
    await p.side.refuse_reads(0x80)


@scenario("writes")
async def writes(p):
    await p.connected()
    echo, short, sink, battery = await p.find(ECHO, SHORT, SINK, BATTERY)
    refusing, failing, heart, control = await p.find(REFUSING, FAILING, HEART, CONTROL)
    for title, doing in (
            ("a request", p.write(echo, b"abc", "request")), ("what it is now", p.read(echo)),
            ("a command", p.write(echo, b"abd", "command")), ("what it is then", p.read(echo)),
            ("without a kind", p.write(echo, b"abe")), ("what came of it", p.read(echo)),
            ("nothing", p.write(echo, b"")), ("what nothing is", p.read(echo)),
            ("an unknown kind", p.write(echo, b"x", "bogus")),
            ("a kind of another type", p.write(echo, b"x", options={"type": Variant("u", 1)})),
            ("reliably", p.write(echo, b"x", "reliable")),
            ("512 octets", p.write(echo, b"y" * 512)), ("what 512 are", p.read(echo)),
            ("513 octets", p.write(echo, b"z" * 513)),
            ("a command of 600", p.write(sink, b"x" * 600, "command")),
            ("a command of the longest", p.write(sink, b"x" * 514, "command")),
            ("a command of one more", p.write(sink, b"x" * 515, "command")),
            ("five octets of at most four", p.write(short, b"12345")),
            ("four of them", p.write(short, b"1234")),
            ("from an offset", p.write(echo, b"abc", options=at(2))),
            ("what that is", p.read(echo)),
            ("from behind the end", p.write(echo, b"abc", options=at(600))),
            ("not permitted", p.write(refusing, b"x")),
            ("an application's error", p.write(failing, b"x")),
            ("one that is only read", p.write(battery, b"x")),
            ("one that only notifies", p.write(heart, b"x")),
            ("a command to one that is only read", p.write(battery, b"x", "command")),
            ("a command to one that takes requests", p.write(short, b"x", "command")),
            ("a request to one that takes commands", p.write(sink, b"x", "request")),
            ("one that takes commands, without a kind", p.write(sink, b"x")),
            ("reliably to one that takes commands", p.write(sink, b"x", "reliable")),
            ("a control point", p.write(control, b"\x01")),
            ("a control point's refusal", p.write(control, b"\x02"))):
        await p.step(title, doing, settle=0.15)


@scenario("several requests at once")
async def at_once(p):
    await p.connected()
    slow, battery, echo = await p.find(SLOW, BATTERY, ECHO)
    other = await p.another("other")
    await p.together("two reads of one, one of another", p.read(slow), p.read(slow), p.read(battery))
    await p.together("a read of two clients", p.read(slow),
                     other.call(slow, CHRC, "ReadValue", "a{sv}", {}))
    await p.together("two writes behind a read", p.read(slow), p.write(echo, b"5"),
                     p.write(echo, b"6"))
    await p.together("a write and a read", p.write(echo, b"4"), p.read(echo))
    await p.together("commands", *[p.write(echo, bytes([n]), "command") for n in range(5)])
    await p.step("the last is there", p.read(echo))


@scenario("descriptors")
async def descriptors(p):
    await p.connected()
    objects = await p.objects()
    paths = sorted(path for path, interfaces in objects.items() if DESC in interfaces)
    for path in paths:
        await p.step(f"read {p.called(objects, path)}", p.read(path, interface=DESC), settle=0.15)
    twice, echo = await p.find(TWICE, ECHO)
    name = next(path for path in paths if path.startswith(twice))
    user = next(path for path in paths if path.startswith(echo)
                and objects[path][DESC]["UUID"].value == assigned(0x2901))
    config = next(path for path in paths if path.startswith(echo)
                  and objects[path][DESC]["UUID"].value == assigned(0x2902))
    for title, doing in (
            ("write one", p.write(name, b"other", interface=DESC)),
            ("what it is", p.read(name, interface=DESC)),
            ("from an offset", p.read(name, at(2), interface=DESC)),
            ("from behind its end", p.read(name, at(99), interface=DESC)),
            ("write 513 octets", p.write(name, b"x" * 513, interface=DESC)),
            ("write one that is only read", p.write(user, b"x", interface=DESC)),
            ("write the configuration", p.write(config, b"\x01\x00", interface=DESC)),
            ("read the configuration", p.read(config, interface=DESC)),
            ("a read without options", p.client.call(name, DESC, "ReadValue")),
            ("as it was", p.write(name, b"name", interface=DESC))):
        await p.step(title, doing, settle=0.15)
    slow = await p.find(SLOW)
    await p.together("two writes behind a read", p.read(slow), p.write(name, b"one", interface=DESC),
                     p.write(name, b"two", interface=DESC))
    await p.together("two reads behind a read", p.read(slow), p.read(name, interface=DESC),
                     p.read(name, interface=DESC))
    await p.step("as it was at first", p.write(name, b"name", interface=DESC))
