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
    """Of 10 000 steps a browser makes those that are shown, and the others when they are needed."""
    with Browser() as browser:
        opened(browser, "steps")
        before = browser.run(COUNT)
        assert before < 3_000, before
        same(browser.run("document.querySelectorAll('noscript').length > 0"), True)
        same(browser.run("document.getElementById('r1s9000')"), None)
        # A link into what is folded.
        browser.run("location.hash = '#r1s9000'")
        browser.wait("document.getElementById('r1s9000')?.checkVisibility()", "the linked step")
        assert seen(browser, "#r1s9000")
        same(browser.run("document.querySelectorAll('.steps tbody tr').length"), 9_992)
        same(browser.complaints(), [])
        # A filter and its states know also what is folded.
        opened(browser, "steps")
        states = "[...document.querySelector('.tools select').options].map((o) => o.value)"
        same(browser.run(states), ["", "ok", "failed"])
        browser.type("label input[aria-label^=Filter]", "log on")
        browser.wait("/^4995 of 9992$/.test(document.querySelector('.tools output:not(:empty)')?.value)",
                     "the filter counts")
        opened(browser, "steps", "?sort=-4")
        same(browser.run("document.querySelector('.steps tbody tr').id"), "r1s9992")
        # A search finds the last of them.
        opened(browser, "steps", "?search=device+refused")
        browser.wait("document.querySelector('.found')?.id === 'r1s9992'", "the failed step")
        # Enlarged, steps that were one bar are many, with what they are.
        opened(browser, "steps", "?from=100&to=104")
        bars = "[...document.querySelectorAll('svg.bars rect.ok')].filter((r) => r.closest('a')" \
            "?.getAttribute('href').startsWith('#r1s') && r.style.display !== 'none').length"
        same(browser.run(bars), 9)
        assert "1[101].2  log on" in browser.run("document.querySelector('figure').textContent")
        keys(browser, "figure", "Home", *["ArrowRight"] * 30)
        line = browser.run("document.querySelector('.readout').textContent")
        assert line.startswith("101.200 s · 1[101].2  log on"), line
        keys(browser, "figure", "0")
        same(browser.run(bars), 2)
        same(browser.run(WRONG), [])
        same(browser.complaints(), [])


def values():
    """Nothing is done for each of 100 000 values before a cursor or an enlarged part needs them."""
    with Browser() as browser:
        opened(browser, "values")
        assert browser.run(COUNT) < 700, browser.run(COUNT)
        same(browser.run("document.querySelector('svg.plot').points"), None)
        points = "(document.querySelector('svg.plot .line').getAttribute('d').match(/[ML]/g).length)"
        assert browser.run(points) <= 2 * 2_048
        # No peak is lost.
        highest = "Math.min(...[...document.querySelector('svg.plot .line').getAttribute('d')" \
            ".matchAll(/ (\\d+)/g)].map((m) => Number(m[1])))"
        same(browser.run(highest), 60)
        opened(browser, "values", "?from=100&to=101")
        same(browser.run("document.querySelector('svg.plot').points.length"), 100_000)
        same(browser.run(points), 102)
        opened(browser, "values", "?from=100&to=900")
        assert browser.run(points) <= 2_002, browser.run(points)
        same(browser.run(highest), 60)
        same(browser.complaints(), [])


def odd():
    """No steps, one value, equal ones, no numbers, extreme ones, no end, a clock that goes back."""
    with Browser() as browser:
        opened(browser, "odd")
        browser.run("document.querySelectorAll('.run > details').forEach((d) => { d.open = true; })")
        browser.wait("document.querySelectorAll('figure').length === 9", "all sections")
        for number in range(9):
            browser.run("document.querySelectorAll('figure')[arguments[0]].id = 'f' + arguments[0]", number)
            keys(browser, f"#f{number}", "Home", "ArrowRight", "+", "+", "End", "+", "-", "0")
            same(browser.run(WRONG), [])
        shown = browser.run("document.body.innerText")
        assert "in step 2: notify battery-level" in shown and "7 of" not in shown
        for query in ["?from=-5&to=1e9", "?from=x&to=", "?from=3&to=3", "?from=1e400&to=2", "?sort=99",
                      "?sort=NaN", "?sort=1.5", "?filter=%3Cb%3E", "?search=%00", "#%22%5D", "#r1s1'\"<>",
                      "?filter=" + "W" * 5_000, "?from=0.00001&to=0.00002"]:
            opened(browser, "odd", query)
            same(browser.run(WRONG), [])
        same(browser.complaints(), [])


def hostile():
    """Names from outside are text: at first, unfolded, in titles of enlarged bars, and in the cursor's line."""
    with Browser(360, 740) as browser:
        opened(browser, "hostile", "?from=1&to=1.2&search=W")
        browser.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        browser.wait("document.querySelectorAll('figure').length === 8", "all sections")
        browser.wait("document.querySelectorAll('noscript').length === 0", "all that is folded")
        for number in range(8):
            browser.run("document.querySelectorAll('figure')[arguments[0]].id = 'f' + arguments[0]", number)
            keys(browser, f"#f{number}", "Home", "ArrowRight", "+", "0")
        same(browser.run("document.querySelectorAll('img, b, main script:not([type])').length"), 0)
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
                    window.shut = document.querySelectorAll('details:not([open]), noscript').length;
                    window.rests = document.querySelectorAll('.more + table + noscript').length;
                });
            })()""")
            document = browser.command("Page.printToPDF", {"printBackground": False})["data"]
            assert base64.b64decode(document).startswith(b"%PDF-")
            # What is left are the rows after the first ones of long tables.
            same(browser.run("window.shut - window.rests"), 0)
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


play([steps, values, odd, hostile, paper, phone])
