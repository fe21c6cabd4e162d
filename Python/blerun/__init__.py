"""A simulated BlueZ for tests: devices in Python, and the types of the pytest fixtures."""

from blerun.agent import Agent
from blerun.bus import SimulationError
from blerun.devices import Device
from blerun.logic import ATTError
from blerun.room import Entry, Room, RoomDevice

__all__ = [
    "ATTError",
    "Agent",
    "Device",
    "Entry",
    "Room",
    "RoomDevice",
    "SimulationError",
]
