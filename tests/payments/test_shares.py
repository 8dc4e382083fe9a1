"""Ties and shares, also among numbers that computers round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.payments.shares import places, shares_above

SCORES = st.lists(st.integers(-5, 5).map(float) | st.sampled_from([np.inf, -np.inf]), min_size=1)


@given(SCORES)
def test_places_are_those_of_counting(scores: list[float]) -> None:
    first, last = places(np.array(scores))
    assert first.tolist() == [sum(other > own for other in scores) for own in scores]
    assert last.tolist() == [sum(other >= own for other in scores) - 1 for own in scores]


def test_rounding_errors_break_no_tie() -> None:
    first, _ = places(np.array([0.1 + 0.2, 0.3, 0.3 - 1e-6]))
    assert first.tolist() == [0, 0, 2]
    # Tied scores keep equal shares, instead of everything for a rounding error.
    assert shares_above(np.array([0.1 + 0.2, 0.3]), None).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e300])
def test_shares_do_not_depend_on_the_unit(size: float) -> None:
    np.testing.assert_allclose(
        shares_above(size * np.array([-1.0, 0.0, 1.0]), None), [0, 1 / 3, 2 / 3]
    )


def test_nobody_has_a_share_below_the_floor() -> None:
    assert shares_above(np.array([1.0, 2.0, 5.0]), 2.0).tolist() == [0, 0, 1]
    assert shares_above(np.array([1.0, 2.0]), 2.0).tolist() == [0, 0]
