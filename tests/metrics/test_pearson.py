from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr

from peergauge.core.arrays import Floats
from peergauge.metrics.pearson import Pearson
from tests.metrics.classes import columns, few, grades, inf, nan, paid, uneven

pearson = Pearson()
people = columns(few, grades)


def test_it_is_the_covariance_over_both_deviations() -> None:
    # Rewards 3, 0, 0 lie 2, -1, -1 from their mean; accuracies 0, -1, -4 lie 5, 2, -7 thirds from
    # theirs: the products sum to 15/3, the squares to 6 and 78/9.
    expected = 5 / np.sqrt(6 * 78 / 9)
    assert pearson.measure(*paid([3, 0, 0], [0, 1, 2])) == pytest.approx(expected)


def test_rewards_that_fall_linearly_with_the_error_are_perfect() -> None:
    assert pearson.measure(*paid([9, 8, 5, 0], [0, 1, 2, 3])) == pytest.approx(1)


@pytest.mark.parametrize(
    ("totals", "grade"),
    [
        ([1, 2, 3], [1, 1, 1]),
        ([1, 1, 1], [0, 1, 2]),
        pytest.param([0.1, 0.1, 0.1], [0, 1, 2]),
        ([nan, nan], [0, 1]),
        ([1, nan], [0, 1]),
        ([1, 2, inf], [0, 1, 2]),
        ([1, 2, -inf], [0, 1, 2]),
    ],
)
def test_it_is_not_defined_without_finite_variation(
    totals: list[float], grade: list[float]
) -> None:
    assert np.isnan(pearson.measure(*paid(totals, grade)))


def test_it_is_not_defined_without_true_scores() -> None:
    assert np.isnan(pearson.measure(*paid([1, 2], [0, 1], scores=nan)))


def test_graders_without_reward_are_left_out() -> None:
    assert pearson.measure(*paid([2, nan, 1, nan], [0, 9, 1, 0])) == pytest.approx(1)


def test_per_report_means_are_compared() -> None:
    assert pearson.measure(*uneven()) == pytest.approx(1)
    assert Pearson(per="report").measure(*uneven()) == pytest.approx(-1)


def test_int64_makes_infinite_rewards_finite_and_missing_ones_zero() -> None:
    # -2⁶³ for the largest error and next to nothing for the others, whose accuracies are 0 and -1.
    drawn = paid([nan, 1, -inf], [0, 1, 2])
    expected = pearsonr([0, 0, -1], [0, -1, -4]).statistic
    assert Pearson(int64=True).measure(*drawn) == pytest.approx(expected)


@given(people)
def test_it_agrees_with_scipy(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    assume(np.ptp(totals) > 0 and np.ptp(grade) > 0)
    expected = pearsonr(totals, -(grade**2)).statistic
    assert pearson.measure(*paid(totals, grade)) == pytest.approx(expected, abs=1e-12)


@given(people, st.sampled_from([1e-9, 0.5, 7.0, 1e12]), st.integers(-9, 9))
def test_neither_unit_nor_origin_of_rewards_counts(
    drawn: tuple[Floats, Floats], unit: float, origin: int
) -> None:
    totals, grade = drawn
    assume(np.ptp(totals) > 0)
    same = pearson.measure(*paid(totals, grade))
    moved = pearson.measure(*paid(unit * (totals + origin), grade))
    assert moved == pytest.approx(same, abs=1e-9, nan_ok=True)


@given(people)
def test_negated_rewards_negate_it(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    negated = -pearson.measure(*paid(totals, grade))
    assert pearson.measure(*paid(-totals, grade)) == pytest.approx(negated, abs=1e-12, nan_ok=True)
