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


def test_by_default_five_percent_of_graders_are_beyond_either_end() -> None:
    own = np.array([-9.0, -2.0, 5.0, np.nan])
    fitted = PointsRule.parse("5..10").fitted(-2.0, 4.0, own)
    assert isinstance(fitted, PointRange)
    # 1.645 deviations of 2 on both sides of -2.
    assert fitted.low == pytest.approx(-5.29)
    assert fitted.high == pytest.approx(1.29)
    assert fitted.of(np.array([-2.0])) == [7.5]


def test_the_ceiling_is_within_the_range_of_rewards() -> None:
    fitted = PointsRule.parse("5..10").fitted(-2.0, 4.0, np.array([-3.0, -2.0, -0.5]))
    assert isinstance(fitted, PointRange)
    assert (fitted.low, fitted.high) == (-3.0, -0.5)


def test_graders_who_do_not_differ_get_the_same_points() -> None:
    fitted = PointsRule.parse("5..10").fitted(-2.0, 0.0, EARNED)
    assert fitted.of(EARNED) == [10.0, 10.0, None, 10.0, 10.0]
    assert "do not differ by more than chance" in fitted.describe(EARNED, 0)


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
