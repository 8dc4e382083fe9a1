from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from sklearn.metrics import mean_squared_error

from peergauge.core.arrays import Floats
from peergauge.metrics.score_error import ScoreError
from peergauge.tables import Reports, Truth
from tests.metrics.classes import columns, few, inf, nan, paid

score_error = ScoreError()


def scored(scores: list[float] | Floats) -> tuple[Reports, Truth]:
    rewards, truth = paid([0.0], np.zeros((1, len(scores))), scores)
    return rewards.reports, truth


def test_it_is_the_mean_of_squared_distances() -> None:
    # Distances 1, 0 and 3: (1 + 0 + 9) / 3.
    assert score_error.measure(np.array([5.0, 6.0, 7.0]), *scored([4, 6, 10])) == 10 / 3


def test_submissions_without_a_true_score_are_left_out() -> None:
    assert score_error.measure(np.array([5.0, 6.0, 7.0]), *scored([4, nan, 10])) == 10 / 2


def test_it_is_not_defined_without_any_true_score() -> None:
    assert np.isnan(score_error.measure(np.array([5.0, 6.0]), *scored([nan, nan])))


def test_an_infinite_estimate_is_infinitely_wrong() -> None:
    assert score_error.measure(np.array([5.0, inf]), *scored([5, 6])) == inf


def test_a_truth_that_ends_early_is_unknown_from_there_on() -> None:
    reports, _ = scored([0, 0, 0])
    _, truth = scored([4, 4])
    assert score_error.measure(np.array([5.0, 5.0, 9.0]), reports, truth) == 1.0


@given(columns(few, few, least=1))
def test_it_agrees_with_scikit_learn(drawn: tuple[Floats, Floats]) -> None:
    estimates, scores = drawn
    expected = mean_squared_error(scores, estimates)
    assert score_error.measure(estimates, *scored(scores)) == pytest.approx(expected)


@given(columns(few, few, least=1))
def test_estimates_and_true_scores_may_swap(drawn: tuple[Floats, Floats]) -> None:
    one, other = drawn
    swapped = score_error.measure(other, *scored(one))
    assert score_error.measure(one, *scored(other)) == pytest.approx(swapped)
