"""Plays the sample of docs/web-bluetooth.md, where Chromium and Playwright are installed."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SOURCE = Path(os.environ["BLERUN_SOURCE"])
SAMPLE = SOURCE / "docs" / "samples" / "web"


@pytest.mark.skipif(not shutil.which("chromium"), reason="needs chromium")
@pytest.mark.skipif(not find_spec("playwright"), reason="needs playwright")
def test_the_page_of_the_sample_passes_its_tests(tmp_path: Path) -> None:
    folder = shutil.copytree(SAMPLE, tmp_path / "web")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout
    assert "4 passed" in ended.stdout


def test_the_page_shows_the_tests_of_the_sample() -> None:
    page = (SOURCE / "docs" / "web-bluetooth.md").read_text()
    shown = page.partition("```python\n")[2].partition("```")[0]
    tests = (SAMPLE / "test_app.py").read_text()
    assert shown
    for line in filter(None, shown.splitlines()):
        assert line in tests.splitlines()
