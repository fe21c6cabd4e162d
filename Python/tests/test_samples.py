"""Runs the samples with the installed wheel. Tests/Consumer builds the one in Swift."""

import os
import shutil
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

SAMPLES = Path(os.environ["BLERUN_SOURCE"], "docs", "samples")


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """A copy of the samples: tests write into their folder."""
    return Path(shutil.copytree(SAMPLES, tmp_path / "samples"))


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    return subprocess.run(
        ["bash", "-ec", line], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_the_tests_in_python_pass(samples: Path) -> None:
    ended = run("python3 -m pytest -p no:cacheprovider", samples / "pytest")
    assert ended.returncode == 0, ended.stdout
    assert "4 passed" in ended.stdout


def test_the_batch_reports_the_sensor_with_the_empty_battery(samples: Path) -> None:
    ended = run("./nightly.sh --simulate sensors.yaml", samples / "batch")
    assert ended.returncode == 1, ended.stderr
    assert ended.stdout.startswith("Some sensors need attention:\n")
    assert "Soil-2" in ended.stdout
    assert (samples / "batch/reports/nightly.html").exists()


def test_the_steps_of_the_workflow_go_well(samples: Path) -> None:
    workflow = yaml.safe_load((samples / "github/.github/workflows/bluetooth.yaml").read_text())
    steps = {
        step["name"]: step["run"]
        for step in workflow["jobs"]["simulated"]["steps"]
        if "run" in step
    }
    # Packages can be installed only on a dedicated machine.
    assert f"wheels/blerun-{version('blerun')}-py3-none-manylinux" in steps.pop("Packages")
    assert list(steps) == ["Python", "Batch"]
    for lines in steps.values():
        ended = run(lines, samples)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    reports = {path.name for path in (samples / "reports").iterdir()}
    assert reports == {"pytest.xml", "nightly.html"}
