from __future__ import annotations

from statistics import variance

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from peergauge.core.errors import NeedsTruthError
from peergauge.metrics.tau_variance import TauVariance
from peergauge.tables import Rewards, Truth
from tests.metrics.classes import few, nan, paid

tau_variance = TauVariance()
EFFORT = [1.0, 2.0, 3.0]


def repeat(*totals: float) -> tuple[Rewards, Truth]:
    return paid(totals, np.zeros(3), effort=np.array(EFFORT))


def test_it_is_the_sample_variance_over_repeats() -> None:
    # τ is 1, -1/3 and 1/3, with mean 1/3: squared distances 4/9 + 4/9 + 0, over 3 - 1.
    repeats = [repeat(1, 2, 3), repeat(2, 3, 1), repeat(1, 3, 2)]
    assert tau_variance.measure(repeats) == pytest.approx(4 / 9)


def test_repeats_that_all_rank_alike_do_not_vary() -> None:
    assert tau_variance.measure([repeat(1, 3, 2), repeat(0, 9, 5)]) == 0.0


@pytest.mark.parametrize("repeats", [[], [repeat(1, 2, 3)]], ids=["none", "one"])
def test_it_needs_two_repeats(repeats: list[tuple[Rewards, Truth]]) -> None:
    assert np.isnan(tau_variance.measure(repeats))


def test_repeats_in_which_the_ranking_is_not_defined_are_left_out() -> None:
    repeats = [repeat(1, 2, 3), repeat(1, 1, 1), repeat(nan, nan, nan), repeat(3, 2, 1)]
    # τ is 1 and -1.
    assert tau_variance.measure(repeats) == pytest.approx(2)


def test_it_is_refused_where_effort_is_not_known() -> None:
    with pytest.raises(NeedsTruthError, match="'effort' of every grader"):
        tau_variance.measure([paid([1, 2], [0, 0]), paid([2, 1], [0, 0])])


def test_int64_takes_a_missing_reward_as_zero() -> None:
    # Without the unpaid one τ is 1 twice; with 0 in its place it is 1 and 1/3.
    repeats = [repeat(1, 2, 3), repeat(1, nan, 3)]
    assert tau_variance.measure(repeats) == pytest.approx(0)
    assert TauVariance(int64=True).measure(repeats) == pytest.approx(variance([1, 1 / 3]))


def test_two_opposite_rankings_are_within_its_range() -> None:
    measured = tau_variance.measure([repeat(1, 2, 3), repeat(3, 2, 1)])
    assert measured <= TauVariance.facts.highest


@given(st.lists(st.tuples(few, few, few), max_size=6))
def test_it_agrees_with_scipy(drawn: list[tuple[float, float, float]]) -> None:
    taus = [kendalltau(totals, EFFORT).statistic for totals in drawn]
    defined = [float(tau) for tau in taus if not np.isnan(tau)]
    assume(len(defined) > 1)
    measured = tau_variance.measure([repeat(*totals) for totals in drawn])
    assert measured == pytest.approx(variance(defined), abs=1e-12)
