"""The path of the program blerun in this wheel, and the console script that runs it."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "blerun"


def main() -> None:
    """Executes the program in place of this process, with the same arguments."""
    try:
        os.execv(PROGRAM, ["blerun", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"blerun: {PROGRAM} cannot be run: {error.strerror}")
