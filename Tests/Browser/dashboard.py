#!/usr/bin/python3
"""Tests of the dashboard in a real browser, against simulated devices.

  Tests/Browser/dashboard.py PROGRAM [SCENE …]

PROGRAM is a built blerun-serve. Ends with 1 and says why when a scene is not as it should be.
"""

import contextlib
import json
import signal
import sqlite3
import sys
import tempfile
import time

from browser import Browser, Served

PROGRAM = sys.argv[1]
BELT = ["--simulate", "Simulators/devices/heart-rate.yaml"]
THERMOMETER = ["--simulate", "Simulators/devices/thermometer.yaml"]
DROPS = ["--simulate", "Simulators/scenarios/drop-in-turn.yaml"]
HEART = ["-d", "HRM-1", "heart-rate-measurement"]


def served(*arguments):
    return Served(PROGRAM, *arguments)


def opened(browser, server):
    browser.open(server.url)
    browser.wait("document.documentElement.dataset.state === 'live'", "the page is live")


def log_in(browser, server):
    browser.open(server.url + "login")
    browser.type("input[name=token]", server.token)
    browser.click("form button")
    opened(browser, server)


def part(server, kind, **wanted):
    """The changes of a kind that have these values."""
    return [change for change in server.snapshot() if change["kind"] == kind
            and all(change[key] == value for key, value in wanted.items())]


