"""This is what I read: the screen shows what is in the files, by hand-made classes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.tables import Scale
from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.store import NewFile
from peergauge.web.views.courses import week_head
from peergauge.web.views.imported import (
    MIN_CHART_POINTS,
    ImportView,
    StaffPoint,
    grade_histogram,
    import_view,
    staff_chart,
)
from tests.web.kit import (
    HEADER,
    NAMES,
    STUDENTS,
    class_file,
    class_rows,
    opened_context,
    table_bytes,
)


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


def viewed(
    context: Context, *rows: tuple[str, ...], header: tuple[str, ...] = HEADER
) -> ImportView:
    """The view of a table that was uploaded."""
    file = NewFile("table.csv", table_bytes(header, *rows))
    return import_view(context, changes.new_course(context, "Logic", [file])[1])


def test_a_plain_table_is_read_whole(context: Context) -> None:
    rows = class_rows()
    view = viewed(context, *rows)
    assert view.error == ""
    assert (view.read, view.reviews) == (len(rows), len(rows))
    assert (view.submissions, view.graders, view.people_count) == (STUDENTS, STUDENTS, STUDENTS)
    assert view.scale == "0..10"
    assert view.can_grade
    assert [one.name for one in view.columns] == list(HEADER)
    assert [one.part for one in view.columns] == ["author", "grader", "grade"]
    assert view.columns[0].cells[0] == rows[0][0]
    assert [one["person"] for one in view.people] == sorted(NAMES)
    ada = sum(row[1] == NAMES[0] for row in rows)
    assert view.people[0] == {"person": NAMES[0], "reviews given": str(ada), "submissions": "1"}
    assert sum(one.count for one in view.histogram) == len(rows)


def test_people_have_the_addresses_of_the_file(context: Context) -> None:
    header = ("Email Address", "Your name", "Whose work did you review?", "Grade (0-10)")
    rows = [
        (f"{grader.split()[0].lower()}@example.edu", grader, author, grade)
        for author, grader, grade in class_rows()
    ]
    view = viewed(context, *rows, header=header)
    assert view.people_count == STUDENTS
    assert all("ada@example.edu" in row.values() for row in view.people[:1])


def test_self_reviews_are_left_out_and_named(context: Context) -> None:
    rows = class_rows()
    view = viewed(context, *rows, (NAMES[0], NAMES[0], "10"))
    assert view.reviews == len(rows)
    assert view.read == len(rows) + 1
    said = " ".join([one.text for one in view.notes] + [x for one in view.parts for x in one.lines])
    assert "own" in said or "self" in said.casefold()


def test_a_question_blocks_and_its_answer_unblocks(context: Context) -> None:
    first = class_rows()[0]
    view = viewed(context, *class_rows(), (*first[:2], str((int(first[2]) + 5) % 10)))
    assert not view.can_grade
    assert view.open_questions == 1
    (asked,) = [one for one in view.questions if one.answer is None]
    assert len(asked.choices) > 1
    answers = {asked.key: asked.choices[0].value}
    week = changes.answer(context, view.week, view.revision, answers)
    answered = import_view(context, week)
    assert answered.can_grade
    assert [one.answer for one in answered.questions] == [asked.choices[0].value]


def test_a_file_that_is_no_class_is_an_error_under_its_own_name(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [NewFile("notes.txt", b"buy milk\n")])
    view = import_view(context, week)
    assert "notes.txt" in view.error
    assert "/tmp" not in view.error
    assert not view.can_grade
    assert view.reviews == 0


def test_staff_are_compared_with_peers_on_the_same_work(context: Context) -> None:
    header = (*HEADER, "Staff grade")
    staff = {NAMES[0]: "2", NAMES[1]: "9", NAMES[2]: "6"}
    rows = [(*row, staff.get(row[0], "")) for row in class_rows()]
    view = viewed(context, *rows, header=header)
    means = {
        name: float(np.mean([float(row[2]) for row in class_rows() if row[0] == name]))
        for name in staff
    }
    assert view.staff_graded == 3
    assert view.staff_mean == pytest.approx(17 / 3)
    assert view.peer_mean_of_same == pytest.approx(np.mean(list(means.values())))
    assert {one.submission: one.staff for one in view.staff_points} == {
        name: float(grade) for name, grade in staff.items()
    }
    assert {one.submission: one.peers for one in view.staff_points} == pytest.approx(means)
    gaps = [abs(one.staff - one.peers) for one in view.staff_points]
    assert gaps == sorted(gaps, reverse=True)
    assert staff_chart(view) is not None


def test_two_points_are_no_chart() -> None:
    points = [StaffPoint(submission=str(one), staff=one, peers=5) for one in range(9)]
    few = points[: MIN_CHART_POINTS - 1]
    start: dict[str, Any] = {"week": "w", "revision": 1, "files": [], "error": ""}
    assert staff_chart(ImportView(**start, staff_points=few)) is None
    assert staff_chart(ImportView(**start, staff_points=points)) is not None


def test_a_histogram_has_a_bar_for_every_step_of_the_scale() -> None:
    found = grade_histogram([1, 1, 3, 3, 3], Scale(1, 5, 1))
    assert [(one.label, one.count) for one in found] == [
        ("1", 2), ("2", 0), ("3", 3), ("4", 0), ("5", 0),
    ]  # fmt: skip
    assert [one.share for one in found][:3] == [66.67, 0, 100]


def test_a_histogram_of_many_grades_groups_them_and_loses_none() -> None:
    grades = np.linspace(0, 100, 301)
    found = grade_histogram([*grades, np.nan], Scale(0, 100, None))
    assert len(found) == 20
    assert sum(one.count for one in found) == 301


def test_a_second_week_says_who_is_new_and_gone(context: Context) -> None:
    course, _ = changes.new_course(context, "Logic", [class_file()])
    rows = [
        tuple("Nora New" if cell == NAMES[3] else cell for cell in row) for row in class_rows(2)
    ]
    file = NewFile("two.csv", table_bytes(HEADER, *rows))
    week = changes.new_week(context, course.id, "", [file])
    said = " ".join(import_view(context, week).continued)
    assert "Nora New" in said
    assert NAMES[3] in said


def test_questions_are_asked_also_if_the_files_cannot_be_read_with_the_defaults(
    context: Context,
) -> None:
    """Nobody occurs twice, so that the rows may be the grades of a gradebook."""
    rows = [(NAMES[place], NAMES[place - 1], f"{3 + place % 5}") for place in range(STUDENTS)]
    file = NewFile("table.csv", table_bytes(HEADER, *rows))
    _, week = changes.new_course(context, "Logic", [file])
    view = import_view(context, week)
    assert (
        view.error == "There are no reviews of peers in table.csv; give the file that says who "
        "gave which grade to what, too."
    )
    assert [one.key for one in view.questions] == ["rows"]
    assert (view.open_questions, view.can_grade) == (1, False)
    assert week_head(context, week).status == "question"
    with pytest.raises(ParameterError, match="is no answer to 'rows'"):
        changes.answer(context, week.id, week.revision, {"rows": "neither"})
    week = changes.answer(context, week.id, week.revision, {"rows": "reviews"})
    answered = import_view(context, week)
    assert (answered.error, answered.reviews, answered.open_questions) == ("", STUDENTS, 0)
