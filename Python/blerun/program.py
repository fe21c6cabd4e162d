"""The program blerun of this wheel, and the console script that runs it."""

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "blerun"


def main() -> None:
    """Replaces this process with the program: arguments, signals and exit status are its own."""
    try:
        os.execv(PROGRAM, ["blerun", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"blerun: {PROGRAM} cannot be run: {error.strerror}")
