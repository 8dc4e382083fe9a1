"""The page of the semester: every student, every assignment, and a reason for every gap."""

from __future__ import annotations

import re
from html import unescape

from peergauge.classroom.grade.semester import Semester, SemesterPerson, SemesterRun, semester_of
from peergauge.core.lazy import pl
from peergauge.pages.semester_page import (
    has_semester,
    semester_columns,
    semester_page,
    semester_rows,
    semester_table,
)
from peergauge.pages.texts import PageTexts
from tests.classroom.grade.classes import graded


def run(
    name: str,
    grades: dict[str, float | None],
    reviews: dict[str, int],
    points: dict[str, float | str | None],
    *,
    most: float | None = 10.0,
    cumulative: bool = False,
) -> SemesterRun:
    return SemesterRun({name: grades}, {name: reviews}, points, 0.0, 25.0, most, cumulative)


WEEKS = Semester(
    (
        run("Week 1", {"ann": 7.25, "bob": None}, {"ann": 2, "cy": 1}, {"ann": 9.5, "cy": None}),
        run("Week 2", {}, {"bob": 3}, {"bob": 5.0}),
    ),
    {"ann": SemesterPerson("Ann Abel", "B"), "cy": SemesterPerson("", "A")},
)

SO_FAR = WEEKS._replace(runs=(WEEKS.runs[0], WEEKS.runs[1]._replace(cumulative=True)))
"""The same weeks with points over the semester."""


def test_every_gap_says_why() -> None:
    rows = {row.person.id: [cell.text for cell in row.cells] for row in semester_rows(WEEKS)}
    assert rows == {
        "ann": ["7.25", "9.50", "authors not known", "no review"],
        # Bob's work of the first week was not reviewed, and he reviewed nothing.
        "bob": ["not reviewed", "no review", "authors not known", "5.00"],
        # No review of Cy's could be rewarded.
        "cy": ["no submission", "no points", "authors not known", "no review"],
    }


def test_points_so_far_replace_those_of_earlier_weeks() -> None:
    assert semester_table(SO_FAR).columns[3:] == [
        "Week 1 grade", "Week 2 grade", "Points so far for reviewing Week 1 to Week 2",
    ]  # fmt: skip
    rows = {row.person.id: row.cells[-1].text for row in semester_rows(SO_FAR)}
    # Ann reviewed nothing in the second week, and keeps her points.
    assert rows == {"ann": "9.50", "bob": "5.00", "cy": "no points"}
    html = semester_page(SO_FAR)
    assert "these points replace those of earlier weeks" in html
    assert ">Points<" not in html


def test_students_come_in_the_order_of_names() -> None:
    assert [row.person.label for row in semester_rows(WEEKS)] == ["Ann Abel (ann)", "bob", "cy"]
    counted = Semester((run("W", {f"s{k}": 1.0 for k in (10, 9, 100)}, {}, {}),))
    assert [row.person.id for row in semester_rows(counted)] == ["s9", "s10", "s100"]


def test_points_of_single_weeks_have_a_column_each() -> None:
    assert [column.label for column in semester_columns(WEEKS)] == [
        "Grade", "Points", "Grade", "Points",
    ]  # fmt: skip
    assert "replace those of earlier weeks" not in semester_page(WEEKS)


def test_letters_are_no_points() -> None:
    found = Semester((run("W", {"ann": 1.0}, {"ann": 1}, {"ann": "B+"}, most=None),))
    assert semester_columns(found)[1].label == "Letter"
    assert semester_table(found)["Letter for reviewing W"].to_list() == ["B+"]


def test_the_page_names_weeks_that_are_missing() -> None:
    assert "Not shown: Week 0" in semester_page(WEEKS._replace(missing=("Week 0",)))
    assert "Not shown" not in semester_page(WEEKS)


def test_the_page_says_whose_authors_are_not_known() -> None:
    assert "who wrote the submissions of Week 2" in semester_page(WEEKS)


def test_texts_cannot_become_markup() -> None:
    evil = "</style><script>alert(1)</script>"
    found = Semester(
        (run(evil, {evil: 1.0}, {evil: 1}, {evil: 1.0}),), {evil: SemesterPerson(evil)}
    )
    html = semester_page(found, PageTexts(course=evil))
    assert "<script>alert" not in html
    assert html.count("</style>") == 2
    assert "alert(1)" in unescape(html)


def test_the_table_has_a_column_for_every_assignment_even_with_equal_names() -> None:
    twice = Semester((*WEEKS.runs[:1], *WEEKS.runs[:1]), WEEKS.people)
    assert semester_table(twice).columns == [
        "person", "name", "section", "Week 1 grade", "Points for reviewing Week 1",
        "Week 1 grade (2)", "Points for reviewing Week 1 (2)",
    ]  # fmt: skip


def test_the_page_has_the_numbers_of_the_class() -> None:
    semester = semester_of(graded(students=8, assignments=3, graders=3))
    assert has_semester(semester)
    html = semester_page(semester)
    table = semester_table(semester)
    assert table.height == 8
    shown = re.findall(r"<b>([\d.]+)</b>", html)
    numbers = table.select(pl.selectors.float()).to_numpy().ravel()
    assert shown == [f"{one:.2f}" for one in numbers]


def test_one_assignment_needs_no_page_of_the_semester() -> None:
    assert not has_semester(semester_of(graded(students=6, graders=2)))
