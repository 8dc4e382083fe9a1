"""Every messy export of the corpus is read as a person reads it, or asked about; never wrongly.

A case is **right** if no question is open and the class equals the interpretation, **asked** if a
question is open or the files are refused in one sentence, and otherwise **silently wrong**.
"""

from __future__ import annotations

import atexit
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from types import SimpleNamespace
from typing import cast

import polars as pl
import pytest

from peergauge.exports.records import table
from peergauge.exports.screen import SCREEN_COLUMNS, SCREEN_LINES, screen_lines
from peergauge.exports.validate import OpenedClass
from peergauge.tables import Reports, Scale, Truth
from tests.golden.exports.messy.composed import LAYOUTS
from tests.golden.exports.messy.corpus import CASES
from tests.golden.exports.messy.judge import (
    Verdict,
    combinations_of_answers,
    difference,
    read,
    verdict,
)
from tests.golden.exports.messy.kit import Case, Expected, Interpretation, Mark, Refused

pytestmark = pytest.mark.slow

MIN_SHARE_RIGHT = 0.7
"""Share of the cases that a person reads without a question, which must be read right."""

MIN_SHARE_OF_RIGHT_DEFAULTS = 0.75
"""Share of the cases with questions whose defaults give the class that a person reads."""

MIN_SHARE_ANSWERABLE = 0.85
"""Share of the cases with questions that some answers make right."""

MAX_SCREEN_LINES = SCREEN_LINES + 5
"""Lines of the screen of ``check``, and some more for one question that is shown in full."""

each_case = pytest.mark.parametrize("one", CASES, ids=str)


@cache
def _written(one: Case) -> tuple[Path, Interpretation | tuple[Expected, ...]]:
    folder = Path(mkdtemp(prefix="class-"))
    atexit.register(shutil.rmtree, folder)
    return folder, one.write(folder)


@cache
def verdict_of(one: Case) -> Verdict:
    folder, expected = _written(one)
    return verdict(expected, folder)


def test_names_of_cases_differ() -> None:
    assert not [name for name, count in Counter(one.name for one in CASES).items() if count > 1]


@each_case
def test_nothing_is_silently_wrong(one: Case) -> None:
    found = verdict_of(one)
    assert found.outcome != "silently wrong", found.why


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("part", range(4))
def test_no_composition_of_habits_is_silently_wrong(layout: str, part: int, tmp_path: Path) -> None:
    """Of 200 classes with habits in random combinations, none is read wrongly without a question.

    Before the readers were changed for such classes, about five of a hundred were.
    """
    wrong = {}
    for number in range(25 * part, 25 * (part + 1)):
        folder = tmp_path / str(number)
        folder.mkdir()
        found = verdict(LAYOUTS[layout](number, folder), folder)
        if found.outcome == "silently wrong":
            wrong[number] = found.why
    assert wrong == {}


def test_most_questions_can_be_answered() -> None:
    """Some answers to the questions of a case lead to the interpretation of a person.

    Otherwise the person has to correct the file or write a column map.
    """
    asked = [one for one in CASES if verdict_of(one).asked and not _is_refused(one)]
    stuck = [f"{one.name}: {why}" for one in asked if (why := why_stuck(one))]
    assert len(stuck) <= (1 - MIN_SHARE_ANSWERABLE) * len(asked), "\n".join(stuck)


def why_stuck(one: Case) -> str:
    """What is wrong after the best answers to the questions of a case; empty if nothing is."""
    folder, expected = _written(one)
    asked = verdict_of(one).asked
    why = ""
    for answers in combinations_of_answers(asked, expected, one.answers):
        found = verdict(expected, folder, answers, defaults=True)
        if found.outcome == "right":
            return ""
        why = why or f"{[question.key for question in asked]}: {found.why}"
    return why


def _is_refused(one: Case) -> bool:
    return isinstance(_written(one)[1], Refused)


@each_case
def test_stored_defaults_ask_nothing_again(one: Case) -> None:
    """With the defaults as stored answers, no question is open, and the class is the same."""
    found = verdict_of(one)
    if not found.asked:
        return
    folder, expected = _written(one)
    answers = {question.key: question.default for question in found.asked}
    second = verdict(expected, folder, answers, defaults=True)
    assert [question.key for question in second.asked] == []
    assert second.outcome == verdict_by_defaults(one).outcome


@each_case
def test_questions_and_refusals_are_for_people(one: Case) -> None:
    """A question has at least two answers that say what follows, and a refusal is one line."""
    found = verdict_of(one)
    for question in found.asked:
        assert len(question.choices) > 1 or question.form, question
        assert question.text.rstrip().endswith("?"), question.text
        assert all(len(choice.meaning) > 10 for choice in question.choices), question
        assert not question.key.startswith("/")
    if found.refused:
        assert "\n" not in found.why
        assert len(found.why.split()) > 5, found.why


