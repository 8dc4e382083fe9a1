"""Pool: friends report the mean of what they saw."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import simulate, strategies
from peergauge.simulate.strategies import circles


def test_friends_report_the_mean_of_their_signals() -> None:
    semester = simulate(students=12, assignments=6, graders=4, seed=3)
    grade = semester.redone(np.arange(12), "pool")
    design, circle = semester.design, circles(12, 4, 3)
    shared = 0
    for row in range(len(grade)):
        same = design.submission == design.submission[row]
        friends = same & (circle[design.grader] == circle[design.grader[row]])
        mean = semester.signal[friends].mean()
        assert abs(grade[row] - mean) <= 0.5
        shared += friends.sum() > 1
    assert shared > 50


def test_everybody_is_in_one_circle_and_circles_follow_from_the_seed() -> None:
    circle = circles(10, 4, 7)
    assert np.bincount(circle).tolist() == [4, 4, 2]
    assert np.array_equal(circle, circles(10, 4, 7))
    assert not np.array_equal(circle, circles(10, 4, 8))


def test_it_says_what_to_do() -> None:
    assert strategies.make("pool:friends=3").in_words() == (
        "In a circle of 3 friends: report the mean of what all of you saw on submissions that "
        "several of you grade"
    )


def test_nobody_is_their_own_circle() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        strategies.make("pool:friends=1")
