"""Calls to the control object of a simulation, from any thread and from any event loop.

docs/simulator-control.md describes the object.
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

from dbus_fast import Message, MessageType
from dbus_fast.aio import MessageBus

NAME = "blerun.Simulator1"
ERRORS = "blerun.Simulator1.Error."
TIMEOUT = 10.0

T = TypeVar("T")


class SimulationError(Exception):
    """A refusal; `name` is one of docs/simulator-control.md, or Ended, InHandler, NotStarted,
    TimedOut."""

    def __init__(self, name: str, text: str):
        super().__init__(text)
        self.name = name


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """A loop of its own thread: tests may be inside a loop, which must not run a second one."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="blerun", daemon=True).start()
    return loop


def _wait(work: Coroutine[Any, Any, T]) -> T:
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result(TIMEOUT)
    except concurrent.futures.TimeoutError:  # In Python 3.10 not the built-in one.
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
        """Calls a method and returns its results; a refusal is raised as its `SimulationError`."""
        message = Message(
            destination=NAME,
            path="/blerun/simulator",
            interface=NAME,
            member=method,
            signature=signature,
            body=list(arguments),
        )

        reply = _wait(self._bus.call(message))
        assert reply  # Only of a message that asks for none there is none.
        if reply.message_type is MessageType.ERROR:
            name = (reply.error_name or "").removeprefix(ERRORS)
            text = str(reply.body[0]) if reply.body else name
            raise SimulationError(name, text)
        return list(reply.body)

    def close(self) -> None:
        """Leaves the bus."""
        _loop().call_soon_threadsafe(self._bus.disconnect)
