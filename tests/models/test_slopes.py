"""EM for biases, slopes and noises over a semester: single steps by hand, and its guarantees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.models.slopes import (
    Known,
    SlopePriors,
    Slopes,
    fit_slopes,
    of_graders,
    of_submissions,
    upright,
)
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports
from tests.generators import reports as any_reports


def nothing_known(graders: int) -> Known:
    return np.zeros(graders), np.ones(graders), np.full(graders, SlopePriors().noise)


def fit(reports: Reports, priors: SlopePriors) -> tuple[Slopes, int, bool]:
    return fit_slopes(
        reports.grade - 7.0,
        reports.submission_bounds,
        reports.submission,
        reports.grader,
        2.1,
        nothing_known(reports.graders),
        priors,
    )


def test_a_score_by_hand() -> None:
    """Reports 1 and 2; the second grader has bias 1/2, slope 1/2 and noise 1/2.

    Both weigh a/v = 1. The precision is 1/2 + 1·1 + 1·(1/2) = 2, and the score
    (1·(1 − 0) + 1·(2 − 1/2)) / 2 = 1.25.
    """
    known = np.array([0.0, 0.5]), np.array([1.0, 0.5]), np.array([1.0, 0.5])
    rows = np.array([0, 0], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    found = of_submissions(np.array([1.0, 2.0]), *rows, 1, 2.0, known)
    assert (found.precision[0], found.score[0]) == (2.0, 1.25)


def test_a_grader_by_hand() -> None:
    """Reports 1 and 3 where the scores are 0 and 2 with precision 2; noise 1, priors 1 and 1/2.

    The equations are 3 b + 2 a = 4 and 2 b + 7 a = 8, so that a = 16/17 and b = 12/17. The
    expected squares are 10 − 2 (4 b + 6 a) + 2 b² + 4 a b + 5 a² = 330/289.
    """
    state = Slopes(np.array([0.0, 2.0]), np.array([2.0, 2.0]), np.zeros(1), np.ones(1), np.ones(1))
    rows = np.array([0, 1], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    priors = SlopePriors(slope_variance=0.5)
    bias, slope, noise = of_graders(np.array([1.0, 3.0]), *rows, state, priors)
    assert bias[0] == pytest.approx(12 / 17)
    assert slope[0] == pytest.approx(16 / 17)
    assert noise[0] == pytest.approx((10 * 1.05 + 330 / 289) / 12)


def test_no_grader_is_reversed_without_checks() -> None:
    """Reports −9 and 9 where the scores are 3 and −3 would have a slope below 0."""
    state = Slopes(np.array([3.0, -3.0]), np.array([9.0, 9.0]), np.zeros(1), np.ones(1), np.ones(1))
    rows = np.array([0, 1], dtype=np.int32), np.array([0, 0], dtype=np.int32)
    bias, slope, _ = of_graders(np.array([-9.0, 9.0]), *rows, state, SlopePriors())
    assert slope[0] == 0.02
    assert bias[0] == 0.0


def log_posterior(reports: Reports, y: Floats, known: Known) -> float:
    """Of what is known of graders, scores integrated out, up to a constant."""
    b, a, v = known
    priors = SlopePriors()
    total = norm.logpdf(b, 0, 1).sum() + norm.logpdf(a, 1, np.sqrt(0.1)).sum()
    weight = priors.noise_weight
    total -= (weight / 2 * np.log(v) + weight * priors.noise / (2 * v)).sum()
    for s in range(reports.submissions):
        rows = np.flatnonzero(reports.submission == s)
        k = reports.grader[rows]
        covariance = np.diag(v[k]) + 2.1 * np.outer(a[k], a[k])
        total += multivariate_normal.logpdf(y[rows], b[k], covariance)
    return float(total)


def test_no_round_decreases_the_posterior_density() -> None:
    reports = simulate(Setting(students=20, assignments=3), seed=5).reports
    y = reports.grade - 7.0
    known = nothing_known(20)
    before = log_posterior(reports, y, known)
    for _ in range(8):
        state = of_submissions(
            y, reports.submission, reports.grader, reports.submissions, 2.1, known
        )
        known = of_graders(y, reports.submission, reports.grader, state, SlopePriors())
        after = log_posterior(reports, y, known)
        assert after >= before - 1e-9
        before = after


@given(any_reports())
def test_plain_equals_compiled(reports: Reports) -> None:
    fast, rounds, converged = fit(reports, SlopePriors())
    with plain_numpy():
        plain, plain_rounds, plain_converged = fit(reports, SlopePriors())
    assert (rounds, converged) == (plain_rounds, plain_converged)
    for one, other in zip(fast, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_rounds_end_at_the_cap() -> None:
    reports = simulate(Setting(students=20, assignments=2), seed=6).reports
    few = SlopePriors(tolerance=0.0, most_rounds=4)
    found, rounds, converged = fit(reports, few)
    with plain_numpy():
        plain, *rest = fit(reports, few)
    assert [rounds, converged] == rest == [4, False]
    np.testing.assert_allclose(found.score, plain.score, atol=1e-12)


def test_stopping_early_leaves_scores_within_a_few_hundredths_of_a_point() -> None:
    """Rounds stop when no score moves by 0.03; all that would follow moves none by 0.1.

    In this class it is 0.04, after 7 rounds instead of 102.
    """
    reports = simulate(Setting(students=100, assignments=5), seed=7).reports
    early, rounds, _ = fit(reports, SlopePriors())
    late, more, converged = fit(reports, SlopePriors(tolerance=1e-9))
    assert converged
    assert rounds < more
    assert np.abs(early.score - late.score).max() < 0.1


def test_a_hedger_has_a_small_slope_and_a_harsh_grader_a_low_bias() -> None:
    """Grader 0 reports half as far from 7 as seen, grader 1 two points less; 80 reports each."""
    reports = simulate(Setting(students=60, assignments=20), seed=8).reports
    grade = reports.grade.copy()
    hedger, harsh = reports.grader == 0, reports.grader == 1
    grade[hedger] = 7 + (grade[hedger] - 7) / 2
    grade[harsh] = np.maximum(grade[harsh] - 2, 0)
    changed = Reports(
        reports.assignment, reports.submission, reports.grader, grade,
        scale=type(reports.scale)(0, 10, 0.5),
    )  # fmt: skip
    honest, _, _ = fit(reports, SlopePriors())
    found, _, _ = fit(changed, SlopePriors())
    assert found.slope[0] < 0.7 * honest.slope[0]
    assert found.bias[1] < honest.bias[1] - 1


def test_a_checked_score_is_known() -> None:
    """As above, but the score is known to be 3: its precision is infinite."""
    known = np.array([0.0, 0.5]), np.array([1.0, 0.5]), np.array([1.0, 0.5])
    rows = np.array([0, 0], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    found = of_submissions(np.array([1.0, 2.0]), *rows, 1, 2.0, known, np.array([3.0]))
    assert (found.precision[0], found.score[0]) == (np.inf, 3.0)


def test_one_checked_report_by_hand() -> None:
    """Report 2 where the score is ∓1: noise 1.05, bias 1 and slope 0.1 add up to 2.15.

    It is exp(∓4 / 2.15) times as likely to be upright, and 1 is added to 4 that are: the share
    of those who turn grades upside down solves p = (1 + p / (p + (1 − p) e^ℓ)) / 6, and is below
    a half both times. Upside down is likelier if e^ℓ < p / (1 − p).
    """
    one = np.zeros(1, dtype=np.int32)
    assert upright(np.array([2.0]), np.array([1.0]), one, 1, SlopePriors()) == [1]
    assert upright(np.array([2.0]), np.array([-1.0]), one, 1, SlopePriors()) == [-1]
    assert upright(np.array([1.0]), np.array([-1.0]), one, 1, SlopePriors()) == [1]


@given(reports=any_reports(), data=st.data())
def test_reversed_graders_are_found_by_the_likelihood_ratio(
    reports: Reports, data: st.DataObject
) -> None:
    """By the normal densities themselves, and a search for the likeliest share on a fine grid."""
    priors = SlopePriors()
    y = reports.grade - reports.scale.values().mean()
    levels = st.lists(st.integers(-4, 4), min_size=len(y), max_size=len(y))
    g = np.array(data.draw(levels), dtype=np.float64)
    sign = upright(y, g, reports.grader, reports.graders, priors)
    likelier = np.zeros(reports.graders)
    for k in range(reports.graders):
        own = reports.grader == k
        if own.any():
            x = g[own]
            spread = (
                priors.noise * np.eye(own.sum())
                + priors.bias_variance
                + priors.slope_variance * np.outer(x, x)
            )
            density = [multivariate_normal(z * x, spread).logpdf(y[own]) for z in (1, -1)]
            likelier[k] = density[0] - density[1]
    seen = likelier[np.isin(np.arange(reports.graders), reports.grader)]
    grid = np.linspace(0.0005, 0.9995, 1999)
    likelihood = (
        np.logaddexp(np.log1p(-grid)[:, None] + seen, np.log(grid)[:, None]).sum(axis=1)
        + priors.reversed * np.log(grid)
        + priors.upright * np.log1p(-grid)
    )
    share = grid[likelihood.argmax()]
    odds = likelier + np.log((1 - share) / share)
    clear = np.abs(odds) > 0.02
    assert np.array_equal(sign[clear], np.where(odds < 0, -1, 1)[clear])


def test_a_few_checks_reveal_reversed_graders_without_a_check() -> None:
    """Ten graders turn two scores upside down exactly; of ten others nothing was checked."""
    grader = np.repeat(np.arange(10, dtype=np.int32), 2)
    g = np.tile([2.0, -2.0], 10)
    assert (upright(-g, g, grader, 20, SlopePriors()) == -1).all()
    assert (upright(g, g, grader, 20, SlopePriors()) == 1).all()
