"""Pay graders for the information that their reports share with those of all co-graders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.semester import (
    MIN_SQUARED_ERROR,
    Account,
    JudgesSemesters,
    Sums,
    expected_error,
    spreads_of,
)
from peergauge.models.slopes import SlopePriors
from peergauge.tables import Reports

CAUTION_SQUARED_POINTS = 2.0
"""Squared points added to both spreads, so that a few reports are not decisive."""

SLOPE_PENALTY, SLOPE_SLACK = 0.5, 3.8
"""φ and ε: the penalty for a slope that is too small, and how much too small is free."""


@mechanism(
    "pmi",
    label="PMI",
    source="peergauge; pointwise mutual information as in Kong & Schoenebeck 2018",
    variants=({}, {"share": 1.0}),
    family="pointwise mutual information",
    uses_checks=True,
    semester=True,
    equilibrium=Equilibrium.NONE,
    assumption="–",
    prior="given or estimated",
)
@dataclass(frozen=True)
class PointwiseMutualInformation(JudgesSemesters):
    r"""Pointwise mutual information of a grader's and the co-graders' reports, limiting surprise.

    The pointwise mutual information of a report *r* and the reports of its co-graders is

    .. math:: \ln \frac{P(r \mid \text{theirs})}{P(r)} = \ln P(r \mid \text{theirs}) - \ln P(r),

    closeness to the co-graders plus surprise. Φ-Div_P with KL uses it for one co-grader at a time.
    Here all co-graders are pooled, over the semester.

    **Estimates from the other graders.** As in SNE: bias, slope and noise of every grader are
    estimated from all reports so far, and the score behind a report has, given the other reports on
    its submission, the mean *m* and the variance *p*. Slopes correct for the hedging of others.

    **Variances.** Let reports be normal, around *m* with variance *p + v*, and unconditionally
    around the prior mean μ with variance :math:`\sigma^2 + v`. For a grader whose signals have the
    second moment *V* around μ, reports that are stretched by *f* around it then earn, up to a
    constant,

    .. math::
        -\frac{f^2 V - 2 f (\sigma^2 - p)}{2 (p + v)} + \frac{f^2 V}{2 (\sigma^2 + v)},

    which is largest at :math:`f = (\sigma^2 + v) / V`. With the same *v* for everybody this is 1
    only for an average grader: careful graders would exaggerate, careless and biased graders would
    hedge. So both variances are the grader's own. The mean information of a grader is then
    :math:`\tfrac12 \ln (R / E)`, with the variance *R* of their reports and their mean squared
    error *E*, which is largest at *f* = 1 for every *V*, if grades are stretched about the prior
    mean. About the grader's own mean it is largest at :math:`f = 1 + b^2 / \mathrm{Var}\, m`: see
    SNE for both calculations and their assumptions.

    **Correction for luck.** *R* depends on the submissions that a grader was assigned. The reports
    of others predict how far honest reports on these would spread, :math:`X = \mathrm{Var}\, m + p
    + 1.05`, and any function of the reports of others can be subtracted without changing the best
    report. So the surprise is measured by its shortfall :math:`D = \ln (X / R)`. (Both are sums of
    squares plus 2 squared points of 0..10.)

    **Payment** after *T* reports, in nats per report:

    .. math::
        \tfrac12 \ln \frac{\sigma^2 + 1.05}{E} - \frac{c}{2} D
        - \frac{\lambda}{2} \max \left( 0, D - \frac{\kappa}{\sqrt T} \right)
        - \varphi \max \left( 0, -\frac{\epsilon}{\sqrt T} - x_1 \right)

    With ``share`` *c* = 1 this is the whole information. But surprise says little about the quality
    of a grader, so that paying for it makes pay a worse measure. Its purpose is to deter hedging,
    and for that a penalty where it is missing is enough: *c* = 0 pays closeness alone unless the
    surprise falls short by more than it does for most honest graders. *E* is the expected squared
    error given all reports, as in SNE. The last term is for graders who report at random where most
    do: random reports have no bias and any spread, but do not follow the reports of others (*x*\
    :sub:`1` is the logarithm of the slope as in SNE; φ = 0.5, ε = 3.8). All four coefficients were
    found by simulation on the paper's model.

    **Cost.** The same as for SNE, with which it shares the estimates. Every assignment changes what
    the earlier ones were worth: see :meth:`progress`. After ten assignments about one honest grader
    in forty falls short and loses ranks; careful graders more often, since their reports have less
    noise and so spread less.

    **Known attacks.** With *c* = 0 small hedges that stay within κ gain some ranks: a factor of 0.8
    to 0.9, or never reporting below 4. With one or two assignments κ is wide, and larger hedges
    gain too. With *c* = 1 they gain nothing on average, but biased graders gain by exaggerating
    about their own mean. Copying a co-grader gains about 20 ranks, averaging with one more. Honest
    graders who use little of the scale fall short and are fined. As with SNE, graders who know
    their bias gain by subtracting it, a majority gains by turning grades upside down, and
    a majority that shifts all grades gains if the prior is estimated.

    **Source.** The mechanism is ours. For pointwise mutual information see Yuqing Kong and Grant
    Schoenebeck (2018). *Water from Two Rocks: Maximizing the Mutual Information*. Proceedings of EC
    2018.

    Parameters
    ----------
    share
        *c*, how much of the surprise is paid: from 0, which measures best, to 1, which leaves least
        to gain.
    strength, slack
        λ and κ: the penalty for too little surprise, and how much too little is free. A steep
        penalty that begins late deters large hedges as well as a gentle one that begins early, and
        hits fewer honest graders.
    error
        ``expected``: as above; ``distance``: *E* is the mean squared distance from the mean *m*, at
        least 0.01, for which the argument holds.
    """

    share: float = 0.0
    strength: float = 20.0
    slack: float = 3.4
    error: Literal["expected", "distance"] = "expected"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.share <= 1:
            raise ParameterError(f"The share is between 0 and 1, but is {self.share:g}.")
        for name in ("strength", "slack"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ParameterError(f"The {name} is 0 or more, but is {getattr(self, name):g}.")

    def account(self, reports: Reports) -> Account:
        sums, variance = self.sums(reports)
        return self.account_of(sums, variance[:, None])

    def account_of(self, sums: Sums, variance: Floats) -> Account:
        """The parts of the payments, by sums over each grader's reports in points of 0..10."""
        priors = SlopePriors()
        n = np.where(sums.n > 0, sums.n, np.nan)
        error = expected_error(sums) if self.error == "expected" else sums.ee / n
        error = np.maximum(error, MIN_SQUARED_ERROR)
        spread = sums.rr - sums.r**2 / n
        expected = sums.dd - sums.d**2 / n + (n - 1) * (sums.unsure / n + priors.noise)
        short = np.log((expected + CAUTION_SQUARED_POINTS) / (spread + CAUTION_SQUARED_POINTS))
        too_short = np.maximum(0.0, short - self.slack / np.sqrt(n))
        slope = spreads_of(sums, variance, CAUTION_SQUARED_POINTS).slope
        too_flat = np.maximum(0.0, -SLOPE_SLACK / np.sqrt(n) - slope)
        return Account(
            n,
            error,
            for_error=0.5 * np.log((variance + priors.noise) / error),
            for_spread=-0.5 * self.share * short,
            penalty=0.5 * self.strength * too_short + SLOPE_PENALTY * too_flat,
        )
