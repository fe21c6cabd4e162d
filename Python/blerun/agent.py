"""A pairing agent, as a desktop has one: bluetoothd asks it for a passkey, or whether to pair."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dbus_fast import Message, MessageType

from blerun.bus import ControlBus, SimulationError

PATH = "/blerun/agent"
BLUEZ = "org.bluez"
MANAGER = "org.bluez.AgentManager1"
INTERFACE = "org.bluez.Agent1"
REJECTED = "org.bluez.Error.Rejected"
MOST = 999_999


@dataclass
class Agent:
    """The agent of a room: what it answers, and what it was asked: `["RequestPasskey"]`."""

    passkey: int | None
    confirm: bool
    asked: list[str] = field(default_factory=list)

    @property
    def capability(self) -> str:
        """The capability that the agent registers with bluetoothd."""
        if self.passkey is None:
            return "DisplayYesNo"
        return "KeyboardDisplay" if self.confirm else "KeyboardOnly"

    def answer(self, call: Message) -> Message | None:
        """Answers a call of bluetoothd; None for other messages."""
        if call.message_type is not MessageType.METHOD_CALL or call.interface != INTERFACE:
            return None
        member = call.member or ""
        self.asked.append(member)
        if member == "RequestPasskey" and self.passkey is not None:
            return Message.new_method_return(call, "u", [self.passkey])
        if member in ("RequestConfirmation", "RequestAuthorization", "AuthorizeService"):
            if self.confirm:
                return Message.new_method_return(call)
        elif member in ("DisplayPasskey", "DisplayPinCode", "Cancel", "Release"):
            return Message.new_method_return(call)
        return Message.new_error(call, REJECTED, f"the agent of the room refuses {member}")


def passkey_number(passkey: int | str | None) -> int | None:
    """Converts a passkey to a number: `"042137"` to 42137."""
    number = int(passkey) if isinstance(passkey, str) and passkey.isdecimal() else passkey
    if number is not None and (not isinstance(number, int) or not 0 <= number <= MOST):
        raise ValueError(f"invalid passkey {passkey!r}: expected 0 to {MOST}")
    return number


class AgentRegistration:
    """Keeps an agent registered as the default one, also after a restart of bluetoothd."""

    def __init__(self, bus: ControlBus):
        self._bus = bus
        self._agent: Agent | None = None
        self._remove: Callable[[], None] = lambda: None

    def register(self, agent: Agent) -> None:
        """Registers an agent in place of the present one."""
        if self._agent:
            self._call("UnregisterAgent", "o", PATH)
            self._remove()
        self._agent = agent
        self._remove = self._bus.answer(agent.answer)
        self.renew()

    def renew(self) -> None:
        """Registers the present agent with a bluetoothd that does not know it."""
        if self._agent:
            self._call("RegisterAgent", "os", PATH, self._agent.capability)
            self._call("RequestDefaultAgent", "o", PATH)

    def _call(self, member: str, signature: str, *arguments: Any) -> None:
        message = Message(
            destination=BLUEZ,
            path="/org/bluez",
            interface=MANAGER,
            member=member,
            signature=signature,
            body=list(arguments),
        )
        reply = self._bus.send(message)
        if reply.message_type is MessageType.ERROR:
            raise SimulationError(reply.error_name or "", str(reply.body[0]))
