"""Records of weeks: what their files cannot keep is refused when it is typed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.classroom.grade.decisions_file import read_decisions
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.recording import decisions_csv, map_text, refuse_unrecordable
from peergauge.web.state import WeekState
from peergauge.web.store.records import Week
from tests.web.kit import NAMES, class_file, class_rows, opened_context

EMPTY = WeekState()


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


@pytest.fixture
def week(context: Context) -> Week:
    return changes.new_course(context, "Logic", [class_file()])[1]


def test_decisions_are_read_from_the_table_as_they_were_written(tmp_path: Path) -> None:
    said = (
        Decision(Action.STAFF_GRADE, "Week 1", 'a "b", c', grade=0.1 + 0.2, date="2026-03-01"),
        Decision(Action.EXCLUDE_REVIEW, "", "x", "y", reason="first; second", date="2026-03-02"),
        Decision(Action.EXCLUDE_GRADER, grader="=1+1", reason="@SUM(A1)", date="2026-03-02"),
        Decision(Action.STAFF_GRADE, submission="'=x", grade=-1.5, reason="-2", date="2026-03-02"),
        Decision(
            Action.APPEAL, "", "x", decision="rejected", reason="no", date="2026-03-03", asked="2"
        ),
    )  # fmt: skip
    path = tmp_path / "decisions.csv"
    text = decisions_csv(said)
    path.write_text(text, encoding="utf-8")
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "@", "-"))] == ["-1.5"]
    assert tuple(one._replace(row=0) for one in read_decisions(path).rows) == said


@pytest.mark.parametrize("grade", [5e-05, 0.1 + 0.2, -0.0, 1e22, 123456789.125, 7.0])
def test_every_grade_is_kept_in_the_table(grade: float) -> None:
    said = Decision(Action.STAFF_GRADE, "", "x", "", grade, date="2026-01-01")
    refuse_unrecordable(EMPTY, replace(EMPTY, decisions=(said,)))
    (_, row) = csv.reader(io.StringIO(decisions_csv([said])))
    assert float(row[4]) == grade
    assert "e" not in row[4]


REVIEW = class_rows()[0]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (Decision(Action.EXCLUDE_REVIEW, "", *REVIEW[:2], 5.0, reason="copied"), "takes no grade"),
        (Decision(Action.EXCLUDE_GRADER, "", NAMES[0], NAMES[1], reason="x"), "no submission"),
        (Decision(Action.STAFF_GRADE, "", NAMES[0], NAMES[1], 5.0), "takes no grader"),
        (Decision(Action.APPEAL, "", NAMES[0], decision="rejected"), "has no reason"),
        (Decision(Action.APPEAL, "", NAMES[0], NAMES[1], decision="open"), "one of the two"),
        (Decision(Action.APPEAL, "", NAMES[0], "", 5.0, "open"), "empty the grade"),
        (Decision(Action.STAFF_GRADE, "", NAMES[0], "", 5.0, "open"), "takes no decision"),
    ],
)
def test_a_decision_that_its_table_does_not_allow_is_refused(
    context: Context, week: Week, said: Decision, sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        changes.decide(context, week.id, week.revision, said)
    assert context.store.week(week.id) == week


def test_a_name_in_decomposed_letters_is_that_of_the_class(context: Context, week: Week) -> None:
    said = Decision(Action.STAFF_GRADE, submission=" Gita Gru\u0308n ", grade=7)
    made = changes.decide(context, week.id, week.revision, said)
    assert WeekState.from_json(made.state).decisions[0].submission == "Gita Grün"


def decided(**texts: str) -> WeekState:
    said = Decision(Action.EXCLUDE_GRADER, "", "", "a", reason="b", date="2026-01-01")
    return replace(EMPTY, decisions=(replace_texts(said, texts),))


def replace_texts(said: Decision, texts: Mapping[str, str]) -> Decision:
    given: dict[str, Any] = dict(texts)
    return said._replace(**given)


@pytest.mark.parametrize("text", [" x", "x\n", "a\x00b", "", "x" * 300_000])
def test_a_text_that_its_table_would_change_is_refused(text: str) -> None:
    for name in ("grader", "reason"):
        with pytest.raises(PeergaugeError):
            refuse_unrecordable(EMPTY, decided(**{name: text}))


@settings(deadline=None)
@given(st.text(min_size=1), st.text(min_size=1))
def test_any_text_is_kept_in_the_table_or_refused(grader: str, reason: str) -> None:
    state = decided(grader=grader, reason=reason)
    try:
        refuse_unrecordable(EMPTY, state)
    except (PeergaugeError, UnicodeEncodeError):
        return
    (_, row) = csv.reader(io.StringIO(decisions_csv(state.decisions)))
    assert reason in (row[6], row[6][1:])


@settings(deadline=None)
@given(st.text(), st.text(min_size=1))
def test_any_text_is_kept_in_settings_and_answers_or_refused(text: str, key: str) -> None:
    with_settings = replace(EMPTY, settings={"course": text, "appeal": {"text": text}})
    with_answers = replace(EMPTY, answers={key: text})
    for state in (with_settings, with_answers):
        try:
            refuse_unrecordable(EMPTY, state)
        except PeergaugeError:
            continue
    assert map_text(EMPTY)


def test_a_text_that_makes_a_settings_file_too_large_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be kept in a settings file"):
        refuse_unrecordable(EMPTY, replace(EMPTY, settings={"course": "x" * 2**20}))


def test_what_an_older_version_stored_does_not_stop_new_decisions() -> None:
    old = decided(reason=" two ").decisions
    new = decided(grader="other").decisions
    refuse_unrecordable(replace(EMPTY, decisions=old), replace(EMPTY, decisions=(*old, *new)))
