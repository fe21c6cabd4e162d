"""Device files as Python values: Simulators/README.md describes their keys."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

DIGITS = {"hex", "when-like"}  # What is hexadecimal digits in a file, and no value.
# What names an attribute, or several: a number there is a UUID.
ATTRIBUTES = {
    *("service", "services", "includes", "characteristic", "descriptor", "names"),
    *("on", "of", "read", "write", "subscribe", "unsubscribe"),
}


def keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments as keys of a file: `address_type` is `address-type`, `for_` is `for`."""
    return {name.rstrip("_").replace("_", "-"): value for name, value in given.items()}


def text(value: object, indent: int | None = None) -> str:
    """A value as it is written in a file: bytes are a value in hexadecimal, UUIDs are texts."""
    return json.dumps(_written(value), ensure_ascii=False, indent=indent, default=_refuse)


def _written(value: object, key: object = None) -> object:
    if isinstance(value, Mapping):
        uuids = key == "service-data"
        named = key == "names"
        return {
            _uuid(k) if uuids else k: _written(each, key if named else k)
            for k, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_written(each, key) for each in value]
    if isinstance(value, bytes | bytearray):
        return value.hex() if key in DIGITS else {"hex": value.hex()}
    return _uuid(value) if key in ATTRIBUTES else value


def _uuid(value: object) -> object:
    return f"{value:04x}" if isinstance(value, int) else value


def _refuse(value: object) -> None:
    raise TypeError(f"a device file cannot have {value!r}: expected text, numbers or bytes")


class Device(dict[str, Any]):
    """A simulated device, with the keys of a device file. A room gives it an address."""

    def __init__(self, name: str, *, services: Sequence[Mapping[str, Any]] = (), **others: Any):
        super().__init__(name=name, services=list(services), **keys(others))
