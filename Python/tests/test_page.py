"""Runs the Python examples of README.md and of the documentation."""

import os
import re
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

PAGES = [
    Path(os.environ["BLERUN_SOURCE"], name).read_text()
    for name in ("README.md", "docs/first-python-test.md", "docs/python.md")
]
BLOCKS = {
    (kind, name): text
    for page in PAGES
    for kind, name, text in re.findall(r"^```(\w+) (\S+)\n(.*?)^```$", page, re.M | re.S)
}


@pytest.fixture(autouse=True)
def examples(pytester: pytest.Pytester) -> None:
    for (kind, name), text in BLOCKS.items():
        if kind != "text" and "." in name:
            (pytester.path / name).write_text(text)


@pytest.mark.parametrize(
    "name, passed",
    [
        ("test_thermometer.py", 1),
        ("test_level.py", 1),
        ("test_lock.py", 4),
        ("test_key.py", 2),
        ("test_logic.py", 1),
        ("test_pairing.py", 1),
        ("test_unittest.py", 1),
    ],
)
def test_the_first_tests_pass(pytester: pytest.Pytester, name: str, passed: int) -> None:
    pytester.runpytest_subprocess(name, "-n", "2").assert_outcomes(passed=passed)


@pytest.mark.parametrize("name, passed", [("test_failure.py", 0), ("test_chain.py", 1)])
def test_a_failure_prints_what_the_page_shows(
    pytester: pytest.Pytester, name: str, passed: int
) -> None:
    result = pytester.runpytest_subprocess(name)
    result.assert_outcomes(passed=passed, failed=1)

    def timeless(line: str) -> str:
        return re.sub(r"^ +\d+\.\d{6}  (:1\.\d+)?", "", line)

    printed = [timeless(line) for line in result.outlines]
    for line in BLOCKS["text", name].splitlines():
        assert timeless(line) in printed


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_a_job_installs_the_wheel_and_runs_the_tests(
    pytester: pytest.Pytester, service: str
) -> None:
    job = yaml.safe_load(BLOCKS["yaml", service])
    if service == "github":
        lines = [step["run"] for step in job["jobs"]["test"]["steps"] if "run" in step]
    else:
        lines = job["test"]["script"]
    assert f"wheels/blerun-{version('blerun')}-py3-none-manylinux" in lines[1]
    assert lines[2].startswith("pytest ")
    pytester.run("bash", "-ec", lines[2]).assert_outcomes(passed=4)
    assert (pytester.path / "reports" / "tests.xml").exists()


def test_the_fixture_without_the_plugin_runs(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_subprocess("-p", "no:blerun", "test_fixture.py")
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("page", PAGES, ids=["README.md", "first-python-test.md", "python.md"])
def test_a_page_names_the_wheel_as_a_file(page: str) -> None:
    installs = [line for line in page.splitlines() if re.search("pip install .*bleak", line)]
    assert installs
    for line in installs:
        assert f"blerun-{version('blerun')}-py3-none-manylinux_2_35_x86_64.whl" in line
