#!/usr/bin/python3
"""Tests of the page of runs in a real browser.

  Tests/Browser/report.py FOLDER [SCENE …]

FOLDER has the pages; the tests of Jobs write them. Ends with 1 and says why when a scene is not as it should be.
"""

import base64
import sys

from browser import Browser, play, same

FOLDER = sys.argv[1]
COUNT = "document.getElementsByTagName('*').length"
# Numbers of a drawing that are none, which a browser silently leaves out.
WRONG = "[...document.querySelectorAll('svg *')].filter((e) => [...e.attributes].some((a) => " \
    "/NaN|Infinity|undefined/.test(a.value))).map((e) => e.outerHTML).slice(0, 3)"
WIDTH = "document.documentElement.scrollWidth"


def opened(browser, name, query=""):
    # A page of the same address with another query is loaded again, one with another fragment is not.
    browser.open("about:blank")
    browser.open(f"file://{FOLDER}/{name}.html{query}")
    browser.wait("document.documentElement.dataset.ready === 'true'", "the script ran")


def seen(browser, selector):
    """Whether an element is shown, within what the window shows now."""
    return browser.run("""(() => {
        const element = document.querySelector(arguments[0]);
        if (!element?.checkVisibility()) return false;
        const box = element.getBoundingClientRect();
        return box.height > 0 && box.bottom > 0 && innerHeight > box.top;
    })()""", selector)


