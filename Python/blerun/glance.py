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
BASE = "-0000-1000-8000-00805f9b34fb"


@dataclass
class Operation:
    """An operation of a program, and its last event at the device."""

    entry: Entry
    ending: str = ""
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
        return not self.ending or self.ending.startswith("agent-")

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
        meaning = MEANINGS.get(self.ending, self.ending) or "nothing happened at the device"
        if self.ending == "subscribed":
            count = len(self.notified)
            last = f", the last one {self.notified[-1].hex(' ')}" if count else ""
            meaning += f", {count} notification{'' if count == 1 else 's'}{last}"
        return meaning


def glance(entries: Sequence[Entry], names: Mapping[str, str]) -> list[str]:
    """Returns a line for each of the last operations, and for a connection that dropped after them.

    `names` has the names of devices by address.
    """
    operations: list[Operation] = []
    dropped: dict[str, str] = {}
    for entry in entries:
        if entry.client:
            if entry.event in OPERATIONS:
                operations.append(Operation(entry))
                dropped.pop(entry.device, None)
            continue
        if entry.event == "link-down":
            device = names.get(entry.device, entry.device)
            dropped[entry.device] = (
                f"{device}: the connection ended, and no program had asked for it"
            )
        for operation in reversed(operations):
            if not operation.concerns(entry):
                continue
            if entry.event == "link-down" and operation.is_open:
                dropped.pop(entry.device, None)
            operation.apply(entry)
            if entry.event != "link-down":
                break
    rows = [operation.row(names) for operation in operations[-SHOWN:]]
    width = max((len(left) for left, _ in rows), default=0)
    return [f"{left:{width}}  → {right}" for left, right in rows] + list(dropped.values())
