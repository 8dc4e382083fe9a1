"""Shares of a budget by hand."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError, TableError
from peergauge.payments import payments


def test_a_budget_is_divided_by_what_is_above_the_lowest_score() -> None:
    paid = payments.make("budget:total=80").expected(np.array([-3.0, -2.0, 0.0, np.nan]))
    np.testing.assert_allclose(paid, [0, 20, 60, np.nan])


def test_equal_scores_have_equal_shares() -> None:
    assert payments.make("budget:total=9").expected(np.full(3, 2.0)).tolist() == [3, 3, 3]


def test_nothing_is_paid_below_a_given_floor() -> None:
    rule = payments.make("budget:total=10,floor=2")
    assert rule.expected(np.array([1.0, 2.0])).tolist() == [0, 0]
    assert rule.expected(np.array([1.0, 3.0, 6.0])).tolist() == [0, 2, 8]
    assert rule.budget_for(3) is None
    assert not rule.facts_here.exact_budget


def test_one_very_low_score_makes_the_others_alike() -> None:
    paid = payments.make("budget:total=30").expected(np.array([-1e6, 1.0, 2.0, 3.0]))
    np.testing.assert_allclose(paid, [0, 10, 10, 10], atol=1e-4)


def test_what_cannot_be_divided_is_refused() -> None:
    with pytest.raises(TableError, match="tournament"):
        payments.make("budget").expected(np.array([1.0, np.inf]))
    for wrong in ("total=0", "total=inf", "floor=inf"):
        with pytest.raises(ParameterError):
            payments.make(f"budget:{wrong}")
