#!/usr/bin/python3
"""Makes the pictures of docs/serve.md.

  Tests/Browser/dashboard_pictures.py PROGRAM FOLDER [SECONDS]

PROGRAM is a built blerun-serve. Devices are simulated; times and values differ from picture to picture.
"""

import sys
import time

from browser import Browser, Served

DEVICES = ["--simulate", "Simulators/scenarios/drop-in-turn.yaml",
           "--simulate", "Simulators/devices/thermometer.yaml"]
WATCHED = ["-d", "Belt-3", "heart-rate-measurement", "-d", "Thermo-1", "temperature-measurement"]
PICTURES = [("light", 1100, 1500, False), ("dark", 1100, 800, True), ("phone", 390, 1500, False)]


def main(program, folder, seconds=45):
    with Served(program, "--allow-run", "docs/examples", *DEVICES, *WATCHED) as served:
        time.sleep(float(seconds))
        for name, width, height, dark in PICTURES:
            with Browser(width, 900, dark) as browser:
                browser.open(served.url)
                browser.wait("document.documentElement.dataset.state === 'live'", "live")
                browser.run("document.getElementById('span').value = '60000'")
                time.sleep(2)
                browser.picture(f"{folder}/dashboard-{name}.png", height)
                print(name, browser.complaints(), browser.run("document.documentElement.scrollWidth"))


main(*sys.argv[1:])
