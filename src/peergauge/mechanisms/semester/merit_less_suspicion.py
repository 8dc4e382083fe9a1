"""Pay graders for being likely in the better half, minus a penalty for being likely to hedge."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.semester import (
    USUAL_REPORTS,
    Account,
    JudgesSemesters,
    Sums,
    ahead_of_the_median,
    expected_error,
    least_error,
    spreads_of,
)
from peergauge.tables import Reports

CAUTION_SQUARED_POINTS = 2.0
"""*k*, squared points added to both spreads, so that a few reports are not decisive."""

MAX_SUSPICION_EXPONENT = 12.0
"""Largest exponent of suspicion."""


class Weights(NamedTuple):
    """The coefficients of one form; see the mechanism for the formula.

    Parameters
    ----------
    merit, merit_growth, rest
        κ, its power of 40 / T, and η.
    suspicion, suspicion_growth
        λ, and its power of 40 / T.
    steepness, steepness_growth, with_error
        *a*, its power of 40 / T, and *c*: how suspicion depends on spread and on error.
    guard, slack, by_others
        γ, δ and *w*: the penalty for too little spread, how much too little is free, and the weight
        of the spread that other graders predict; the rest is the weight of the spread that the
        prior predicts.
    flat, flat_slack
        φ and ε: the same for a slope that is too small.
    """

    merit: float
    merit_growth: float
    rest: float
    suspicion: float
    suspicion_growth: float
    steepness: float
    steepness_growth: float
    with_error: float
    guard: float
    slack: float
    by_others: float
    flat: float
    flat_slack: float


class Form(Enum):
    """How merit and suspicion are weighed."""

    SHARP = "sharp"
    STRICT = "strict"

    @property
    def label(self) -> str:
        """One letter, for legends."""
        return {"sharp": "M", "strict": "S"}[self.value]

    @property
    def weights(self) -> Weights:
        """The coefficients of this form."""
        return FORM_WEIGHTS[self]


FORM_WEIGHTS = {
    Form.SHARP: Weights(
        merit=8.2, merit_growth=-0.56, rest=0.045,
        suspicion=0.28, suspicion_growth=-0.34, steepness=5.2, steepness_growth=-0.26,
        with_error=0.12, guard=4.1, slack=0.28, by_others=0.0, flat=0.3, flat_slack=0.6,
    ),
    Form.STRICT: Weights(
        merit=5.8, merit_growth=-0.44, rest=0.3,
        suspicion=1.78, suspicion_growth=-0.43, steepness=2.3, steepness_growth=0.08,
        with_error=-0.06, guard=16.0, slack=0.235, by_others=0.6, flat=0.8, flat_slack=0.6,
    ),
}  # fmt: skip


@mechanism(
    "mls",
    label="MLS-{form}",
    source="peergauge",
    variants=tuple({"form": form} for form in Form),
    family="merit less suspicion",
    uses_checks=True,
    semester=True,
    equilibrium=Equilibrium.NONE,
    assumption="–",
    prior="given or estimated",
    superseded_by="guarded-merit",
)
@dataclass(frozen=True)
class MeritLessSuspicion(JudgesSemesters):
    r"""The certainty that a grader is in the better half, minus how much their reports look hedged.

    **Statistics of a grader.** As under ``sne``: after *T* reports, :math:`U = -\ln E` measures how
    far the expected squared error *E* is below that of the median grader, *x*\ :sub:`1` how steeply
    the reports follow those of other graders, *x*\ :sub:`2` how far they spread compared with what
    other graders predict, and *y* compared with what the prior predicts
    (:class:`~peergauge.mechanisms.shared.semester.Spreads`, with *k* = 2). All are near 0 for an
    honest average grader.

    **Payment**, with :math:`R = 40 / T`:

    .. math::
        \tanh(\kappa R^{\kappa'} U) + \eta U
        - \lambda R^{\lambda'} \exp(-a R^{a'} x_2 + c U)
        - \gamma \max(0, -\delta \sqrt R - z)
        - \varphi \max(0, -\epsilon \sqrt R - x_1)

    where :math:`z = w x_2 + (1 - w) y`. The first two terms are merit, the third is suspicion. The
    fourth penalises strong compression, also where the whole class joins in; the last penalises
    reports that do not depend on those of other graders, also where most report at random.
    :class:`Weights` has the coefficients of each form.

    **Why this form.** Suppose that pay ranks a large class by some statistics *x* of each grader,
    and let *R(x)* be the resulting rank as a share. The AUC of pay with the better half is :math:`4
    E[R \pi] - 1/2`, where :math:`\pi(x)` is the probability that a grader with *x* is in the better
    half. A grader who deviates alone, and whose statistics then have the density :math:`\rho_1`
    instead of :math:`\rho_0`, gains :math:`E[R \, (\rho_1 / \rho_0 - 1)]` ranks on average. Both
    are linear in *R*. So, among all rankings that give the deviation no larger gain, none has a
    higher AUC than the ranking by

    .. math:: \pi(x) - \lambda \frac{\rho_1(x)}{\rho_0(x)},

    and likewise with a term for every further deviation, as in the Neyman–Pearson lemma. The
    probability π is a sigmoid of *U* that is steeper with more reports. Hedging changes the spread,
    and its likelihood ratio is about exponential in the spread. (To preserve the order of all
    graders instead of one split, the expected true rank replaces π; PMI with its limit on surprise
    comes close to that.) The coefficients, which the formula leaves open, were tuned by simulation
    on the paper's model: this is the best *form* against hedging, not a proof against every attack.

    **Cost.** As under ``sne``: all payments are relative to the class, every assignment changes
    what the earlier ones were worth (:meth:`progress` shows graders these changes), and the prior
    mean must be right within much less than a point, or be estimated. Merit saturates, which loses
    the order among the best and among the worst graders.

    **What the argument does not cover.** The constraint is about a *random* grader, a fixed list of
    deviations and a fixed number of reports. It says nothing about graders who know their type, who
    do fewer reviews, who copy, or who are honest and use little of the scale. Measured attacks
    outside the list gain a lot, and truth is no equilibrium once graders see their own signals.

    **Known attacks.** Graders in the lower half gain by reporting only the two ends of the scale,
    because merit is bounded below and suspicion vanishes with spread. Copying a co-grader gains
    about 30 ranks: the copied report is part of what the copier is compared with. Honest graders
    who use little of the scale are fined as if they hedged. If many grades are cut off at the end
    of the scale, honest reports spread less than a normal model predicts, and exaggerating gains
    some ranks. A grader who knows their own bias gains by subtracting it. A majority that turns
    grades upside down gains, unless staff check one or two percent of the submissions. With an
    estimated mean a majority gains by grading lower or higher, with an estimated variance also by
    hedging together. ``guarded-merit`` repairs the first four and is to be preferred.

    **Source.** This mechanism is ours.

    Parameters
    ----------
    form
        ``sharp``: a lone grader who does not know their type gains hardly anything by a fixed map
        from signals to reports; ``strict``: nor where others do the same, and it measures a little
        worse.
    """

    form: Form = Form.SHARP

    def account(self, reports: Reports) -> Account:
        sums, variance = self.sums(reports)
        return account_of(sums, variance[:, None], self.form.weights, least_error(reports))


def account_of(sums: Sums, variance: Floats, weights: Weights, least: float = 0.0) -> Account:
    """The parts of the payments, by the coefficients of a form.

    *least* is the lower bound of an expected error.
    """
    n = np.where(sums.n > 0, sums.n, np.nan)
    error = expected_error(sums, least)
    ratio = USUAL_REPORTS / n
    ahead = ahead_of_the_median(error)
    steep = weights.merit * ratio**weights.merit_growth
    merit = np.tanh(steep * ahead) + weights.rest * ahead
    log = spreads_of(sums, variance, CAUTION_SQUARED_POINTS)
    steep = weights.steepness * ratio**weights.steepness_growth
    exponent = np.minimum(weights.with_error * ahead - steep * log.spread, MAX_SUSPICION_EXPONENT)
    suspicion = weights.suspicion * ratio**weights.suspicion_growth * np.exp(exponent)
    guarded = weights.by_others * log.spread + (1 - weights.by_others) * log.by_prior
    penalty = weights.guard * np.maximum(0, -weights.slack * np.sqrt(ratio) - guarded)
    penalty += weights.flat * np.maximum(0, -weights.flat_slack * np.sqrt(ratio) - log.slope)
    return Account(n, error, merit, -suspicion, penalty)
