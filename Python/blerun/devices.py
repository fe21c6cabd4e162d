"""Device files as Python values. Simulators/README.md describes their keys."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DIGITS = {"hex", "when-like"}  # Keys whose value is a string of hexadecimal digits.
# Keys whose value names attributes: a number there is a UUID.
ATTRIBUTES = {
    *("service", "services", "includes", "characteristic", "descriptor", "names"),
    *("on", "of", "read", "write", "subscribe", "unsubscribe"),
}
# Keys whose value is a mapping with free names: these are not keys of a device file.
NAMED = {
    *("names", "with", "variables", "tables", "states", "let", "crc32"),
    *("manufacturer-data", "service-data"),
}
FILES = {"use", "csv", "program", "socket"}  # Keys whose value is a path, or begins with one.


def keys(given: Mapping[str, Any]) -> dict[str, Any]:
    """Converts keyword arguments to keys of a file: `address_type` to `address-type`, `for_` to `for`."""
    return {name.rstrip("_").replace("_", "-"): value for name, value in given.items()}


def text(
    value: object, indent: int | None = None, find: Callable[[str, Any], Any] | None = None
) -> str:
    """Serializes a value as JSON for a device file: bytes as hexadecimal values, UUIDs as strings.

    `find` returns the value to write for a key of `FILES`.
    """
    return json.dumps(_written(value, find), ensure_ascii=False, indent=indent, default=_refuse)


def _written(
    value: object,
    find: Callable[[str, Any], Any] | None,
    key: str | None = None,
    described: frozenset[str] = frozenset(),
) -> object:
    """Writes a part of a device file. `described` has the names of descriptions, which are formats."""
    if isinstance(value, Mapping):
        if key not in NAMED:
            names = value.get("names")
            if isinstance(names, Mapping):
                described |= {k for k, each in names.items() if isinstance(each, Mapping)}
            formats = {"fields"} | described if len(value) == 1 else set()
            return {
                k: _digits(each) if k in formats else _written(each, find, k, described)
                for k, each in value.items()
            }
        if key == "names":
            return {k: _named(each) for k, each in value.items()}
        # Free names mean nothing, even if they equal a key.
        return {
            _uuid(k) if key == "service-data" else k: _written(each, find, None, described)
            for k, each in value.items()
        }
    if find and key in FILES:
        return find(key, value)
    if isinstance(value, list | tuple):
        return [_written(each, find, key, described) for each in value]
    if isinstance(value, bytes | bytearray):
        return value.hex() if key in DIGITS else {"hex": value.hex()}
    return _uuid(value) if key in ATTRIBUTES else value


def _named(value: object) -> object:
    """Writes what a name stands for: a UUID, or the description of a value."""
    if not isinstance(value, Mapping):
        return _uuid(value)
    return {
        k: _uuid(each) if k in ("uuid", "service-data") else _digits(each)
        for k, each in value.items()
    }


def _digits(value: object) -> object:
    """Writes bytes as hexadecimal digits: those of a description, or of a described value."""
    if isinstance(value, Mapping):
        return {k: _digits(each) for k, each in value.items()}
    if isinstance(value, list | tuple):
        return [_digits(each) for each in value]
    return value.hex() if isinstance(value, bytes | bytearray) else value


def _uuid(value: object) -> object:
    return f"{value:04x}" if isinstance(value, int) else value


def _refuse(value: object) -> None:
    raise TypeError(f"a device file cannot have {value!r}: expected text, numbers or bytes")


class Device(dict[str, Any]):
    """A simulated device: a dict with the keys of a device file. A room adds an address."""

    def __init__(self, name: str, *, services: Sequence[Mapping[str, Any]] = (), **others: Any):
        super().__init__(name=name, services=list(services), **keys(others))

    @staticmethod
    def load(
        file: str | Path,
        *,
        name: str | None = None,
        address: str | None = None,
        values: Mapping[str, int | bytes] | None = None,
        advertisement: Mapping[str, Any] | None = None,
        faults: Sequence[Mapping[str, Any]] = (),
    ) -> "LoadedDevice":
        """Returns the device of a file with changes: `Device.load("lamp.yaml", name="Lamp-2",
        values={"battery-level": 5})`. The path is relative to the folder of the test."""
        others = {"name": name, "address": address}
        used = {key: value for key, value in others.items() if value is not None}
        return LoadedDevice(file, used, values or {}, keys(advertisement or {}), list(faults))


@dataclass(frozen=True)
class LoadedDevice:
    """The device of a file, and what is changed in it before a test uses it: see `Device.load`."""

    file: str | Path
    used: Mapping[str, str]
    values: Mapping[str, int | bytes] = field(default_factory=dict)
    advertisement: Mapping[str, Any] = field(default_factory=dict)
    faults: Sequence[Mapping[str, Any]] = ()

    def scenario(self, address: str) -> dict[str, Any]:
        """A scenario with the device, at this address unless it has been given another one."""
        device = {"address": address, **self.used, "use": str(self.file)}
        return {"scenario": str(self.file), "devices": [device]}