def same(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def values():
    """Points appear as they arrive; the marks are at the drop, and the line breaks there."""
    with served(*DROPS, "-d", "Belt-3", "heart-rate-measurement") as server, Browser() as browser:
        opened(browser, server)
        browser.wait("/^\\d+ bpm$/.test(document.querySelector('.now')?.innerText)", "a value")
        browser.wait("document.querySelectorAll('.kind.reconnected').length > 0", "it reconnects", 40)
        browser.wait("document.querySelector('.chart:not(.stale)')", "values come again")
        points = part(server, "points")[0]["points"]
        dropped = part(server, "mark", mark="disconnected")[0]["at"]
        back = part(server, "mark", mark="reconnected")[0]["at"]
        gap = next(index for index, point in enumerate(points) if point[1] is None)
        assert points[gap - 1][0] <= dropped <= points[gap - 1][0] + 1500, (points, dropped)
        assert dropped < back <= points[gap + 1][0], (points, back)
        assert "Belt-3: the link to the device was lost" in browser.text("#marks")
        label = browser.run("document.querySelector('canvas').getAttribute('aria-label')")
        assert "blerun_notifications_total " in server.get("metrics"), server.get("metrics")
        assert label.startswith("Chart of Belt-3 heart-rate-measurement bpm: last "), label
        same(browser.complaints(), [])


def stop():
    """Stop needs the token, and then really stops: no value comes, the device is disconnected."""
    with served(*BELT, *HEART) as server, Browser() as browser:
        opened(browser, server)
        browser.wait("document.querySelector('.status.watching')", "it watches")
        browser.wait("/bpm/.test(document.querySelector('.now')?.innerText)", "a value")
        browser.click("#watch-list button")
        browser.wait("document.querySelector('#problem a')?.pathname === '/login'", "it asks to log in")
        same(part(server, "watch")[0]["active"], True)
        log_in(browser, server)
        browser.wait("document.querySelector('.status.watching')", "it is shown again")
        browser.click("#watch-list button")
        browser.wait("document.querySelector('.status.ended')", "it ended")
        same(browser.run("document.querySelectorAll('#watch-list button').length"), 0)
        before = part(server, "points")[0]["points"]
        same(before[-1][1], None)
        time.sleep(2.5)
        same(part(server, "points")[0]["points"], before)
        same(part(server, "device", name="HRM-1")[0]["connected"], False)


def start():
    """A watch is started from the page: one that reads, with what is wrong with another one."""
    with served(*BELT, *THERMOMETER) as server, Browser() as browser:
        log_in(browser, server)
        browser.wait("document.querySelectorAll('#device-table tbody tr').length === 2", "devices")
        browser.click("#device-table tbody button")
        same(browser.run("document.querySelector('#watch-form [name=device]').value"), "HRM-1")
        browser.type("#watch-form [name=characteristics]", "batery-level")
        browser.click("#watch-form button")
        browser.wait("document.getElementById('problem').innerText.includes('battery-level')",
                     "the nearest name is proposed")
        browser.type("#watch-form [name=characteristics]", "battery-level")
        browser.run("document.querySelector('#watch-form [name=source]').value = '1s'")
        browser.click("#watch-form button")
        browser.wait("document.querySelector('.now')?.innerText === '95 %'", "a value is read")
        same(part(server, "watch")[0]["source"], "read every 1s")
        assert browser.run("document.getElementById('problem').hidden")


def reload():
    """A page that is loaded again shows the same points and marks; notes are among these."""
    rows = "[...document.querySelectorAll('.chart tbody tr')].map((row) => row.innerText)"
    with served(*BELT, *HEART) as server, Browser() as browser:
        log_in(browser, server)
        browser.wait("document.querySelector('.status.watching')", "it watches")
        browser.type("#note-form input", "<b>stairs</b>")
        browser.click("#note-form button")
        browser.wait("document.querySelector('.kind.note')", "the note")
        browser.click(".chart summary")
        browser.wait(f"{rows}.length >= 4", "values in the table")
        before = browser.run(rows)
        browser.open(server.url)
        browser.wait("document.querySelector('.chart summary')", "the chart")
        browser.click(".chart summary")
        browser.wait(f"{rows}.length >= {len(before)}", "values in the table")
        after = browser.run(rows)
        assert set(before) <= set(after), (before, after)
        assert "<b>stairs</b>" in browser.text("#marks"), browser.text("#marks")
        same(browser.complaints(), [])


def note():
    """A note is recorded in the journal, in the run of the watch."""
    with tempfile.TemporaryDirectory() as folder:
        journal = f"{folder}/journal.sqlite"
        with served(*BELT, *HEART, "--journal", journal) as server, Browser() as browser:
            log_in(browser, server)
            browser.wait("/bpm/.test(document.querySelector('.now')?.innerText)", "a value")
            browser.type("#note-form input", "stairs")
            browser.click("#note-form button")
            browser.wait("document.querySelector('.kind.note')", "the note")
            server.end()
        with contextlib.closing(sqlite3.connect(journal)) as database:
            rows = database.execute("SELECT remark FROM remarks WHERE kind = 'note'").fetchall()
        same([json.loads(row[0]) for row in rows], [{"text": "stairs"}])


def run():
    """A chain is run from the page, step by step; its page comes from the journal."""
    with tempfile.TemporaryDirectory() as folder:
        chain = "name: Check\ndevice: Thermo-1\nsteps:\n  - read: battery-level\n" \
                "  - read: battery-level\n    expect: { percent: 3 }\n"
        with open(f"{folder}/check.yaml", "w", encoding="utf-8") as file:
            file.write(chain)
        arguments = ["--allow-run", folder, "--journal", f"{folder}/journal.sqlite"]
        with served(*THERMOMETER, *arguments) as server, Browser() as browser:
            log_in(browser, server)
            browser.wait("!document.getElementById('run-form').hidden", "chains may be run")
            browser.click("#run-form button")
            browser.wait("document.querySelector('#run-list .status.failed')", "it failed")
            shown = browser.text("#run-list")
            assert "expected percent = 3" in shown and "battery-level" in shown, shown
            browser.click("#run-list a")
            browser.wait("document.querySelector('.verdict')", "the page of the run")
            page = browser.run("document.body.innerText")
            assert "expected percent = 3" in page and "Thermo-1" in page, page
            same(browser.complaints(), [])


def hostile():
    """Names of devices are text, also where they look like markup."""
    name = "<img src=x onerror=\\\"document.title='owned'\\\">"
    with tempfile.TemporaryDirectory() as folder:
        device = f'name: "{name}"\naddress: C0:FF:EE:00:00:77\n' \
                 "advertisement: { services: [battery], rssi: -50 }\n" \
                 "services:\n  - service: battery\n    characteristics:\n" \
                 "      - { characteristic: battery-level, properties: [read, notify], value: { u8: 9 } }\n"
        with open(f"{folder}/device.yaml", "w", encoding="utf-8") as file:
            file.write(device)
        watched = ["-d", "C0:FF:EE:00:00:77", "battery-level", "--poll", "1s"]
        with served("--simulate", f"{folder}/device.yaml", *watched) as server, Browser() as browser:
            opened(browser, server)
            browser.wait("document.querySelector('#device-table tbody tr')", "the device")
            assert "<img src=x" in browser.text("#device-table"), browser.text("#device-table")
            same(browser.run("document.querySelectorAll('img').length"), 0)
            same(browser.run("document.title"), "blerun")
            same(browser.complaints(), [])


def phone():
    """On a phone's width nothing is wider than the screen; every control has a name."""
    with served(*BELT, *HEART) as server, Browser(360, 740) as browser:
        opened(browser, server)
        browser.wait("document.querySelector('.chart canvas')", "a chart")
        assert browser.run("document.documentElement.scrollWidth <= 360")
        named = "[...document.querySelectorAll('button, input, select')].filter((c) => " \
                "!(c.labels?.length || c.ariaLabel || c.innerText.trim())).map((c) => c.outerHTML)"
        same(browser.run(named), [])


def end():
    """It ends on SIGTERM while browsers look at it, and has disconnected."""
    with served(*BELT, *HEART) as server, Browser() as one, Browser() as other:
        opened(one, server)
        opened(other, server)
        one.wait("document.querySelector('.status.watching')", "it watches")
        status, took = server.end(signal.SIGTERM)
        same(status, 143)
        assert took < 8, took
        one.wait("document.documentElement.dataset.state === 'lost'", "the page says so")


SCENES = {scene.__name__: scene for scene in
          [values, stop, start, reload, note, run, hostile, phone, end]}

failed = False
for scene in sys.argv[2:] or SCENES:
    try:
        SCENES[scene]()
        print(f"{scene}: ok", flush=True)
    except Exception as error:  # Every scene is tried.
        failed = True
        print(f"{scene}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
sys.exit(1 if failed else 0)
