#!/usr/bin/python3
"""Tests of the dashboard in a real browser, against simulated devices.

  Tests/Browser/dashboard.py PROGRAM [SCENE …]

PROGRAM is a built blerun-serve. Ends with 1 and says why when a scene is not as it should be.
"""

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import day_journal
from browser import ROOT, Browser, Served, play, same

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
    # Another address, opened before the answer, would end the request.
    browser.wait("location.pathname === '/'", "the token is accepted")
    opened(browser, server)


def part(server, kind, **wanted):
    """The changes of a kind that have these values."""
    return [change for change in server.snapshot() if change["kind"] == kind
            and all(change[key] == value for key, value in wanted.items())]


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
        text = browser.run("document.getElementById(document.querySelector('canvas')"
                           ".getAttribute('aria-describedby')).innerText")
        assert "blerun_notifications_total " in server.get("metrics"), server.get("metrics")
        same(label, "Chart of Belt-3 heart-rate-measurement bpm")
        assert text.startswith("minimum "), text
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
        # The table has the last 20 values: on a slow host, the oldest have left it.
        kept = [row for row in before if row in after]
        assert kept and kept == before[: len(kept)], (before, after)
        assert kept == before or len(after) == 20, (before, after)
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


def absent():
    """A watch of a device that is out of range shows why, is tried again, and can be stopped."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = f"scenario: Late\ndevices: [ {{ use: \"{ROOT}/Simulators/devices/heart-rate.yaml\" }} ]\n" \
                   "faults: [ { fault: out-of-range, at: 0s, for: 45s } ]\n"
        with open(f"{folder}/late.yaml", "w", encoding="utf-8") as file:
            file.write(scenario)
        with served("--simulate", f"{folder}/late.yaml", "--timeout", "2s") as server, Browser() as browser:
            log_in(browser, server)
            browser.type("#watch-form [name=device]", "HRM-1")
            browser.type("#watch-form [name=characteristics]", "heart-rate-measurement")
            browser.click("#watch-form button")
            reason = "document.getElementById('watch-list').innerText"
            browser.wait(f"{reason}.includes('connecting again after: ')", "the reason")
            browser.wait("document.getElementById('announcement').innerText.includes('connecting again')",
                         "it is announced")
            browser.click("#watch-list button")
            browser.wait("document.querySelector('.status.ended')", "it ended", 3)
            browser.click("#watch-form button")
            browser.wait("document.querySelector('.status.connecting')", "another one begins")
            browser.wait("/bpm/.test(document.querySelector('.now')?.innerText)", "it is in range", 90)
            same(browser.run("document.querySelectorAll('.status.watching').length"), 1)
            browser.type("#watch-form [name=characteristics]", "battery-power-state")
            browser.click("#watch-form button")
            browser.wait("document.querySelector('.status.failed')", "a mistake ends it at once", 5)
            assert "battery-power-state" in browser.text("#watch-list"), browser.text("#watch-list")


def shared():
    """Two watches of one device share its connection: the end of one leaves the other alone."""
    with served(*BELT, *HEART) as server, Browser() as browser:
        log_in(browser, server)
        browser.wait("document.querySelector('.status.watching')", "it watches")
        for characteristic in ["battery-level", "heart-rate-measurement"]:
            browser.type("#watch-form [name=device]", "HRM-1")
            browser.type("#watch-form [name=characteristics]", characteristic)
            browser.run("document.querySelector('#watch-form [name=source]').value = '1s'")
            browser.click("#watch-form button")
            if characteristic == "battery-level":
                browser.wait("document.querySelectorAll('.status.watching').length === 2", "both watch")
        browser.wait("document.getElementById('problem').innerText.includes('is watched already')",
                     "the same again is refused")
        browser.wait("document.body.innerText.includes('95 %')", "the battery")
        browser.run("[...document.querySelectorAll('#watch-list li')].find((li) => "
                    "li.innerText.includes('heart-rate')).querySelector('button').click()")
        browser.wait("document.querySelector('.status.ended')", "the first one ended")
        count = part(server, "watch", id=2)[0]["count"]
        time.sleep(3)
        rest = part(server, "watch", id=2)[0]
        assert rest["count"] >= count + 2 and rest["state"] == "watching", rest
        same(part(server, "device", name="HRM-1")[0]["connected"], True)
        same({mark["mark"] for mark in part(server, "mark")}, {"connected"})
        browser.click("#watch-list li button")
        browser.wait("document.querySelectorAll('.status.ended').length === 2", "both ended")
        same(part(server, "device", name="HRM-1")[0]["connected"], False)


def batch():
    """A batch and a watch of other processes are shown as they go on; three programs write one journal."""
    with tempfile.TemporaryDirectory() as folder:
        journal = ["--journal", f"{folder}/journal.sqlite"]
        with open(f"{folder}/chain.yaml", "w", encoding="utf-8") as file:
            file.write("steps:\n  - read: battery-level\n  - sleep: 4s\n"
                       "  - read: battery-level\n    expect: { percent: { max: 90 } }\n")
        with open(f"{folder}/batch.yaml", "w", encoding="utf-8") as file:
            file.write("name: Building\nchain: chain.yaml\ndevices: [Thermo-1, HRM-1]\nconcurrency: 1\n")
        with served(*BELT, *HEART, *journal) as server, Browser() as browser, \
                contextlib.ExitStack() as programs:
            def blerun(*arguments):
                process = subprocess.Popen(
                    [PROGRAM.removesuffix("-serve"), *arguments, *journal], cwd=ROOT,
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                programs.callback(process.wait)
                programs.callback(process.kill)
                return process

            opened(browser, server)
            browser.wait("document.querySelector('.status.watching')", "it watches")
            watching = blerun("watch", "Thermo-1", "temperature-measurement", *THERMOMETER)
            running = blerun("batch", f"{folder}/batch.yaml", *BELT, *THERMOMETER, "--real-time")
            card = "[...document.querySelectorAll('#run-list li')].find((li) => " \
                   "li.innerText.includes('batch Building'))"
            browser.wait(f"{card}?.querySelector('.status.running')", "a step that runs")
            same(running.poll(), None)
            browser.wait(f"{card}.innerText.includes('0 of 2 devices')", "the progress")
            browser.wait(f"{card}.innerText.includes('1 of 2 devices')", "one device is done")
            same(running.poll(), None)
            browser.wait(f"{card}.querySelector('.status.failed')", "it failed")
            browser.wait(f"{card}.innerText.includes('2 of 2 devices, 1 failed')", "how many failed")
            same(running.wait(20), 1)
            same(watching.poll(), None)
            other = card.replace("batch Building", "Thermo-1").replace("=> ", "=> li.innerText.startsWith('watch') && ")
            browser.wait(f"{other}.innerText.includes('under way')", "the other watch")
            watching.send_signal(signal.SIGINT)
            same(watching.wait(20), 130)
            browser.wait(f"{other}.querySelector('.status.cancelled')", "its end")
            same(browser.run(f"{card}.querySelectorAll('.status.running').length"), 0)
            steps = browser.run(f"{card}.querySelector('.steps').textContent")
            assert "sleep" in steps and "read battery-level" in steps, steps
            browser.wait("document.querySelector('.status.watching')", "it still watches")
            browser.open(browser.run(f"{card}.querySelector('a').href"))
            browser.wait("document.querySelector('.verdict')", "the page of the run")
            assert "HRM-1" in browser.text("body"), browser.text("body")
            same(browser.text("h1"), "Building")
        checked = subprocess.run([PROGRAM.removesuffix("-serve"), "history", "check", *journal],
                                 capture_output=True, text=True)
        same((checked.returncode, checked.stderr), (0, ""))


BUILDING = "name: Building\nchain: chain.yaml\ndevices: [Thermo-1, HRM-1]\nconcurrency: 2\n"


@contextlib.contextmanager
def building(chain, batch=BUILDING):
    """A server that may run a batch on two devices, with a journal."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/allowed")
        for name, text in {"allowed/chain.yaml": chain, "allowed/building.yaml": batch,
                           "outside.yaml": batch.replace("chain.yaml", "allowed/chain.yaml")}.items():
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(text)
        with served(*BELT, *THERMOMETER, "--allow-run", f"{folder}/allowed",
                    "--journal", f"{folder}/journal.sqlite") as server:
            yield server


