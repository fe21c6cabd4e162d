"""The installed wheel: the program, its version, its licences."""

import re
import subprocess
from importlib.metadata import files, metadata, version

from blerun.program import PROGRAM


def test_the_console_script_is_the_program() -> None:
    printed = subprocess.run(["blerun", "--version"], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == version("blerun")
    wrong = subprocess.run(["blerun", "rnu"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "did you mean 'run'" in wrong.stderr


def test_a_command_that_the_wheel_does_not_have_names_the_packages_with_it() -> None:
    ended = subprocess.run(["blerun", "serve"], capture_output=True, text=True)
    assert ended.returncode == 69
    assert "install the Debian package or the tarball" in ended.stderr


def test_the_program_uses_the_libraries_of_the_wheel() -> None:
    listed = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    assert "not found" not in listed
    for name in ("libbluetooth", "libdbus-1", "libsqlite3"):
        assert any(name in line and "blerun.libs" in line for line in listed.splitlines()), name


def test_the_wheel_has_the_licences_of_all_that_it_has() -> None:
    assert metadata("blerun")["License-Expression"] == "MIT AND GPL-3.0-or-later"
    installed = {path.name: path for path in files("blerun") or []}
    libraries = installed["LIBRARIES"].read_text().splitlines()
    bundled = [name for name, path in installed.items() if "blerun.libs" in path.parts]
    assert len(libraries) == len(bundled) > 0
    linked = {"blerun", "program", "swift", "ICU", "GRDB.swift", "Yams", "LibYAML"}
    assert linked | {"libbluetooth3", "libdbus-1-3", "libssl3"} <= installed.keys()
    assert {"GPL-3", "GPL-2", "Apache-2.0"} <= installed.keys()


def test_each_common_licence_that_a_licence_refers_to_is_there() -> None:
    installed = {p.name: p for p in files("blerun") or [] if "licences" in p.parts}
    named = {
        name
        for path in installed.values()
        for name in re.findall(r"common-licenses/([\w.-]*\w)", path.read_text())
    }
    assert "GPL-2" in named
    assert named <= installed.keys()
