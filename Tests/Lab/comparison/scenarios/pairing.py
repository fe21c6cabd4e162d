"""Pairing, with agents that agree, refuse, wait and leave."""
from player import CODED, DEVICE, PROTECTED, VOUCHED, disconnected, paired
from . import scenario
from .links import began, connect
from .scan import leaves

REGISTRAR = ("/org/bluez", "org.bluez.AgentManager1")
AGENT = "/lab/agent"


def agent(p, refuses=False, is_silent=False, passkey=123456):
    """What our agent says."""
    async def answers(message):
        if message.member == "DisplayPasskey":
            await p.side.person_types(message.body[1])
        if is_silent and message.member not in ("Cancel", "Release"):
            return None
        if refuses and message.member.startswith("Request"):
            return "error", "org.bluez.Error.Rejected", "no"
        return ("u", passkey) if message.member == "RequestPasskey" else ("",)
    return answers


def registrar(p, member, *arguments, client=None):
    return (client or p.client).call(*REGISTRAR, member, *arguments)


async def register(p, capability="NoInputNoOutput", client=None, **behaviour):
    client = client or p.client
    client.agent = agent(p, **behaviour)
    await p.step(f"an agent: {capability}",
                 registrar(p, "RegisterAgent", "os", AGENT, capability, client=client))
    await p.step("the default one", registrar(p, "RequestDefaultAgent", "o", AGENT, client=client))


async def unregister(p):
    await p.step("no agent any more", registrar(p, "UnregisterAgent", "o", AGENT))


@scenario("agents")
async def agents(p):
    await p.unknown()
    other = await p.another("other")
    await p.step("end none", registrar(p, "UnregisterAgent", "o", AGENT))
    await p.step("no default", registrar(p, "RequestDefaultAgent", "o", AGENT))
    await p.step("a bad capability", registrar(p, "RegisterAgent", "os", AGENT, "Bogus"))
    await p.step("register", registrar(p, "RegisterAgent", "os", AGENT, ""))
    await p.step("register again", registrar(p, "RegisterAgent", "os", AGENT, "DisplayOnly"))
    await p.step("register another", registrar(p, "RegisterAgent", "os", "/lab/two", "DisplayOnly"))
    await p.step("default", registrar(p, "RequestDefaultAgent", "o", AGENT))
    await p.step("default again", registrar(p, "RequestDefaultAgent", "o", AGENT))
    await p.step("another client's",
                 registrar(p, "RegisterAgent", "os", AGENT, "DisplayYesNo", client=other))
    await p.step("its default", registrar(p, "RequestDefaultAgent", "o", AGENT, client=other))
    await p.step("end another", registrar(p, "UnregisterAgent", "o", "/lab/two"))
    await p.step("the other leaves", leaves(other), settle=0.5)
    await p.step("end", registrar(p, "UnregisterAgent", "o", AGENT))
    await p.step("end again", registrar(p, "UnregisterAgent", "o", AGENT))


@scenario("pairing a connected device")
async def pair(p):
    await p.connected()
    await register(p)
    await p.step("cancel none", p.device("CancelPairing"))
    await p.step("pair", p.device("Pair"), settle=0.6)
    protected = await p.find(PROTECTED)
    await p.step("a protected read", p.read(protected))
    await p.step("a protected write", p.write(protected, b"secret"))
    await p.step("pair again", p.device("Pair", within=2))
    await p.step("disconnect", p.device("Disconnect"), settle=0.5)
    await connect(p, "connect the bonded device")
    await p.step("a protected read again", p.read(protected))
    await p.step("the tree", p.tree())
    await p.step("remove it", p.adapter("RemoveDevice", "o", DEVICE), settle=0.6)
    await unregister(p)


@scenario("pairing a device without a link")
async def pair_disconnected(p):
    await p.known()
    await register(p)
    p.begin("pair")
    await p.device("Pair")
    await p.until_services(settle=0.6)
    await p.step("the link is lost", p.side.drop(), settle=0.6)
    await p.step("the tree", p.tree())
    await unregister(p)


