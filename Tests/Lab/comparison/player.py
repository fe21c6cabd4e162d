"""Plays one scenario as clients of org.bluez, and keeps what they hear, step by step."""
import asyncio
import contextlib
import time

from dbus_fast import MessageType, Variant

from clients import Client, text
from sides import ADAPTER, ADP, DEV, DEVICE, PROPS, becomes, lab

SERVICE, CHRC = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
DESC, BATTERY1 = "org.bluez.GattDescriptor1", "org.bluez.Battery1"
OM = "org.freedesktop.DBus.ObjectManager"

SHORT_WAIT = 0.02   # seconds


def assigned(number):
    return f"{number:08x}-0000-1000-8000-00805f9b34fb"


HEART, LOCATION, CONTROL = assigned(0x2A37), assigned(0x2A38), assigned(0x2A39)
BATTERY, NAME = assigned(0x2A19), assigned(0x2A29)
# Of the lab's Generic Attribute, and not of the simulator's.
ALONE = assigned(0x2B29), assigned(0x2B2A)
ECHO, REFUSING, SHORT, PROTECTED, LONG = (lab(n) for n in (1, 2, 3, 4, 5))
INDICATED, FAILING, SINK, SLOW, CODED, VOUCHED, TWICE = (lab(n) for n in range(6, 13))


