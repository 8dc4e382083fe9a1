"""True scores on the scale of the class, or mapped to it."""

from __future__ import annotations

from typing import Any

import pytest

from peergauge.core.errors import ScaleError
from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Export, Role, table
from peergauge.exports.validate import OpenedClass, validate


def room(
    truth: list[Any], *, scale: str = "1..5", answers: dict[str, str] | None = None, **more: Any
) -> OpenedClass:
    """A class of 10 submissions with 5 equal grades each: 1, 2, 3, 4, 5, 1, 2, …"""
    reviews = [
        {"submission": f"s{n}", "grader": f"g{m}", "score": 1.0 + n % 5}
        for n in range(10)
        for m in range(5)
    ]
    scored = [
        one if isinstance(one, dict) else {"submission": f"s{n}", "score": float(one)}
        for n, one in enumerate(truth)
    ]
    export = Export(
        reviews=table("reviews", [*reviews, *more.pop("staff", ())]),
        truth=table("truth", scored),
        dialogue=Dialogue(dict(answers or {})),
        **more,
    )
    return validate(export, scale=scale)


def open_keys(found: OpenedClass) -> list[str]:
    return [one.key for one in found.interpretation.open_questions]


def scores(found: OpenedClass) -> list[float]:
    assert found.truth is not None
    return [round(float(one), 6) for one in found.truth.score]


PERCENTS = [10, 30, 50, 70, 90]


def test_scores_on_the_scale_are_kept_also_between_its_steps() -> None:
    found = room([1.25, 2, 3, 4.75, 5])
    assert (scores(found), open_keys(found)) == ([1.25, 2, 3, 4.75, 5], [])


def test_scores_out_of_100_beside_grades_from_1_to_5() -> None:
    found = room(PERCENTS)
    assert open_keys(found) == ["staff scale"]
    assert scores(found) == [1.4, 2.2, 3.0, 3.8, 4.6]
    [question] = found.interpretation.open_questions
    assert (
        "lie between 10 and 90, as if on 0..100, but the class is graded on 1..5" in question.text
    )
    assert any("linearly from 0..100 to 1..5" in note.text for note in found.report.notes)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("linear", [1.4, 2.2, 3.0, 3.8, 4.6]),
        ("fit", [1, 2, 3, 4, 5]),
        ("same", [10, 30, 50, 70, 90]),
        ("10..90", [1, 2, 3, 4, 5]),
    ],
)
def test_answers(answer: str, expected: list[float]) -> None:
    assert scores(room(PERCENTS, answers={"staff scale": answer})) == expected


def test_scores_may_be_ignored() -> None:
    found = room(PERCENTS, answers={"staff scale": "ignore"})
    assert found.truth is None
    assert any("not used" in note.text for note in found.report.notes)


def test_a_scale_that_does_not_hold_the_scores_is_refused() -> None:
    with pytest.raises(ScaleError, match=r"lie between 10 and 90, not on the scale 0\.\.50"):
        room(PERCENTS, answers={"staff scale": "0..50"})


def test_a_stated_maximum_that_differs_is_asked_about() -> None:
    truth = [{"submission": f"s{n}", "score": 1.0 + n, "highest": 20.0} for n in range(5)]
    assert open_keys(room(truth)) == ["staff scale"]
    assert open_keys(room([{**one, "highest": 5.0} for one in truth])) == []


def test_a_much_smaller_range_is_asked_about() -> None:
    found = room([0.2, 0.4, 0.6, 0.8, 1.0], scale="0..5")
    assert open_keys(found) == ["staff scale"]
    assert scores(found) == [1, 2, 3, 4, 5]


def test_one_score_off_the_scale_is_a_typing_error() -> None:
    found = room([1, 2, 3, 4, 5, 1, 2, 3, 4, 55])
    assert open_keys(found) == ["staff typos"]
    assert scores(found) == [1, 2, 3, 4, 5, 1, 2, 3, 4]
    kept = room([1, 2, 3, 4, 5, 1, 2, 3, 4, 55], answers={"staff typos": "keep"})
    assert scores(kept)[-1] == 55


def test_reviews_by_staff_are_mapped_too() -> None:
    staff = [
        {"submission": f"s{n}", "grader": "ta", "score": float(score), "role": Role.STAFF.value}
        for n, score in enumerate(PERCENTS)
    ]
    found = room([], staff=staff)
    assert open_keys(found) == ["staff scale"]
    assert scores(found) == [1.4, 2.2, 3.0, 3.8, 4.6]


def test_files_that_peergauge_wrote_are_asked_about_as_well() -> None:
    assert open_keys(room(PERCENTS, exact=True)) == ["staff scale"]


def test_a_sum_needs_all_criteria() -> None:
    truth = [
        {"submission": f"s{n}", "criterion": name, "score": 1.0}
        for n in range(4)
        for name in ("idea", "style")
        if (n, name) != (2, "style")
    ]
    found = room(truth)
    assert scores(found) == [2, 2, 2]
    assert any("do not cover all criteria" in note.text for note in found.report.notes)


def test_turned_grades_turn_true_scores_unless_these_are_right_already() -> None:
    low = frozenset({""})
    together = room([1, 2, 3, 4, 5, 1, 2, 3, 4, 5], lowest_is_best=low)
    assert scores(together)[:5] == [5, 4, 3, 2, 1]
    opposite = room([5, 4, 3, 2, 1, 5, 4, 3, 2, 1], lowest_is_best=low)
    assert scores(opposite)[:5] == [5, 4, 3, 2, 1]
