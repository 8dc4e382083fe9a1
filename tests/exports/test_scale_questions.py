"""Questions about scales: typing errors, mixed units, unclear ends, direction."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Export, table
from peergauge.exports.validate import ANSWERED, OpenedClass, validate


def room(scores: list[Any], answers: dict[str, str] | None = None, **more: Any) -> OpenedClass:
    """A class in which every fifth review is by the same grader."""
    reviews = [
        {
            "submission": f"s{n // 5}",
            "grader": f"g{n % 5}",
            "row": n + 2,
            **(one if isinstance(one, dict) else {"score": one}),
        }
        for n, one in enumerate(scores)
    ]
    options = {name: more.pop(name) for name in ("scale", "criterion") if name in more}
    export = Export(
        reviews=table("reviews", reviews),
        dialogue=Dialogue(dict(answers or {})),
        **{"format": "table", **more},
    )
    return validate(export, **options)


def open_keys(found: OpenedClass) -> list[str]:
    return [one.key for one in found.interpretation.open_questions]


TEN = [*range(11)] * 4


def test_a_typo_does_not_set_the_scale() -> None:
    found = room([*TEN, 77])
    assert found.report.scale == "0..10"
    assert open_keys(found) == ["typos"]
    [question] = found.interpretation.open_questions
    assert "1 review of 45 has the grade 77 (row 46)" in question.text
    assert question.choices[0].meaning.startswith("1 review with 77 (row 46) is left out")
    [note] = found.report.notes
    assert (note.kind, note.rows) == ("dropped", (46,))
    kept = room([*TEN, 77], {"typos": "keep"})
    assert (kept.report.scale, len(kept.reports)) == ("0..100", 45)


def test_a_typo_on_one_criterion_is_found_before_criteria_are_summed() -> None:
    reviews = [
        {"submission": f"s{n // 5}", "grader": f"g{n % 5}", "criterion": name, "score": score}
        for n in range(30)
        for name, score in (("idea", 1 + n % 5), ("style", 55 if n == 7 else 1 + n % 5))
    ]
    found = room(reviews)
    assert open_keys(found) == ["typos: style"]
    assert found.report.scale == "2..10"
    assert len(found.reports) == 29


def test_criteria_on_different_scales_add_up() -> None:
    reviews = [
        {"submission": f"s{n // 5}", "grader": f"g{n % 5}", "criterion": name, "score": score}
        for n in range(35)
        for name, score in (("idea", n % 6), ("style", 4 * (n % 6)))
    ]
    found = room(reviews)
    assert open_keys(found) == []
    assert found.report.scale == "0..25"


def test_an_unclear_end_is_asked() -> None:
    found = room([2, 3, 4, 5, 6] * 2)
    assert open_keys(found) == ["scale"]
    [question] = found.interpretation.open_questions
    assert [one.value for one in question.choices] == ["0..6", "0..7", "0..10"]
    assert question.flag == "--scale LOW..HIGH"
    for answer, scale in (("0..7", "0..7"), ("1..6", "1..6"), ("0..8:0.5", "0..8:0.5")):
        answered = room([2, 3, 4, 5, 6] * 2, {"scale": answer})
        assert (answered.report.scale, answered.report.scale_from) == (scale, ANSWERED)
        assert not answered.scale_is_guessed
    assert open_keys(room([2, 3, 4, 5, 6] * 2, scale="0..6")) == []


@pytest.mark.parametrize(
    ("answer", "grades"),
    [("convert", [60, 70, 80, 90]), ("same", [6, 7, 80, 90]), ("leave out", [80, 90])],
)
def test_grades_in_two_units_are_never_mixed(answer: str, grades: list[float]) -> None:
    scores = [6, 7, 80, 90, 90] * 6
    assert open_keys(room(scores)) == ["mixed scales"]
    found = room(scores, {"mixed scales": answer})
    assert found.report.scale == "0..100"
    assert sorted(set(found.reports.grade.tolist())) == grades


def test_the_fewer_grades_are_converted() -> None:
    found = room([6, 7, 8, 9, 10] * 6 + [60, 70, 80])
    assert open_keys(found) == ["mixed scales"]
    assert found.report.scale == "0..10"
    assert sorted(found.reports.grade.tolist())[:3] == [6, 6, 6]
    assert len(found.reports) == 33


def test_percents_beside_fractions() -> None:
    percents = [{"score": score, "highest": 100.0} for score in (60.0, 75.0, 80.0)]
    found = room([*percents * 4, 0.6, 0.75, 0.8])
    assert open_keys(found) == ["mixed scales"]
    assert sorted(set(found.reports.grade.tolist())) == [60, 75, 80]


def test_grades_without_a_maximum_take_that_of_the_others() -> None:
    found = room([{"score": 7.0, "highest": 12.0}] * 4 + [9, 8, 3])
    assert (found.report.scale, open_keys(found)) == ("0..12", [])


def test_a_stated_scale_is_certain_and_many_grades_off_it_are_asked() -> None:
    stated = [{"score": float(n % 10), "highest": 5.0} for n in range(40)]
    found = room(stated)
    assert open_keys(found) == ["off the scale"]
    assert len(found.reports) == 24
    guessed = room(stated, {"off the scale": "guess"})
    assert (guessed.report.scale, len(guessed.reports)) == ("0..10", 40)


def test_assignments_on_different_scales() -> None:
    scores = [
        {"score": float(n % 11), "assignment": "A"}
        if n < 30
        else {"score": float(5 * (n % 21)), "assignment": "B"}
        for n in range(80)
    ]
    found = room(scores)
    assert open_keys(found) == ["mixed scales"]
    assert found.report.scale == "0..100"
    assert found.reports.grade[found.reports.assignment == 0].max() == 100


def test_grades_on_which_the_lowest_is_best_are_turned_around() -> None:
    found = room([1, 2, 3, 6, 5], lowest_is_best=frozenset({""}))
    assert found.report.scale == "1..6"
    assert found.reports.grade.tolist() == [6, 5, 4, 1, 2]
    assert any("1 becomes 6" in note.text for note in found.report.notes)


def test_any_class_can_be_turned_around_by_an_answer() -> None:
    found = room([1, 2, 3, 4, 5], {"direction": "low"}, scale="1..5")
    assert found.reports.grade.tolist() == [5, 4, 3, 2, 1]
    assert found.interpretation.answers == {"direction": "low"}
    assert room([1, 2], {"direction": "high"}, scale="1..5").reports.grade.tolist() == [1, 2]


def test_peers_and_staff_that_contradict_each_other_put_the_direction_in_doubt() -> None:
    scores = [1 + (n // 5) % 5 for n in range(50)]
    truth = [{"submission": f"s{n}", "score": 5.0 - n % 5} for n in range(10)]
    found = room(scores, truth=table("truth", truth), scale="1..5")
    assert open_keys(found) == ["direction"]
    assert found.truth is not None
    assert (found.reports.grade[:5] == found.truth.scores_of(found.reports)[0]).all()


@given(
    st.sampled_from([5, 10, 20, 100]),
    st.lists(st.floats(0, 1), min_size=24, max_size=60),
    st.integers(200, 5000),
)
def test_one_typo_never_changes_the_scale_silently(
    end: int, shares: list[float], typo: int
) -> None:
    scores: list[Any] = [0.0, float(end), *(float(round(end * share)) for share in shares)]
    clean = room(scores)
    found = room([*scores, float(typo)])
    assert found.report.scale == clean.report.scale or open_keys(found)


@given(st.permutations(range(30)))
def test_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    rows = [
        {"submission": f"s{n // 5}", "grader": f"g{n % 5}", "score": float(n % 9), "row": n + 2}
        for n in range(30)
    ]
    one, other = room(rows), room([rows[place] for place in order])
    assert one.report.scale == other.report.scale
    key = ["submission", "grader"]
    assert one.reports.to_polars().sort(key).equals(other.reports.to_polars().sort(key))
