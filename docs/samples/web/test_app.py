import pytest
from playwright.sync_api import expect


@pytest.fixture
def strap(simulated_bluez):
    """The simulated chest strap of heart-rate.yaml."""
    return simulated_bluez("heart-rate.yaml")["HRM-1"]


@pytest.fixture
def page(strap, open_page):
    return open_page(strap.room, "app.html", chosen="HRM-1")


def test_shows_battery_and_heart_rate(strap, page):
    page.click("#connect")
    expect(page.locator("#state")).to_have_text("connected")
    expect(page.locator("#battery")).to_have_text("95 %")
    expect(page.locator("#rate")).to_contain_text("bpm")
    assert strap.written("heart-rate-control-point") == [b"\x01"]


def test_shows_that_the_connection_was_lost(strap, page):
    page.click("#connect")
    expect(page.locator("#state")).to_have_text("connected")
    strap.drop()
    expect(page.locator("#state")).to_have_text("connection lost")


def test_shows_what_the_strap_refuses(strap, page):
    strap.fault(on="write", do="refuse 0x80")
    page.click("#connect")
    expect(page.locator("#state")).to_contain_text("GATT")


def test_says_that_no_device_was_chosen(strap, open_page):
    page = open_page(strap.room, "app.html", chosen=None)
    page.click("#connect")
    expect(page.locator("#state")).to_contain_text("cancelled")
