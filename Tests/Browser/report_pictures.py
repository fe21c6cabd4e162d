#!/usr/bin/python3
"""Makes the pictures of docs/page.md.

  Tests/Browser/report_pictures.py PROGRAM FOLDER

PROGRAM is a built blerun. The runs are simulated, so each picture is the same each time.
"""

import pathlib
import subprocess
import sys
import tempfile

from browser import ROOT, Browser

PAGES = {
    "run": ["run", "docs/samples/page/belt-chain.yaml", "--simulate", "docs/samples/page/belt.yaml"],
    "batch": ["batch", "docs/samples/page/fleet.yaml", "--simulate", "docs/samples/page/fleet-devices.yaml"],
}
# Name, width, height at most, dark, on paper.
KINDS = [("light", 1100, 2400, False, False), ("dark", 1100, 1150, True, False),
         ("phone", 390, 1700, False, False), ("paper", 700, 1200, False, True)]


def main(program, folder):
    with tempfile.TemporaryDirectory() as pages:
        for name, arguments in PAGES.items():
            page = f"{pages}/{name}.html"
            subprocess.run([str(pathlib.Path(program).resolve()), *arguments, "--report", page], cwd=ROOT,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
            for kind, width, most, dark, paper in KINDS:
                with Browser(width, 900, dark) as browser:
                    browser.open(f"file://{page}")
                    if paper:
                        browser.command("Emulation.setEmulatedMedia", {"media": "print", "features": []})
                        browser.run("dispatchEvent(new Event('beforeprint'))")
                    height = browser.run("document.documentElement.scrollHeight")
                    browser.picture(f"{folder}/page-{name}-{kind}.png", min(height, most))
                    print(name, kind, browser.complaints(),
                          browser.run("document.documentElement.scrollWidth"))


main(*sys.argv[1:])
