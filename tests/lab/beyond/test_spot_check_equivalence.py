"""Spot Check Equivalence: interpolation, errors, and its ends."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.spot_check_equivalence import (
    CHECKED_PERCENTS,
    SpotCheckEquivalence,
    checked_values,
    equivalence,
    equivalents,
    spot_check_equivalence,
)
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.simulate import Setting, simulate

SHARES = (0.0, 0.1, 0.5, 1.0)
CURVE = np.array([[0.5, 0.6, 0.8, 0.9]] * 3)
SMALL = SpotCheckEquivalence(students=20, assignments=2, mechanisms=("mse", "oa"))


@pytest.mark.parametrize(
    ("value", "share"),
    [(0.4, 0.0), (0.5, 0.0), (0.55, 0.05), (0.6, 0.1), (0.7, 0.3), (0.85, 0.75), (0.9, 1.0)],
)
def test_shares_are_interpolated_linearly(value: float, share: float) -> None:
    found = equivalence(np.full(3, value), CURVE, SHARES)
    assert found.share == pytest.approx(share)
    assert found.standard_error == pytest.approx(0, abs=1e-9)
    assert not found.beyond


def test_a_mechanism_may_measure_better_than_checking_everything() -> None:
    found = equivalence(np.full(3, 0.95), CURVE, SHARES)
    assert found.share == 1
    assert found.beyond


def test_a_curve_that_falls_by_chance_counts_as_level() -> None:
    """0.6 is reached at 0.2, and the dip after it does not matter."""
    curve = np.array([[0.5, 0.6, 0.55, 0.9]] * 2)
    assert equivalence(np.full(2, 0.6), curve, SHARES).share == pytest.approx(0.1)


def test_on_a_straight_line_the_error_is_that_of_the_mean() -> None:
    """The jackknife of a linear function of means is the usual standard error."""
    value = np.array([0.1, 0.3, 0.5, 0.6])
    curve = np.tile(np.array(SHARES), (4, 1))
    found = equivalence(value, curve, SHARES)
    assert found.share == pytest.approx(value.mean())
    assert found.standard_error == pytest.approx(value.std(ddof=1) / 2)


def test_semesters_without_a_value_are_left_out() -> None:
    value = np.array([0.7, np.nan, 0.7])
    assert equivalence(value, CURVE, SHARES).share == pytest.approx(0.3)
    assert np.isnan(equivalence(np.array([0.7, np.nan, np.nan]), CURVE, SHARES).share)


def test_tables_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="one value and one curve"):
        equivalence(np.zeros(2), CURVE, SHARES)


def test_checking_everything_is_the_distance_to_staff_on_everything() -> None:
    semester = simulate(Setting(30, 3), seed=1)
    values = dict(checked_values(semester, BinaryAUC(), seed=1))
    assert list(values) == list(CHECKED_PERCENTS)
    assert values[100] > 0.85
    assert values[100] > values[1]


@pytest.mark.statistical
def test_a_mechanism_that_measures_better_is_worth_more_checks() -> None:
    """MSE_P against OA: AUC 0.96 and 0.75 in these classes, far more than the errors apart."""
    table = spot_check_equivalence(["oa", "mse-p"], Setting(60, 5), semesters=6)
    assert table["mechanism"].to_list() == ["mse-p", "oa"]
    high, low = table["share"]
    assert high > 0.3 > low


def test_wrong_measures_and_numbers_are_refused() -> None:
    with pytest.raises(ParameterError, match="rank-gain"):
        spot_check_equivalence(["oa"], measure="rank-gain")
    with pytest.raises(ParameterError, match="two semesters"):
        spot_check_equivalence(["oa"], semesters=1)


def test_the_experiment_has_the_rows_that_equivalents_need() -> None:
    rows = to_frame(
        row for repetition in range(3) for row in SMALL.run(Point(), repetition, seed=1)
    )
    for measure in ("binary-auc", "sensitivity"):
        found = equivalents(rows, measure)
        assert found["mechanism"].to_list() == ["mse", "oa"]
        assert found["share"].is_between(0, 1).all()
