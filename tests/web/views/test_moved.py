"""What a decision of staff does to the grades of others, as the screens say it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.store.records import Week
from peergauge.web.views.graded import second_look_view
from peergauge.web.views.moved import moved_view
from tests.web.kit import NAMES, class_file, opened_context


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


def staff_grade(context: Context, week: Week, name: str, grade: float) -> Week:
    said = Decision(Action.STAFF_GRADE, submission=name, grade=grade, reason="read")
    return changes.decide(context, week.id, week.revision, said)


def test_nothing_is_said_before_the_first_decision(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    assert moved_view(context, week) is None
    week = changes.set_settings(context, week.id, week.revision, {"level": 0.8})
    assert moved_view(context, week) is None


def test_a_single_staff_grade_moves_no_other_grade_and_the_screen_says_why(
    context: Context,
) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    context.workbench.graded(week)
    found = moved_view(context, staff_grade(context, week, NAMES[0], 1))
    assert found is not None
    assert found.moved == 0
    assert found.lines == []
    assert found.what == f"Staff grade of {NAMES[0]}: 1. Reason: read"
    assert found.sentence.startswith("No other grade moved. ")
    assert "from 10 staff grades of an assignment on" in found.sentence


def test_followed_staff_grades_move_others_and_the_largest_move_is_first(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    week = changes.set_settings(context, week.id, week.revision, {"follow_staff": "always"})
    before = context.workbench.graded(week)
    week = staff_grade(context, week, NAMES[0], 0)
    after = context.workbench.graded(week)
    found = second_look_view(context, week).moved
    assert found is not None
    names = before.names.submissions
    moves = {
        name: (before.grades.score[place], after.grades.score[after.names.submissions.index(name)])
        for place, name in enumerate(names)
        if name != NAMES[0]
    }
    largest = max(moves, key=lambda name: abs(moves[name][1] - moves[name][0]))
    assert found.lines[0].submission == largest
    assert (found.lines[0].before, found.lines[0].after) == pytest.approx(moves[largest])
    assert NAMES[0] not in {one.submission for one in found.lines}
    assert found.moved == sum(abs(new - old) >= 0.005 for old, new in moves.values())
    assert found.sentence.startswith(f"{found.moved} other grades moved, by ")


def test_an_undone_decision_shows_what_the_undo_moved(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    week = changes.set_settings(context, week.id, week.revision, {"follow_staff": "always"})
    week = staff_grade(context, week, NAMES[0], 0)
    there = moved_view(context, week)
    back = moved_view(context, changes.undo(context, week.id, week.revision))
    assert there is not None
    assert back is not None
    assert [(one.after, one.before) for one in back.lines] == [
        (one.before, one.after) for one in there.lines
    ]
