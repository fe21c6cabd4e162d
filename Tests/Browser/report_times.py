#!/usr/bin/python3
"""How long pages of long runs take to open: runs them in simulation, and prints what Chromium measures.

  Tests/Browser/report_times.py PROGRAM [TIMES]

PROGRAM is a built blerun; a release build makes the pages in less time. Each page is opened so many times, 5
if nothing is said. The times are the page's own, from the start of its navigation: a browser's start is not in them.
CPU time is that of the page's main thread, which depends less on what else the machine does.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile

from browser import ROOT, Browser

READS = "{ read: battery-level }, { sleep: 500ms }, { log: charged }"
TIMING = """(() => {
    const navigation = performance.getEntriesByType('navigation')[0];
    const paints = performance.getEntriesByType('paint').map((entry) => [entry.name, entry.startTime]);
    return { load: navigation.loadEventEnd, paint: Object.fromEntries(paints)['first-contentful-paint'],
        elements: document.getElementsByTagName('*').length };
})()"""


def files(folder):
    """What runs are made of: a sensor that sends 100 values a second, and many thermometers."""
    (folder / "fast.yaml").write_text(
        "name: Fast\naddress: C0:FF:EE:00:00:90\nservices:\n  - service: environmental-sensing\n"
        "    characteristics:\n      - characteristic: temperature\n        properties: [notify]\n"
        "        wave: { parts: [{ i16: { low: 1800, high: 2200 } }], period: 60s, every: 10ms }\n")
    (folder / "many.yaml").write_text(
        f"scenario: Many\nseed: 1\ndevices:\n  - {{ use: {ROOT}/Simulators/devices/thermometer.yaml, "
        "count: 400, name: \"T-#\", address: C0:FF:EE:01:00:00 }\n")
    names = ", ".join(f"T-{number}" for number in range(1, 401))
    (folder / "batch.yaml").write_text(
        f"name: Building\ndevices: [{names}]\nconcurrency: 20\nsteps:\n"
        f"  - {{ repeat: 8, steps: [ {READS} ] }}\n")
    (folder / "steps.yaml").write_text(
        f"name: Steps\ndevice: Thermo-1\nsteps:\n  - {{ repeat: 3332, steps: [ {READS} ] }}\n")


RUNS = [
    ("10 000 steps of one device",
     ["run", "steps.yaml", "--simulate", f"{ROOT}/Simulators/devices/thermometer.yaml"]),
    ("100 000 values of one device",
     ["run", "-e", "notify temperature for 1001s", "-d", "Fast", "--timeout", "1h", "--simulate", "fast.yaml"]),
    ("10 000 steps of 400 devices", ["batch", "batch.yaml", "--simulate", "many.yaml"]),
]


def main(program, times="5"):
    program = str(pathlib.Path(program).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files(folder)
        for index, (title, arguments) in enumerate(RUNS):
            page = folder / f"{index}.html"
            subprocess.run([program, *arguments, "--report", page, "--quiet"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
            measured = []
            with Browser() as browser:
                browser.command("Performance.enable", {"timeDomain": "threadTicks"})
                for _ in range(int(times)):
                    browser.open("about:blank")
                    browser.open(f"file://{page}")
                    browser.wait("performance.getEntriesByType('paint').length > 0", "a paint")
                    metrics = browser.command("Performance.getMetrics", {})["metrics"]
                    cpu = next(each["value"] for each in metrics if each["name"] == "TaskDuration")
                    measured.append({**browser.run(TIMING), "cpu": cpu * 1000})
            middle = {key: round(statistics.median(each[key] for each in measured)) for key in measured[0]}
            longest = round(max(each["load"] for each in measured))
            print(f"{title}: first paint {middle['paint']} ms, load {middle['load']} ms (longest {longest} ms), "
                  f"CPU {middle['cpu']} ms, {middle['elements']} elements, "
                  f"{page.stat().st_size // 1000} kB", flush=True)


main(*sys.argv[1:])