@each_case
def test_the_interpretation_fits_on_one_screen(one: Case) -> None:
    if verdict_of(one).refused:
        return
    opened = read(_written(one)[0])
    view = {
        **opened.report.as_json(),
        "interpretation": opened.interpretation.as_json(),
        "abilities": [],
    }
    json.dumps(view)
    lines = list(screen_lines(view))
    assert len(lines) <= MAX_SCREEN_LINES, "\n".join(lines)
    assert max(map(len, lines)) <= SCREEN_COLUMNS


# ---------------------------------------------------------------------------- the judge is judged


def stated(expected: Expected, marks: Sequence[Mark]) -> OpenedClass:
    """The class of an interpretation itself, with these reviews."""
    grades = [m.grade for m in marks]
    low, high = min(grades), max(grades)
    turn = False
    if expected.scale:
        worst, best = (float(end) for end in expected.scale.split(".."))
        low, high, turn = min(worst, best), max(worst, best), worst > best
    place = {
        "assignment": [m.assignment for m in marks],
        "submission": [m.work.label for m in marks],
    }
    graders = [m.grader.name for m in marks]
    frame = pl.DataFrame(
        {**place, "grader": graders, "grade": [low + high - x if turn else x for x in grades]}
    )
    truth = None
    if expected.truth:
        scores = [(a, work.label, x) for a, work, x in expected.truth]
        names = ["assignment", "submission", "score"]
        truth = Truth.from_frame(pl.DataFrame(scores, schema=names, orient="row"))
    authors = [
        (m.assignment, m.work.label, person.name) for m in marks for person in m.work.authors
    ]
    made = SimpleNamespace(
        reports=Reports.from_frame(frame, Scale(low, high, None)),
        truth=truth,
        submissions=table(
            "submissions",
            [{"assignment": a, "submission": s, "author": p} for a, s, p in dict.fromkeys(authors)],
        ),
        scale=Scale(low, high, None),
        report=" ".join(expected.mentioned),
        interpretation=SimpleNamespace(decisions=()),
    )
    return cast(OpenedClass, made)


@each_case
def test_the_interpretation_itself_is_right_and_a_changed_one_is_wrong(one: Case) -> None:
    found = _written(one)[1]
    if isinstance(found, Refused):
        return
    expected = found if isinstance(found, Expected) else found[0]
    marks = expected.marks
    assert difference(stated(expected, marks), expected) == ""
    other = next(m for m in marks if m.grade != marks[0].grade)
    assert difference(stated(expected, marks[1:]), expected)
    assert difference(
        stated(expected, [replace(marks[0], parts=other.parts), *marks[1:]]), expected
    )
    swapped = {marks[0].grader: marks[-1].grader, marks[-1].grader: marks[0].grader}
    if "grader" not in expected.free:
        turned = [replace(m, grader=swapped.get(m.grader, m.grader)) for m in marks]
        assert difference(stated(expected, turned), expected)


# ------------------------------------------------------------------------------------------ totals


def test_totals() -> None:
    table = totals()
    print("\n" + table)  # noqa: T201
    found = {one: verdict_of(one) for one in CASES}
    clear = [one for one in CASES if not one.ask and not _is_refused(one)]
    right = sum(found[one].outcome == "right" for one in clear)
    assert not [one.name for one in CASES if found[one].outcome == "silently wrong"], table
    assert right >= MIN_SHARE_RIGHT * len(clear), table
    asked = [one for one in CASES if found[one].asked]
    usual = sum(verdict_by_defaults(one).outcome == "right" for one in asked)
    assert usual >= MIN_SHARE_OF_RIGHT_DEFAULTS * len(asked), table


@cache
def verdict_by_defaults(one: Case) -> Verdict:
    """The verdict if the default of every open question is accepted."""
    folder, expected = _written(one)
    return verdict(expected, folder, defaults=True)


def totals() -> str:
    """A table of outcomes: a row for each group, then every case that is not as expected."""
    lines = [f"{'group':<10} {'cases':>5} {'right':>6} {'asked':>6} {'silently wrong':>15}"]
    for group in [*dict.fromkeys(one.group for one in CASES), ""]:
        some = [one for one in CASES if group in ("", one.group)]
        count = Counter(verdict_of(one).outcome for one in some)
        lines.append(
            f"{group or 'all':<10} {len(some):>5} {count['right']:>6} {count['asked']:>6} "
            f"{count['silently wrong']:>15}"
        )
    needless = [one for one in CASES if not one.ask and not _is_refused(one)]
    parts = {
        "Silently wrong": [
            (one, verdict_of(one)) for one in CASES if verdict_of(one).outcome == "silently wrong"
        ],
        "Asked where a person knows": [
            (one, verdict_of(one)) for one in needless if verdict_of(one).outcome == "asked"
        ],
        "Questions whose defaults are not what a person reads": [
            (one, verdict_by_defaults(one))
            for one in CASES
            if verdict_of(one).asked and verdict_by_defaults(one).outcome != "right"
        ],
    }
    for title, listed in parts.items():
        lines += ["", f"{title} ({len(listed)}):"]
        lines += [f"  {one.group}/{one.name}: {found.why[:300]}" for one, found in listed]
    return "\n".join(lines)
