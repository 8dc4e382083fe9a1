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
from peergauge.classroom.grade.semester import Semester, SemesterRun, semester_of
from peergauge.exports.records import table
from peergauge.pages.grading import ROWS_PER_PAGE, page
from peergauge.pages.semester_page import semester_page
from peergauge.pages.students import pages
from peergauge.pages.texts import PageTexts
from tests.classroom.grade.classes import GAMING, graded
from tests.pages.full_class import full_class

STUDENTS = 30
NAMES = {0: "<script>alert(1)</script>", 1: "محمد علي", 2: "🎓 Zoë", 3: "Dara & 'Co' \"x\""}

LOOKS = [(1280, "light"), (390, "dark")]
"""Widths and colours: each of both is seen once, since neither depends on the other."""


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


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_a_report_with_everything_can_be_read_anywhere(
    browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    (tmp_path / "report.html").write_text(page(full_class()), encoding="utf-8")
    seen = opened(browser, tmp_path / "report.html", width, color_scheme=scheme)
    here = seen.page
    here.wait_for_selector("html.charted")
    for name in ("grade-table", "mark-table"):
        here.click(f"#{name}-tools button.all")
    here.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    assert here.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.said == []
    assert serious(here) == []
    outside = here.evaluate(
        "[...document.querySelectorAll('.comments p, .comments summary, .why p, pre, section > p')]"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert outside == []
    said = here.locator("#grade-table .comments .said").first
    assert said.inner_text().startswith("Line one\nline two </td></tr></table><script>")
    here.close()


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
    assert len(links) == 9 + 4
    for target in links:
        assert report.locator(f"{target} h2").count() == 1, target


def test_numbers_are_there_without_scripts(browser: Browser, folder: Path) -> None:
    seen = opened(browser, folder / "report.html", java_script_enabled=False)
    assert seen.page.locator("#grade-table > tbody > tr:first-child:visible").count() == STUDENTS
    assert seen.page.locator("#grade-table tr.why:visible").count() == STUDENTS
    assert seen.page.locator(".tools:visible, #compare:visible").count() == 0
    assert seen.page.get_by_text("The chart needs JavaScript").first.is_visible()
    seen.page.close()


def on_paper(here: Page) -> None:
    """Show a page as it is printed, with the width of A4 between the margins at 96 dpi."""
    here.set_viewport_size({"width": 700, "height": 990})
    here.emulate_media(media="print")
    here.evaluate("dispatchEvent(new Event('beforeprint'))")


def test_on_paper_tables_are_complete_and_no_column_is_cut(report: Page) -> None:
    on_paper(report)
    assert report.locator("#grade-table > tbody > tr:first-child:visible").count() == STUDENTS
    assert report.locator(".tools:visible, nav:visible, #compare:visible").count() == 0
    cut = report.evaluate(
        "[...document.querySelectorAll('table, svg')]"
        ".filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert cut == []


def test_on_paper_only_opened_explanations_are_printed(report: Page) -> None:
    report.click("#grade-table button.open >> nth=1")
    on_paper(report)
    assert report.locator("#grade-table tr.why:visible").count() == 1


def test_on_paper_a_filtered_table_says_so(report: Page) -> None:
    report.fill("#grade-table-tools input", "zoë")
    on_paper(report)
    assert report.locator("#grade-table > tbody > tr:first-child:visible").count() == 1
    told = report.evaluate(
        "getComputedStyle(document.getElementById('grade-table-tools'), '::before').content"
    )
    assert told == f'"1 of {STUDENTS} rows, by the search and the filters"'


def test_it_prints(report: Page, tmp_path: Path) -> None:
    printed = report.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert 5 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 30


# ---------------------------------------------------------------- several assignments and sections

WEEKS = 4


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report, the semester and a handout of several assignments, with sections."""
    known = graded(students=STUDENTS, assignments=WEEKS, graders=4, gaming=None)
    people = [
        {
            "person": f"p{k}",
            "name": f"Student with a rather long name {k}",
            "section": f"Lab {k % 3}",
        }
        for k in range(STUDENTS)
    ]
    found = replace(known, opened=replace(known.opened, people=table("people", people)))
    made = tmp_path_factory.mktemp("weeks")
    (made / "report.html").write_text(page(found, semester=True), encoding="utf-8")
    semester = semester_of(found)
    (made / "semester.html").write_text(semester_page(semester), encoding="utf-8")
    texts = PageTexts("Logic", "", "Write to the tutor of your section.", "1 May")
    (made / "p1.html").write_text(pages(found, texts)["p1.html"], encoding="utf-8")
    return made


def test_filters_and_the_search_work_together(browser: Browser, weeks: Path) -> None:
    seen = opened(browser, weeks / "report.html")
    here, count = seen.page, "#grade-table-tools output"
    here.select_option("#grade-table-tools select.filter >> nth=0", "A2")
    assert here.inner_text(count).endswith(f"of {STUDENTS}")
    here.select_option("#grade-table-tools select.filter >> nth=1", "Lab 1")
    assert here.inner_text(count).endswith(f"of {STUDENTS // 3}")
    here.fill("#grade-table-tools input", "name 13")
    assert here.inner_text(count) == "1–1 of 1"
    row = here.inner_text("#grade-table > tbody:not(.rest) > tr:first-child")
    assert "A2" in row
    assert "Lab 1" in row
    here.fill("#grade-table-tools input", "")
    here.select_option("#grade-table-tools select.filter >> nth=0", "")
    here.select_option("#grade-table-tools select.filter >> nth=1", "")
    assert here.inner_text(count).endswith(f"of {STUDENTS * WEEKS}")
    here.select_option("#grader-table-tools select.filter", "Lab 2")
    assert here.inner_text("#grader-table-tools output").endswith(f"of {STUDENTS // 3}")
    assert seen.said == []
    here.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["report.html", "semester.html", "p1.html"])
def test_nothing_important_is_off_screen_on_a_telephone(
    browser: Browser, weeks: Path, name: str, scheme: Any
) -> None:
    seen = opened(browser, weeks / name, 390, color_scheme=scheme)
    here = seen.page
    if name == "report.html":
        here.wait_for_selector("html.charted")
        here.click("#grade-table-tools button.all")
        here.click("#grader-table-tools button.all")
    assert here.evaluate("document.documentElement.scrollWidth") <= 390
    # Also inside of boxes that could be scrolled.
    outside = here.evaluate(
        "[...document.querySelectorAll("
        "'table.stack :is(th, td, b), .glance strong, .student :is(th, td)')]"
        ".filter(e => e.getBoundingClientRect().right > 391)"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert outside == []
    assert serious(here) == []
    assert seen.said == []
    here.close()


def test_a_card_has_the_name_the_grade_and_labels(browser: Browser, weeks: Path) -> None:
    seen = opened(browser, weeks / "report.html", 390)
    row = seen.page.locator("#grade-table > tbody").first.locator("tr").first
    name, grade = row.locator("th").bounding_box(), row.locator("b").bounding_box()
    assert name is not None
    assert grade is not None
    # They stand side by side, the grade at the right.
    assert abs(name["y"] - grade["y"]) < 8
    assert grade["x"] > 280
    labels = row.evaluate(
        "row => [...row.cells].map(cell => getComputedStyle(cell, '::before').content)"
    )
    assert '"Mean "' in labels
    seen.page.close()


def test_the_semester_sorts_by_numbers_and_puts_gaps_last(browser: Browser, weeks: Path) -> None:
    path = weeks / "gaps.html"
    run = SemesterRun(
        {"W": {"a": 9.5, "b": 10.0, "d": -1.0}}, {"W": {"a": 10, "b": 2, "c": 3}},
        {"a": 1.0, "b": 2.0, "c": None}, 0.0, 10.0, 10.0, False,
    )  # fmt: skip
    path.write_text(semester_page(Semester((run, run))), encoding="utf-8")
    seen = opened(browser, path)
    head = seen.page.locator("#semester-table thead th >> nth=1").get_by_role("button")
    head.click()
    assert first_column(seen.page, "semester-table") == ["d", "a", "b", "c"]
    head.click()
    assert first_column(seen.page, "semester-table") == ["b", "a", "d", "c"]
    seen.page.close()


def test_a_handout_of_one_assignment_is_one_sheet_of_paper(browser: Browser, folder: Path) -> None:
    for scheme in ("light", "dark"):
        seen = opened(browser, folder / "p5.html", color_scheme=scheme)
        printed = seen.page.pdf(format="A4")
        assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
        seen.page.emulate_media(media="print", color_scheme=scheme)
        ink = seen.page.evaluate("getComputedStyle(document.body).color")
        assert ink == "rgb(26, 26, 26)", "paper is white, so that letters must be dark"
        seen.page.close()