@scenario("a number to compare, without a link", security="confirm")
async def confirm_disconnected(p):
    await p.known()
    await register(p, "DisplayYesNo")
    p.begin("pair")
    await p.device("Pair")
    await p.until_services(settle=0.6)
    await unregister(p)


@scenario("pairing without an agent")
async def no_agent(p):
    await p.known()
    p.begin("pair")
    await p.device("Pair")
    await p.until_services(settle=0.6)
    await p.step("cancel none", p.device("CancelPairing"))


@scenario("a protected read pairs")
async def read(p):
    await p.connected()
    await register(p)
    await p.step("read", p.read(await p.find(PROTECTED)), settle=0.8)
    await unregister(p)


@scenario("a protected read whose pairing the agent rejects")
async def read_rejected(p):
    await p.connected()
    await register(p, refuses=True)
    await p.step("read", p.read(await p.find(PROTECTED), within=8), settle=0.8)
    await unregister(p)


@scenario("errors of reads that have bluetoothd pair")
async def codes(p):
    for code in (0x0F, 0x08, 0x0C):
        await p.connected()
        await register(p)
        await p.side.refuse_reads(code)
        await p.step(f"0x{code:02x}", p.read(await p.find(CODED), within=6), settle=0.8)
        await p.side.refuse_reads(0x80)
        await unregister(p)


@scenario("a device that refuses to pair", security="reject")
async def refused(p):
    await p.known()
    await register(p)
    p.begin("pair")
    await p.device("Pair")
    await p.until(disconnected)
    await p.settled(1.0)
    await connect(p)
    p.begin("pair a connected device")
    await p.device("Pair")
    await p.until(disconnected)
    await p.settled(1.0)
    await unregister(p)


async def model(p, capability, is_registered_first=True, **behaviour):
    """The capability of a connection is mostly the one there was when it was made."""
    if is_registered_first:
        await register(p, capability, **behaviour)
    await p.connected()
    if not is_registered_first:
        await register(p, capability, **behaviour)
    await p.step("pair", p.device("Pair"), settle=0.8)
    await p.step("a read that wants more", p.read(await p.find(VOUCHED), within=5), settle=0.5)
    await unregister(p)


@scenario("a number to compare", security="confirm")
async def confirm(p):
    await model(p, "DisplayYesNo")


@scenario("a number to compare, by an agent that came later", security="confirm")
async def confirm_late(p):
    await model(p, "DisplayYesNo", is_registered_first=False)


@scenario("a number to compare, with a keyboard", security="confirm")
async def confirm_keyboard(p):
    await model(p, "KeyboardDisplay")


@scenario("a number that the agent does not confirm", security="confirm")
async def unconfirmed(p):
    await model(p, "DisplayYesNo", refuses=True)


@scenario("a passkey to enter", security="passkey-entry")
async def entry(p):
    await model(p, "KeyboardOnly")


@scenario("a passkey to enter, by an agent that came later", security="passkey-entry")
async def entry_late(p):
    await model(p, "KeyboardOnly", is_registered_first=False)


@scenario("a passkey that is wrong", security="passkey-entry")
async def wrong(p):
    await model(p, "KeyboardOnly", passkey=654321)


@scenario("a passkey that the agent does not enter", security="passkey-entry")
async def not_entered(p):
    await model(p, "KeyboardOnly", refuses=True)


@scenario("a passkey to show", security="passkey-display")
async def display(p):
    await model(p, "DisplayOnly")


async def waiting(p, client=None, within=8):
    """A pairing that waits for the agent."""
    await register(p, "KeyboardOnly", client, is_silent=True)
    await p.connected()
    pending = await began(p, "pair", p.device("Pair", within=within), settle=0)
    await p.until(asked)
    await p.settled(0.5)
    return pending


def asked(entry):
    """A call of an agent."""
    return entry["kind"] == "request"


async def over(p, pending):
    await pending
    await unregister(p)


@scenario("a pairing is cancelled", security="passkey-entry")
async def cancelled(p):
    pending = await waiting(p)
    await p.step("pair meanwhile", p.device("Pair"))
    await p.step("cancel", p.device("CancelPairing"), settle=1.0)
    await over(p, pending)


