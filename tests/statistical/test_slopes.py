"""The estimator of slopes behind the benchmark of real classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.slopes import (
    Class,
    Model,
    Pairs,
    corrected,
    estimate,
    groups_of_graders,
    peer_reference,
    truncated_variance,
)
from peergauge.core.randomness import stream

GRADERS, LOAD = 400, 6


def like(seed: int = 1) -> Class:
    """A class of 400 submissions with six random graders each, on 0..10 with fine steps."""
    rng = np.random.default_rng(seed)
    submission = np.repeat(np.arange(GRADERS, dtype=np.int32), LOAD)
    shift = rng.choice(np.arange(1, GRADERS), LOAD, replace=False)
    grader = ((submission + np.tile(shift, GRADERS)) % GRADERS).astype(np.int32)
    staff = np.clip(rng.normal(5, 1.5, GRADERS), 0, 10)
    return Class("x", "X", submission, grader, np.zeros(len(grader)), staff, 0.0, 10.0, 0.01)


def test_pairs_are_those_of_the_same_grader_with_a_reference() -> None:
    grader = np.array([1, 0, 1, 1, 0], dtype=np.int32)
    pairs = Pairs.of(grader, np.array([True, True, False, True, True]))
    found = set(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    assert found == {(1, 4), (0, 3)}
    assert pairs.reports.tolist() == [2, 2]


def test_the_reference_by_peers_leaves_out_the_own_grade() -> None:
    submission = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32)
    grade = np.array([2.0, 4.0, 6.0, 8.0, 8.0, 9.0])
    found = peer_reference(submission, grade)
    # Of the first submission: the others have means 5, 4 and 3, shrunk towards the class mean.
    assert found[0] > found[1] > found[2]
    assert found[3] == found[4]
    assert np.isnan(found[5])


def test_closed_groups_are_found() -> None:
    submission = np.array([0, 0, 1, 2, 2], dtype=np.int32)
    grader = np.array([0, 1, 1, 2, 3], dtype=np.int32)
    group = groups_of_graders(submission, grader)
    assert group[0] == group[1]
    assert group[2] == group[3] != group[0]


def test_the_variance_of_truncated_slopes_is_that_of_their_draws() -> None:
    # A million draws: the standard error of the variance is 0.0005 for s = 0.5.
    slope = np.maximum(0, 1 + 0.5 * np.random.default_rng(2).standard_normal(10**6))
    assert truncated_variance(0.5) == pytest.approx(slope.var() / slope.mean() ** 2, abs=0.003)
    assert truncated_variance(0.1) == pytest.approx(0.01, rel=1e-3)
    assert truncated_variance(0) == 0


@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["staff", "peers"])
@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("slopes", [0.0, 0.4])
def test_the_variance_of_slopes_is_recovered(kind: str, whole: bool, slopes: float) -> None:
    # Claim: the mean estimate over 12 classes is the true value, although the reference by peers is
    # attenuated and a third of the errors is shared. Standard errors are computed from the classes
    # themselves; four of them are allowed, and 0.01 for rounding, shrinkage and the scale's ends.
    model = Model(slopes, 0.7, 0.8, 0.5, whole, 5.0, 1.5)
    shape = like()
    values, noise, biases = [], [], []
    for number in range(12):
        rng = stream(3, "slopes", number)
        found = estimate(model.draw(shape, rng), kind, 0, rng)
        values.append(found.slope_variance)
        noise.append(found.noise_covariance)
        biases.append(found.bias_variance)
    error = 4 * np.std(values, ddof=1) / np.sqrt(12) + 0.01
    assert np.mean(values) == pytest.approx(truncated_variance(slopes), abs=error)
    # Biases of whole signals are multiplied by slopes: E[k²] 0.7² = 0.57 for slopes of 0.4.
    error = 4 * np.std(biases, ddof=1) / np.sqrt(12) + 0.02
    assert np.mean(biases) == pytest.approx(0.49 * (1 + slopes**2 * whole), abs=error)
    if slopes and whole:
        assert np.mean(noise) > 0.05
    elif not slopes:
        error = 4 * np.std(noise, ddof=1) / np.sqrt(12) + 0.01
        assert np.mean(noise) == pytest.approx(0, abs=error)


@pytest.mark.statistical
def test_intervals_contain_the_true_value_about_as_often_as_they_say() -> None:
    # Claim: 95 % of the bootstrap intervals. Of 60, at least 51 do unless coverage is below 90 %
    # or so (a binomial with 0.95 has fewer than 51 with probability 0.0004).
    model, shape, inside = Model(0.3, 0.7, 0.8, 0.5, False, 5.0, 1.5), like(), 0
    for number in range(60):
        rng = stream(4, "slopes", number)
        low, high = estimate(model.draw(shape, rng), "staff", 200, rng).interval(0)
        inside += low <= truncated_variance(0.3) <= high
    assert inside >= 51


def test_differences_in_noise_are_not_taken_for_slopes() -> None:
    # Claim: noise that grows with the distance from the mean, which a model of variances alone
    # would take for slopes, does not. Slopes are 1; the estimate is within 0.03 of 0, which is four
    # standard errors of a class of 2400 reports with 15 pairs for each of 400 graders.
    shape = like()
    rng = np.random.default_rng(5)
    true = shape.staff[shape.submission]
    noise = (0.3 + 0.6 * np.abs(true - 5)) * rng.standard_normal(len(true))
    found = estimate(replace(shape, grade=true + noise), "staff", 0, rng)
    assert found.slope_variance == pytest.approx(0, abs=0.03)


def test_a_corrected_value_is_the_true_one_with_the_same_estimate() -> None:
    from benchmarks.slopes import Check

    model = Model(0, 0, 0, 0, False, 0, 0)
    checks = [
        Check(model, t, v, 0, 0, 0, 0, 0) for t, v in ((0.0, 0.05), (0.04, 0.09), (0.16, 0.2))
    ]
    assert corrected(0.09, checks) == pytest.approx(0.2)
    assert corrected(0.0, checks) == 0
    assert corrected(1.0, checks) == pytest.approx(0.4)
