from importlib.metadata import version

pytest_plugins = ["pytester"]


def pytest_report_header() -> str:
    return ", ".join(f"{name} {version(name)}" for name in ("bleak", "dbus-fast"))
