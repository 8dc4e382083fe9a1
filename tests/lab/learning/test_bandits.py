"""Students who learn alone: a step by hand, the bound of EXP3, and what they cannot know."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.bandits import ExponentialBandit


def test_probabilities_by_hand() -> None:
    bandit = ExponentialBandit(10, exploration=0.2)
    assert_allclose(bandit.probabilities(np.log([[3.0, 1.0]])), [[0.7, 0.3]])


def test_a_semester_by_hand() -> None:
    # A choice of probability 1/2 that is paid 1 grows by e^(0.5 · 1 / (0.5 · 2)).
    bandit = ExponentialBandit(1, exploration=0.5)
    found = bandit.learn(lambda who, _: np.ones(len(who)), np.array([0.5, 0.5]), 1, seed=3)
    odds = np.exp(0.5)
    chosen = 0.5 * odds / (1 + odds) + 0.25
    assert found.path[1, found.choice[0, 0]] == pytest.approx(chosen)


@pytest.mark.statistical
def test_the_regret_of_students_is_within_the_bound() -> None:
    """Mean regret of 200 students with payoffs 0.2, 0.5 and 0.8 over 400 semesters.

    The bound is 2 √(e - 1) √(T K ln K) = 95 of at most 240; the standard error of the mean over
    students is below 2, so that the inequality does not hang on luck.
    """
    mean = np.array([0.2, 0.5, 0.8])

    def payoff(who: NDArray[np.int64], semester: int) -> Floats:
        drawn = np.random.default_rng([semester, 5]).random(len(who))
        return (drawn < mean[who]).astype(np.float64)

    found = ExponentialBandit(400).learn(payoff, np.full(3, 1 / 3), 200, seed=1)
    regret = (0.8 - mean[found.choice]).sum(axis=0).mean()
    assert 0 < regret < 2 * np.sqrt((np.e - 1) * 400 * 3 * np.log(3))
    assert found.path[-1, 2] > 0.5


def test_who_is_not_paid_learns_nothing() -> None:
    found = ExponentialBandit(20).learn(
        lambda who, _: np.full(len(who), np.nan), np.array([0.7, 0.3]), 5, seed=1
    )
    assert_allclose(found.path, np.tile(found.path[0], (21, 1)))


def test_the_same_seed_gives_the_same_class() -> None:
    first, again, other = (
        ExponentialBandit(30).learn(lambda who, _: who / 2, np.full(3, 1 / 3), 6, seed)
        for seed in (1, 1, 2)
    )
    assert np.array_equal(first.path, again.path)
    assert not np.array_equal(first.path, other.path)


def test_learners_that_cannot_be_are_refused() -> None:
    for wrong in (0.0, 1.5):
        with pytest.raises(ParameterError, match="exploring choices"):
            ExponentialBandit(10, wrong)
    with pytest.raises(ParameterError, match="at least one semester"):
        ExponentialBandit(0)
