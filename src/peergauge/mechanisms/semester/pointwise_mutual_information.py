"""Pay graders for what their reports tell about what all their co-graders say."""

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
"""Squared points added to both spreads, so that a few reports do not decide."""

SLOPE_PENALTY, SLOPE_SLACK = 0.5, 3.8
"""φ and ε: what it costs to follow too little what others say, and how much too little is free."""


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
    r"""How much likelier reports are for what all co-graders say, with a limit on surprise.

    The pointwise mutual information of a report *r* and the reports of its co-graders is

    .. math:: \ln \frac{P(r \mid \text{theirs})}{P(r)} = \ln P(r \mid \text{theirs}) - \ln P(r),

    closeness to what they say and surprise by itself. Φ-Div_P with KL has that for one co-grader
    at a time. Here all are pooled, over the semester.

    **What others say.** As in SNE: bias, slope and noise of every grader are estimated from all
    reports so far, and the score behind a report has, given the other reports on its submission,
    the mean *m* and the variance *p*. Slopes undo the hedging of others.

    **Which variances.** Let reports be normal, around *m* with the variance *p + v*, and by
    themselves around the prior mean μ with :math:`\sigma^2 + v`. For a grader whose signals have
    the second moment *V* around μ, reports that are stretched by *f* around it then earn, up to a
    constant,

    .. math::
        -\frac{f^2 V - 2 f (\sigma^2 - p)}{2 (p + v)} + \frac{f^2 V}{2 (\sigma^2 + v)},

    which is largest at :math:`f = (\sigma^2 + v) / V`. With one *v* for everybody that is 1 only
    for a usual grader: careful ones would exaggerate, careless and biased ones hedge. So both
    variances are the grader's own. A grader's mean information is then
    :math:`\tfrac12 \ln (R / E)`, with the variance *R* of their reports and their mean squared
    error *E*, and that is largest at *f* = 1 whatever *V*: see SNE for the calculation and for
    what it leaves out.

    **What is luck.** *R* depends on which submissions a grader was given. Others' reports tell
    how far honest reports on these would spread, :math:`X = \mathrm{Var}\, m + p + 1.05`, and
    whatever is made of others' reports alone can be taken off without changing what is best to
    report. So the surprise is counted as :math:`D = \ln (X / R)`, what it falls short by. (With
    sums of squares and 2 squared points of 0..10 added to both.)

    **Payment** after *T* reports, in nats for each report:

    .. math::
        \tfrac12 \ln \frac{\sigma^2 + 1.05}{E} - \frac{c}{2} D
        - \frac{\lambda}{2} \max \left( 0, D - \frac{\kappa}{\sqrt T} \right)
        - \varphi \max \left( 0, -\frac{\epsilon}{\sqrt T} - x_1 \right)

    With ``share`` *c* = 1 that is the whole information. But surprise says little about how good
    a grader is, so that paying for it makes pay a worse measure. It is there to keep graders from
    hedging, and for that it is enough to take something off where it is missing: *c* = 0, which
    pays closeness alone unless surprise falls short by more than it does for most honest graders.
    *E* is the error that is to be expected given all reports, as in SNE. The last term is for those
    who report at random where most do: dice have no bias and spread as they please, but do not
    follow what others say (*x*\ :sub:`1`, the logarithm of the slope as in SNE; φ = 0.5, ε = 3.8).
    All four numbers were found by simulation on the paper's model.

    **What it costs.** What SNE costs, and they share the work. Every assignment changes what
    earlier ones were worth: see :meth:`told`. After ten assignments about one honest grader in
    forty falls short and loses ranks for it; careful ones more often, since their reports spread
    less for want of noise.

    **What defeats it.** With *c* = 0 small hedges that stay within κ gain some ranks: a factor of
    0.8 to 0.9, or never going below 4. With one or two assignments κ is wide, and larger ones do
    too. With *c* = 1 they gain nothing. As with SNE, graders who know their bias gain by taking
    it off, a majority gains by turning grades upside down, and one that moves all grades gains if
    the prior is estimated.

    Parameters
    ----------
    share
        *c*, how much of the surprise is paid: from 0, which measures best, to 1, which leaves
        least to gain.
    strength, slack
        λ and κ: what it costs to surprise too little, and how much too little is free. Steep
        beyond much that is free deters large hedges as well as a gentle penalty that begins
        earlier, and hits fewer who are honest.
    error
        ``expected``: as above; ``distance``: *E* is the mean squared distance from what others
        say, at least 0.01, for which the argument was made.
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
        """What the payments are made of, by sums over each grader's reports in points of 0..10."""
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
