"""The page of a reproduction, looked at in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest
from playwright.sync_api import Browser, Page

from peergauge.engine.experiment import reproduced
from peergauge.lab.paper.claims import all_claims
from peergauge.lab.paper.published import CELL

WIDTHS = (1280, 390)


class Visit(NamedTuple):
    page: Page
    said: list[str]
    asked: list[str]


@pytest.fixture(params=WIDTHS)
def visit(request: pytest.FixtureRequest, browser: Browser, reproduction: Path) -> Iterator[Visit]:
    """The page, opened from disk, with everything that it says to the console and asks for."""
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    said: list[str] = []
    asked: list[str] = []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda asking: asked.append(asking.url))
    page.goto((reproduction / "index.html").as_uri())
    page.wait_for_selector("#trade-off svg")
    if (reproduction / "agreement.csv").exists():
        page.wait_for_selector("#distribution svg")
    yield Visit(page, said, asked)
    page.close()


def test_nothing_is_said_to_the_console_and_nothing_asked_of_the_network(visit: Visit) -> None:
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith(("file:", "data:"))] == []


def test_every_picture_is_there_and_has_words_for_those_who_cannot_see_it(
    visit: Visit, reproduction: Path
) -> None:
    broken = visit.page.evaluate(
        "Promise.all([...document.images].map(async image => {"
        "  await image.decode().catch(() => null);"
        "  return image.naturalWidth > 0 && image.alt.length > 20 ? null : image.src;"
        "})).then(found => found.filter(Boolean))"
    )
    assert broken == []
    drawn = len(list((reproduction / "figures").glob("*.svg")))
    assert visit.page.locator("figure img").count() == drawn > 20


def test_the_page_is_no_wider_than_the_window(visit: Visit) -> None:
    page = visit.page
    assert page.viewport_size is not None
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # Wide tables scroll inside their own box; everything else stays inside the window.
    outside = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, p, img, .chart, .glance div, svg')]"
        ".filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert outside == []


def test_text_is_large_enough_to_read(visit: Visit) -> None:
    sizes = visit.page.evaluate(
        "[...document.querySelectorAll('p, td, th, li, figcaption, h2')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 14


def test_headings_lead_where_the_links_say(visit: Visit) -> None:
    targets = visit.page.eval_on_selector_all(
        "nav a", "links => links.map(a => a.getAttribute('href'))"
    )
    assert len(targets) > 8
    for target in targets:
        heading = visit.page.locator(f"{target} > h2, h3{target}")
        assert heading.count() == 1, target


def test_every_mechanism_of_the_trade_off_keeps_its_label(visit: Visit) -> None:
    shown = visit.page.evaluate(
        "[...document.querySelectorAll('#trade-off .mark-text.role-mark text')]"
        ".filter(text => text.getAttribute('opacity') !== '0').map(text => text.textContent)"
    )
    assert len(shown) == 13
    assert "DMI (added)" in shown


def test_the_trade_off_can_be_read_with_the_keyboard(visit: Visit) -> None:
    dot = visit.page.locator("#trade-off .mark-symbol.role-mark path").first
    dot.focus()
    told = visit.page.locator(".said").inner_text()
    assert re.search(r"integrity 0\.\d+ ± 0\.\d+, robustness [+−-]\d", told)
    visit.page.locator("#trade-off select[name=view]").focus()
    visit.page.keyboard.press("ArrowDown")
    visit.page.wait_for_function(
        "document.querySelectorAll('#trade-off .mark-symbol.role-mark path').length == 18"
    )


def test_wide_tables_say_that_they_scroll_and_take_the_focus(visit: Visit) -> None:
    boxes = visit.page.evaluate(
        "[...document.querySelectorAll('.scroll')].map(box => ["
        "box.scrollWidth > box.clientWidth + 1, box.classList.contains('wide'), box.tabIndex,"
        "box.getAttribute('role'), box.getAttribute('aria-label')])"
    )
    assert len(boxes) > 8
    for overflows, marked, focus, role, label in boxes:
        assert marked == overflows
        assert focus == (0 if overflows else -1)
        assert role == "region"
        assert label


def test_the_results_are_on_the_first_screen(visit: Visit) -> None:
    """The question, the agreement and the claims: one screen, or two of a phone."""
    page = visit.page
    assert page.viewport_size is not None
    limit = 800 if page.viewport_size["width"] > 1000 else 2 * 844
    bottom = page.evaluate(
        "document.querySelector('.glance').getBoundingClientRect().bottom + scrollY"
    )
    assert bottom <= limit


def test_pointing_at_a_mechanism_tells_its_numbers(visit: Visit) -> None:
    dot = visit.page.locator("#trade-off .mark-symbol.role-mark path").first
    dot.scroll_into_view_if_needed()
    dot.hover()
    told = visit.page.locator("#vg-tooltip-element.visible").inner_text()
    assert "mechanism" in told
    assert re.search(r"integrity\s+0\.\d+ ± 0\.\d+", told)
    assert re.search(r"robustness\s+[+−-]\d+\.\d ± \d+\.\d", told)


def test_choosing_moves_the_points_and_hides_the_front(visit: Visit) -> None:
    page = visit.page

    def places() -> list[str]:
        dots = page.locator("#trade-off .mark-symbol.role-mark path").all()
        return [dot.get_attribute("transform") or "" for dot in dots]

    paper = places()
    assert len(paper) == 13
    page.select_option("#trade-off select[name=view]", label="the same mechanism on both axes")
    page.wait_for_function(
        "document.querySelectorAll('#trade-off .mark-symbol.role-mark path').length == 18"
    )
    same = places()
    page.select_option("#trade-off select[name=measure]", label="Pearson ρ")
    page.wait_for_timeout(200)
    by_pearson = places()
    assert by_pearson != same
    page.uncheck("#trade-off label:has-text('Hedge') input")
    page.wait_for_timeout(200)
    assert places() != by_pearson
    line = page.locator("#trade-off .mark-line.role-mark path").first
    assert line.get_attribute("opacity") != "0"
    page.uncheck("#trade-off label:has-text('Pareto') input")
    page.wait_for_timeout(200)
    assert line.get_attribute("opacity") == "0"
    assert visit.said == []


def test_all_claims_have_a_verdict(visit: Visit) -> None:
    assert visit.page.locator("#claims tbody tr").count() == len(all_claims())


def test_the_files_that_the_page_speaks_of_are_there(visit: Visit, reproduction: Path) -> None:
    links = visit.page.eval_on_selector_all("a", "links => links.map(a => a.getAttribute('href'))")
    files = {link for link in links if not link.startswith("#")}
    assert {"means.csv", "cells.csv", "results.parquet", "manifest.json"} <= files
    assert [link for link in files if not (reproduction / link).is_file()] == []


def test_cells_have_the_columns_and_names_of_what_was_published(reproduction: Path) -> None:
    cells = pl.read_csv(reproduction / "cells.csv")
    assert cells.columns == [*CELL, "n", "mean", "sd"]
    assert cells.select(CELL).is_unique().all()


def test_cells_have_our_names_and_every_parameter(reproduction: Path) -> None:
    cells = pl.read_csv(reproduction / "means.csv", infer_schema_length=None)
    assert {"assignments", "strategic", "active", "class", "block", "model"} <= set(cells.columns)
    assert cells.drop("n", "mean", "sd").is_unique().all()
    assert set(cells["experiment"]) == {one.facts.name for one in reproduced()}


def test_no_published_cell_is_missing(reproduction: Path) -> None:
    compared = pl.read_csv(reproduction / "agreement.csv")
    body = compared.filter(~pl.col("experiment").str.ends_with("-extensions"))
    assert body.height > 1000
    assert body["mean_ours"].null_count() == 0


def test_every_experiment_took_part(reproduction: Path) -> None:
    manifest = (reproduction / "manifest.json").read_text()
    assert all(f'"{name}": {{' in manifest for name in (one.facts.name for one in reproduced()))
