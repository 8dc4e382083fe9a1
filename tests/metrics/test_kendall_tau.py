from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kendalltau, rankdata

from peergauge.core.arrays import Floats
from peergauge.metrics.kendall_tau import KendallTau
from tests.metrics.classes import columns, few, few_or_infinite, grades, inf, nan, paid, uneven

tau = KendallTau()
people = columns(few, grades)


def test_it_counts_pairs_in_the_same_order_less_those_in_the_opposite_one() -> None:
    # Rewards 2, 3, 1 for errors 0, 1, 4: two pairs as they should be, one not.
    assert tau.measure(*paid([2, 3, 1], [0, 1, 2])) == pytest.approx((2 - 1) / 3)


def test_ties_shrink_the_number_of_pairs_that_it_divides_by() -> None:
    # Rewards 2, 2, 1 for errors 0, 1, 4: two pairs in order; of three pairs, two differ in reward.
    assert tau.measure(*paid([2, 2, 1], [0, 1, 2])) == pytest.approx(2 / np.sqrt(2 * 3))


@pytest.mark.parametrize(
    ("totals", "grade"),
    [([1, 2, 3], [1, 1, 1]), ([1, 1, 1], [0, 1, 2]), ([nan, nan], [0, 1]), ([1, nan], [0, 1])],
    ids=["equal errors", "equal rewards", "nobody paid", "one paid"],
)
def test_it_is_not_defined_without_variation(totals: list[float], grade: list[float]) -> None:
    assert np.isnan(tau.measure(*paid(totals, grade)))


def test_it_is_not_defined_without_true_scores() -> None:
    assert np.isnan(tau.measure(*paid([1, 2], [0, 1], scores=nan)))


def test_graders_without_reward_are_left_out() -> None:
    assert tau.measure(*paid([2, nan, 1, nan], [0, 9, 1, 0])) == pytest.approx(1)


def test_per_report_means_are_compared() -> None:
    assert tau.measure(*uneven()) == pytest.approx(1)
    assert KendallTau(per="report").measure(*uneven()) == pytest.approx(-1)


def test_int64_takes_a_missing_reward_as_zero() -> None:
    drawn = paid([nan, -1], [0, 1])
    assert np.isnan(tau.measure(*drawn))
    assert KendallTau(int64=True).measure(*drawn) == pytest.approx(1)


def test_int64_ties_what_is_beyond_its_range() -> None:
    drawn = paid([inf, 1e300], [0, 1])
    assert tau.measure(*drawn) == pytest.approx(1)
    assert np.isnan(KendallTau(int64=True).measure(*drawn))


@given(columns(few_or_infinite, grades))
def test_it_agrees_with_scipy(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    expected = kendalltau(rankdata(totals), -(grade**2)).statistic
    assert tau.measure(*paid(totals, grade)) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(people)
def test_negated_rewards_negate_it(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    negated = -tau.measure(*paid(totals, grade))
    assert tau.measure(*paid(-totals, grade)) == pytest.approx(negated, nan_ok=True)


@given(people)
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    same = tau.measure(*paid(totals, grade))
    assert tau.measure(*paid(np.exp(totals), grade)) == pytest.approx(same, nan_ok=True)
