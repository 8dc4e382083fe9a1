"""Steer: exaggerate or hedge, depending on the spread of one's own earlier reports."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from tests.simulate.strategies.situations import situation


def test_the_factor_depends_on_the_spread_of_earlier_reports() -> None:
    # The expected score is 7. Grader 0 reports 3 and 10 at first, grader 1 reports 7 and 8.
    where = situation(
        [3, 10, 7, 8, 6, 9],
        grader=np.array([0, 0, 1, 1, 0, 1], dtype=np.int32),
        assignment=np.array([0, 0, 0, 0, 1, 1], dtype=np.int32),
    )
    found = strategies.make("steer:first=1,low=1.5,high=0.5,deviation=2").report(where)
    assert found == pytest.approx([3, 10, 7, 8, 6.5, 10])


def test_reports_count_as_they_are_given_on_the_scale() -> None:
    # Exaggerated, 10 would be 13, but nobody can report more than 10: 10 and 7, deviation 2.1.
    where = situation(
        [10, 7, 9],
        grader=np.zeros(3, dtype=np.int32),
        assignment=np.array([0, 0, 1], dtype=np.int32),
    )
    spec = "steer:first=2,low=1.5,high=0.5,deviation={}"
    assert strategies.make(spec.format(2.2)).report(where)[2] == pytest.approx(10)
    assert strategies.make(spec.format(2.1)).report(where)[2] == pytest.approx(8)


def test_it_says_what_to_do() -> None:
    assert strategies.make("steer").in_words() == (
        "Multiply distances from the expected grade by 0.7 at first, then by 1.2 if the standard "
        "deviation of your grades so far is below 1.6 points, and by 0.7 otherwise"
    )


@pytest.mark.parametrize("given", ["low=inf", "deviation=-1"])
def test_impossible_numbers_are_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="of steer"):
        strategies.make(f"steer:{given}")
