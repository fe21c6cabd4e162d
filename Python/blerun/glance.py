"""The end of a log in one glance: the last operations of programs, and how each one ended.

A pure function. The whole log is the next section of a failure, and docs/simulator-control.md
describes its entries.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from blerun.room import Entry

SHOWN = 5
# The calls that are shown, with the events at the device that belong to them.
OPERATIONS = {
    "Adapter1.StartDiscovery": ("scan", ("scan-on",)),
    "Device1.Connect": ("connect", ("link-up", "link-down")),
    "Device1.Disconnect": ("disconnect", ("link-down",)),
    "Device1.Pair": ("pair", ("paired-", "agent-", "link-down")),
    "GattCharacteristic1.ReadValue": ("read", ("read", "agent-", "link-down")),
    "GattCharacteristic1.WriteValue": ("write", ("written", "write-", "agent-", "link-down")),
    "GattCharacteristic1.StartNotify": (
        "subscribe",
        ("subscribed", "subscribe-", "notified", "agent-", "link-down"),
    ),
    "GattCharacteristic1.AcquireNotify": (
        "subscribe",
        ("subscribed", "subscribe-", "notified", "agent-", "link-down"),
    ),
    "GattDescriptor1.ReadValue": ("read descriptor", ("read-", "agent-", "link-down")),
    "GattDescriptor1.WriteValue": ("write descriptor", ("write-", "agent-", "link-down")),
}
MEANINGS = {
    "scan-on": "scanning",
    "link-up": "connected",
    "link-down": "the connection ended",
    "read": "answered",
    "written": "accepted",
    "subscribed": "subscribed",
    "paired-encrypted": "paired",
    "paired-authenticated": "paired, authenticated",
    "agent-asked": "waits for the answer of an agent",
    "agent-missing": "waits: no agent is registered, or it refused",
}
REQUESTS = {
    "security-requested": "it asked to pair",
    "agent-asked": "it asked to pair, and waits for the answer of an agent",
    "agent-missing": "it asked to pair, and no agent is registered, or it refused",
}
WRITES = ("GattCharacteristic1.WriteValue", "GattDescriptor1.WriteValue")
# The events of requests that have reached the device, by the words of their refusals.
ARRIVALS = {"read": "read", "write": "written", "subscribe": "subscribed"}
# The refusals after which bluetoothd pairs, and repeats the request.
SECURITY = ("-refused-0x05", "-refused-0x0f")
BASE = "-0000-1000-8000-00805f9b34fb"


@dataclass
class Operation:
    """An operation of a program, and its last event at the device."""

    entry: Entry
    # The write of the same attribute that waited for its response when this one was called.
    pending: "Operation | None" = None
    ending: str = ""
    is_over: bool = False
    notified: list[bytes] = field(default_factory=list)

    def concerns(self, event: Entry) -> bool:
        """Whether an event at a device may belong to this operation."""
        _, endings = OPERATIONS[self.entry.event]
        return (
            event.event.startswith(endings)
            and event.device in (self.entry.device, "")
            and event.attribute in (self.entry.attribute, "")
        )

    def apply(self, event: Entry) -> None:
        if event.event == "notified":
            self.notified.append(event.value)
        elif event.event != "link-down" or self.is_open:
            self.ending = event.event

    @property
    def is_open(self) -> bool:
        """Whether it waits for an event at the device, or for an agent."""
        return not self.is_over and (not self.ending or self.ending.startswith("agent-"))

    @property
    def waits_for_agent(self) -> bool:
        """Whether a request to an agent can be about it."""
        if self.entry.event == "Device1.Pair":
            return self.is_open
        return self.ending.startswith("agent-") or self.ending.endswith(SECURITY)

    def is_before(self, entry: Entry) -> bool:
        """Whether it is a write of the attribute that another operation writes."""
        return self.is_open and (self.entry.event, self.entry.device, self.entry.attribute) == (
            entry.event,
            entry.device,
            entry.attribute,
        )

    def row(self, names: Mapping[str, str]) -> tuple[str, str]:
        name, _ = OPERATIONS[self.entry.event]
        device = names.get(self.entry.device, self.entry.device)
        value = self.entry.value.hex(" ")
        attribute = self.entry.attribute
        if attribute.endswith(BASE):
            attribute = attribute.removesuffix(BASE).removeprefix("0000")
        words = [device, name, attribute, value]
        return " ".join(word for word in words if word), self.meaning

    @property
    def meaning(self) -> str:
        if "-refused-" in self.ending:
            return f"refused, ATT error {self.ending.rpartition('-')[2]}"
        if self.entry.event == "Device1.Disconnect" and self.ending:
            return "disconnected"
        if not self.ending and self.pending and self.pending.ending:
            return "nothing happened at the device; the write before it was still under way"
        meaning = MEANINGS.get(self.ending, self.ending) or "nothing happened at the device"
        if self.ending == "subscribed":
            count = len(self.notified)
            last = f", the last one {self.notified[-1].hex(' ')}" if count else ""
            meaning += f", {count} notification{'' if count == 1 else 's'}{last}"
        return meaning


def concerned(operations: Sequence[Operation], event: Entry) -> list[Operation]:
    """The operations that an event at a device belongs to.

    bluetoothd sends requests in the order of the calls, and answers several reads of a
    characteristic with one request.
    """
    candidates = [operation for operation in operations if operation.concerns(event)]
    waiting = [operation for operation in candidates if operation.is_open]
    word, is_refusal, _ = event.event.partition("-refused-")
    if is_refusal:
        arrived = [each for each in candidates if each.ending == ARRIVALS.get(word)]
        return arrived[-1:] or waiting[:1] or candidates[-1:]
    if event.event.startswith("agent-"):
        return [each for each in candidates if each.waits_for_agent][-1:] or candidates[-1:]
    if event.event == "read":
        return waiting or candidates[-1:]
    if event.event in ARRIVALS.values():
        same = [each for each in waiting if each.entry.value == event.value]
        return same[:1] or waiting[:1] or candidates[-1:]
    return candidates[-1:]


def glance(entries: Sequence[Entry], names: Mapping[str, str]) -> list[str]:
    """Returns a line for each of the last operations, for a device whose request to pair came to
    nothing, and for a connection that dropped after the operations.

    `names` has the names of devices by address.
    """
    operations: list[Operation] = []
    dropped: dict[str, str] = {}
    requests: dict[str, str] = {}
    for entry in entries:
        if entry.client:
            if entry.event in OPERATIONS:
                before = [each for each in operations if each.is_before(entry)]
                pending = before[0] if before and entry.event in WRITES else None
                operations.append(Operation(entry, pending))
                dropped.pop(entry.device, None)
            continue
        if entry.event in ("link-up", "paired-encrypted", "paired-authenticated"):
            requests.pop(entry.device, None)
        # The agent is asked for the device then, not for an operation.
        if entry.event == "security-requested" or (
            entry.device in requests and entry.event in REQUESTS
        ):
            device = names.get(entry.device, entry.device)
            requests[entry.device] = f"{device}: {REQUESTS[entry.event]}"
            continue
        if entry.event == "link-down":
            device = names.get(entry.device, entry.device)
            dropped[entry.device] = (
                f"{device}: the connection ended, and no program had asked for it"
            )
        if entry.event == "link-down":
            for operation in operations:
                if operation.concerns(entry):
                    if operation.is_open:
                        dropped.pop(entry.device, None)
                    operation.apply(entry)
        else:
            for operation in concerned(operations, entry):
                operation.apply(entry)
        if entry.event == "link-up":
            # What was called before a connection has not been sent over it.
            for operation in operations:
                if operation.entry.device == entry.device and not operation.ending:
                    operation.is_over = not operation.entry.event.startswith("Device1.")
    rows = [operation.row(names) for operation in operations[-SHOWN:]]
    width = max((len(left) for left, _ in rows), default=0)
    return [f"{left:{width}}  → {right}" for left, right in rows] + [
        *requests.values(),
        *dropped.values(),
    ]
