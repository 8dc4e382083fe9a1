"""The page of a comparison, looked at in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from peergauge.engine.results import MANIFEST, to_frame
from peergauge.lab.bench import Bench
from peergauge.lab.bench.board import leaderboard
from peergauge.pages.leaderboard import page
from tests.browser.test_grading import LOOKS, Visit, opened, serious
from tests.pages.test_leaderboard import NUMBERS, rows

DOTS = "#axes .mark-symbol.role-mark path"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench")
    versions = {"peergauge": "1", "commit": "c"}
    (folder / MANIFEST).write_text(json.dumps({"seed": 1, "versions": versions}))
    settings = ("paper", "three")
    html = page(Bench(leaderboard(to_frame(rows(settings))), settings, ("oa",)), folder)
    (folder / "index.html").write_text(html, encoding="utf-8")
    return folder / "index.html"


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def visit(request: pytest.FixtureRequest, browser: Browser, file: Path) -> Iterator[Visit]:
    width, scheme = request.param
    seen = opened(browser, file, width, color_scheme=scheme)
    seen.page.wait_for_selector("html.charted")
    yield seen
    seen.page.close()


def test_the_page_is_quiet_fits_the_window_and_keeps_nobody_out(visit: Visit) -> None:
    here = visit.page
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith(("file:", "data:"))] == []
    assert here.viewport_size is not None
    assert here.evaluate("document.documentElement.scrollWidth") <= here.viewport_size["width"]
    assert serious(here) == []


def test_choosing_axes_moves_the_points_and_the_front(visit: Visit) -> None:
    here = visit.page

    def places() -> list[str]:
        return [dot.get_attribute("transform") or "" for dot in here.locator(DOTS).all()]

    before = places()
    assert len(before) == len(NUMBERS)
    here.select_option("#axes select[name=across]", label="Robustness")
    here.wait_for_timeout(200)
    assert places() != before
    assert here.locator("#axes").get_by_text("Robustness (higher is better) →").count() == 1
    here.select_option("#axes select[name=across]", label="Alone")
    here.wait_for_timeout(200)
    # Fewer ranks to gain is better, and better is to the right.
    assert here.locator("#axes").get_by_text("Alone (lower is better) →").count() == 1
    line = here.locator("#axes .mark-line.role-mark path").first
    here.uncheck("#axes label:has-text('Pareto') input")
    here.wait_for_timeout(200)
    assert line.get_attribute("opacity") == "0"
    assert visit.said == []


def test_pointing_at_a_mechanism_tells_its_numbers_and_needs(visit: Visit) -> None:
    dot = visit.page.locator(DOTS).first
    dot.scroll_into_view_if_needed()
    dot.hover()
    told = visit.page.locator("#vg-tooltip-element.visible").inner_text()
    assert "mechanism" in told
    assert "needs" in told
    assert "±" in told


def test_one_setting_is_shown_at_a_time_and_its_table_sorts(visit: Visit) -> None:
    here = visit.page
    assert here.locator("div.setting:visible").count() == 1
    here.select_option("#setting", label="Three assignments")
    assert here.locator("#setting-2").is_visible()
    here.click("#table-2 thead th:has-text('Robustness') button")
    first = here.locator("#table-2 tbody tr").first.inner_text()
    assert first.startswith("OA")
