"""Views of courses: weeks in one line, the semester, and all changes."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import pytest

from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.store import NewFile
from peergauge.web.views.courses import (
    course_heads,
    course_view,
    events_view,
    history_view,
    semester_view,
)
from tests.web.kit import NAMES, class_file, opened_context


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


def test_a_course_tells_graded_weeks_from_unreadable_ones(context: Context) -> None:
    course, _ = changes.new_course(context, "Logic", [class_file()])
    broken, _ = changes.new_course(context, "Milk", [NewFile("notes.txt", b"buy milk\n")])
    assert [(one.title, one.weeks) for one in course_heads(context)] in (
        [("Logic", 1), ("Milk", 1)],
        [("Milk", 1), ("Logic", 1)],
    )
    (week,) = course_view(context, course).weeks
    assert week.status == "graded"
    (other,) = course_view(context, broken).weeks
    assert other.status == "unreadable"
    assert "notes.txt" in other.words


def test_the_semester_has_everybody_once_and_both_weeks(context: Context) -> None:
    course, _ = changes.new_course(context, "Logic", [class_file()])
    one = semester_view(context, course)
    changes.new_week(context, course.id, "Second", [class_file(2)])
    both = semester_view(context, course)
    assert {row[both.columns.index("person")] for row in both.rows} == set(NAMES)
    assert len(both.rows) == len(NAMES)
    assert len(both.columns) > len(one.columns)
    cells = [cell for row in both.rows for cell in row]
    assert all(isfinite(cell) for cell in cells if isinstance(cell, float))
    assert not any("nan" in cell.casefold() for cell in cells if isinstance(cell, str))


def test_the_semester_shows_large_numbers_with_all_of_their_digits(context: Context) -> None:
    course, week = changes.new_course(context, "Logic", [class_file()])
    changes.set_settings(context, week.id, week.revision, {"points": "1000000..2000000"})
    view = semester_view(context, course)
    cells = {cell for row in view.rows for cell in row if isinstance(cell, float)}
    assert 2_000_000 in cells
    points = {one for one in cells if 1_000_000 < one < 2_000_000}
    assert any(one != round(one, -2) for one in points), points


def test_an_empty_semester_is_empty(context: Context) -> None:
    course, _ = changes.new_course(context, "Milk", [NewFile("notes.txt", b"buy milk\n")])
    assert semester_view(context, course).rows == []


def test_every_change_is_in_the_trail_with_its_author_and_week(context: Context) -> None:
    course, week = changes.new_course(context, "Logic", [class_file()])
    week = changes.set_settings(context, week.id, week.revision, {"level": 0.8})
    week = changes.undo(context, week.id, week.revision)
    said = [one.what for one in events_view(context, course)]
    assert said == [
        "Undid change 2, back to change 1.",
        "Settings: level = 0.8.",
        "Uploaded 1 file: reviews.csv.",
        "Created the course 'Logic'.",
    ]
    assert {one.who for one in events_view(context, course)} == {"teacher"}
    history = history_view(context, week)
    assert [one.number for one in history.changes] == [3, 2, 1]
    assert history.undoes is None