def fleet():
    """A batch is started from the page: its devices and steps are shown, it can be ended, and has a page."""
    chain = "steps:\n  - read: battery-level\n  - sleep: 4s\n" \
            "  - read: battery-level\n    expect: { percent: { max: 90 } }\n"
    card = "document.querySelector('#run-list li')"
    with building(chain) as server, Browser() as browser:
        log_in(browser, server)
        browser.wait("!document.getElementById('batch-form').hidden", "batches may be run")
        offered = "[...document.querySelectorAll('#{} option')].map((option) => option.textContent)"
        same(browser.run(offered.format("batch-form")), ["building.yaml"])
        same(browser.run(offered.format("run-form")), ["chain.yaml"])
        browser.click("#batch-form button")
        browser.wait(f"{card}?.innerText.includes('0 of 2 devices')", "the progress")
        running = f"[...{card}.querySelectorAll('.steps li')].filter((li) => li.querySelector('.running'))" \
            ".map((li) => li.querySelector('.title').textContent).sort().join()"
        browser.wait(f"{running} === 'HRM-1: sleep 4s,Thermo-1: sleep 4s'", "a step of each chain")
        browser.wait(f"{card}.querySelector('.status.failed')", "its end")
        browser.wait(f"{card}.innerText.includes('2 of 2 devices, 1 failed')", "how many failed")
        same(browser.run(f"{card}.querySelectorAll('.status.running').length"), 0)
        browser.click("#batch-form button")
        browser.wait("document.querySelectorAll('#run-list > li').length === 2", "it runs again")
        browser.wait(f"{card}.querySelector('.status.running')", "a step that runs")
        browser.click("#run-list button")
        browser.wait(f"{card}.querySelector('.card-head .status.cancelled')", "it was ended")
        for device in ["Thermo-1", "HRM-1"]:
            same(part(server, "device", name=device)[0]["connected"], False)
        same(browser.complaints(), [])
        browser.run("[...document.querySelectorAll('#run-list a')].pop().click()")
        browser.wait("document.querySelector('.verdict')", "the page of the first run")
        page = browser.run("document.body.innerText")
        assert "HRM-1" in page and "expected percent" in page, page
        same(browser.text("h1"), "Building")
        status, took = server.end()
        same(status, 143)
        assert took < 8, took


