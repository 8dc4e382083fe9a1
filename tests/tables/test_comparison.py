"""Comparisons of reports with references: the formula, its words, and rounding."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import TableError
from peergauge.tables import Comparison


def test_rewards_are_the_declared_function_of_the_distance() -> None:
    judged, reference = np.array([8.0, 5.0, 6.0]), np.array([7.5, 7.0, np.nan])
    squared = Comparison(judged, reference, "the mean")
    assert squared.difference[:2].tolist() == [0.5, -2.0]
    np.testing.assert_array_equal(squared.reward, [-0.25, -4.0, np.nan])
    linear = Comparison(judged, reference, "the median", highest=1.0, cost=0.1, power=1)
    np.testing.assert_allclose(linear.reward, [0.95, 0.8, np.nan])


@pytest.mark.parametrize(
    ("highest", "cost", "power", "words"),
    [
        (0.0, 1.0, 2, "minus the square of the difference"),
        (10.0, 1.0, 1, "10 minus the difference without its sign"),
        (1.0, 0.1, 1, "1 minus the difference without its sign divided by 10"),
        (0.0, 2.5, 2, "minus the square of the difference times 2.5"),
    ],
)
def test_the_formula_is_told_in_words(highest: float, cost: float, power: int, words: str) -> None:
    one = np.array([1.0])
    made = Comparison(one, one, "x", highest, cost, power)
    assert made.formula == words
    assert made.is_squared_distance == (words == "minus the square of the difference")


def test_a_deduction_is_no_distance() -> None:
    one = np.array([1.0])
    made = Comparison(one, one, "x", deduction_words="because of that")
    assert not made.is_squared_distance


def test_rounding_keeps_the_formula() -> None:
    exact = Comparison(np.array([7.25]), np.array([6.66666]), "x", highest=10.0, power=1)
    rounded = exact.rounded(2)
    assert rounded.reference.tolist() == [6.67]
    assert rounded.reward.tolist() == pytest.approx([9.42])
    frame = rounded.to_polars()
    assert frame.columns == ["judged", "reference", "reward"]
    assert Comparison(np.array([1.0]), np.array([np.nan]), "x").to_polars()["reward"][0] is None


def test_columns_are_read_only_and_of_one_length() -> None:
    made = Comparison(np.array([1.0]), np.array([2.0]), "x")
    assert not made.reference.flags.writeable
    with pytest.raises(TableError, match="one reference for each report"):
        Comparison(np.array([1.0]), np.array([2.0, 3.0]), "x")
    with pytest.raises(TableError, match="1 or 2, not 3"):
        Comparison(np.array([1.0]), np.array([2.0]), "x", power=3)
