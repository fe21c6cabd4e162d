"""Logic of a simulated device in Python: handlers that answer its events.

The simulation connects to a socket of this process, and stands still until each answer.
docs/device-logic.md describes the lines.
"""

import asyncio
import inspect
import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from queue import SimpleQueue
from typing import Any

from blerun.bus import SimulationError
from blerun.devices import text

UNLIKELY_ERROR = 0x0E
LATEST = 10.0  # Longer than the 5 s that the simulation waits for an answer.
POLLING = 0.01
# The control methods that a handler may call. They become actions of its answer.
ACTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "SetValue": lambda name, value: {"notify": name, "value": value.hex()},
    "DropLink": lambda: {"disconnect": True},
    "RequestSecurity": lambda: {"request-security": True},
    "Advertise": lambda change: {"advertise": json.loads(change)},
    "Wake": lambda timer, milliseconds: {"wake": timer, "in": f"{milliseconds}ms"},
}


class ATTError(Exception):
    """Refuses a read or a write, when raised in a handler: `raise ATTError(0x80)`."""

    def __init__(self, code: int):
        if code not in range(1, 256):
            raise ValueError(f"invalid ATT error {code!r}: expected a number such as 0x80")
        super().__init__(f"ATT error 0x{code:02X}")
        self.code = code


class Logic:
    """The handlers of a device, and the socket at `path` that receives its events.

    Handlers run in a thread of their own, one at a time. Their exceptions are added to `errors`, and
    so is an error when the simulation has stopped waiting for an answer.
    """

    def __init__(self, names: tuple[str, str], errors: list[BaseException]):
        self.names, self.errors = names, errors
        self.handlers: dict[str, Callable[..., Any]] = {}
        self._answers: dict[str, dict[str, Any]] = {}
        self._actions: list[dict[str, Any]] = []
        self._running: str | None = None
        self._is_over = False
        self._ending = threading.Lock()
        self._listener = socket.socket(socket.AF_UNIX)
        # The socket is reached by its descriptor, and its file removed: a killed process leaves none.
        with tempfile.TemporaryDirectory(prefix="blerun-logic-") as folder:
            self._listener.bind(f"{folder}/socket")
            self._place = os.open(f"{folder}/socket", os.O_PATH | os.O_CLOEXEC)
        self.path = f"/proc/{os.getpid()}/fd/{self._place}"
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def act(self, method: str, device: Any = "", *arguments: Any) -> list[Any]:
        """Adds a call of a handler to the actions of its answer."""
        if method not in ACTIONS or device.casefold() not in map(str.casefold, self.names):
            of = f" of {device}" if device and isinstance(device, str) else ""
            raise SimulationError(
                "InHandler",
                f"{method}{of} cannot be called in a handler of "
                f"{self.names[-1]}, for whose answer the simulation waits. "
                "A handler can call set, notify, drop, request_security, advertise and wake of its own device",
            )
        self._actions.append(ACTIONS[method](*arguments))
        return []

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # The listener was closed.
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        lines: SimpleQueue[str | None] = SimpleQueue()
        threading.Thread(target=self._work, args=[connection, lines], daemon=True).start()
        try:
            # Reads on while a handler runs, and so notices the end of the connection at once.
            with connection.makefile(encoding="utf-8") as received:
                for line in received:
                    lines.put(line)
        except (OSError, ValueError):  # The connection may end within a character.
            pass
        lines.put(None)
        self._give_up()

    def _work(self, connection: socket.socket, lines: "SimpleQueue[str | None]") -> None:
        with connection:
            try:
                while line := lines.get():
                    connection.sendall(text(self._answer(json.loads(line))).encode() + b"\n")
            except (OSError, ValueError):
                pass
            except Exception as error:
                self.errors.append(error)
            finally:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _give_up(self) -> None:
        """Adds the error for a connection that the simulation has closed, once."""
        with self._ending:
            if self._is_over:
                return
            # The messages of the room have the reason: a late or an invalid answer.
            complaint = f"the simulation has given up the logic of {self.names[-1]}"
            if self._running:
                complaint += f", whose handler of '{self._running}' has not returned"
            self.errors.append(SimulationError("LogicFailed", complaint))
            self._is_over = True  # Last: `settle` returns, and the errors are read.

    def settle(self) -> None:
        """Waits until no handler runs, or the simulation has given up the logic."""
        end = time.monotonic() + LATEST
        while self._running and not self._is_over:
            if time.monotonic() > end:
                self._give_up()
            time.sleep(POLLING)

    def _answer(self, event: dict[str, Any]) -> dict[str, Any]:
        __tracebackhide__ = True
        handle = event.get("handle") or f"timer {event.get('name')}"
        handler = self.handlers.get(handle)
        if handler is None or event.get("offset", 0) > 0:  # A further part of a long value.
            return {"id": event["id"], **self._answers.get(handle, {})}
        answer: dict[str, Any] = {}
        self._actions = []
        self._running = handle
        answering.set(self)
        try:
            result = handler(*([bytes.fromhex(event["value"])] if "value" in event else []))
            if inspect.iscoroutine(result):
                result = asyncio.run(result)
            if result is not None:
                answer["value"] = octets(result).hex()
        except ATTError as error:
            answer["error"] = error.code
        except BaseException as error:  # pytest.fail raises a BaseException.
            self.errors.append(error)
            if event["event"] in ("read", "write"):
                answer["error"] = UNLIKELY_ERROR
        answering.set(None)
        self._running = None
        self._answers[handle] = answer
        return {"id": event["id"], **answer, **({"do": self._actions} if self._actions else {})}

    def close(self) -> None:
        """Closes the socket. The end of the connection is no error afterwards."""
        self._is_over = True
        self._listener.shutdown(socket.SHUT_RDWR)  # Ends accept().
        self._listener.close()
        os.close(self._place)


def octets(value: int | bytes) -> bytes:
    """Converts a value to bytes. A number is one byte."""
    complaint = f"invalid value {value!r}: expected bytes, or a number from 0 to 255 for one byte"
    if not isinstance(value, int | bytes | bytearray | memoryview):
        raise TypeError(complaint)
    if isinstance(value, int) and value not in range(256):
        raise ValueError(complaint)
    return bytes([value]) if isinstance(value, int) else bytes(value)


# The logic whose handler runs in this thread or task; None outside of handlers.
answering: ContextVar[Logic | None] = ContextVar("answering", default=None)
