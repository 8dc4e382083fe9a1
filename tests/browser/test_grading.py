"""The pages of a graded class, looked at in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, Page

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.gaming import StrategyGain
from peergauge.pages.grading import ROWS_PER_PAGE, page
from peergauge.pages.students import pages
from tests.classroom.grade.classes import GAMING, graded

STUDENTS = 30
NAMES = {0: "<script>alert(1)</script>", 1: "محمد علي", 2: "🎓 Zoë", 3: "Dara & 'Co' \"x\""}

LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]


class Visit(NamedTuple):
    page: Page
    said: list[str]
    asked: list[str]


@pytest.fixture(scope="module")
def found() -> GradedClass:
    # Mechanisms with settings of their own have long names, which must fit a telephone too.
    long = "mse-p:prior_mean=3.8312,prior_variance=0.7591,bias=correct"
    gains = (*GAMING.gains, StrategyGain(long, "hedge", 4.0, 0.5))
    gaming = replace(GAMING, gains=gains, reason=f"{long} measures best.")
    return graded(students=STUDENTS, graders=4, names=NAMES, gaming=gaming)


@pytest.fixture(scope="module")
def folder(found: GradedClass, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report and a student's page, as they are written."""
    made = tmp_path_factory.mktemp("graded")
    (made / "report.html").write_text(page(found), encoding="utf-8")
    for name, text in pages(found).items():
        (made / name).write_text(text, encoding="utf-8")
    return made


def opened(browser: Browser, path: Path, width: int = 1280, **options: Any) -> Visit:
    """A page from disk, with everything that it says to the console and asks for."""
    here = browser.new_page(viewport={"width": width, "height": 900}, **options)
    said: list[str] = []
    asked: list[str] = []
    here.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    here.on("pageerror", lambda error: said.append(f"error: {error}"))
    here.on("request", lambda asking: asked.append(asking.url))
    here.goto(path.as_uri())
    return Visit(here, said, asked)


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}-{look[1]}")
def visit(request: pytest.FixtureRequest, browser: Browser, folder: Path) -> Iterator[Visit]:
    width, scheme = request.param
    seen = opened(browser, folder / "report.html", width, color_scheme=scheme)
    seen.page.wait_for_selector("html.charted")
    yield seen
    seen.page.close()


@pytest.fixture
def report(browser: Browser, folder: Path) -> Iterator[Page]:
    seen = opened(browser, folder / "report.html")
    seen.page.wait_for_selector("html.charted")
    yield seen.page
    assert seen.said == []
    seen.page.close()


def serious(here: Page) -> list[str]:
    """What axe-core finds that would keep somebody out, or a loud skip without it."""
    try:
        script = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        pytest.skip("axe-core is not here; accessibility is NOT tested")
    here.evaluate(script)
    found = here.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found["violations"]
        if one["impact"] in {"serious", "critical"}
        for node in one["nodes"][:3]
    ]


def test_nothing_is_said_to_the_console_and_nothing_asked_of_the_network(visit: Visit) -> None:
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith(("file:", "data:"))] == []


def test_nobody_is_kept_out(visit: Visit) -> None:
    visit.page.click("#grade-table-tools button.all")
    visit.page.click("#grader-table-tools button.all")
    assert serious(visit.page) == []


def test_the_page_is_no_wider_than_the_window(visit: Visit) -> None:
    here = visit.page
    assert here.viewport_size is not None
    assert here.evaluate("document.documentElement.scrollWidth") <= here.viewport_size["width"]
    outside = here.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, p, .chart, .glance div, svg, .tools > *')]"
        ".filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert outside == []


def test_text_is_large_enough_to_read(visit: Visit) -> None:
    sizes = visit.page.evaluate(
        "[...document.querySelectorAll('p, td, th, li, figcaption, h2, button, label')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize))"
    )
    assert min(sizes) >= 14


def test_charts_have_the_colours_of_the_page(visit: Visit) -> None:
    ink, label = visit.page.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle("
        "document.querySelector('#intervals .role-axis-title text')).fill]"
    )
    assert label == ink


def test_a_student_can_read_their_page_anywhere(browser: Browser, folder: Path) -> None:
    for width, scheme in LOOKS:
        seen = opened(browser, folder / "p1.html", width, color_scheme=scheme)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.said == []
        assert len(seen.asked) == 1 or all(url.startswith(("file:", "data:")) for url in seen.asked)
        assert serious(seen.page) == []
        seen.page.close()


def first_column(here: Page, table: str) -> list[str]:
    shown = here.locator(f"#{table} > tbody:not(.rest) > tr:first-child > th")
    return [text.strip() for text in shown.all_inner_texts()]


