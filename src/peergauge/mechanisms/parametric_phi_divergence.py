"""Pay pairs of graders for agreeing more than model PG1 would have them agree by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.acceleration import accelerated
from peergauge.grouping import Floats, Ints
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms._pairing import Divergence, draw_pairings, mean_over_pairings
from peergauge.mechanisms._parametric import Parametric
from peergauge.tables import Reports, Rewards

ACTIVE_NOISE = 0.7
"""Variance of an active grader's signals on 0..10: the fixed reliability is 1/0.7."""


@mechanism(
    "phi-div-p",
    label="Φ-Div_P: {divergence}",
    source="Burrell & Schoenebeck 2022; Schoenebeck & Yu 2021",
    variants=tuple({"divergence": divergence} for divergence in Divergence),
    family="parametric Φ-divergence pairing",
    random=True,
    equilibrium=Equilibrium.NEARLY_STRONGLY,
    assumption="stochastically relevant",
    published="Phi-DIV_P: {divergence}",
)
@dataclass(frozen=True)
class ParametricPhiDivergence(Parametric):
    r"""Φ-Div with the joint-to-marginal-product ratio of model PG1 in place of a count.

    Pairs, bonus and penalty tasks are those of Φ-Div. Two reports *x* and *y* on one submission
    are normal around its true score with noise variance 0.7 each (reliability 1/0.7, whatever the
    estimates), so that their ratio has a closed form: see :func:`log_ratio`. With
    ``bias=correct`` the estimated biases of the two graders are subtracted first; otherwise no
    estimate enters at all, and ``estimate`` and ``ignore`` pay the same.

    A pairing without two different penalty tasks is skipped, and a report without a pairing that
    counts is not paid.

    Parameters
    ----------
    divergence
        Φ: ``tvd``, ``kl``, ``chi2`` or ``h2``.
    """

    divergence: Divergence = Divergence.TVD

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        pairings = draw_pairings(reports, rng)
        mean, variance = self.prior(reports)
        noise = ACTIVE_NOISE * reports.scale.unit**2
        if self.bias == "correct":
            deviation = self.estimate(reports).corrected(reports) - mean
        else:
            deviation = reports.grade - mean
        bonus = log_ratio(deviation, pairings.one, pairings.two, variance, noise)
        penalty = log_ratio(deviation, pairings.penalty_one, pairings.penalty_two, variance, noise)
        score = self.divergence.subgradient(bonus) - self.divergence.conjugate(penalty)
        return Rewards.from_parts(reports, mean_over_pairings(*pairings[:3], score, len(reports)))


@accelerated
def log_ratio(deviation: Floats, one: Ints, two: Ints, variance: float, noise: float) -> Floats:
    r"""Logarithm of JP for two reports by graders with the same noise.

    With deviations *x* and *y* from the graders' expected reports, true-score variance σ² and
    v = σ² + noise, numerator and denominator are both normal, and

    .. math::
        \log JP(x, y) = \tfrac12 \log\frac{v^2}{v^2 - \sigma^4}
            - \frac{\sigma^4 (x^2 + y^2) / v - 2 \sigma^2 x y}{2 (v^2 - \sigma^4)}
    """
    x, y = deviation[one], deviation[two]
    v = variance + noise
    determinant = v**2 - variance**2
    return np.asarray(
        0.5 * np.log(v**2 / determinant)
        - (variance**2 * (x**2 + y**2) / v - 2 * variance * x * y) / (2 * determinant)
    )