def refused():
    """A batch needs the token and this origin, and is one of the folder; nothing else begins."""
    scheduled = BUILDING + "every: 1h\n"
    with building("steps:\n  - read: battery-level\n") as server:
        def status(body, token=server.token, **headers):
            data = body if isinstance(body, bytes) else json.dumps({"batch": body}).encode()
            headers = {"Content-Type": "application/json", "Origin": server.url.strip("/"), **headers}
            if token:
                headers["Authorization"] = f"Bearer {token}"
            request = urllib.request.Request(server.url + "api/batches", data, headers)
            try:
                with urllib.request.urlopen(request, timeout=20) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                return error.code

        same(status("building.yaml", token=None), 401)
        same(status("building.yaml", token="0" * 32), 401)
        same(status("building.yaml", Origin="http://example.org"), 403)
        for name in ["../outside.yaml", "./building.yaml", "/etc/passwd", "chain.yaml", "building.yaml\0", "",
                     "..", "allowed/building.yaml", "BUILDING.YAML", 7, None, ["building.yaml"], {"a": "b"}]:
            same((name, status(name)), (name, 400))
        for body in [b"", b"[]", b"{", b'{"batch":"building.yaml","devices":["X"]}', b"\xff", b"[" * 10_000]:
            same((body[:40], status(body)), (body[:40], 400))
        same(status(b'{"batch":"' + b"a" * 100_000 + b'"}'), 400)
        same(part(server, "run"), [])
        same(status("building.yaml"), 201)
    with building("steps:\n  - read: battery-level\n", scheduled) as server, Browser() as browser:
        log_in(browser, server)
        browser.wait("!document.getElementById('batch-form').hidden", "batches may be run")
        browser.click("#batch-form button")
        browser.wait("document.getElementById('problem').innerText.includes('run it with blerun batch')", "why not")
        same(part(server, "run"), [])


def progress():
    """A chain that the page starts shows its steps and its progress as they happen, and can be ended."""
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/slow.yaml", "w", encoding="utf-8") as file:
            file.write("name: Slow\ndevice: Thermo-1\nsteps:\n  - read: battery-level\n"
                       "  - sleep: 60s\n  - read: battery-level\n")
        with served(*THERMOMETER, "--allow-run", folder) as server, Browser() as browser:
            log_in(browser, server)
            browser.wait("!document.getElementById('run-form').hidden", "chains may be run")
            browser.click("#run-form button")
            browser.wait("document.querySelector('#run-list').innerText.includes('1 of 3 steps')",
                         "the progress")
            same(browser.run("document.querySelector('#run-list progress').value"), 1)
            browser.wait("document.querySelector('.steps .status.running')", "the step that runs")
            browser.click("#run-list button")
            browser.wait("document.querySelector('#run-list .status.cancelled')", "it ended")