def test_a_table_shows_a_page_at_a_time(report: Page) -> None:
    first = first_column(report, "grade-table")
    assert len(first) == ROWS_PER_PAGE < STUDENTS
    report.click("#grade-table-tools button.leaf:last-of-type")
    second = first_column(report, "grade-table")
    assert len(second) == STUDENTS - ROWS_PER_PAGE
    assert not set(first) & set(second)
    report.select_option("#grade-table-tools select", "all")
    assert first_column(report, "grade-table") == first + second


def test_a_name_can_be_looked_for(report: Page) -> None:
    report.fill("#grade-table-tools input", "zoë")
    assert first_column(report, "grade-table") == ["s2"]
    assert report.inner_text("#grade-table-tools output") == "1–1 of 1"
    report.fill("#grade-table-tools input", "nobody at all")
    assert first_column(report, "grade-table") == []
    assert report.inner_text("#grade-table-tools output") == "none found"


def test_columns_sort_by_what_they_mean(report: Page) -> None:
    report.select_option("#grader-table-tools select", "all")
    head = report.locator("#grader-table thead th", has_text="Leniency")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    cells = report.locator("#grader-table > tbody > tr:first-child > td:nth-child(7)")
    shown = [float(text.replace("−", "-")) for text in cells.all_inner_texts()]
    assert shown == sorted(shown)
    assert min(shown) < 0 < max(shown)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert report.locator("#grader-table thead th[aria-sort]").count() == 1
    names = report.locator("#grade-table thead th", has_text="Submission")
    names.get_by_role("button").click()
    assert first_column(report, "grade-table")[:3] == ["s0", "s1", "s2"]
    assert first_column(report, "grade-table")[10] == "s10"


def test_an_explanation_opens_by_keyboard_and_adds_up(report: Page) -> None:
    button = report.locator("#grade-table button.open").first
    row = report.locator("#grade-table > tbody").first
    why = row.locator("tr.why")
    assert not why.is_visible()
    button.focus()
    report.keyboard.press("Enter")
    assert why.is_visible()
    assert button.get_attribute("aria-expanded") == "true"
    adds = why.locator("td > table tbody tr td:last-child").all_inner_texts()
    *parts, total = [round(float(text) * 100) for text in adds]
    assert sum(parts) == total


def test_two_graders_are_compared_as_the_model_says(report: Page, found: GradedClass) -> None:
    order = found.reward_per_review.estimate.argsort()
    worst, best = int(order[0]), int(order[-1])
    labels = {0: "<script>alert(1)</script> (p0)", 1: "محمد علي (p1)", 2: "🎓 Zoë (p2)",
              3: "Dara & 'Co' \"x\" (p3)"}  # fmt: skip
    for field, place in (("one", worst), ("other", best)):
        report.fill(f"#compare-{field}", labels.get(place, f"p{place}"))
    told = report.inner_text("#compared")
    shown = re.search(r"([\d.]+)\s%", told)
    assert shown is not None
    better = found.reward_per_review.probability_better(best, worst)
    assert float(shown[1]) == pytest.approx(100 * better, abs=0.051)
    assert labels.get(best, f"p{best} ") in told


def test_pointing_at_a_submission_tells_its_numbers(report: Page) -> None:
    dot = report.locator("#intervals .mark-symbol.role-mark path").last
    dot.scroll_into_view_if_needed()
    dot.hover()
    told = report.locator("#vg-tooltip-element.visible").inner_text()
    assert re.search(r"grade\s+\d+\.\d\d", told)
    assert re.search(r"interval\s+\d+\.\d\d to \d+\.\d\d", told)


def test_links_lead_to_headings(report: Page) -> None:
    links = report.eval_on_selector_all(
        "nav a, .cards a", "links => links.map(a => a.getAttribute('href'))"
    )
    assert len(links) == 8 + 4
    for target in links:
        assert report.locator(f"{target} h2").count() == 1, target


def test_numbers_are_there_without_scripts(browser: Browser, folder: Path) -> None:
    seen = opened(browser, folder / "report.html", java_script_enabled=False)
    assert seen.page.locator("#grade-table > tbody > tr:first-child:visible").count() == STUDENTS
    assert seen.page.locator("#grade-table tr.why:visible").count() == STUDENTS
    assert seen.page.locator(".tools:visible, #compare:visible").count() == 0
    assert seen.page.get_by_text("The chart needs JavaScript").first.is_visible()
    seen.page.close()


def test_on_paper_explanations_are_open_and_no_column_is_cut(report: Page) -> None:
    # The width of A4 between the margins, at 96 dots to the inch.
    report.set_viewport_size({"width": 700, "height": 990})
    report.emulate_media(media="print")
    report.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert report.locator("#grade-table tr.why:visible").count() == ROWS_PER_PAGE
    assert report.locator(".tools button:visible, nav:visible, #compare:visible").count() == 0
    cut = report.evaluate(
        "[...document.querySelectorAll('table, svg')]"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert cut == []


def test_it_prints(report: Page, tmp_path: Path) -> None:
    printed = report.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert 5 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 30
