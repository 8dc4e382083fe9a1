"""Mixtures, whole students, and what became of a class."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from peergauge.core.apportion import whole_parts
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning import MIXED_FATE, MOVING_FATE, at_least, fate, head_counts, learn
from peergauge.lab.learning.dynamics.replicator import Replicator

WEIGHTS = st.lists(st.floats(0, 1), min_size=2, max_size=7).filter(lambda given: sum(given) > 0.1)


def test_a_share_of_one_student_is_left_to_everything() -> None:
    assert_allclose(at_least(np.array([1.0, 0.0, 0.0]), 0.1), [0.8, 0.1, 0.1])
    # What has enough already stays as it is.
    assert_allclose(at_least(np.array([0.5, 0.4, 0.1]), 0.1), [0.5, 0.4, 0.1])
    with pytest.raises(ParameterError, match="3 strategies cannot all have a share"):
        at_least(np.array([0.5, 0.4, 0.1]), 0.5)


def test_whole_students_by_hand() -> None:
    assert whole_parts(10, [1, 1, 1]).tolist() == [4, 3, 3]
    assert whole_parts(10, [0.75, 0.25]).tolist() == [8, 2]
    assert head_counts(np.array([1.0, 0.0, 0.0]), 10).tolist() == [8, 1, 1]
    assert head_counts(np.array([0.26, 0.34, 0.4]), 100).tolist() == [26, 34, 40]


@given(WEIGHTS, st.integers(8, 300))
def test_students_are_whole_all_there_and_near_their_shares(
    weights: list[float], students: int
) -> None:
    mixture = np.array(weights) / np.sum(weights)
    counts = head_counts(mixture, students)
    assert counts.sum() == students
    assert counts.min() >= 1
    # Each loses at most one student by rounding, and at most what the others are lifted by.
    lifted = np.maximum(1 - students * mixture, 0).sum()
    assert np.abs(counts - students * mixture).max() <= 1 + lifted + 1e-9


@given(WEIGHTS, st.floats(0.0, 0.14))
def test_a_mixture_with_something_of_everything_is_one(weights: list[float], least: float) -> None:
    mixture = at_least(np.array(weights) / np.sum(weights), least)
    assert mixture.sum() == pytest.approx(1)
    assert mixture.min() >= least - 1e-12


def test_what_was_given_up_comes_back_if_it_pays() -> None:
    def fitness(_: Floats, time: int) -> Floats:
        return np.array([0.6, 0.4] if time < 50 else [0.4, 0.6])

    without = learn(Replicator(), fitness, np.array([1.0, 0.0]), 100)
    tried = learn(Replicator(), fitness, np.array([1.0, 0.0]), 100, least=0.01)
    assert without[-1, 0] == 1
    assert tried[50, 0] > 0.98
    assert tried[-1, 0] < 0.02


def test_a_class_that_stays_is_left_alone() -> None:
    asked: list[int] = []

    def fitness(_: Floats, time: int) -> Floats:
        asked.append(time)
        return np.array([0.6, 0.4])

    path = learn(Replicator(), fitness, np.array([0.9, 0.1]), 100, least=0.01, patience=5)
    assert len(path) == 101
    assert len(asked) < 30
    assert_allclose(path[-1], path[len(asked)])
    # The last five that were asked for are at the corner already.
    assert path[len(asked) - 4 :, 0].min() >= 0.98 * 0.99


def test_fates() -> None:
    names = ["truthful", "hedge"]
    half, most = np.array([0.5, 0.5]), np.array([0.15, 0.85])
    assert fate(names, half, most) == "hedge"
    assert fate(names, half, half) == MIXED_FATE
    assert fate(names, np.array([0.7, 0.3]), half) == MOVING_FATE
