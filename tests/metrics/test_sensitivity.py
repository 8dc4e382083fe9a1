"""Sensitivity by hand, its invariances, and where it is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import linregress

from peergauge.core.arrays import Floats
from peergauge.mechanisms import score
from peergauge.metrics.sensitivity import MIN_NOISE_SHARE, Sensitivity, slope_per_deviation
from peergauge.simulate import BinaryEffort, ContinuousEffort, NormalBias, Setting, simulate
from tests.metrics.classes import columns, few, inf, nan, paid, uneven

sensitivity = Sensitivity()
people = columns(few, st.sampled_from([0.0, 0.5, 1.0, 2.0]), least=4)


def test_it_is_the_slope_over_the_deviation_of_the_residuals() -> None:
    # Rewards 1, 3 without effort and 4, 6 with one unit: the slope is 3, the residuals are ±1, and
    # their variance with two degrees of freedom is 4 / 2.
    drawn = paid([1, 3, 4, 6], [0, 0, 0, 0], effort=[0, 0, 1, 1])
    assert sensitivity.measure(*drawn) == pytest.approx(3 / np.sqrt(2))


@given(people)
def test_it_agrees_with_scipy(drawn: tuple[Floats, Floats]) -> None:
    pay, effort = drawn
    assume(np.ptp(effort) > 0)
    fit = linregress(effort, pay)
    residual = pay - fit.intercept - fit.slope * effort
    assume((residual**2).sum() > 1e-6)
    expected = fit.slope / np.sqrt((residual**2).sum() / (len(pay) - 2))
    assert slope_per_deviation(pay, effort) == pytest.approx(expected, abs=1e-9)


@given(people, st.sampled_from([1e-9, 0.5, 7.0, 1e12, 1e200]), st.integers(-9, 9))
def test_neither_unit_nor_origin_of_rewards_counts(
    drawn: tuple[Floats, Floats], unit: float, origin: int
) -> None:
    pay, effort = drawn
    expected = slope_per_deviation(pay, effort)
    assume(np.isnan(expected) or abs(expected) < 1e3)
    moved = slope_per_deviation(unit * (pay + origin), effort)
    assert moved == pytest.approx(expected, abs=1e-7, nan_ok=True)


@pytest.mark.parametrize(
    ("pay", "effort"),
    [
        ([1, 2, 4], [1, 1, 1]),
        ([1, 1, 1], [0, 1, 2]),
        ([1, 2, 3], [0, 1, 2]),
        ([1, 2, inf], [0, 1, 2]),
        ([1, 2, -inf], [0, 1, 2]),
        ([1, 2, nan], [0, 1, 2]),
        ([1, 2], [0, 1]),
    ],
)
def test_it_is_undefined_without_effort_noise_or_finite_rewards(
    pay: list[float], effort: list[float]
) -> None:
    assert np.isnan(sensitivity.measure(*paid(pay, [0] * len(pay), effort=effort)))


def test_per_report_means_are_compared() -> None:
    drawn = uneven(effort=np.array([1.0, 2.0]))
    # Two graders leave no degree of freedom.
    assert np.isnan(sensitivity.measure(*drawn))
    assert np.isnan(Sensitivity(per="report").measure(*drawn))


@pytest.mark.statistical
def test_a_longer_semester_is_more_sensitive_where_effort_is_all_that_differs() -> None:
    """Unbiased graders under MSE: the slope grows with n assignments, its noise with √n.

    So nine times as many assignments have about three times the sensitivity. The mean of 10
    classes of 200 has a standard error below 8 % of the ratio; the bounds are more than three
    standard errors away.
    """
    values = []
    for assignments in (1, 9):
        setting = Setting(200, assignments, effort=ContinuousEffort(), bias=NormalBias(0))
        semesters = [simulate(setting, seed) for seed in range(10)]
        found = [sensitivity.measure(score("mse", s.reports), s.truth) for s in semesters]
        values.append(np.mean(found))
    assert values[0] > 0
    assert 2.2 < values[1] / values[0] < 3.8


def test_binary_effort_has_a_sensitivity_too() -> None:
    semester = simulate(Setting(100, 5, effort=BinaryEffort()), seed=1)
    assert sensitivity.measure(score("mse", semester.reports), semester.truth) > 0


@pytest.mark.parametrize(("share", "defined"), [(0.5, False), (2.0, True)])
def test_what_counts_as_noise_is_a_share_of_the_variation(share: float, defined: bool) -> None:
    """A thousand graders on a line, and alternating noise of a share of what is told from none."""
    effort = np.repeat(np.linspace(-1, 1, 500), 2)
    size = np.sqrt(share * MIN_NOISE_SHARE * (effort @ effort) / len(effort))
    pay = effort + size * np.tile([1.0, -1.0], 500)
    assert np.isfinite(slope_per_deviation(pay, effort)) == defined
