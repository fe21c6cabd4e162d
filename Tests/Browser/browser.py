"""Chromium by W3C WebDriver, and blerun-serve beside it: what the tests of the dashboard share.

Needs nothing but Python's standard library, chromium and chromedriver.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
# How long anything may take, in seconds: much longer than needed, for machines that have much else to do.
WAIT = 90
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def find(*names):
    """The first of these programs that is installed; None without one."""
    return next((path for path in map(shutil.which, names) if path), None)


CHROMIUM = find("chromium", "chromium-browser", "google-chrome")
DRIVER = find("chromedriver")


def start_driver():
    """A running chromedriver, and its port. It ends at once when another program takes the port that it chose."""
    for _ in range(5):
        driver = subprocess.Popen(
            [DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return driver, match[1]
        driver.wait()
    raise AssertionError("chromedriver does not start")


class Browser:
    """A headless browser with one window. Every wait has a deadline."""

    def __init__(self, width=1280, height=900, dark=False):
        self.folder = tempfile.TemporaryDirectory()
        self.driver, port = start_driver()
        self.address = f"http://127.0.0.1:{port}/session"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     f"--user-data-dir={self.folder.name}", f"--window-size={width},{height}",
                     f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        options = {"binary": CHROMIUM, "args": arguments}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        self.begin(capabilities)
        self.command("Emulation.setDeviceMetricsOverride",
                     {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        # Where the page scrolls to is there at once.
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.command("Emulation.setEmulatedMedia", {"features": [scheme, motion]})

    def begin(self, capabilities, tries=3):
        """Starts the browser. On a busy machine the driver gives up before it has come up."""
        for number in range(1, tries + 1):
            try:
                answer = self.ask("POST", "", {"capabilities": {"alwaysMatch": capabilities}})
                self.address += "/" + answer["sessionId"]
                return
            except (OSError, RuntimeError):
                if number == tries:
                    raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(10)
            self.folder.cleanup()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, method=method)
        try:
            with urllib.request.urlopen(request, timeout=WAIT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode()) from None

    def command(self, name, parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of a JavaScript expression."""
        return self.ask("POST", "/execute/sync",
                        {"script": f"return ({script});", "args": list(arguments)})

    def text(self, selector):
        return self.run("document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait(self, script, what, limit=WAIT):
        """Waits until an expression is true, and returns its value.

        What is awaited is all that is looked at afterwards: the page changes meanwhile.
        """
        end = time.monotonic() + limit
        while True:
            value = self.run(script)
            if value:
                return value
            if time.monotonic() > end:
                page = self.run("document.body.innerText")
                raise AssertionError(f"not within {limit} s: {what}\n{page}")
            time.sleep(0.05)

    def element(self, selector):
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        return "/element/" + found[ELEMENT]

    def click(self, selector):
        """Clicks what the selector finds; again, when the page has drawn it anew in between."""
        for remaining in reversed(range(20)):
            try:
                return self.ask("POST", self.element(selector) + "/click", {})
            except RuntimeError as error:
                if not remaining or "stale element" not in str(error):
                    raise

    def type(self, selector, text):
        element = self.element(selector)
        self.ask("POST", element + "/clear", {})
        self.ask("POST", element + "/value", {"text": text})

    def press(self, name):
        """Presses a key by its name: Tab, Enter, ArrowLeft."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37,
                "ArrowRight": 39}[name]
        key = {"key": name, "code": name, "windowsVirtualKeyCode": code}
        if name == "Enter":
            key["text"] = "\r"
        self.command("Input.dispatchKeyEvent", {"type": "keyDown", **key})
        self.command("Input.dispatchKeyEvent", {"type": "keyUp", **key})

    def keys(self, text):
        """Types at the focus."""
        self.command("Input.insertText", {"text": text})

    def picture(self, path, height=None):
        if height:
            width = self.run("innerWidth")
            self.command("Emulation.setDeviceMetricsOverride",
                         {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            time.sleep(0.5)
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))

    def complaints(self):
        """What the console of the page has of errors: a wrong script, or one that was refused."""
        entries = self.ask("POST", "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]


class Served:
    """A running blerun-serve with simulated devices."""

    def __init__(self, program, *arguments, folder=ROOT):
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", *arguments], cwd=folder, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"})
        self.lines = []
        self.url = self.read(r"dashboard is at (http://\S+/)")
        self.token = self.read(r"for changes: (\S+)")

    def read(self, pattern):
        for line in self.process.stderr:
            self.lines.append(line)
            if match := re.search(pattern, line):
                return match[1]
        raise AssertionError(f"blerun-serve ended: {''.join(self.lines)}")

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=20) as answer:
            return answer.read().decode()

    def snapshot(self):
        return json.loads(self.get("api/snapshot"))["changes"]

    def end(self, number=signal.SIGTERM):
        """Ends it, and returns its exit status and how long that took."""
        begun = time.monotonic()
        self.process.send_signal(number)
        self.process.communicate(timeout=30)
        return self.process.returncode, time.monotonic() - begun

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def same(found, expected):
    assert found == expected, f"expected {expected!r}, found {found!r}"


def play(scenes):
    """Plays the scenes that the command line names, else all of them, and exits: with 1 when one fails."""
    known = {scene.__name__: scene for scene in scenes}
    failed = False
    for name in sys.argv[2:] or known:
        try:
            known[name]()
            print(f"{name}: ok", flush=True)
        except Exception as error:  # Every scene is tried.
            failed = True
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    sys.exit(1 if failed else 0)
