"""Rules from rewards to points: monotone, and as the instructor sets them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.points import (
    LetterShares,
    LetterThresholds,
    PointRange,
    PointsRule,
)
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


# --- boundaries, each worked by hand


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("0..10", PointRange(0.0, 10.0)),
        ("-5..0", PointRange(-5.0, 0.0)),
        ("5@0..10@1", PointRange(5.0, 10.0, 0.0, 1.0)),
        ("5@-1..10@0", PointRange(5.0, 10.0, -1.0, 0.0)),
        (" 5 .. 10 ", PointRange(5.0, 10.0)),
        (".5..1.5", PointRange(0.5, 1.5)),
        ("A>=1,B", LetterThresholds(("A", "B"), (1.0,))),
        ("A:1:60%,B:40", LetterShares(("A:1", "B"), (60.0, 40.0))),
        ("A:0,B:100", LetterShares(("A", "B"), (0.0, 100.0))),
        ("0..1000000000000000", PointRange(0.0, 1e15)),
        ("-1000000000000000..0", PointRange(-1e15, 0.0)),
    ],
)
def test_a_rule_at_a_boundary_is_read(text: str, rule: PointsRule) -> None:
    assert PointsRule.parse(text) == rule


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("5..5", r"must be below the ceiling, but 5\.\.5 was given"),
        ("0..1000000000000001", r"are numbers up to 1e\+15, but 1e\+15 was given"),
        ("0..1000000000000000.5", r"are numbers up to 1e\+15, but 1e\+15 was given"),
        ("A:20,B", "is not a rule for points; write"),
        ("A>=1,B,C", "is not a rule for points; write"),
        ("A>=1>=2,B", "could not convert string to float: '1>=2'"),
        ("A>=1,B>=1,C", "must decrease from letter to letter"),
        ("A:-1,B:101", "must add up to 100 percent, not 100"),
        ("A:50,B:50.5", "must add up to 100 percent, not 100.5"),
        ("A:50,B:49.5", "must add up to 100 percent, not 99.5"),
        ("A:50,:50", "Name every letter once"),
    ],
)
def test_a_rule_just_beyond_a_boundary_is_refused(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        PointsRule.parse(text)


def test_rewards_for_both_ends_or_neither() -> None:
    for low, high in ((0.0, None), (None, 0.0), (1.0, None), (None, 1.0)):
        with pytest.raises(ParameterError, match="or for neither"):
            PointRange(5.0, 10.0, low, high)
    for low, high in ((1e16, 2e16), (-2e16, 1.0), (0.0, 2e16)):
        with pytest.raises(ParameterError, match="the rewards that get them"):
            PointRange(5.0, 10.0, low, high)


def test_shares_of_a_hundred_may_miss_it_by_rounding() -> None:
    third = 33.3333333
    assert LetterShares(("A", "B", "C"), (third,) * 3).letter_names == ("A", "B", "C")
    with pytest.raises(ParameterError, match="must add up to 100"):
        LetterShares(("A", "B", "C"), (33.33,) * 3)


@pytest.mark.parametrize(("graders", "best"), [(1, 1), (19, 1), (20, 1), (21, 2), (40, 2), (41, 3)])
def test_a_twentieth_is_rounded_up(graders: int, best: int) -> None:
    estimate = np.arange(float(graders))
    fitted = fitted_range(graders / 2, 1.0, estimate.tolist())
    assert fitted.high == graders - best
    assert fitted.of(estimate).count(10.0) == best


def test_the_floor_begins_at_the_mean_of_the_class_or_at_the_ceiling_if_that_is_lower() -> None:
    """1.645 standard deviations of 2 are 3.29."""
    assert fitted_range(-1.0, 4.0, [-3.0, 0.0]).low == pytest.approx(-1.0 - 3.29)
    assert fitted_range(1.0, 4.0, [-3.0, 0.0]).low == pytest.approx(0.0 - 3.29)


def test_the_decimals_of_a_class_are_those_of_its_ends() -> None:
    rule, estimate = PointRange(5.0, 10.0), np.array([-3.0, 0.0])
    fitted = rule.fitted(-1.0, 4.0, estimate, 1)
    assert (fitted.low, fitted.high, fitted.digits) == (-4.3, 0.0, 1)
    assert rule.fitted(-1.0, 4.0, estimate).digits == 3
    # A class without a spread has them, too, and so has one in which nobody is known.
    assert rule.fitted(-1.0, 0.0, estimate, 1).digits == 1
    nobody = rule.fitted(-1.0, 4.0, np.array([np.nan]), 5)
    assert nobody == PointRange(5.0, 10.0, -1.0, -1.0, digits=5)
    given = PointRange(5.0, 10.0, -4.25, -0.0625)
    assert [given.fitted(0.0, 1.0, estimate, digits).digits for digits in (1, 4, 6)] == [4, 4, 6]
    assert PointRange(5.0, 10.0, -0.0625, 4.0).fitted(0.0, 1.0, estimate, 1).digits == 4


def test_the_words_at_both_ends_and_between_them() -> None:
    rule, reward = PointRange(5.0, 9.0, -3.0, -1.0, digits=2), np.array([-3.0, -1.0, -2.5, np.nan])
    assert [rule.describe(reward, place) for place in range(4)] == [
        "5.00 points, the lowest number, for a reward of -3.00 or less",
        "9.00 points, the highest number, for a reward of -1.00 or more",
        "6.00 points: a reward of -3.00 gets 5 points, one of -1.00 gets 9, and rewards between "
        "them get points in proportion: 5 + 4 × 0.50 / 2.00 = 6.00",
        "no points, because no review got a reward",
    ]
    same = PointRange(5.0, 9.0, -2.0, -2.0)
    assert same.is_same_for_all
    assert not rule.is_same_for_all
    assert not PointRange(5.0, 9.0).is_same_for_all
    assert same.describe(reward, 0) == (
        "9.00 points, because rewards in this class do not differ by more than chance"
    )
    assert PointRange(5.0, 9.0).lowest == 5.0
    assert PointRange(5.0, 9.0).highest == 9.0


def test_a_rule_without_rewards_for_its_ends_gives_no_points_yet() -> None:
    with pytest.raises(ParameterError, match="Fit the rule to a class first"):
        PointRange(5.0, 9.0).of(np.array([1.0]))
    assert PointRange(5.0, 9.0).summary(np.array([1.0])) == ""


def test_the_summary_counts_graders_at_both_ends() -> None:
    rule = PointRange(5.0, 9.0, -4.0, -1.0, digits=1)
    one = "1 of 3 graders gets the highest number of points, 9, for a reward of -1.0 or more, and "
    assert rule.summary(np.array([-1.0, -2.0, -4.0, np.nan])) == (
        f"{one}1 gets the lowest, 5, for -4.0 or less."
    )
    assert rule.summary(np.array([-4.0, -5.0, 0.0])) == (
        f"{one}2 get the lowest, 5, for -4.0 or less."
    )
    assert rule.summary(np.array([0.0, 1.0]), squared=True) == (
        "2 of 2 graders get the highest number of points, 9, if their reviews are estimated to be "
        "1.00 grade points off or less, and 0 get the lowest, 5, if they are 2.00 off or more."
    )
    # The root of minus 0 has no sign.
    assert "to be 0.00 grade points off" in PointRange(5.0, 9.0, -4.0, 0.0).summary(
        np.array([0.0]), squared=True
    )
    assert "for a reward of 0.500 or more" in PointRange(5.0, 9.0, -4.0, 0.5).summary(
        np.array([0.0]), squared=True
    )


def test_the_summary_of_equal_points_counts_graders() -> None:
    same = PointRange(5.0, 9.0, -2.0, -2.0)
    because = "because rewards do not differ by more than chance."
    assert same.summary(np.array([-2.0])) == f"The only grader gets 9 points, {because}"
    assert same.summary(np.array([-2.0, 3.0])) == f"All 2 graders get 9 points, {because}"
    assert same.summary(np.array([np.nan])) == ""


def test_letters_by_shares_at_their_lines() -> None:
    """Of ten graders the best two get A, the next three B: the third has 20 % above, so B."""
    rule = LetterShares(("A", "B", "C"), (20.0, 30.0, 50.0))
    reward = np.append(np.arange(10.0), np.nan)
    assert rule.of(reward) == ["C"] * 5 + ["B"] * 3 + ["A"] * 2 + [None]
    assert [rule.describe(reward, place) for place in (10, 9, 7, 0)] == [
        "no letter, because no review got a reward",
        "A: 0 of 10 graders have a higher reward, and graders from the best 0 to 20 percent get A",
        "B: 2 of 10 graders have a higher reward, and graders from the best 20 to 50 percent get B",
        "C: 9 of 10 graders have a higher reward, and graders from the best 50 to 100 percent get "
        "C",
    ]
    assert rule.letter_names == ("A", "B", "C")
    assert (rule.highest, rule.lowest) == (None, None)
    assert rule.fitted(0.0, 1.0, reward) is rule


def test_letters_by_thresholds_at_their_lines() -> None:
    rule = LetterThresholds(("A", "B", "C"), (1.0, -0.5))
    reward = np.array([1.0, 0.999, -0.5, -0.501, np.nan])
    assert rule.of(reward) == ["A", "B", "B", "C", None]
    assert [rule.describe(reward, place) for place in (0, 2, 3, 4)] == [
        "A: the reward is 1 or more",
        "B: the reward is -0.5 or more",
        "C: the reward is below -0.5",
        "no letter, because no review got a reward",
    ]
    assert rule.letter_names == ("A", "B", "C")
    assert rule.fitted(0.0, 1.0, reward) is rule
    with pytest.raises(ParameterError, match="The thresholds of letters are numbers up to"):
        LetterThresholds(("A", "B"), (2e15,))


def test_a_rule_is_shown_without_the_decimals_of_a_class() -> None:
    assert repr(PointsRule.parse("5..10")) == (
        "PointRange(floor=5.0, ceiling=10.0, low=None, high=None)"
    )


def test_lines_between_letters_lie_at_hundredths() -> None:
    """Of a thousand graders, 200 get A: the two hundredth has 199 above, which is 19.9 %."""
    letters = LetterShares(("A", "B", "C"), (20.0, 30.0, 50.0)).of(np.arange(1000.0))
    assert [letters.count(letter) for letter in "ABC"] == [200, 300, 500]
