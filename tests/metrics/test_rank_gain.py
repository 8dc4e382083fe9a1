from __future__ import annotations

import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.arrays import Floats
from peergauge.metrics.rank_gain import RankGain, rank, summarise
from peergauge.tables import Rewards
from tests.metrics.classes import columns, few, few_or_infinite, inf, nan, paid

rank_gain = RankGain()


def rewards(totals: list[float] | Floats) -> Rewards:
    return paid(totals, np.zeros(len(totals)))[0]


def test_falling_from_the_5th_to_the_10th_payment_is_a_gain_of_minus_5() -> None:
    before = rewards([*range(100, 90, -1)])
    after = rewards([100, 99, 98, 97, 0, 95, 94, 93, 92, 91])
    assert rank_gain.measure(before, after, 4) == -5.0


def test_a_rank_counts_payments_greater_than_or_equal_to_ones_own() -> None:
    totals = np.array([5.0, 3.0, 3.0, 1.0])
    assert [rank(totals, grader) for grader in range(4)] == [1, 3, 3, 4]


def test_breaking_away_from_a_tie_is_a_gain() -> None:
    # All three have rank 3 before; the deviator is alone in front after.
    assert rank_gain.measure(rewards([1, 1, 1]), rewards([1, 2, 1]), 1) == 2.0


@pytest.mark.parametrize(("before", "after"), [([nan, 1], [1, 1]), ([1, 1], [nan, 1])])
def test_it_is_not_defined_for_a_grader_who_is_not_paid(
    before: list[float], after: list[float]
) -> None:
    assert np.isnan(rank_gain.measure(rewards(before), rewards(after), 0))


def test_who_is_not_paid_may_come_first() -> None:
    first = RankGain(unpaid="first")
    # Third of three before; no payment is at least as large as none, so the rank after is 0.
    assert first.measure(rewards([1, 2, 3]), rewards([nan, 2, 3]), 0) == 3.0
    assert first.measure(rewards([nan, 2, 3]), rewards([nan, 2, 3]), 0) == 0.0


def test_others_who_are_not_paid_have_no_rank() -> None:
    assert rank_gain.measure(rewards([1, 2, 3]), rewards([1, nan, 3]), 0) == 1.0


def test_infinite_payments_rank_first_and_last() -> None:
    assert rank_gain.measure(rewards([-inf, 0, inf]), rewards([inf, 0, inf]), 0) == 1.0


@given(columns(few_or_infinite, few_or_infinite, least=1), st.data())
def test_deviating_and_returning_cancel(drawn: tuple[Floats, Floats], data: st.DataObject) -> None:
    before, after = map(rewards, drawn)
    grader = data.draw(st.integers(0, len(drawn[0]) - 1))
    back = rank_gain.measure(after, before, grader)
    assert rank_gain.measure(before, after, grader) == -back


@given(columns(few, few, least=1))
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    before, after = drawn
    same = rank_gain.measure(rewards(before), rewards(after), 0)
    assert rank_gain.measure(rewards(np.exp(before)), rewards(3 * after - 7), 0) == same


@given(columns(few, few, least=1))
def test_nobody_gains_more_ranks_than_there_are_others(drawn: tuple[Floats, Floats]) -> None:
    before, after = map(rewards, drawn)
    gain = rank_gain.measure(before, after, 0)
    assert abs(gain) < len(drawn[0])


# --- many deviations


@given(columns(few))
def test_a_summary_has_the_mean_the_median_and_the_sample_variance(drawn: tuple[Floats]) -> None:
    gains = drawn[0].tolist()
    mean, median, n = statistics.mean(gains), statistics.median(gains), len(gains)
    expected = (mean, median, statistics.variance(gains), n)
    assert summarise([nan, *gains, nan]) == pytest.approx(expected)


def test_one_gain_has_no_variance() -> None:
    assert summarise([nan, 3.0]) == pytest.approx((3.0, 3.0, nan, 1), nan_ok=True)


def test_no_gains_have_no_summary() -> None:
    assert summarise([nan]) == pytest.approx((nan, nan, nan, 0), nan_ok=True)
