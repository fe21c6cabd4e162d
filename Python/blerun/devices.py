"""Device files as Python values: Simulators/README.md describes their keys."""

import json
from collections.abc import Mapping, Sequence
from typing import Any


def keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments as keys of a file: `address_type` is `address-type`, `for_` is `for`."""
    return {name.rstrip("_").replace("_", "-"): value for name, value in given.items()}


def text(value: object, indent: int | None = None) -> str:
    """A value as it is written in a file: bytes are hexadecimal."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_hexadecimal)


def _hexadecimal(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        return value.hex()
    raise TypeError(f"a device file cannot have {value!r}: expected text, numbers or bytes")


class Device(dict[str, Any]):
    """A simulated device, with the keys of a device file. A room gives it an address."""

    def __init__(self, name: str, *, services: Sequence[Mapping[str, Any]] = (), **others: Any):
        super().__init__(name=name, services=list(services), **keys(others))