def keys(browser, selector, *pressed):
    browser.run("document.querySelector(arguments[0]).focus()", selector)
    for key in pressed:
        code = {"key": key, "text": key if len(key) == 1 else "\r" if key == "Enter" else None}
        code = {name: value for name, value in code.items() if value}
        browser.command("Input.dispatchKeyEvent", {"type": "keyDown", **code})
        browser.command("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})


def steps():
    """Of 10 000 steps a browser lays out the first 200; the others are shown when they are asked for."""
    with Browser() as browser:
        opened(browser, "steps")
        shown = "[...document.querySelectorAll('.steps tbody tr')].filter((r) => r.checkVisibility()).length"
        same(browser.run("document.querySelectorAll('.steps tbody tr').length"), 9_992)
        same(browser.run(shown), 200)
        # A link to a step that is not shown.
        browser.run("location.hash = '#r1s9000'")
        browser.wait("document.getElementById('r1s9000').checkVisibility()", "the linked step")
        assert seen(browser, "#r1s9000")
        same(browser.run(shown), 9_992)
        same(browser.complaints(), [])
        # A filter and its states know also what is not shown.
        opened(browser, "steps")
        states = "[...document.querySelector('.tools select').options].map((o) => o.value)"
        same(browser.run(states), ["", "ok", "failed"])
        browser.type("label input[aria-label^=Filter]", "log on")
        browser.wait("/^4995 of 9992$/.test(document.querySelector('.tools output:not(:empty)')?.value)",
                     "the filter counts")
        opened(browser, "steps", "?sort=-4")
        same(browser.run("document.querySelector('.steps tbody tr').id"), "r1s9992")
        # The cursor has what is there: steps that are too short for the timeline together.
        keys(browser, "figure", "Home", *["ArrowRight"] * 30)
        line = browser.run("document.querySelector('.readout').textContent")
        assert line.startswith("1498.800 s · ") and "steps, the first: 1[1].1  read battery-level" in line, line
        same(browser.run(WRONG), [])
        same(browser.complaints(), [])


def values():
    """A plot of 100 000 values is small, and loses no peak."""
    with Browser() as browser:
        opened(browser, "values")
        assert browser.run(COUNT) < 1_500, browser.run(COUNT)
        line = "document.querySelector('svg.plot .line').getAttribute('d')"
        assert browser.run(f"{line}.match(/[ML]/g).length") <= 2 * 2_048
        same(browser.run(f"Math.min(...[...{line}.matchAll(/ (\\d+)/g)].map((m) => Number(m[1])))"), 60)
        keys(browser, "figure", "End")
        shown = browser.run("document.querySelector('.readout').textContent")
        assert shown.startswith("1001.000 s · ") and "battery-level ≈ " in shown, shown
        same(browser.complaints(), [])


def odd():
    """No steps, one value, equal ones, no numbers, extreme ones, no end, a clock that goes back."""
    with Browser() as browser:
        opened(browser, "odd")
        browser.run("document.querySelectorAll('.run > details').forEach((d) => { d.open = true; })")
        same(browser.run("document.querySelectorAll('figure').length"), 9)
        for number in range(9):
            browser.run("document.querySelectorAll('figure')[arguments[0]].id = 'f' + arguments[0]", number)
            keys(browser, f"#f{number}", "Home", "ArrowRight", "End", "ArrowLeft")
            same(browser.run(WRONG), [])
        shown = browser.run("document.body.innerText")
        assert "in step 2: notify battery-level" in shown and "7 of" not in shown
        for query in ["?sort=99", "?sort=NaN", "?sort=1.5", "?filter=%3Cb%3E", "#%22%5D", "#r1s1'\"<>",
                      "?filter=" + "W" * 5_000]:
            opened(browser, "odd", query)
            same(browser.run(WRONG), [])
        same(browser.complaints(), [])


def devices():
    """The table of devices sorts names as people do; a filter in the address is that of the sections, too."""
    with Browser() as browser:
        rows = "[...document.querySelectorAll('tr[data-section]')].filter((r) => r.checkVisibility())" \
            ".map((r) => r.querySelector('th').innerText)"
        names = ["Hall-4", "Hall-5", "Hall-6", "Hall-7", "Hall-8", "Hall-9", "Hall-10", "Yard-1"]
        opened(browser, "devices", "?sort=1")
        same(browser.run(rows), names)
        same(browser.run("document.querySelectorAll('[aria-sort=ascending]').length"), 1)
        opened(browser, "devices", "?sort=-1")
        same(browser.run(rows), names[::-1])
        opened(browser, "devices", "?filter=YARD")
        same(browser.run(rows), ["Yard-1"])
        sections = "[...document.querySelectorAll('section.run')]"
        same(browser.run(f"{sections}.map((s) => s.checkVisibility()).sort()"), [False] * 7 + [True])
        assert "1 of 8" in browser.run("[...document.querySelectorAll('output')].map((o) => o.value)")
        same(browser.complaints(), [])


def hostile():
    """Names from outside are text, also in the cursor's line."""
    with Browser(360, 740) as browser:
        opened(browser, "hostile", "?sort=1#r1s3")
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        same(browser.run("document.querySelectorAll('figure').length"), 8)
        for number in range(8):
            browser.run("document.querySelectorAll('figure')[arguments[0]].id = 'f' + arguments[0]", number)
            keys(browser, f"#f{number}", "Home", "ArrowRight")
        same(browser.run("document.querySelectorAll('img, b, main script').length"), 0)
        assert not browser.run("document.title").startswith("owned")
        same(browser.run("document.querySelectorAll('#r1s3').length"), 1)
        assert "\u202e" not in browser.run("document.body.textContent")
        assert browser.run(WIDTH) <= 360, browser.run(WIDTH)
        same(browser.run(WRONG), [])
        same(browser.complaints(), [])


def paper():
    """On paper everything is open and light, and nothing is cut off; afterwards the page is as before."""
    # A4 without its margins.
    with Browser(700, 990, dark=True) as browser:
        for name in ["run", "batch"]:
            opened(browser, name)
            browser.run("""(() => {
                window.openBefore = [...document.querySelectorAll('details')].filter((d) => d.open);
                addEventListener('beforeprint', () => {
                    window.shut = document.querySelectorAll('details:not([open])').length;
                });
            })()""")
            document = browser.command("Page.printToPDF", {"printBackground": False})["data"]
            assert base64.b64decode(document).startswith(b"%PDF-")
            same(browser.run("window.shut"), 0)
            browser.wait("[...document.querySelectorAll('details')].filter((d) => d.open).length"
                         " === window.openBefore.length", "closed again")
            browser.command("Emulation.setEmulatedMedia", {"media": "print", "features": [
                {"name": "prefers-color-scheme", "value": "dark"}]})
            browser.run("dispatchEvent(new Event('beforeprint'))")
            same(browser.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
            same(browser.run("getComputedStyle(document.body).color"), "rgb(27, 31, 36)")
            same(browser.run("[...document.querySelectorAll('.tools, .readout')].filter((e) => "
                             "e.checkVisibility()).length"), 0)
            cut = "[...document.querySelectorAll('main *')].filter((e) => !e.closest('svg svg, svg.axis') && " \
                "e.checkVisibility() && e.getBoundingClientRect().right > 701).map((e) => e.outerHTML.slice(0, 90))"
            same(browser.run(cut), [])
            browser.command("Emulation.setEmulatedMedia", {"media": "", "features": []})
        opened(browser, "run")
        browser.command("Emulation.setEmulatedMedia", {"media": "print", "features": []})
        shown = "getComputedStyle(document.querySelector('.more'), '::after').content"
        same(browser.run(shown), '"The first 200 of 602 rows."')


def phone():
    """On a phone's width nothing is wider than the screen; every control has a name."""
    with Browser(360, 740) as browser:
        for name in ["run", "batch"]:
            opened(browser, name)
            browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
            assert browser.run(WIDTH) <= 360, (name, browser.run(WIDTH))
            named = "[...document.querySelectorAll('button, input, select')].filter((c) => " \
                    "!(c.labels?.length || c.ariaLabel || c.textContent.trim())).map((c) => c.outerHTML)"
            same(browser.run(named), [])
            same(browser.complaints(), [])


play([steps, values, odd, devices, hostile, paper, phone])
