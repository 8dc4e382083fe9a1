"""The grades that students get."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.awarded import award, awarded_sentence, rule_sentences
from peergauge.classroom.grade.settings import GradeRules
from peergauge.tables import Scale

SCALE = Scale(0, 10)
ONE_ASSIGNMENT = np.zeros(3, dtype=np.int32)


def test_without_rules_grades_keep_four_decimals() -> None:
    found = award(np.array([1 / 3, np.nan, 10.0]), ONE_ASSIGNMENT, SCALE, GradeRules())
    np.testing.assert_array_equal(found.grade, [0.3333, np.nan, 10.0])
    assert found.letter == ("", "", "")


def test_curve_then_rounding_then_letters() -> None:
    rules = GradeRules(round_to=0.5, letters="A>=90%,B>=75%,C", curve_mean=8.0)
    found = award(np.array([5.0, 6.3, 6.7]), ONE_ASSIGNMENT, SCALE, rules)
    # The mean is 6, so that every grade becomes 2 higher.
    assert found.grade.tolist() == [7.0, 8.5, 8.5]
    assert found.letter == ("C", "B", "B")
    told = awarded_sentence(found, 1, 6.3, rules, 0)
    assert told == (
        "The grade of 6.30 becomes 8.50 by the curve 8.00 + 1.00 × (6.30 − 6.00), within the "
        "scale, rounded to steps of 0.5, halves up, which is B."
    )


def test_each_assignment_has_a_curve_of_its_own() -> None:
    assignment = np.array([0, 0, 1, 1], dtype=np.int32)
    found = award(np.array([4.0, 6, 8, 9]), assignment, SCALE, GradeRules(curve_mean=7.0))
    assert found.grade.tolist() == [6, 8, 6.5, 7.5]


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=9),
    st.sampled_from([None, 0.3, 0.5, 1, 4]),
    st.sampled_from(["up", "even"]),
    st.one_of(st.none(), st.floats(0, 10)),
    st.sampled_from([None, 0.5, 3.0]),
)
def test_a_better_estimate_never_gets_a_worse_grade_or_letter(
    grades: list[float], step: float | None, halves: str, mean: float | None, sd: float | None
) -> None:
    rules = GradeRules(
        step, halves, "A>=80%,B>=50%,C", "highest", mean, None if mean is None else sd  # type: ignore[arg-type]
    )  # fmt: skip
    estimate = np.array(sorted(grades))
    found = award(estimate, np.zeros(len(estimate), dtype=np.int32), SCALE, rules)
    assert (np.diff(found.grade) >= 0).all()
    assert list(found.letter) == sorted(found.letter, reverse=True)
    assert ((found.grade >= 0) & (found.grade <= 10)).all()


def test_rules_are_explained_in_sentences() -> None:
    rules = GradeRules(round_to=1, letters="A>=90%,B", curve_mean=7.0)
    curve, rounding, letters = rule_sentences(rules, Scale(0, 25))
    assert "a mean of 7" in curve
    assert rounding == "Grades are rounded to whole numbers, halves up, and never beyond the scale."
    assert letters == "Letters: A from 22.50, B below."
    assert list(rule_sentences(GradeRules(), SCALE)) == []
    found = award(np.array([7.0]), ONE_ASSIGNMENT[:1], SCALE, GradeRules())
    assert awarded_sentence(found, 0, 7.0, GradeRules(), 0) == ""
    assert awarded_sentence(found, 0, float("nan"), rules, 0) == ""


@pytest.mark.parametrize("lowers", [True, False])
def test_a_curve_that_lowers_nothing_says_so(lowers: bool) -> None:
    rules = GradeRules(curve_mean=5.0, curve_lowers=lowers)
    found = award(np.array([7.0, 9, 8]), ONE_ASSIGNMENT, SCALE, rules)
    assert ("lowers no grade" in awarded_sentence(found, 0, 7.0, rules, 0)) == (not lowers)


@given(
    st.lists(st.floats(0, 10), min_size=2, max_size=6),
    st.sampled_from([None, 0.5, 1]),
    st.floats(0, 10),
    st.one_of(st.none(), st.floats(0.1, 3)),
)
def test_the_printed_numbers_give_the_printed_grade(
    grades: list[float], step: float | None, mean: float, sd: float | None
) -> None:
    rules = GradeRules(round_to=step, curve_mean=mean, curve_sd=sd)
    found = award(np.array(grades), np.zeros(len(grades), dtype=np.int32), SCALE, rules)
    for place, estimate in enumerate(grades):
        told = awarded_sentence(found, place, estimate, rules, 0).replace("−", "-")
        numbers = r"of (\S+) becomes (\S+) by the curve (\S+) \+ (\S+) × \((\S+) - (\S+)\)"
        parts = re.search(numbers, told)
        assert parts, told
        _, grade, to_mean, slope, own, from_mean = map(float, parts.groups())
        curved = min(max(to_mean + slope * (own - from_mean), 0), 10)
        assert rules.rounding.within(curved, 0, 10) == pytest.approx(grade, abs=1e-9)


def test_there_is_a_curve_for_each_assignment_and_no_other() -> None:
    rules = GradeRules(curve_mean=7.0)
    assert len(award(np.array([4.0, 6, 5]), ONE_ASSIGNMENT, SCALE, rules).curves) == 1
    nothing = award(np.array([]), np.array([], dtype=np.int32), SCALE, rules)
    assert nothing.curves == ()
    # The second of three assignments has no submission.
    gap = award(np.array([4.0, 6]), np.array([0, 2], dtype=np.int32), SCALE, rules)
    assert [line.to_mean for line in gap.curves] == [7.0] * 3
    assert gap.grade.tolist() == [7.0, 7.0]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        (
            GradeRules(round_to=0.5),
            "The grade of 6.30 becomes 6.50, rounded to steps of 0.5, halves up.",
        ),
        (GradeRules(letters="A>=90%,B"), "The grade of 6.30 becomes 6.30, which is B."),
        (
            GradeRules(curve_mean=6.0),
            "The grade of 6.30 becomes 6.00 by the curve 6.00 + 1.00 × (6.30 − 6.30), within the "
            "scale.",
        ),
        (
            GradeRules(curve_mean=5.0, curve_lowers=False),
            "The grade of 6.30 becomes 6.30 by the curve 5.00 + 1.00 × (6.30 − 6.30), within the "
            "scale, which lowers no grade.",
        ),
    ],
)
def test_a_sentence_names_the_rules_that_there_are(rules: GradeRules, sentence: str) -> None:
    found = award(np.array([6.3]), ONE_ASSIGNMENT[:1], SCALE, rules)
    assert awarded_sentence(found, 0, 6.3, rules, 0) == sentence


def test_rounding_does_not_leave_the_scale() -> None:
    """To steps of 4, 9.9 rounds to 8 and 10 to 12; to steps of 3 on 1..10, 1 rounds to 0."""
    high = award(np.array([9.9, 10.0]), ONE_ASSIGNMENT[:2], SCALE, GradeRules(round_to=4))
    assert high.grade.tolist() == [8.0, 10.0]
    low = award(np.array([1.0, 3.2]), ONE_ASSIGNMENT[:2], Scale(1, 10), GradeRules(round_to=3))
    assert low.grade.tolist() == [1.0, 3.0]
