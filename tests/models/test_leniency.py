"""Leniency by restricted maximum likelihood: closed cases, a plain version, and its limits."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.models import leniency as module
from peergauge.models.leniency import (
    RATIO_GRID,
    Leniency,
    LeniencyPrior,
    estimate_leniency,
    neighbours,
)
from peergauge.simulate import NormalBias, Setting, simulate


def of(
    grade: Floats,
    s: NDArray[np.integer],
    k: NDArray[np.integer],
    prior: LeniencyPrior | None = None,
    anchor: Floats | None = None,
) -> Leniency:
    submissions = int(s.max()) + 1
    return estimate_leniency(
        np.asarray(grade, dtype=np.float64),
        s,
        k,
        np.full(submissions, np.nan) if anchor is None else anchor,
        prior or LeniencyPrior.unknown(int(k.max()) + 1),
        widest=10.0,
    )


def class_of(seed: int, **setting: object) -> tuple[Floats, NDArray[np.int64], NDArray[np.int64]]:
    reports = simulate(Setting(students=40, assignments=1, **setting), seed).reports  # type: ignore[arg-type]
    return reports.grade, reports.submission.astype(np.int64), reports.grader.astype(np.int64)


def by_dense_covariance(
    grade: Floats, s: NDArray[np.int64], k: NDArray[np.int64]
) -> tuple[Floats, Floats]:
    """The same estimates from the marginal distribution of contrasts, by dense matrices.

    An orthonormal basis of the contrasts inside submissions turns the grades into numbers with the
    covariance matrix I + r Z Z'; nothing of the fast formulas is used.
    """
    n, graders = len(grade), int(k.max()) + 1
    x = (s[:, None] == np.unique(s)).astype(np.float64)
    z = (k[:, None] == np.arange(graders)).astype(np.float64)
    basis = np.linalg.svd(x, full_matrices=True)[0][:, x.shape[1] :]
    y, design = basis.T @ grade, basis.T @ z
    logs, means = [], []
    for ratio in RATIO_GRID:
        covariance = np.eye(n - x.shape[1]) + ratio * design @ design.T
        inverse = np.linalg.inv(covariance)
        squares = y @ inverse @ y
        logs.append(-0.5 * np.linalg.slogdet(covariance)[1] - len(y) / 2 * np.log(squares))
        means.append(ratio * design.T @ inverse @ y)
    prior = LeniencyPrior.unknown(graders).evidence
    odds = prior * np.exp(np.array(logs) - max(logs))
    odds /= odds.sum()
    return odds @ np.array(means), odds


@pytest.mark.parametrize("seed", range(3))
def test_the_fast_formulas_are_those_of_dense_matrices(seed: int) -> None:
    grade, s, k = class_of(seed)
    mean, evidence = by_dense_covariance(grade, s, k)
    found = of(grade, s, k)
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(found.evidence, evidence, atol=1e-8)


def test_a_grader_who_is_always_two_points_higher_is_found() -> None:
    rng = np.random.default_rng(1)
    s, k = np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30)
    grade = rng.normal(6, 1.5, 30)[s] + np.where(k == 3, 2.0, 0.0) + rng.normal(0, 0.3, 150)
    found = of(grade, s, k)
    # Leniencies are relative to the mean of the graders: +1.6 and -0.4. The standard error of a
    # mean of 30 differences is about 0.06.
    np.testing.assert_allclose(found.mean, [-0.4, -0.4, -0.4, 1.6, -0.4], atol=0.2)
    assert found.none_probability < 1e-6


def test_the_level_of_a_closed_group_is_left_alone() -> None:
    grade, s, k = class_of(4)
    raised = np.concatenate([grade, grade + 3.0])
    both = of(raised, np.concatenate([s, s + s.max() + 1]), np.concatenate([k, k + k.max() + 1]))
    half = len(both.mean) // 2
    # The two halves share no grader, so that three points more say nothing about leniency.
    np.testing.assert_allclose(both.mean[:half], both.mean[half:], atol=1e-9)


@pytest.mark.statistical
def test_no_leniency_is_recognised() -> None:
    # Classes without any leniency: the probability of none exceeds its prior of one half in most
    # of them, and corrections are small. Twenty classes; a fair coin would give 17 or more with a
    # probability of 0.1 %.
    found = [of(*class_of(seed, bias=NormalBias(deviation=0.0))) for seed in range(20)]
    assert sum(one.none_probability > 0.5 for one in found) >= 17
    assert np.mean([np.abs(one.mean).mean() for one in found]) < 0.1


def test_equal_grades_say_nothing_about_leniency() -> None:
    s, k = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    found = of(np.full(12, 7.0), s, k)
    np.testing.assert_array_equal(found.mean, 0.0)
    assert np.isfinite(found.deviation).all()


def test_single_reviews_say_nothing_without_staff_and_something_with_staff() -> None:
    s = k = np.arange(6)
    grade = np.array([9.0, 9.0, 9.0, 5.0, 5.0, 5.0])
    np.testing.assert_allclose(of(grade, s, k).mean, 0.0, atol=1e-12)
    found = of(grade, s, k, anchor=np.full(6, 7.0))
    assert (found.mean[:3] > 0.1).all()
    assert (found.mean[3:] < -0.1).all()


def test_leniency_never_exceeds_the_differences_between_grades() -> None:
    # A chain in which every grader is ten points above the next.
    s, k = np.repeat(np.arange(20), 2), np.array([[i, i + 1] for i in range(20)]).reshape(-1)
    grade = np.tile([10.0, 0.0], 20)
    found = of(grade, s, k)
    assert np.abs(found.mean).max() <= 10
    assert found.deviation.max() <= 10


def test_history_is_the_prior_of_the_next_assignment() -> None:
    s, k = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    rng = np.random.default_rng(3)
    bias = np.array([1.5, -0.5, -0.5, -0.5])
    first = of(rng.normal(6, 1, 30)[s] + bias[k] + rng.normal(0, 0.5, 120), s, k)
    prior = LeniencyPrior(first.mean, first.ratio, first.evidence)
    # One submission alone says little; with the history, leniency stays near what it was.
    few = slice(0, 4)
    plain = of(np.array([7.0, 7.0, 7.0, 7.0]), s[few], k[few])
    kept = of(np.array([7.0, 7.0, 7.0, 7.0]), s[few], k[few], prior)
    np.testing.assert_allclose(plain.mean, 0.0, atol=1e-12)
    assert kept.mean[0] > 1.0
    assert kept.none_probability < 0.01


def test_the_two_ways_of_computing_agree_if_nobody_is_known() -> None:
    grade, s, k = class_of(7)
    unknown = LeniencyPrior.unknown(40)
    contrasts = module._Contrasts(grade, s, k, np.full(40, np.nan), unknown, 10.0)
    matrix = contrasts.matrix()
    for ratio, fast in zip(RATIO_GRID, contrasts._fits_of_strangers(matrix), strict=True):
        plain = contrasts._fit(matrix, float(ratio))
        np.testing.assert_allclose(fast.mean, plain.mean, atol=1e-8)
        assert fast.log_likelihood == pytest.approx(plain.log_likelihood)


def test_a_large_class_is_solved_as_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    grade, s, k = class_of(8)
    whole = of(grade, s, k)
    monkeypatch.setattr(module, "MAX_DENSE_GRADERS", 39)
    large = of(grade, s, k)
    # The ratio comes from 39 of 40 graders, and one ratio stands for all of them.
    assert np.corrcoef(whole.mean, large.mean)[0, 1] > 0.99
    np.testing.assert_allclose(large.mean, whole.mean, atol=0.25)


def test_neighbours_keep_their_co_graders() -> None:
    s, k = np.repeat(np.arange(10), 2), np.array([[i, (i + 1) % 10] for i in range(10)]).reshape(-1)
    chosen = np.flatnonzero(neighbours(s, k, 10, 10, 5))
    assert len(chosen) == 5
    # A ring: five neighbours in a row.
    assert set(chosen) == {8, 9, 0, 1, 2}
    assert neighbours(s, k, 10, 10, 50).all()


def test_what_is_known_of_a_new_class_is_a_distribution() -> None:
    """Half of a standard normal for the root of the ratio: odds of e^(-r/2) times the spacing."""
    evidence = LeniencyPrior.unknown(3).evidence
    assert evidence.sum() == pytest.approx(1.0)
    assert evidence[0] == module.NO_LENIENCY_PRIOR
    root = np.sqrt(RATIO_GRID[1:])
    odds = evidence[1:] / np.gradient(root) / np.exp(-(root**2) / 2)
    np.testing.assert_allclose(odds, odds[0])


def test_the_variance_of_a_leniency_is_averaged_over_ratios() -> None:
    """Two graders of ten submissions: each review keeps 1/2, so 1/variance = 5 + 1/ratio.

    Their grades differ by 2 or 3 in turn, so leniencies are estimated too: those of each ratio are
    (5 + 1/ratio + 5)⁻¹ · 5 · 2.5 up and down, and the variance between ratios is added, in units
    of the variance of errors.
    """
    s, k = np.repeat(np.arange(10), 2), np.tile([0, 1], 10)
    apart = np.where(np.arange(10) % 2, 2.0, 3.0)
    found = of(np.column_stack([3 + apart, np.full(10, 3.0)]).ravel(), s, k)
    ratio, odds = RATIO_GRID[1:], found.evidence[1:]
    each = np.concatenate([[0.0], 12.5 / (10 + 1 / ratio)])
    mean = found.evidence @ each
    between = found.evidence @ (each - mean) ** 2
    np.testing.assert_allclose(found.mean, [mean, -mean])
    within = odds @ (1 / (5 + 1 / ratio))
    expected = within + between / found.error_variance
    np.testing.assert_allclose(found.ratio, [expected, expected])
