"""Points out of 10 on any scale, and how they are written."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies.points import (
    as_listed,
    centre_of,
    enumerated,
    finite,
    from_points,
    listed,
    named_centre,
    share_in_words,
    to_points,
)
from peergauge.tables import Scale
from tests.simulate.strategies.situations import situation


def test_grades_become_points_out_of_ten_and_back() -> None:
    scale = Scale(1, 6, 0.5)
    assert_array_equal(to_points(np.array([1.0, 3.5, 6.0]), scale), [0, 5, 10])
    assert_array_equal(from_points(np.array([0.0, 5.0, 10.0]), scale), [1, 3.5, 6])


def test_points_are_free_of_rounding_errors() -> None:
    # 0.3 / 0.1 is 2.9999999999999996.
    assert to_points(np.array([0.3]), Scale(0, 1, 0.1))[0] == 3


def test_a_list_of_points_is_read_and_written() -> None:
    assert listed("1-4-7.5-10", "steps") == (1, 4, 7.5, 10)
    assert as_listed((1.0, 4.0, 7.5, 10.0)) == "1-4-7.5-10"


@pytest.mark.parametrize("text", ["", "1--4", "1-x", "1-11", "nan"])
def test_a_list_with_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=rf"The steps is a list .* but is '{text}'"):
        listed(text, "steps")


def test_points_are_enumerated_as_in_a_sentence() -> None:
    assert enumerated((1.0, 4.0, 7.5)) == "1, 4 and 7.5"
    assert enumerated((3.0,)) == "3"


def test_a_centre_is_a_grade_or_what_is_expected() -> None:
    seen = situation([4.0, 8.0])
    assert centre_of(None, seen) == seen.prior_mean
    assert centre_of(5.0, seen) == 5.0
    assert (named_centre(None), named_centre(2.5)) == ("the expected grade", "2.5")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused(value: float) -> None:
    with pytest.raises(ParameterError, match="The shift is a finite number"):
        finite(value, "shift")


def test_common_shares_have_words() -> None:
    # Three tenths as a sum is not quite 0.3.
    assert share_in_words(0.1 + 0.2) == "three tenths"
    assert share_in_words(0.123) == "12.3 %"
