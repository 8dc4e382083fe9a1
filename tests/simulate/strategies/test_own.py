"""Means and variances of a grader's own signals."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.simulate.strategies import Situation
from peergauge.simulate.strategies.own import own_signals
from tests.simulate.strategies.situations import situation


def two_graders() -> Situation:
    """Grader 0 sees 8, then 9 and 13 (one review not done); grader 1 sees 5, then 6."""
    return situation(
        [8, 5, 9, 13, 6, np.nan],
        grader=np.array([0, 1, 0, 0, 1, 0], dtype=np.int32),
        assignment=np.array([0, 0, 1, 1, 1, 1], dtype=np.int32),
    )


def test_signals_up_to_the_current_assignment_are_used() -> None:
    own = own_signals(two_graders(), "so-far")
    assert own.count.tolist() == [1, 1, 3, 3, 2, 3]
    assert own.mean == pytest.approx([8, 5, 10, 10, 5.5, 10])
    assert own.variance == pytest.approx([0, 0, 7, 7, 0.5, 7])
    # The expected score is 7.
    assert own.above == pytest.approx([1, -2, 9, 9, -3, 9])


def test_all_signals_of_the_semester_are_used() -> None:
    own = own_signals(two_graders(), "all")
    assert own.mean == pytest.approx([10, 5.5, 10, 10, 5.5, 10])


def test_before_the_first_assignment_the_expected_score_is_the_mean() -> None:
    own = own_signals(two_graders(), "before")
    assert own.count.tolist() == [0, 0, 1, 1, 1, 1]
    assert own.mean == pytest.approx([7, 7, 8, 8, 5, 8])
