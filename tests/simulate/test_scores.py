"""Distributions of true scores: probabilities, moments, draws and errors."""

from __future__ import annotations

from math import comb, inf, nan, sqrt
from statistics import NormalDist
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import chisquare

from peergauge.core.errors import ParameterError, ScaleError
from peergauge.simulate import BinomialScores, CeilingScores, ListedScores, NormalScores
from peergauge.simulate.protocols import TrueScores
from peergauge.simulate.scores import draw_scores, moments
from peergauge.tables import Scale
from tests.generators import SCALES

KINDS = [
    BinomialScores(),
    BinomialScores(0.4),
    NormalScores(5.5, 4),
    ListedScores((1.0,) * 11),
    CeilingScores(0.3, NormalScores(5.5, 4)),
]


def test_binomial_scores_have_mean_7_and_variance_2_1() -> None:
    assert moments(BinomialScores(), Scale()) == pytest.approx((7, 2.1), rel=1e-12)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_binomial_scores_scale_with_the_scale(scale: Scale) -> None:
    steps, step = scale.levels - 1, scale.steps_needed()
    expected = (scale.lowest + 0.7 * steps * step, steps * 0.7 * 0.3 * step**2)
    assert moments(BinomialScores(), scale) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("scale", "share", "mean"),
    [(Scale(), 0.9, 9), (Scale(), 0.3, 3), (Scale(0, 20), 0.7, 14), (Scale(1, 6), 0.7, 4.5)],
)
def test_a_mean_that_is_a_round_number_comes_out_round(
    scale: Scale, share: float, mean: float
) -> None:
    assert moments(BinomialScores(share), scale)[0] == mean


def test_binomial_probabilities_are_those_of_ten_throws() -> None:
    expected = [comb(10, k) * 0.7**k * 0.3 ** (10 - k) for k in range(11)]
    assert BinomialScores().probabilities(Scale()) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("share", [0, 1])
def test_all_work_can_be_worthless_or_perfect(share: float) -> None:
    assert moments(BinomialScores(share), Scale()) == (10 * share, 0)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_normal_scores_have_the_mass_of_each_rounding_interval(scale: Scale) -> None:
    mean, deviation = scale.lowest + 6 * scale.unit, 2 * scale.unit
    law, half = NormalDist(mean, deviation), scale.steps_needed() / 2
    mass = [law.cdf(value + half) - law.cdf(value - half) for value in scale.values()]
    mass[0] = law.cdf(scale.lowest + half)
    mass[-1] = 1 - law.cdf(scale.highest - half)
    probability = NormalScores(mean, deviation**2).probabilities(scale)
    assert probability == pytest.approx(mass, rel=1e-9)
    assert probability.sum() == pytest.approx(1, rel=1e-12)


def test_normal_scores_far_off_the_scale_all_lie_at_its_end() -> None:
    assert NormalScores(-50, 1).probabilities(Scale()).tolist() == [1] + [0] * 10


def test_listed_scores_share_out_what_is_listed() -> None:
    listed = ListedScores((1, 0, 2, 1))
    assert listed.probabilities(Scale(0, 3)).tolist() == [0.25, 0, 0.5, 0.25]
    assert moments(listed, Scale(0, 3)) == (1.75, 1.1875)


def test_a_level_without_a_share_is_never_drawn() -> None:
    drawn = draw_scores(ListedScores((0, 1, 0, 1, 0)), Scale(1, 5), 5000, np.random.default_rng(1))
    assert set(drawn) == {2, 4}
    unlucky = Mock(spec=np.random.Generator)
    unlucky.random.return_value = np.array([0.0])
    assert draw_scores(ListedScores((0, 1, 0, 1, 0)), Scale(1, 5), 1, unlucky) == [2]


@pytest.mark.parametrize("scores", KINDS, ids=str)
def test_scores_are_drawn_with_their_probabilities(scores: TrueScores) -> None:
    # Claim: the chi-square test finds no difference at p > 0.001, so that a right sampler fails
    # for one seed in a thousand; the rarest level of all is still expected 5 times.
    drawn = draw_scores(scores, Scale(), 10**6, np.random.default_rng(2))
    expected = 10**6 * scores.probabilities(Scale())
    found = np.bincount(drawn.astype(np.int64), minlength=11)
    assert expected.min() > 5
    assert chisquare(found, expected).pvalue > 0.001


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_drawn_scores_lie_on_the_scale_and_average_to_its_moments(scale: Scale) -> None:
    # Claim: the mean of 10 000 draws is within 4 of its deviations: 6 in 100 000 seeds fail.
    drawn = draw_scores(BinomialScores(), scale, 10_000, np.random.default_rng(3))
    mean, variance = moments(BinomialScores(), scale)
    assert np.isin(drawn, scale.values()).all()
    assert abs(drawn.mean() - mean) < 4 * sqrt(variance / 10_000)


# ---------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("share", [-0.1, 1.1, nan])
def test_shares_outside_the_scale_are_refused(share: float) -> None:
    with pytest.raises(ParameterError, match=r"lies in 0\.\.1"):
        BinomialScores(share)


@pytest.mark.parametrize("variance", [0, -1, nan])
def test_variances_that_are_not_positive_are_refused(variance: float) -> None:
    with pytest.raises(ParameterError, match="a positive variance"):
        NormalScores(7, variance)


@pytest.mark.parametrize(("mean", "variance"), [(nan, 1), (7, inf)])
def test_normal_laws_without_finite_moments_are_refused(mean: float, variance: float) -> None:
    with pytest.raises(ParameterError):
        NormalScores(mean, variance)


@pytest.mark.parametrize("shares", [(), (0.0, 0.0), (1.0, -0.5)])
def test_shares_that_are_no_distribution_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="not negative and not all zero"):
        ListedScores(shares)


@pytest.mark.parametrize("shares", [(1.0, nan), (1.0, inf)])
def test_shares_that_are_not_finite_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError):
        ListedScores(shares)


def test_shares_for_another_number_of_levels_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"1\.\.6 has 6 levels, but shares of 3"):
        ListedScores((1, 2, 3)).probabilities(Scale(1, 6))


@pytest.mark.parametrize("scores", [BinomialScores(), NormalScores(5, 1)], ids=str)
def test_scales_without_steps_are_refused(scores: TrueScores) -> None:
    with pytest.raises(ScaleError, match="scale with steps"):
        scores.probabilities(Scale(0, 10, None))


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_share_of_the_scores_is_at_the_ceiling(scale: Scale) -> None:
    below = BinomialScores(0.6).probabilities(scale)
    found = CeilingScores(0.5, BinomialScores(0.6)).probabilities(scale)
    np.testing.assert_allclose(found[:-1], below[:-1] / 2)
    assert found[-1] == pytest.approx(0.5 + below[-1] / 2)
    # With half at 10 and half about 7, the mean is 8.5 and the variance (2.1 + 1.5² + 1.5²) / 2.
    assert moments(CeilingScores(), Scale()) == pytest.approx((8.5, 3.3))


def test_a_ceiling_for_nobody_or_everybody() -> None:
    assert moments(CeilingScores(0), Scale()) == moments(BinomialScores(), Scale())
    assert moments(CeilingScores(1), Scale()) == (10, 0)
    with pytest.raises(ParameterError, match="share of true scores at the top"):
        CeilingScores(1.2)
