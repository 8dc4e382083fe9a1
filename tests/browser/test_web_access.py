"""Every screen of the web page can be read and used by everybody."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.web_visits import LOOKS, new_course, payload, violations, visited

pytestmark = [pytest.mark.browser, pytest.mark.slow]

SCREENS = ("", "/grade", "/second-look", "/gaming", "/gradebook", "/history")


@pytest.fixture(scope="module")
def screens(browser: Browser, server: str) -> list[str]:
    """The paths of all screens of a small course, and those beside it."""
    with visited(browser, server) as page:
        week = new_course(page, payload(), "A course that everybody can read")
        course = page.locator(".trail a").get_attribute("href") or ""
        page.goto(f"{week}/grade")
        one = page.locator("#grades tbody a").first.get_attribute("href") or ""
        grader = page.locator("#graders tbody a").first.get_attribute("href") or ""
    explained = one.replace("/submission?", "/explain?")
    handout = grader.replace("/grader?grader=", "/handout?person=")
    beside = ["/", course, "/laboratory", "/laboratory/attacks", one, explained, grader, handout]
    return [*beside, *(week + name for name in SCREENS)]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_screen_can_be_read(
    browser: Browser, server: str, screens: list[str], width: int, scheme: str
) -> None:
    size = {"width": width, "height": 900}
    found = {}
    with visited(browser, server, viewport=size, color_scheme=scheme) as page:
        for path in screens:
            page.goto(path)
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wrong := [*violations(page), *(["too wide"] if wide > width else [])]:
                found[path] = wrong
    assert found == {}


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press a key until the control of a name has the focus, which must be visible."""
    for _ in range(80):
        page.keyboard.press(key)
        words = page.evaluate(
            "document.activeElement.name || document.activeElement.innerText || ''"
        )
        if words.strip() == name:
            style = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(style) != "none", name
            return
    raise AssertionError(f"'{name}' is not reached by the keyboard")


def test_a_class_is_graded_by_keyboard_alone(browser: Browser, server: str) -> None:
    with visited(browser, server) as page:
        page.goto("/")
        tab_to(page, "Try the sample class")
        page.keyboard.press("Enter")
        page.wait_for_url("**/weeks/*")
        tab_to(page, "Grade this class")
        page.keyboard.press("Enter")
        page.wait_for_url("**/grade*")
        tab_to(page, "estimator")
        before = page.locator("#grades").text_content()
        page.keyboard.press("ArrowDown")
        expect(page.locator("#seen")).to_have_value("2")
        assert page.locator("#grades").text_content() != before
        tab_to(page, "History", "Shift+Tab")
        page.keyboard.press("Enter")
        expect(page.locator("tbody tr").first).to_contain_text("Settings: estimator")
