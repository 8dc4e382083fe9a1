"""Maps from what was earned to points: monotone, and as the instructor sets them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.points import PointRange, Points
from peergauge.core.errors import ParameterError

EARNED = np.array([-4.0, -2.0, np.nan, 0.0, -2.0])


def test_points_are_in_proportion_between_what_earns_floor_and_ceiling() -> None:
    # -2 is half way from -3 to -1; -4 and 0 lie beyond.
    assert Points.parse("5@-3..10@-1").of(EARNED) == [5.0, 7.5, None, 10.0, 7.5]


def test_without_it_a_twentieth_of_graders_lies_beyond_either_end() -> None:
    own = np.array([-9.0, -2.0, 5.0, np.nan])
    fitted = Points.parse("5..10").fitted(-2.0, 4.0, own)
    assert isinstance(fitted, PointRange)
    # 1.645 deviations of 2 on both sides of -2.
    assert fitted.low == pytest.approx(-5.29)
    assert fitted.high == pytest.approx(1.29)
    assert fitted.of(np.array([-2.0])) == [7.5]


def test_nobody_is_asked_for_more_than_anybody_earned() -> None:
    fitted = Points.parse("5..10").fitted(-2.0, 4.0, np.array([-3.0, -2.0, -0.5]))
    assert isinstance(fitted, PointRange)
    assert (fitted.low, fitted.high) == (-3.0, -0.5)


def test_who_cannot_be_told_apart_gets_the_same() -> None:
    fitted = Points.parse("5..10").fitted(-2.0, 0.0, EARNED)
    assert fitted.of(EARNED) == [10.0, 10.0, None, 10.0, 10.0]
    assert "tells nobody apart" in fitted.words(EARNED, 0)


def test_letters_by_shares_give_ties_the_better_one() -> None:
    # Of five, one earned most: 20 %. Three share the second place, which begins within B's half.
    earned = np.array([3.0, 2.0, 2.0, 2.0, 1.0])
    assert Points.parse("A:20,B:40,C:40").of(earned) == ["A", "B", "B", "B", "C"]
    assert Points.parse("A:20,B:40,C:40").words(earned, 1) == (
        "B: 1 of 5 graders earned more, and those from the best 20 to 60 percent get B"
    )


def test_letters_by_thresholds() -> None:
    letters = Points.parse("A>=-1,B>=-2,C")
    assert letters.of(EARNED) == ["C", "B", None, "A", "B"]
    assert letters.words(EARNED, 0) == "C: less than -2"
    assert letters.words(EARNED, 1) == "B: -2 or more"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("10..5", "floor up to a ceiling"),
        ("5@1..10", "or neither"),
        ("5@1..10@0", "earning less"),
        ("A:20,B:50", "add up to 70"),
        ("A:50,A:50", "once"),
        ("A>=1,B>=2,C", "in order"),
        ("A>=one,B", "no map to points"),
        ("ten", "no map to points; give points as FLOOR..CEILING"),
    ],
)
def test_a_map_that_is_none_is_refused_with_what_to_write(text: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Points.parse(text)


@given(
    st.lists(st.floats(-100, 100), min_size=1, max_size=30),
    st.sampled_from(["5..10", "0@-1..3@1", "A:10,B:20,C:70", "A>=1,B>=-1,C"]),
)
def test_who_earned_more_never_gets_less(earned: list[float], text: str) -> None:
    values = np.array(earned)
    rule = Points.parse(text).fitted(float(values.mean()), float(values.var()), values)
    got = rule.of(values)
    # Letters are better the earlier they come.
    worth = [-ord(one) if isinstance(one, str) else one for one in got]
    assert None not in worth
    order = np.argsort(values)
    ranked = np.array(worth, dtype=float)[order]
    assert (np.diff(ranked) >= -1e-12).all()
    for place in range(len(values)):
        assert rule.words(values, place)
