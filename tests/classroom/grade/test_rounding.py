"""Rounding to steps, in decimal arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.rounding import Rounding, as_text, printed
from peergauge.core.errors import ParameterError

NUMBERS = st.floats(-200, 200)
ROUNDINGS = st.builds(
    Rounding,
    st.sampled_from([None, 0.01, 0.1, 0.25, 0.3, 0.5, 1, 5]),
    st.sampled_from(["up", "even"]),
)


@pytest.mark.parametrize(
    ("number", "up", "even"),
    [(0.15, 0.2, 0.2), (0.25, 0.3, 0.2), (2.675, 2.7, 2.7), (-0.25, -0.2, -0.2), (1.005, 1.0, 1.0)],
)
def test_halves_are_halves_of_decimal_numbers(number: float, up: float, even: float) -> None:
    assert Rounding(0.1).of(number) == up
    assert Rounding(0.1, "even").of(number) == even


def test_binary_errors_do_not_decide_about_halves() -> None:
    # 1.005 is a little less than 1.005 in binary; people read 1.005.
    assert Rounding(0.01).of(1.005) == 1.01
    assert Rounding(0.5).of(0.1 + 0.15) == 0.5


@given(rounding=ROUNDINGS, one=NUMBERS, other=NUMBERS)
def test_rounding_keeps_the_order_and_moves_by_half_a_step(
    rounding: Rounding, one: float, other: float
) -> None:
    low, high = sorted([one, other])
    assert rounding.of(low) <= rounding.of(high)
    assert abs(rounding.of(one) - one) <= (rounding.step or 1e-4) / 2 + 1e-8
    assert rounding.of(rounding.of(one)) == rounding.of(one)


@given(rounding=ROUNDINGS, number=st.floats(1, 6))
def test_no_grade_leaves_the_scale(rounding: Rounding, number: float) -> None:
    assert 1 <= rounding.within(number, 1, 6) <= 6


@given(NUMBERS)
def test_a_printed_number_can_be_read_again(number: float) -> None:
    assert float(as_text(number).replace("−", "-")) == printed(number)


def test_nothing_stays_nothing() -> None:
    assert math.isnan(Rounding(1).of(math.nan))
    assert str(Rounding(0.5, "even")) == "rounded to steps of 0.5, halves to the even step"


@pytest.mark.parametrize("step", [0, -1, math.inf, math.nan])
def test_a_step_is_above_zero(step: float) -> None:
    with pytest.raises(ParameterError, match="a step above 0"):
        Rounding(step)


def test_halves_have_two_choices() -> None:
    with pytest.raises(ParameterError, match="up or even"):
        Rounding(1, "down")  # type: ignore[arg-type]


@given(
    rounding=ROUNDINGS,
    numbers=st.lists(
        st.one_of(
            st.floats(allow_infinity=False, width=64, min_value=-1e9, max_value=1e9),
            st.just(math.nan),
            # Halves of the last decimal, and their neighbours.
            st.builds(
                lambda half, off: (half + 0.5) * 1e-4 + off,
                st.integers(-(10**6), 10**6),
                st.sampled_from([0.0, 1e-12, -1e-12, 1e-9, -1e-9, 2e-7, -2e-7]),
            ),
        )
    ),
)
def test_many_numbers_are_rounded_as_one_is(rounding: Rounding, numbers: list[float]) -> None:
    one_by_one = np.array([rounding.of(one) for one in numbers], dtype=np.float64)
    found = rounding.of_all(np.array(numbers, dtype=np.float64))
    # Bits, because -0.0 would be printed.
    np.testing.assert_array_equal(found.view(np.int64), one_by_one.view(np.int64))
