"""The documentation site, looked at in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.test_grading import LOOKS, Visit, opened, serious

PAGES = [
    "index.html",
    "docs/notebooks/reproduce-a-figure.html",
    "docs/reference/mechanisms.html",
    "docs/api/peergauge.html",
    "benchmarks/leaderboard.html",
]


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def look(request: pytest.FixtureRequest) -> tuple[int, str]:
    width, scheme = request.param
    return width, scheme


@pytest.fixture(params=PAGES)
def visit(
    request: pytest.FixtureRequest, browser: Browser, site: Path, look: tuple[int, str]
) -> Iterator[Visit]:
    seen = opened(browser, site / request.param, look[0], color_scheme=look[1])
    yield seen
    seen.page.close()


def test_pages_are_quiet_fit_the_window_and_ask_for_nothing(visit: Visit) -> None:
    here = visit.page
    # The theme tells the console which colours it chose.
    assert [said for said in visit.said if not said.startswith("log: ")] == []
    assert [url for url in visit.asked if not url.startswith(("file:", "data:"))] == []
    assert here.viewport_size is not None
    assert here.evaluate("document.documentElement.scrollWidth") <= here.viewport_size["width"]
    broken = "[...document.images].filter(one => one.complete && !one.naturalWidth).length"
    assert here.evaluate(broken) == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_front_page_keeps_nobody_out(browser: Browser, site: Path, scheme: str) -> None:
    seen = opened(browser, site / "index.html", color_scheme=scheme)
    assert serious(seen.page) == []
    seen.page.close()


def test_the_search_finds_a_mechanism_without_a_network(browser: Browser, site: Path) -> None:
    seen = opened(browser, site / "index.html")
    seen.page.goto((site / "search.html").as_uri() + "?q=guarded-merit")
    seen.page.wait_for_selector("#search-results li")
    assert "Mechanisms" in seen.page.inner_text("#search-results")
    seen.page.close()