def day():
    """A day from the journal, at 1 Hz or at DAY_HERTZ, is drawn at once, and again after a reload."""
    hertz = float(os.environ.get("DAY_HERTZ", "1"))
    with tempfile.TemporaryDirectory() as folder:
        journal = f"{folder}/journal.sqlite"
        day_journal.make(PROGRAM.removesuffix("-serve"), journal, hertz)
        recorded = time.monotonic()
        with served(*BELT, *HEART, "--journal", journal) as server, Browser() as browser:
            opened(browser, server)
            browser.wait("document.querySelector('.status.watching')", "it watches")
            took = {}
            for kind in ["first", "again"]:
                # The time of the day is chosen before the page is loaded: it is a setting of the browser.
                browser.command("Page.addScriptToEvaluateOnNewDocument", {"source": """
                    addEventListener('DOMContentLoaded', () => {
                      document.getElementById('span').value = '86400000';
                      const look = () => /^minimum 50, maximum 90/.test(
                          document.querySelector('.range')?.innerText ?? '')
                        ? document.documentElement.dataset.drawn = performance.now()
                        : requestAnimationFrame(look);
                      look();
                    });"""})
                browser.open(server.url)
                took[kind] = float(browser.wait("document.documentElement.dataset.drawn", "the day"))
            minutes = part(server, "minutes")[0]["minutes"]
            values = sum(minute[4] for minute in minutes)
            assert len(minutes) >= 1438, len(minutes)
            assert values >= 1438 * 60 * hertz, values
            picture = browser.run("document.querySelector('.chart canvas').toDataURL().length")
            print(f"{values} values; drawn {took['first']:.0f} ms after the page was opened, "
                  f"{took['again']:.0f} ms after a reload; {picture} characters of picture; "
                  f"served {time.monotonic() - recorded:.1f} s", file=sys.stderr)
            same(browser.complaints(), [])


