"""What the tests share: the simulated sensor, and a way to change it.

Run them with: blerun simulate sensor.yaml --control -- python3 -m pytest
"""

import os
import subprocess

import pytest

NAME = "Soil-1"


def pytest_configure():
    if "DBUS_SYSTEM_BUS_ADDRESS" not in os.environ:
        pytest.exit("run: blerun simulate sensor.yaml --control -- python3 -m pytest", 2)


@pytest.fixture
def sensor():
    """Changes the simulated sensor: sensor("DropLink"), sensor("SetValue", "battery-level", 12)."""

    def call(method, *arguments):
        signature, words = "s", [NAME]
        if method == "SetValue":
            characteristic, value = arguments
            signature, words = "ssay", [NAME, characteristic, "1", str(value)]
        interface = "blerun.Simulator1"
        subprocess.run(
            ["busctl", "--system", "call", interface, "/blerun/simulator", interface, method, signature, *words],
            check=True,
        )

    return call
