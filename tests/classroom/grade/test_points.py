"""Rules from rewards to points: monotone, and as the instructor sets them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.points import PointRange, PointsRule
from peergauge.core.errors import ParameterError

EARNED = np.array([-4.0, -2.0, np.nan, 0.0, -2.0])


def test_points_are_linear_between_the_rewards_for_floor_and_ceiling() -> None:
    # -2 is half way from -3 to -1; -4 and 0 lie beyond.
    assert PointsRule.parse("5@-3..10@-1").of(EARNED) == [5.0, 7.5, None, 10.0, 7.5]


def fitted_range(mean: float, variance: float, estimate: list[float]) -> PointRange:
    fitted = PointsRule.parse("5..10").fitted(mean, variance, np.array(estimate))
    assert isinstance(fitted, PointRange)
    return fitted


def test_the_best_twentieth_reach_the_ceiling_and_the_really_poor_the_floor() -> None:
    # 41 graders: the best twentieth are three. The floor is 1.645 deviations of 2 below -2.
    estimate = [-2.0] * 36 + [-0.5, 0.0, 1.0, -5.2, -5.3]
    fitted = fitted_range(-2.0, 4.0, estimate)
    assert fitted.low == pytest.approx(-5.29)
    assert fitted.high == -0.5
    points = fitted.of(np.array(estimate))
    assert points.count(10.0) == 3
    assert points.count(5.0) == 1
    assert fitted.summary(np.array(estimate)) == (
        "3 of 41 graders get the highest number of points, 10, for a reward of -0.500 or more, and "
        "1 gets the lowest, 5, for -5.290 or less."
    )
    # The root of 0.5 is 0.71, and the root of 5.29 is 2.30.
    assert fitted.summary(np.array(estimate), squared=True) == (
        "3 of 41 graders get the highest number of points, 10, if their reviews are estimated to "
        "be 0.71 grade points off or less, and 1 gets the lowest, 5, if they are 2.30 off or more."
    )


def test_ties_at_the_ceiling_are_treated_alike() -> None:
    estimate = np.array([0.0] * 7 + [-1.0] * 13)
    assert fitted_range(-0.65, 0.25, estimate.tolist()).of(estimate).count(10.0) == 7


@pytest.mark.parametrize("count", [2, 3])
def test_the_better_of_few_graders_reaches_the_ceiling(count: int) -> None:
    estimate = np.linspace(-1.0, 0.0, count)
    points = fitted_range(-0.5, 1.0, estimate.tolist()).of(estimate)
    assert points[-1] == 10.0
    # 0.5 below the mean is far from 1.645 deviations below.
    worst = points[0]
    assert isinstance(worst, float)
    assert worst > 7


def test_the_ceiling_is_above_the_floor_where_few_graders_have_most_reviews() -> None:
    """One grader with most of the reviews pulls the mean of the class above the best twentieth."""
    estimate = np.array([0.0] + [-5.0] * 99)
    fitted = fitted_range(-0.45, 2.05, estimate.tolist())
    assert fitted.high == -5.0
    assert fitted.of(estimate).count(10.0) == 100


def test_a_careless_majority_lowers_the_floor_but_not_the_ceiling() -> None:
    """With 10 careful graders in 100 the ceiling is theirs; with 2 it is that of careless ones."""
    for careful, ceiling in ((90, 0.0), (10, 0.0), (2, -4.0)):
        estimate = np.array([0.0] * careful + [-4.0] * (100 - careful))
        fitted = fitted_range(float(estimate.mean()), float(estimate.var()), estimate.tolist())
        assert fitted.high == ceiling
    many, few = (
        fitted_range(float(one.mean()), float(one.var()), one.tolist())
        for one in (np.array([0.0] * k + [-4.0] * (100 - k)) for k in (90, 10))
    )
    assert many.low is not None
    assert few.low is not None
    # Among careful graders careless ones get the floor; among others like them they do not.
    assert many.low > -4 > few.low


def test_rewards_for_floor_and_ceiling_that_are_given_do_not_depend_on_the_class() -> None:
    rule = PointsRule.parse("5@-4..10@-0.0625")
    fitted = rule.fitted(-9.0, 4.0, np.array([-9.0, -8.0]))
    assert fitted.of(EARNED) == rule.of(EARNED)
    # The sentence has all decimals of the rule.
    assert "one of -0.0625 gets 10" in fitted.describe(EARNED, 1)


def test_nobody_with_a_reward_is_no_error() -> None:
    nothing = np.array([np.nan, np.nan])
    fitted = PointsRule.parse("5..10").fitted(0.0, 1.0, nothing)
    assert fitted.of(nothing) == [None, None]
    assert fitted.summary(nothing) == ""
    assert PointsRule.parse("A:50,B:50").summary(EARNED) == ""


def test_graders_who_do_not_differ_get_the_same_points() -> None:
    fitted = PointsRule.parse("5..10").fitted(-2.0, 0.0, EARNED)
    assert fitted.of(EARNED) == [10.0, 10.0, None, 10.0, 10.0]
    assert "do not differ by more than chance" in fitted.describe(EARNED, 0)
    assert fitted.summary(EARNED).startswith("All 4 graders get 10 points, because")


def test_letters_by_shares_give_ties_the_better_one() -> None:
    # One of five is best: 20 %. Three share the second place, which begins within the share of B.
    earned = np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    assert PointsRule.parse("A:20,B:40,C:40").of(earned) == ["A", "B", "B", "B", "C"]
    assert PointsRule.parse("A:20,B:40,C:40").describe(earned, 1) == (
        "B: 1 of 5 graders have a higher reward, and graders from the best 20 to 60 percent get B"
    )


def test_letters_by_thresholds() -> None:
    letters = PointsRule.parse("A>=-1,B>=-2,C")
    assert letters.of(EARNED) == ["C", "B", None, "A", "B"]
    assert letters.describe(EARNED, 0) == "C: the reward is below -2"
    assert letters.describe(EARNED, 1) == "B: the reward is -2 or more"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10..5", "must be below the ceiling"),
        ("5@1..10", "or for neither"),
        ("5@1..10@0", "must be below the reward"),
        ("5@1..10@1", "must be below the reward"),
        ("A:20,B:50", "not 70"),
        ("A:50,A:50", "once"),
        ("A>=1,B>=2,C", "in order"),
        ("A>=one,B", "not a rule for points"),
        ("ten", "not a rule for points; write points as FLOOR..CEILING"),
    ],
)
def test_an_invalid_rule_is_refused_with_the_syntax(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        PointsRule.parse(text)


@given(
    st.lists(st.floats(-100, 100), min_size=1, max_size=30),
    st.sampled_from(["5..10", "0@-1..3@1", "A:10,B:20,C:70", "A>=1,B>=-1,C"]),
)
def test_a_higher_reward_never_gets_less(earned: list[float], text: str) -> None:
    values = np.array(earned)
    rule = PointsRule.parse(text).fitted(float(values.mean()), float(values.var()), values)
    got = rule.of(values)
    # Letters are better the earlier they come.
    worth = [-ord(one) if isinstance(one, str) else one for one in got]
    assert None not in worth
    order = np.argsort(values)
    ranked = np.array(worth, dtype=float)[order]
    assert (np.diff(ranked) >= -1e-12).all()
    for place in range(len(values)):
        assert rule.describe(values, place)


@given(
    st.lists(st.floats(-100, 0) | st.sampled_from([-1.0, -2.0]), min_size=1, max_size=60),
    st.floats(1e-6, 1e3),
    st.floats(-100, 0),
)
def test_at_least_a_twentieth_always_reaches_the_ceiling(
    estimate: list[float], variance: float, mean: float
) -> None:
    values = np.array(estimate)
    points = np.array(fitted_range(mean, variance, estimate).of(values), dtype=float)
    assert (points == 10.0).sum() >= len(values) / 20
    assert (points[values == values.max()] == 10.0).all()


@pytest.mark.parametrize(
    "rule",
    [
        "A>=nan,B>=-1,C", "A>=inf,B>=-1,C", "A>=1e999,B", "A:nan,B:50", "A:inf,B:50",
        f"5..{'9' * 400}", f"-{'9' * 308}..{'9' * 308}", f"5@-{'9' * 400}..10@0",
    ],
)  # fmt: skip
def test_numbers_of_a_rule_are_finite(rule: str) -> None:
    with pytest.raises(ParameterError, match=r"are numbers up to 1e\+15, but"):
        PointsRule.parse(rule)
