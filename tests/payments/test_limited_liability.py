"""The threshold that uses a budget, by hand and by bisection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import ParameterError
from peergauge.payments import payments
from peergauge.payments.limited_liability import LimitedLiability, parts_above


def test_the_threshold_by_hand() -> None:
    # Above 3.5 lie 1.5 and 0.5; a price of 2 makes that 4.
    rule = LimitedLiability(slope=2.0, budget=4.0)
    assert rule.expected(np.array([1.0, 5.0, 4.0])).tolist() == [0, 3, 1]
    # A steeper price has a higher threshold and pays fewer graders.
    assert LimitedLiability(slope=8.0, budget=4.0).expected(np.array([1, 5.0, 4])).tolist() == [
        0, 4, 0,
    ]  # fmt: skip


def test_a_threshold_instead_of_a_budget() -> None:
    rule = payments.make("limited-liability:threshold=2,slope=3")
    assert rule.expected(np.array([1.0, 2.5, 4.0])).tolist() == [0, 1.5, 6]
    assert rule.budget_for(3) is None
    assert not rule.facts_here.relative


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=10), st.floats(0.01, 500))
def test_the_threshold_is_that_of_bisection(scores: list[float], total: float) -> None:
    score = np.array(scores)
    low, high = score.min() - total, score.max()
    for _ in range(100):
        middle = (low + high) / 2
        enough = np.maximum(score - middle, 0).sum() > total
        low, high = (middle, high) if enough else (low, middle)
    np.testing.assert_allclose(parts_above(score, total), np.maximum(score - low, 0), atol=1e-9)


def test_large_scores_lose_no_digits() -> None:
    paid = LimitedLiability(budget=1.0).expected(np.array([1e12, 1e12 + 1, 1e12 + 2]))
    assert paid.tolist() == [0, 0, 1]


def test_tiny_budgets_and_steep_prices_are_paid_in_full() -> None:
    paid = payments.make("limited-liability:budget=1e-10,slope=1e300").expected(np.array([1.0, 1]))
    np.testing.assert_allclose(paid, [5e-11, 5e-11])


def test_a_budget_and_a_threshold_are_refused() -> None:
    with pytest.raises(ParameterError, match="either a budget or a threshold"):
        payments.make("limited-liability:threshold=2,budget=4")
    for wrong in ("slope=0", "budget=0", "threshold=inf"):
        with pytest.raises(ParameterError):
            payments.make(f"limited-liability:{wrong}")
