"""Whole parts of a whole number: by hand, and against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.apportion import whole_parts


@pytest.mark.parametrize(
    ("count", "shares", "parts"),
    [
        (10, [1, 1], [5, 5]),
        (10, [1, 1, 1], [4, 3, 3]),  # all remainders are 1/3, and the first wins
        (7, [0.5, 0.3, 0.2], [4, 2, 1]),  # 3.5, 2.1 and 1.4
        (3, [0, 1], [0, 3]),
        (0, [1, 2], [0, 0]),
        # 0.07 × 100 is 7.000000000000001 as a number: nothing is left to be shared out.
        (100, [0.07, 0.29, 0.64], [7, 29, 64]),
    ],
)
def test_parts_follow_the_largest_remainders(
    count: int, shares: list[float], parts: list[int]
) -> None:
    assert whole_parts(count, shares).tolist() == parts


@given(st.integers(0, 500), st.lists(st.integers(0, 20), min_size=1, max_size=8))
def test_parts_add_up_and_none_is_off_by_one_or_more(count: int, shares: list[int]) -> None:
    if not sum(shares):
        return
    parts = whole_parts(count, shares)
    assert parts.sum() == count
    assert (np.abs(parts - count * np.array(shares) / sum(shares)) < 1).all()
