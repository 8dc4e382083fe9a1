"""The laboratory of the web page in a real browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.web_visits import violations, visited

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def run(page: Page, seed: int) -> None:
    """Start a tiny run, and wait until it has finished."""
    page.goto("/laboratory")
    for name in ("mechanisms", "measures", "strategies"):
        while page.locator(f"input[name={name}]:checked").count():
            page.locator(f"input[name={name}]:checked").first.uncheck()
    page.locator("input[name=mechanisms][value=oa]").check()
    page.locator("input[name=measures]").last.check()
    for name, value in (("students", 12), ("assignments", 2), ("repetitions", 2), ("seed", seed)):
        page.locator(f"input[name={name}]").fill(str(value))
    page.get_by_role("button", name="Start the run").click()
    expect(page.get_by_text("The job has finished.")).to_be_visible(timeout=600_000)


def test_two_runs_are_watched_and_compared(browser: Browser, server: str, tmp_path: Path) -> None:
    with visited(browser, server) as page:
        run(page, 1)
        run(page, 2)
        expect(page.get_by_label("Equivalent command")).to_contain_text("peergauge")
        program = page.get_by_label("Equivalent Python program")
        expect(program).to_contain_text("import peergauge")
        with page.expect_download() as waited:
            page.get_by_role("link", name="CSV").click()
        waited.value.save_as(tmp_path / "data.csv")
        assert violations(page) == []
        page.get_by_role("button", name="Compare").click()
        expect(page.get_by_role("heading", name="Two runs side by side")).to_be_visible()
        expect(page.get_by_text("The runs have different seeds")).to_be_visible()
        assert violations(page) == []
    assert "oa" in (tmp_path / "data.csv").read_text(encoding="utf-8")


def test_a_parameter_is_found_and_varied(browser: Browser, server: str) -> None:
    with visited(browser, server) as page:
        page.goto("/laboratory")
        page.get_by_text("Which parameters there are").click()
        expect(page.get_by_role("rowheader", name="effort.highest")).to_be_visible()
        page.get_by_label("Population").select_option("binary")
        expect(page.get_by_role("rowheader", name="effort.active", exact=True)).to_be_visible()
        expect(page.get_by_role("rowheader", name="effort.highest")).to_have_count(0)
        page.get_by_label("Change or vary parameters").fill("effort.active = 2, 10")
        page.locator("input[name=students]").fill("12")
        page.locator("input[name=repetitions]").fill("2")
        page.get_by_role("button", name="Start the run").click()
        expect(page.get_by_text("The job has finished.")).to_be_visible(timeout=600_000)
        expect(page.get_by_role("heading", level=1)).to_contain_text("effort.active 2, 10")
        numbers = page.locator("#numbers-measure-1")
        numbers.get_by_text("All 10 numbers").click()
        expect(numbers.get_by_role("row")).to_have_count(11)
        assert violations(page) == []