def missed():
    """What the page misses is loaded again: also while it loads, after a failed load, and after a refusal."""
    # The page's own stream and requests, with a hand in them.
    script = """
        window.loads = [];
        const Stream = EventSource, ask = fetch;
        window.EventSource = class extends Stream {
          constructor(url) {
            super((window.streams = (window.streams ?? 0) + 1) === 1 ? '/api/nothing' : url);
            window.stream = this;
          }
        };
        window.miss = () => stream.dispatchEvent(new MessageEvent('missed', { data: '{"events":3}' }));
        window.fetch = async (...request) => {
          const number = loads.push(request[0]);
          if (number === 1) miss();
          if (number === 3) throw new Error('torn');
          return ask(...request);
        };"""
    with served(*BELT, *HEART) as server, Browser() as browser:
        browser.command("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        browser.open(server.url)
        text = "document.getElementById('state').innerText"
        # The first stream is refused; of the second one something is missed while the page loads.
        browser.wait(f"{text} === 'live; 3 updates were missed, and loaded again'", "it is loaded again")
        same(browser.run("streams"), 2)
        same(browser.run("loads"), ["/api/snapshot"] * 2)
        browser.run("miss()")
        browser.wait(f"{text} === 'cannot load, tries again: torn'", "a load fails")
        browser.wait(f"{text} === 'live'", "it is tried again")
        same(browser.run("loads"), ["/api/snapshot"] * 4)
        browser.wait("/bpm/.test(document.querySelector('.now')?.innerText)", "a value")


def keyboard():
    """The page can be used by keyboard alone; what is announced is little."""
    with served(*BELT, *HEART) as server, Browser() as browser:
        log_in(browser, server)
        browser.wait("/bpm/.test(document.querySelector('.now')?.innerText)", "a value")
        browser.run("(window.said = [], new MutationObserver(() => said.push("
                    "document.getElementById('announcement').innerText)).observe("
                    "document.getElementById('announcement'), { childList: true }))")
        browser.wait("document.querySelectorAll('#device-table tbody tr').length === 1", "the device")
        order = browser.run("""(() => { const focusable = [...document.querySelectorAll(
            'a[href], button, input, select, summary, [tabindex="0"]')].filter((e) => e.checkVisibility());
            window.unvisited = focusable; window.visited = new Set(); return focusable.length; })()""")
        visited = []
        for _ in range(order):
            browser.press("Tab")
            visited.append(browser.run("""(() => { const e = document.activeElement; visited.add(e); const
                s = getComputedStyle(e), r = e.getBoundingClientRect();
                const by = document.getElementById(e.getAttribute('aria-labelledby'));
                return [(by || e).getAttribute('aria-label') || e.labels?.[0]?.innerText || (by || e).innerText,
                  s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2, r.top >= -1
                  && r.top < innerHeight]; })()"""))
        names = [name.split("\n")[0].strip() for name, _, _ in visited]
        assert all(names), names
        same([name for name, outlined, _ in visited if not outlined], [])
        same([name for name, _, inside in visited if not inside], [])
        same(browser.run("unvisited.filter((e) => e.isConnected && !visited.has(e)).length"), 0)
        same(names[0], "Skip to the values")
        expected = ["Values", "Time", "Pause", "Chart of HRM-1 heart-rate-measurement bpm",
                    "Last values as a table", "Note at this moment", "Add note",
                    "What happened, the latest first",
                    "Stop the watch of HRM-1 heart-rate-measurement", "Device", "Start",
                    "Nearby devices", "Watch HRM-1"]
        places = [names.index(name) for name in expected]
        same(places, sorted(places))
        # The chart: its cursor reads values.
        browser.run("document.querySelector('.chart canvas').focus()")
        browser.press("Home")
        browser.wait("document.querySelector('.range').innerText.startsWith('at ')", "a value at the cursor")
        browser.wait("/: \\d+ bpm$/.test(document.getElementById('announcement').innerText)", "it is read")
        browser.press("Escape")
        browser.wait("document.querySelector('.range').innerText.startsWith('minimum ')", "no cursor")
        # A note, and the end of the watch: the focus stays where it was.
        browser.run("document.querySelector('#note-form input').focus()")
        browser.keys("stairs")
        browser.press("Enter")
        browser.wait("document.querySelector('.kind.note')", "the note")
        browser.run("window.said.length = 0")
        time.sleep(4)
        same(browser.run("said"), [])
        browser.run("document.querySelector('#watch-list button').focus()")
        browser.press("Enter")
        browser.wait("document.querySelector('.status.ended')", "it ended")
        same(browser.run("document.activeElement.closest('#watch-list') !== null"), True)
        browser.wait("said.some((text) => text.startsWith('Watch of HRM-1'))", "its end is announced")
        unnamed = "[...document.querySelectorAll('section, nav, table, canvas, ul, ol, progress')].filter((e) => " \
                  "!e.ariaLabel && !e.getAttribute('aria-labelledby') && e.matches('section, nav, canvas[role]'))" \
                  ".map((e) => e.outerHTML.slice(0, 80))"
        same(browser.run(unnamed), [])
        same(browser.complaints(), [])


def hostile():
    """Names of devices are text, also where they look like markup or would reorder what is around them."""
    name = "<img src=x onerror=\\\"document.title='owned'\\\">\\u202egpj\\u0007"
    with tempfile.TemporaryDirectory() as folder:
        device = f'name: "{name}"\naddress: C0:FF:EE:00:00:77\n' \
                 "advertisement: { services: [battery], rssi: -50, extended: true }\n" \
                 "services:\n  - service: battery\n    characteristics:\n" \
                 "      - { characteristic: battery-level, properties: [read, notify], value: { u8: 9 } }\n"
        with open(f"{folder}/device.yaml", "w", encoding="utf-8") as file:
            file.write(device)
        watched = ["-d", "C0:FF:EE:00:00:77", "battery-level", "--poll", "1s"]
        with served("--simulate", f"{folder}/device.yaml", *watched) as server, Browser() as browser:
            opened(browser, server)
            browser.wait("document.getElementById('device-table').innerText.includes('<img src=x')",
                         "the name of the device")
            # The chart has the name, too.
            browser.wait("document.querySelector('.now')?.innerText === '9 %'", "a value")
            same(browser.run("document.querySelectorAll('img').length"), 0)
            shown = browser.run("document.body.textContent")
            assert "\\u{202e}gpj\\u{7}" in shown and "\u202e" not in shown, shown
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


play([values, stop, start, reload, note, absent, shared, run, progress, batch, fleet, refused, day, missed, keyboard, hostile,
      phone, end])
