"""Calls to the control object of a simulation, from any thread and from any event loop.

docs/simulator-control.md describes the object.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

NAME = "blerun.Simulator1"
ERRORS = "blerun.Simulator1.Error."
TIMEOUT = 30.0

T = TypeVar("T")


class SimulationError(Exception):
    """A refused call. `name` is an error of docs/simulator-control.md, or one of Ended, InHandler,
    NotInHandler, NotStarted, TimedOut."""

    def __init__(self, name: str, text: str):
        super().__init__(text)
        self.name = name


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """An event loop with a thread of its own: tests may run inside another loop, which blocks."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="blerun", daemon=True).start()
    return loop


def _wait(work: Coroutine[Any, Any, T]) -> T:
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result(TIMEOUT)
    except concurrent.futures.TimeoutError:  # Not the built-in class in Python 3.10.
        future.cancel()
        raise SimulationError(
            "TimedOut", f"the simulation did not answer within {TIMEOUT:g} s"
        ) from None
    except (OSError, EOFError) as error:
        raise SimulationError("Ended", f"the simulation has ended: {error}") from None


async def _connected(address: str) -> MessageBus:
    return await MessageBus(bus_address=address).connect()


class ControlBus:
    """A connection to the bus of a simulation."""

    def __init__(self, address: str):
        self._bus = _wait(_connected(address))

    def call(self, method: str, signature: str = "", *arguments: object) -> list[Any]:
        """Calls a method and returns its results. Raises `SimulationError` if it is refused."""
        message = Message(
            destination=NAME,
            path="/blerun/simulator",
            interface=NAME,
            member=method,
            signature=signature,
            body=list(arguments),
        )

        reply = self.send(message)
        if reply.message_type is MessageType.ERROR:
            name = (reply.error_name or "").removeprefix(ERRORS)
            text = str(reply.body[0]) if reply.body else name
            raise SimulationError(name, text)
        return list(reply.body)

    def send(self, message: Message) -> Message:
        """Sends a call, and returns the reply."""
        reply = _wait(self._bus.call(message))
        assert reply  # None only for messages that request no reply.
        return reply

    def answer(self, handler: Callable[[Message], Message | None]) -> Callable[[], None]:
        """Answers calls with a handler, in the thread of the bus. Returns what removes it."""
        _loop().call_soon_threadsafe(self._bus.add_message_handler, handler)

        def remove() -> None:
            _loop().call_soon_threadsafe(self._bus.remove_message_handler, handler)

        return remove

    def close(self) -> None:
        """Disconnects from the bus."""
        _loop().call_soon_threadsafe(self._bus.disconnect)
