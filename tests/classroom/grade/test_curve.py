"""Curves that shift and stretch grades."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.curve import Curve
from peergauge.core.errors import ParameterError
from peergauge.tables import Scale

SCALE = Scale(0, 10)


def curved(curve: Curve, *grades: float) -> list[float]:
    """Some grades after a curve."""
    column = np.array(grades, dtype=np.float64)
    return [float(one) for one in curve.of(column, curve.fitted(column), SCALE)]


def test_a_shift_and_a_stretch_worked_by_hand() -> None:
    assert curved(Curve(7), 4, 5, 6) == [6, 7, 8]
    # The standard deviation of 3, 5, 7 is √(8/3); twice as much doubles the distances.
    sd = 2 * math.sqrt(8 / 3)
    assert curved(Curve(5, sd), 3, 5, 7) == pytest.approx([1, 5, 9], abs=1e-9)


def test_grades_stay_on_the_scale() -> None:
    assert curved(Curve(9), 2, 8) == [6, 10]


def test_a_curve_may_lower_no_grade() -> None:
    assert curved(Curve(4, lowers=False), 4, 8) == [4, 8]
    assert curved(Curve(7, 0.5, lowers=False), 4, 8) == [6.5, 8]


def test_equal_and_missing_grades_are_only_shifted() -> None:
    assert curved(Curve(8, 2), 5, 5) == [8, 8]
    assert curved(Curve(8, 2), 5) == [8]
    found = curved(Curve(8), 5, math.nan, 7)
    assert (found[0], found[2]) == (7, 9)
    assert math.isnan(found[1])
    assert math.isnan(curved(Curve(8), math.nan)[0])


@given(
    st.lists(st.floats(0, 10), min_size=1, max_size=8),
    st.floats(0, 10),
    st.one_of(st.none(), st.floats(0.01, 5)),
    st.booleans(),
)
def test_a_better_grade_never_becomes_a_worse_one(
    grades: list[float], mean: float, sd: float | None, lowers: bool
) -> None:
    found = curved(Curve(mean, sd, lowers), *sorted(grades))
    assert found == sorted(found)
    assert all(0 <= one <= 10 for one in found)


def test_impossible_curves_are_refused() -> None:
    with pytest.raises(ParameterError, match="give a mean between them"):
        Curve(11).refuse_off_scale(SCALE)
    with pytest.raises(ParameterError, match="above 0"):
        Curve(5, 0)
    with pytest.raises(ParameterError, match="a grade on the scale"):
        Curve(math.nan)
    Curve(10).refuse_off_scale(SCALE)


def test_a_curve_is_explained() -> None:
    assert "shifted to a mean of 7," in str(Curve(7))
    assert "standard deviation of 2" in str(Curve(7, 2))
    assert "no grade becomes lower" in str(Curve(7, lowers=False))


def test_a_small_spread_is_stretched_too() -> None:
    """4.5 and 5.5 have a standard deviation of 0.5; twice as much puts them one from the mean."""
    assert curved(Curve(5, 1.0), 4.5, 5.5) == pytest.approx([4, 6], abs=1e-9)


def test_grades_without_any_have_a_curve_that_changes_nothing_but_the_mean() -> None:
    line = Curve(8, 2).fitted(np.array([math.nan]))
    assert math.isnan(line.from_mean)
    assert (line.to_mean, line.slope) == (8.0, 1.0)


def test_the_target_mean_may_be_an_end_of_the_scale_and_no_further() -> None:
    for mean in (0, 10):
        Curve(mean).refuse_off_scale(SCALE)
    for beyond in (-0.1, 10.1):
        with pytest.raises(ParameterError, match="grades are between 0 and 10"):
            Curve(beyond).refuse_off_scale(SCALE)


@pytest.mark.parametrize("sd", [0.0, -1.0, math.inf, math.nan])
def test_a_standard_deviation_is_finite_and_above_0(sd: float) -> None:
    with pytest.raises(ParameterError, match="is a number above 0"):
        Curve(5, sd)
    assert Curve(5, 0.25).sd == 0.25


@pytest.mark.parametrize(
    ("curve", "text"),
    [
        (Curve(7), "are shifted to a mean of 7, but not beyond the scale. A"),
        (Curve(7, 2), "are shifted and stretched to a mean of 7 and a standard deviation of 2,"),
        (Curve(7, lowers=False), "but not beyond the scale; no grade becomes lower. A better"),
    ],
)
def test_a_curve_names_what_it_does_and_nothing_else(curve: Curve, text: str) -> None:
    assert text in str(curve)
