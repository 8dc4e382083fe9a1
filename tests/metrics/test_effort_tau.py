from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import kendalltau, rankdata

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError
from peergauge.metrics.effort_tau import EffortTau
from peergauge.tables import Rewards, Truth
from tests.metrics.classes import columns, few, few_or_infinite, inf, nan, paid, uneven

effort_tau = EffortTau()
people = columns(few, few)


def working(totals: list[float] | Floats, effort: list[float] | Floats) -> tuple[Rewards, Truth]:
    return paid(totals, np.zeros(len(totals)), effort=np.array(effort, dtype=np.float64))


def test_it_counts_pairs_in_the_same_order_less_those_in_the_opposite_one() -> None:
    # Rewards 1, 3, 2 for efforts 0, 0.5, 2: two pairs as they should be, one not.
    assert effort_tau.measure(*working([1, 3, 2], [0, 0.5, 2])) == pytest.approx((2 - 1) / 3)


def test_ties_shrink_the_number_of_pairs_that_it_divides_by() -> None:
    # Efforts 1, 1, 3: two pairs in order; of three pairs, two differ in effort.
    assert effort_tau.measure(*working([1, 2, 3], [1, 1, 3])) == pytest.approx(2 / np.sqrt(3 * 2))


def test_it_is_refused_where_effort_is_not_known() -> None:
    with pytest.raises(NeedsTruthError, match="'effort' of every grader"):
        effort_tau.measure(*paid([1, 2], [0, 1]))


@pytest.mark.parametrize(
    ("totals", "effort"),
    [([1, 2, 3], [1, 1, 1]), ([1, 1, 1], [0, 1, 2]), ([nan, nan], [0, 1]), ([1, nan], [0, 1])],
    ids=["equal efforts", "equal rewards", "nobody paid", "one paid"],
)
def test_it_is_not_defined_without_variation(totals: list[float], effort: list[float]) -> None:
    assert np.isnan(effort_tau.measure(*working(totals, effort)))


def test_graders_without_reward_are_left_out() -> None:
    assert effort_tau.measure(*working([1, nan, 2], [1, 0, 2])) == pytest.approx(1)


def test_per_report_means_are_compared() -> None:
    drawn = uneven(effort=np.array([2.0, 1.0]))
    assert effort_tau.measure(*drawn) == pytest.approx(1)
    assert EffortTau(per="report").measure(*drawn) == pytest.approx(-1)


def test_int64_takes_a_missing_reward_as_zero() -> None:
    drawn = working([nan, -1], [2, 1])
    assert np.isnan(effort_tau.measure(*drawn))
    assert EffortTau(int64=True).measure(*drawn) == pytest.approx(1)


def test_int64_ties_what_is_beyond_its_range() -> None:
    drawn = working([inf, 1e300], [2, 1])
    assert effort_tau.measure(*drawn) == pytest.approx(1)
    assert np.isnan(EffortTau(int64=True).measure(*drawn))


def test_a_file_may_give_effort_in_whole_numbers() -> None:
    rewards, _ = paid([1, 3], [0, 0])
    graders = {"grader": [0, 1], "effort": [1, 3]}
    truth = Truth.from_frame({"submission": [0], "score": [0.0]}, graders)
    assert effort_tau.measure(rewards, truth) == pytest.approx(1)


@given(columns(few_or_infinite, few))
def test_it_agrees_with_scipy(drawn: tuple[Floats, Floats]) -> None:
    totals, effort = drawn
    expected = kendalltau(rankdata(totals), effort).statistic
    measured = effort_tau.measure(*working(totals, effort))
    assert measured == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(people)
def test_negated_rewards_negate_it(drawn: tuple[Floats, Floats]) -> None:
    totals, effort = drawn
    negated = -effort_tau.measure(*working(totals, effort))
    assert effort_tau.measure(*working(-totals, effort)) == pytest.approx(negated, nan_ok=True)


@given(people)
def test_only_the_order_of_rewards_and_of_efforts_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, effort = drawn
    same = effort_tau.measure(*working(totals, effort))
    mapped = effort_tau.measure(*working(np.exp(totals), effort**3))
    assert mapped == pytest.approx(same, nan_ok=True)
