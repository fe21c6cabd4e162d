"""Pages of Chromium that use the simulated devices of a test."""

import functools
import http.server
import os
import threading
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

expect.set_options(timeout=30_000)  # A runner of a CI service may be slow.
FOLDER = str(Path(__file__).parent)


@pytest.fixture(scope="session")
def site():
    """The address of the pages beside this file. Web Bluetooth needs https, or localhost."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=FOLDER)
    with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


@pytest.fixture
def open_page(site):
    """Opens a page in a Chromium that has the devices of a room, and answers its choosers.

    `chosen` is the name of the device that is chosen; None cancels each chooser.
    """
    arguments = ["--enable-features=WebBluetooth"]  # On Linux it is not on by default.
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    with sync_playwright() as playwright:

        def open_page(room, path, chosen):
            # A browser for each room: it finds its bus when it starts.
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium",
                args=arguments,
                env=room.environment,
                timeout=120_000,
            )
            page = browser.new_page()
            devtools = page.context.new_cdp_session(page)
            answered = set()

            def answer(prompt):
                if prompt["id"] in answered:
                    return  # A chooser that changed before its answer arrived.
                if chosen is None:
                    answered.add(prompt["id"])
                    devtools.send("DeviceAccess.cancelPrompt", {"id": prompt["id"]})
                for device in prompt["devices"]:
                    if device["name"] == chosen:
                        answered.add(prompt["id"])
                        choice = {"id": prompt["id"], "deviceId": device["id"]}
                        devtools.send("DeviceAccess.selectPrompt", choice)

            devtools.on("DeviceAccess.deviceRequestPrompted", answer)
            page.goto(f"{site}/{path}")
            devtools.send("DeviceAccess.enable")  # After goto: a new page forgets it.
            return page

        yield open_page  # Playwright closes the browsers.