class Player:
    """The player of a scenario: its clients, its steps, and the states it begins from."""

    def __init__(self, side):
        self.side, self.steps, self.zero = side, [], time.monotonic()
        self.orderly, self.clients = None, []

    async def open(self):
        # One that is never heard of: it looks, and puts things in order between scenarios.
        self.orderly = await Client("orderly", lambda entry: None).open()
        self.client = await self.another("client")
        return self

    async def another(self, stream):
        client = await Client(stream, self.keep).open()
        self.clients.append(client)
        return client

    def close(self):
        for client in filter(None, [self.orderly, *self.clients]):
            client.leave()

    def keep(self, entry):
        if self.steps:
            self.steps[-1]["entries"].append(
                {**entry, "at": round((time.monotonic() - self.zero) * 1000)})

    # ---- steps -----------------------------------------------------------------------------------

    async def step(self, title, *doing, settle=0.3):
        """Does these one after the other; what is heard until things have settled is the step's."""
        self.begin(title)
        answers = [await each for each in doing]
        await self.settled(settle)
        return answers[-1] if answers else None

    async def together(self, title, *doing, settle=0.3):
        """Does these at once."""
        self.begin(title)
        answers = await asyncio.gather(*doing)
        await self.settled(settle)
        return answers

    async def settled(self, seconds):
        """Waits so long, and until everything that bluetoothd has sent is heard. Each of the short waits
        takes longer on a busy machine, and so does what they are for."""
        for _ in range(round(seconds / SHORT_WAIT)):
            await asyncio.sleep(SHORT_WAIT)
        for client in self.clients:
            await client.caught_up()

    def begin(self, title):
        self.steps.append({"step": title, "entries": []})

    def note(self, **facts):
        """Something that is seen without a message, such as what a descriptor gives."""
        self.keep({"kind": "seen", "stream": "client", "body": [facts]})

    async def until(self, predicate, within=20.0):
        """Waits until the present step has an entry like that."""
        end = time.monotonic() + within
        while not any(predicate(entry) for entry in self.steps[-1]["entries"]):
            if time.monotonic() > end:
                return
            await asyncio.sleep(0.02)

    async def until_services(self, settle=0.4):
        """Waits until the services of a connection that was made are there, and its battery."""
        await self.until(resolved)
        await self.until(added(BATTERY1), within=10.0)
        await self.settled(settle)

    @contextlib.asynccontextmanager
    async def unheard(self):
        """Keeps what happens inside out of the recording."""
        for client in self.clients:
            client.muted = True
        try:
            yield
            await self.settled(0.15)
        finally:
            for client in self.clients:
                client.muted = False

    # ---- calls, by the first client --------------------------------------------------------------

    def set(self, path, interface, name, variant):
        return self.client.call(path, PROPS, "Set", "ssv", interface, name, variant)

    def get(self, path, interface, name):
        return self.client.call(path, PROPS, "Get", "ss", interface, name)

    def get_all(self, path, interface):
        return self.client.call(path, PROPS, "GetAll", "s", interface)

    def tree(self):
        return self.client.call("/", OM, "GetManagedObjects")

    def adapter(self, member, *arguments, **options):
        return self.client.call(ADAPTER, ADP, member, *arguments, **options)

    def device(self, member, *arguments, **options):
        return self.client.call(DEVICE, DEV, member, *arguments, **options)

    def characteristic(self, path, member, *arguments, **options):
        return self.client.call(path, CHRC, member, *arguments, **options)

    def read(self, path, options=None, interface=CHRC, **more):
        return self.client.call(path, interface, "ReadValue", "a{sv}", options or {}, **more)

    def write(self, path, value, kind=None, interface=CHRC, **more):
        options = {name: it for name, it in more.pop("options", {}).items()}
        if kind:
            options["type"] = text(kind)
        return self.client.call(path, interface, "WriteValue", "aya{sv}", bytes(value), options,
                                **more)

    # ---- looking, unheard ------------------------------------------------------------------------

    async def look(self, path, interface, name):
        answer = await self.orderly.call(path, PROPS, "Get", "ss", interface, name)
        return None if answer.message_type is MessageType.ERROR else answer.body[0].value

    async def objects(self):
        return (await self.orderly.call("/", OM, "GetManagedObjects")).body[0]

    async def find(self, *uuids, interface=CHRC):
        """The object of each UUID: the first in the order of handles."""
        objects = sorted((await self.objects()).items())
        found = [next((path for path, interfaces in objects
                       if interfaces.get(interface, {}).get("UUID", text("")).value == uuid), "/none")
                 for uuid in uuids]
        return found if len(found) > 1 else found[0]

    @staticmethod
    def called(objects, path):
        """An object by what it is; paths have handles, and the handles of the two sides differ."""
        names = []
        while path.startswith(DEVICE + "/"):
            interfaces = objects[path]
            names.append(next(interfaces[name]["UUID"].value for name in (SERVICE, CHRC, DESC)
                              if name in interfaces))
            path = path.rpartition("/")[0]
        return "/".join(reversed(names)) or path

    @staticmethod
    def of_both(objects):
        """The objects that both sides have: see GENERIC_ATTRIBUTE in permitted.py."""
        alone = [path for path, interfaces in objects.items()
                 if interfaces.get(CHRC, {}).get("UUID", text("")).value in ALONE]
        return sorted(path for path in objects if path not in alone)

    # ---- states to begin from, reached unheard ---------------------------------------------------

    async def without_capability(self):
        """New connections pair without input and output, whatever agent there was before: the kernel
        keeps the capability of the last one."""
        agents, agent = ("/org/bluez", "org.bluez.AgentManager1"), "/lab/none"
        async with self.unheard():
            await self.orderly.call(*agents, "RegisterAgent", "os", agent, "NoInputNoOutput")
            await self.orderly.call(*agents, "RequestDefaultAgent", "o", agent)
            await self.orderly.call(*agents, "UnregisterAgent", "o", agent)
            # Until then an agent that comes is not noticed (../OBSERVED.md).
            await self.comes_to(ADAPTER, ADP, "Pairable", lambda it: it is False)

    async def unknown(self):
        """Adapter on, nobody scans, the device is there and nobody knows it."""
        async with self.unheard():
            await self.orderly.call(ADAPTER, PROPS, "Set", "ssv", ADP, "Powered",
                                    Variant("b", True))
            if await self.look(DEVICE, DEV, "Connected"):
                await self.side.drop()
                await self.comes_to(DEVICE, DEV, "Connected", lambda it: not it)
                await asyncio.sleep(0.2)
            await self.orderly.call(ADAPTER, ADP, "RemoveDevice", "o", DEVICE)

    async def known(self):
        """The device was heard, nobody scans any more, there is no link."""
        await self.unknown()
        async with self.unheard():
            await self.orderly.call(ADAPTER, ADP, "SetDiscoveryFilter", "a{sv}",
                                    {"Transport": text("le")})
            await self.orderly.call(ADAPTER, ADP, "StartDiscovery")
            await self.wait_for(DEVICE, DEV, "Address")
            await self.orderly.call(ADAPTER, ADP, "StopDiscovery")
            await self.settled(0.15)

    async def connected(self):
        """There is a link, and the services are resolved."""
        await self.known()
        async with self.unheard():
            await self.orderly.call(DEVICE, DEV, "Connect")
            await self.wait_for(DEVICE, DEV, "ServicesResolved")
            await self.comes_to(DEVICE, BATTERY1, "Percentage", lambda it: it is not None)
            await self.settled(0.3)

    async def wait_for(self, path, interface, name, within=30):
        if not await self.comes_to(path, interface, name, bool, within):
            raise RuntimeError(f"{name} of {path} did not come")

    async def comes_to(self, path, interface, name, holds, within=10):
        """Whether the value of a property, or None for one that is not there, becomes like that in time."""
        return await becomes(lambda: self.look(path, interface, name), holds, within)


def changes(name, to):
    """A predicate of entries: the signal that a property has become true, or false."""
    return lambda entry: entry.get("member") == "PropertiesChanged" and any(
        key == name and it["is"] is to for key, it in entry["body"][1]["entries"])


resolved = changes("ServicesResolved", True)
disconnected = changes("Connected", False)
paired = changes("Paired", True)


def added(interface, path=None):
    """A predicate of entries: the signal that an object, or any object without a path, has an interface."""
    return lambda entry: entry.get("member") == "InterfacesAdded" and path in (None, entry["body"][0]) and any(
        name == interface for name, _ in entry["body"][1]["entries"])
