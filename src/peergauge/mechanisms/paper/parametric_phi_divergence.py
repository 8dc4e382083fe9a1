"""Pay pairs of graders for agreeing more than model PG1 expects of independent graders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.pairing import (
    Divergence,
    Pairings,
    draw_pairings,
    mean_over_pairings,
)
from peergauge.mechanisms.shared.parametric import Parametric, corrected
from peergauge.tables import Reports, Rewards, frozen

ACTIVE_NOISE = 0.7
"""Variance of an active grader's signals on 0..10: the fixed reliability is 1/0.7."""


@dataclass(frozen=True)
class ModelledPairs(Parametric):
    """A mechanism that pays pairs of graders by the ratio JP of model PG1.

    Parameters
    ----------
    divergence
        Φ: ``tvd``, ``kl``, ``chi2`` or ``h2``.
    """

    divergence: Divergence = Divergence.TVD

    def deviation(self, reports: Reports) -> tuple[Floats, float]:
        """Reports minus the prior mean, corrected for bias if so chosen, and the prior variance."""
        mean, variance = self.prior(reports)
        if self.bias == "correct":
            grade = corrected(reports, self.estimate(reports))
        else:
            grade = reports.grade
        return grade - mean, variance

    def modelled(self, reports: Reports) -> tuple[Floats, float, float, int]:
        """Reports minus the prior mean, the variances of scores and noise, and the number of Φ."""
        noise = ACTIVE_NOISE * reports.scale.unit**2
        return *self.deviation(reports), noise, list(Divergence).index(self.divergence)


@mechanism(
    "phi-div-p",
    label="Φ-Div_P: {divergence}",
    source="Burrell & Schoenebeck 2022; Schoenebeck & Yu 2021",
    variants=tuple({"divergence": divergence} for divergence in Divergence),
    family="parametric Φ-divergence pairing",
    random=True,
    equilibrium=Equilibrium.NEARLY_STRONGLY,
    assumption="stochastically relevant",
    prior="given",
    penalties=True,
    in_paper=True,
)
@dataclass(frozen=True)
class ParametricPhiDivergence(ModelledPairs):
    r"""Φ-Div with the joint-to-marginal-product ratio computed by model PG1 instead of counted.

    Pairs, bonus tasks and penalty tasks are those of Φ-Div. Two reports *x* and *y* on one
    submission are normal around its true score with noise variance 0.7 each (reliability 1/0.7,
    whatever the estimates), so that the ratio has a closed form: see :func:`log_ratio`. With
    ``bias=correct`` the estimated biases of the two graders are subtracted first; otherwise no
    estimate is used at all, and ``estimate`` and ``ignore`` pay the same.

    The paper reports that the mechanism performs best with heavily regularised reliabilities, of
    which the fixed 1/0.7 is the extreme case. With a *shrinkage* below 1 every grader *k* has a
    noise variance of their own on each assignment,

    .. math:: 0.7 \, s + (1 - s) / \hat\tau_k

    with the reliability :math:`\hat\tau_k` that model PG1 estimates, and *s* = 0 leaves the
    estimates as they are. The combination is linear in the noise variance because this is the
    effect of a stronger Gamma prior around 1/0.7.

    A pairing without two different penalty tasks is skipped, and a report without any other pairing
    is not paid.

    Known attacks: hedging under KL and H², and turning grades upside down by a majority.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Grant Schoenebeck and Fang-Yi Yu (2021). *Learning and Strongly Truthful Multi-Task Peer
    Prediction: A Variational Approach*. ITCS 2021. doi:10.4230/LIPIcs.ITCS.2021.78.

    Parameters
    ----------
    shrinkage
        How far the reliability of each grader is shrunk from the estimate of model PG1 (0) to the
        fixed 1/0.7 (1).
    """

    shrinkage: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.shrinkage <= 1:
            raise ParameterError(
                f"The shrinkage of reliabilities is between 0 and 1, but {self.shrinkage} was "
                "given."
            )

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        pairs = reports.drawn("pairings", rng, lambda: draw_pairings(reports, rng))
        deviation, variance, noise, kind = self.modelled(reports)
        if self.shrinkage == 1:
            part = mean_score_by_model(
                pairs, reports.submission_bounds, deviation, variance, noise, kind
            )
        else:
            own = self.noise_of_graders(reports, noise)
            part = mean_score_by_noise(
                pairs, reports.submission_bounds, deviation, variance, own, kind
            )
        return Rewards.from_parts(reports, frozen(part))

    def noise_of_graders(self, reports: Reports, noise: float) -> Floats:
        """For each report, the noise variance of its grader, shrunk towards the common *noise*."""
        estimated = 1 / reports.of_graders(self.estimate(reports).reliability)
        # Nothing is estimated for a grader who has only spare reports on an assignment.
        estimated = np.where(np.isnan(estimated), noise, estimated)
        return np.asarray(self.shrinkage * noise + (1 - self.shrinkage) * estimated)


@accelerated
def mean_score_by_model(
    pairs: Pairings,
    submission_bounds: Bounds,  # noqa: ARG001 - the compiled version goes by submission
    deviation: Floats,
    variance: float,
    noise: float,
    kind: int,
) -> Floats:
    """The mean payment of each report over its pairings, by the divergence number *kind*."""
    bonus = log_ratio(deviation[pairs.one], deviation[pairs.two], variance, noise, noise)
    penalty = log_ratio(
        deviation[pairs.penalty_one], deviation[pairs.penalty_two], variance, noise, noise
    )
    divergence = list(Divergence)[kind]
    score = divergence.subgradient(bonus) - divergence.conjugate(penalty)
    return mean_over_pairings(pairs, score, len(deviation))


@accelerated
def mean_score_by_noise(
    pairs: Pairings,
    submission_bounds: Bounds,  # noqa: ARG001 - the compiled version goes by submission
    deviation: Floats,
    variance: float,
    noise: Floats,
    kind: int,
) -> Floats:
    """The mean payment of each report over its pairings, with a noise variance for each report."""

    def ratio(one: Ints, two: Ints) -> Floats:
        return log_ratio(deviation[one], deviation[two], variance, noise[one], noise[two])

    bonus, penalty = ratio(pairs.one, pairs.two), ratio(pairs.penalty_one, pairs.penalty_two)
    divergence = list(Divergence)[kind]
    score = divergence.subgradient(bonus) - divergence.conjugate(penalty)
    return mean_over_pairings(pairs, score, len(deviation))


def log_ratio(
    x: Floats, y: Floats, variance: float, noise_x: float | Floats, noise_y: float | Floats
) -> Floats:
    r"""Logarithm of JP for two reports under model PG1.

    With deviations *x* and *y* of the two reports from their expected values, variance
    :math:`\sigma^2` of true scores, and :math:`v_x = \sigma^2 + \text{noise}_x` and :math:`v_y`
    alike, the joint and the marginal distributions are normal, and

    .. math::
        \log JP(x, y) = \tfrac12 \log\frac{v_x v_y}{v_x v_y - \sigma^4}
            - \frac{\sigma^4 (x^2 / v_x + y^2 / v_y) - 2 \sigma^2 x y}{2 (v_x v_y - \sigma^4)}
    """
    v_x, v_y = variance + noise_x, variance + noise_y
    determinant = v_x * v_y - variance**2
    spread = variance**2 * (x**2 / v_x + y**2 / v_y)
    return np.asarray(
        0.5 * np.log(v_x * v_y / determinant) - (spread - 2 * variance * x * y) / (2 * determinant)
    )