@scenario("the link of a pairing is lost", security="passkey-entry")
async def lost(p):
    pending = await waiting(p)
    await p.step("it is lost", p.side.drop(), settle=1.0)
    await over(p, pending)


@scenario("the agent of a pairing is unregistered", security="passkey-entry")
async def unregistered(p):
    pending = await waiting(p)
    await p.step("unregister", registrar(p, "UnregisterAgent", "o", AGENT), settle=1.0)
    await over(p, pending)


@scenario("the agent of a pairing leaves", security="passkey-entry")
async def left(p):
    other = await p.another("other")
    pending = await waiting(p, other)
    await p.step("it leaves", leaves(other), settle=1.0)
    await over(p, pending)


@scenario("a device is removed while it pairs", security="passkey-entry")
async def removed(p):
    pending = await waiting(p, within=5)
    await p.step("remove it", p.adapter("RemoveDevice", "o", DEVICE), settle=1.0)
    await over(p, pending)


async def asks(p, capability=None, until=None, settle=1.0, **behaviour):
    """A connected device that asks to pair, and such an agent; the step ends after such an entry."""
    if capability:
        await register(p, capability, **behaviour)
    await p.connected()
    p.begin("the device asks to pair")
    await p.side.request_security()
    if until:
        await p.until(until)
    await p.settled(settle)


@scenario("a device that asks to pair")
async def asking(p):
    await asks(p, "NoInputNoOutput", paired)
    await p.step("a protected read", p.read(await p.find(PROTECTED)))
    await p.step("it asks again", p.side.request_security(), settle=1.0)
    await p.step("the tree", p.tree())
    await unregister(p)


@scenario("a device that asks to pair, without an agent")
async def asking_nobody(p):
    await asks(p, settle=1.5)
    await p.step("the tree", p.tree())


@scenario("a device that asks to pair, and an agent that rejects it")
async def asking_in_vain(p):
    await asks(p, "NoInputNoOutput", asked, settle=1.5, refuses=True)
    await p.step("the tree", p.tree())
    await unregister(p)


@scenario("a device that asks to pair by a number", security="confirm")
async def asking_by_number(p):
    await asks(p, "DisplayYesNo", paired)
    await p.step("a read that wants more", p.read(await p.find(VOUCHED)))
    await unregister(p)


@scenario("a device that asks to pair by a passkey", security="passkey-entry")
async def asking_by_passkey(p):
    await asks(p, "KeyboardOnly", paired)
    await unregister(p)


@scenario("a device that asks to pair, and a wrong passkey", security="passkey-entry")
async def asking_wrong(p):
    await asks(p, "KeyboardOnly", disconnected, passkey=654321)
    await unregister(p)


@scenario("a device that asks to pair, and refuses then", security="reject")
async def asking_and_refusing(p):
    await asks(p, "NoInputNoOutput", disconnected)
    await unregister(p)


@scenario("the link is lost while a device asks to pair", security="confirm")
async def asking_lost(p):
    await asks(p, "DisplayYesNo", asked, is_silent=True)
    await p.step("it is lost", p.side.drop(), settle=1.0)
    await unregister(p)


@scenario("the pairing that a device asks for is cancelled", security="confirm")
async def asking_cancelled(p):
    await asks(p, "DisplayYesNo", asked, is_silent=True)
    await p.step("cancel", p.device("CancelPairing"), settle=1.0)
    await unregister(p)


@scenario("a Pair joins the pairing that a device asks for", security="confirm")
async def asking_joined(p):
    await asks(p, "DisplayYesNo", asked, is_silent=True)
    pending = await began(p, "pair", p.device("Pair", within=8), settle=1.0)
    await p.step("pair again", p.device("Pair"))
    await p.step("cancel", p.device("CancelPairing"), settle=1.0)
    await over(p, pending)


@scenario("a device that asks to pair as it is connected", security="asking")
async def asking_at_once(p):
    await p.known()
    await register(p)
    p.begin("connect")
    await p.device("Connect")
    await p.until(paired)
    await p.until_services(settle=0.6)
    await p.step("a protected read", p.read(await p.find(PROTECTED)))
    await unregister(p)
