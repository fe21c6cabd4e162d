"""Logic of a simulated device in Python: it answers the events that it has handlers for.

The simulation connects to a socket of this process, and its world waits for each answer.
docs/device-logic.md describes the lines.
"""

import asyncio
import inspect
import json
import socket
import tempfile
import threading
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from blerun.bus import SimulationError
from blerun.devices import text

UNLIKELY_ERROR = 0x0E
# What a handler can call, as an action of its answer.
ACTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "SetValue": lambda name, value: {"notify": name, "value": value.hex()},
    "DropLink": lambda: {"disconnect": True},
    "Advertise": lambda change: {"advertise": json.loads(change)},
    "Wake": lambda timer, milliseconds: {"wake": timer, "in": f"{milliseconds}ms"},
}


class ATTError(Exception):
    """Raised in a handler, it refuses the read or the write: `raise ATTError(0x80)`."""

    def __init__(self, code: int):
        if code not in range(1, 256):
            raise ValueError(f"invalid ATT error {code!r}: expected a number such as 0x80")
        super().__init__(f"ATT error 0x{code:02X}")
        self.code = code


class Logic:
    """The handlers of a device, and the socket at `path` where events come in.

    A handler runs in a thread of its own. What it raises is added to `errors`.
    """

    def __init__(self, names: tuple[str, str], errors: list[BaseException]):
        self.names, self.errors = names, errors
        self.handlers: dict[str, Callable[..., Any]] = {}
        self._answers: dict[str, dict[str, Any]] = {}
        self._actions: list[dict[str, Any]] = []
        self._is_closed = False
        self._folder = tempfile.TemporaryDirectory(prefix="blerun-logic-")
        self.path = f"{self._folder.name}/socket"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def act(self, method: str, device: Any = "", *arguments: Any) -> list[Any]:
        """Makes a call of a handler an action of its answer."""
        if method not in ACTIONS or device.casefold() not in map(str.casefold, self.names):
            of = f" of {device}" if device and isinstance(device, str) else ""
            raise SimulationError(
                "InHandler",
                f"{method}{of} cannot be called in a handler of "
                f"{self.names[-1]}, for whose answer the simulation waits. "
                "A handler can set, notify, drop, advertise and wake its own device",
            )
        self._actions.append(ACTIONS[method](*arguments))
        return []

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # It is closed.
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile(encoding="utf-8") as lines:
                for line in lines:
                    connection.sendall(text(self._answer(json.loads(line))).encode() + b"\n")
        except (ConnectionError, ValueError):  # It may end within a line.
            pass
        if not self._is_closed:  # Too late, or wrong: the messages of the room have the reason.
            complaint = f"the simulation has given up the logic of {self.names[-1]}"
            self.errors.append(SimulationError("LogicFailed", complaint))

    def _answer(self, event: dict[str, Any]) -> dict[str, Any]:
        __tracebackhide__ = True
        handle = event.get("handle") or f"timer {event.get('name')}"
        handler = self.handlers.get(handle)
        if handler is None or event.get("offset", 0) > 0:  # The rest of a long value.
            return {"id": event["id"], **self._answers.get(handle, {})}
        answer: dict[str, Any] = {}
        self._actions = []
        answering.set(self)
        try:
            result = handler(*([bytes.fromhex(event["value"])] if "value" in event else []))
            if inspect.iscoroutine(result):
                result = asyncio.run(result)
            if result is not None:
                answer["value"] = octets(result).hex()
        except ATTError as error:
            answer["error"] = error.code
        except BaseException as error:  # Also that of pytest.fail.
            self.errors.append(error)
            if event["event"] in ("read", "write"):
                answer["error"] = UNLIKELY_ERROR
        answering.set(None)
        self._answers[handle] = answer
        return {"id": event["id"], **answer, **({"do": self._actions} if self._actions else {})}

    def close(self) -> None:
        """Closes the socket. It is no failure then that the simulation ends."""
        self._is_closed = True
        self._listener.shutdown(socket.SHUT_RDWR)  # Ends the waiting for connections.
        self._listener.close()
        self._folder.cleanup()


def octets(value: int | bytes) -> bytes:
    """A number is one byte."""
    complaint = f"invalid value {value!r}: expected bytes, or a number from 0 to 255 for one byte"
    if not isinstance(value, int | bytes | bytearray | memoryview):
        raise TypeError(complaint)
    if isinstance(value, int) and value not in range(256):
        raise ValueError(complaint)
    return bytes([value]) if isinstance(value, int) else bytes(value)


# The logic that this thread, or what it awaits, is answering for.
answering: ContextVar[Logic | None] = ContextVar("answering", default=None)
