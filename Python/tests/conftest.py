from importlib.metadata import version

import pytest

pytest_plugins = ["pytester"]

# With later releases, disconnect() of bleak before 3.0 may raise EOFError: docs/testing.md, Clients.
RELEASE = "5.66" if int(version("bleak").split(".")[0]) < 3 else None


def pytest_report_header() -> str:
    return ", ".join(f"{name} {version(name)}" for name in ("bleak", "dbus-fast"))


def pytest_configure(config: pytest.Config) -> None:
    config.option.blerun_bluez = config.option.blerun_bluez or RELEASE


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    if RELEASE:
        monkeypatch.setenv("PYTEST_ADDOPTS", f"--blerun-bluez {RELEASE}")
    return pytester
