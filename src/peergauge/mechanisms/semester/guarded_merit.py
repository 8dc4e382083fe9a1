"""Pay graders for accuracy, corrected for hedging, with guards against copying and absence."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.mechanisms import Equilibrium, PaysTotals, mechanism
from peergauge.mechanisms.shared.evidence import Evidence, evidence_so_far, step_in_points
from peergauge.mechanisms.shared.semester import (
    MIN_SQUARED_ERROR,
    USUAL_REPORTS,
    Account,
    JudgesSemesters,
    ahead_of_the_median,
    checked_so_far,
)
from peergauge.models.slopes import SlopePriors
from peergauge.tables import Reports, frozen


class Weights(NamedTuple):
    """The coefficients; see the mechanism for the formula.

    Parameters
    ----------
    slope, residual, usual
        w₁, w₃ and *o*: how the three spreads form the suspicion, and that of an honest grader.
    excess, excess_slack
        ξ and θ: the weight of too much spread, and how much of it is free.
    inside, inside_growth
        λ and its power of *t*: suspicion that is weighed against the error.
    merit, merit_growth, rest
        κ, its power of *t*, and η.
    outside, outside_growth
        μ and its power of *t*: suspicion that is paid beside merit.
    guard, guard_growth
        γ and its power of *t*: the penalty for less spread than the prior predicts.
    flat, flat_slack
        φ and ε: the penalty for reports that do not follow those of others, and how much is free.
    copied, copied_slack
        χ and ζ: the penalty for matches with co-graders, and how many standard deviations are free.
    borrowed, borrowed_slack
        ψ and ς: the same for following the biases of co-graders.
    """

    slope: float = 0.23
    residual: float = 0.61
    usual: float = -0.023
    excess: float = 0.064
    excess_slack: float = 0.18
    inside: float = 0.78
    inside_growth: float = 0.74
    merit: float = 3.8
    merit_growth: float = 0.20
    rest: float = 0.106
    outside: float = 1.14
    outside_growth: float = 2.05
    guard: float = 0.83
    guard_growth: float = -0.25
    flat: float = 0.82
    flat_slack: float = 0.84
    copied: float = 1.0
    copied_slack: float = 2.0
    borrowed: float = 1.2
    borrowed_slack: float = 1.4


USUAL_WEIGHTS = Weights()
"""The coefficients that were tuned by simulation."""


@mechanism(
    "guarded-merit",
    label="Guarded Merit",
    source="peergauge",
    variants=({}, {"strength": 0.5}),
    family="guarded merit",
    uses_checks=True,
    semester=True,
    equilibrium=Equilibrium.NONE,
    assumption="–",
    prior="given or estimated",
    undone="own",
)
@dataclass(frozen=True)
class GuardedMerit(JudgesSemesters, PaysTotals):
    r"""How far a grader's error is below the median, corrected for hedging, minus four penalties.

    **What others say.** As under ``sne``, EM estimates from all reports so far give the score
    behind each report *r* a mean *m* and a variance *p*, from the reports of all other graders. All
    numbers are in points of 0..10, μ and σ² are the prior mean and variance, and *T* is the number
    of reviews that were *assigned* to the grader so far.

    **Error.** *E* is the expected squared error of the reports, as under ``sne``. A review that was
    assigned and not done has the error σ² of reporting the prior mean, or the grader's own mean
    error if that is larger. :math:`U = -\ln E`, minus its median over the class.

    **The honest expectation.** An honest grader with bias *b* would report around :math:`m + b`,
    cut off at the ends of the scale. *c* and *V* are the mean and variance of the cut-off score
    (:func:`~peergauge.mechanisms.shared.evidence.censored`), and *b* is the bias at which the mean
    of :math:`r - c` is nearly 0. Without the cut, graders who give many full marks would look like
    graders who hedge.

    **Suspicion** compares the reports with that expectation by three logarithms, each near 0 for
    honest graders (:class:`~peergauge.mechanisms.shared.evidence.Evidence`): the slope
    :math:`k_1` of reports on *c*, their spread :math:`k_2`, and the residual spread :math:`k_3`
    around *c*. With :math:`t = \min(T / 40, 1)`,

    .. math::
        x = k_2 + w_1 k_1 + w_3 k_3 + o, \quad
        z = \min(x, 0) - \xi \max\left(0, x - \theta / \sqrt t\right).

    Hedged reports have a negative *z*. Wider spread than honest is worth nothing, and costs a
    little.

    **Payment**:

    .. math::
        \tanh\left(\kappa t^{\kappa'} (U + \lambda t^{\lambda'} z)\right) + \eta U
        + \mu t^{\mu'} z
        - \gamma t^{\gamma'} \max(0, -k_y)
        - \varphi \max\left(0, -\epsilon / \sqrt t - k_1\right)
        - \chi \max(0, M - \zeta)
        - \psi t \max(0, B - \varsigma)

    - The first term is merit. Inside it, what a hedge gains in *U* is taken back by *z*. This holds
      for graders of every ability, and not only on average over all of them.
    - The third term sorts graders within the better and the worse half, where merit saturates.
    - The fourth penalises less spread than the prior predicts (:math:`k_y`), which protects against
      a class that hedges together.
    - The fifth penalises reports that do not follow those of others, also where most report at
      random.
    - The last two penalise copying. *M* is the excess, in standard deviations, of reports that
      equal a grade which a co-grader gave, over what independent reports would have. Honest graders
      have a mean of about -0.1 and a standard deviation of about 0.85 after forty reports. *B*
      finds copies that are disguised, such as a mean of two co-graders plus noise, which equals
      nobody's grade. Who copies borrows the *biases* of those copied: the reports are higher where
      the co-graders are kind ones. *B* is the covariance of a grader's distances with the mean bias
      of the co-graders, in standard deviations
      (:class:`~peergauge.mechanisms.shared.evidence.Evidence`). Honest graders have a mean of about
      -0.1 and a standard deviation of about 1, and such copiers a mean of about 2.5.

    :class:`Weights` has the coefficients. ``strength`` multiplies λ, μ and γ.

    **Why this form.** A grader who hedges and an honest grader who uses little of the scale cannot
    be told apart by any statistic. But "hedging by a factor *f* does not pay" is one linear
    constraint on the ranking, and by the argument of Neyman and Pearson (see ``mls``) the best
    ranking under it is merit plus a multiple of the estimated slope. Exponential fines, as under
    ``mls``, push honest narrow graders to the bottom; a linear correction moves them a little.
    For every *type* of grader the constraint holds again, and the correction must act where the
    gain of the hedge acts: inside the sigmoid.

    **Cost.** As under ``sne``: payments are relative to the class and to the semester so far. The
    order among the best and among the worst graders is known less well than under ``pmi`` or
    MSE_P. The coefficients were tuned by simulation in the paper's model with forty assigned
    reviews; the documentation states what was measured elsewhere.

    **Special cases.** A grader without any report is not paid, unless reviews were assigned: then
    they have the lowest total of the class. Without knowledge of the assignment
    (``reports.assigned``), a grader who does less is judged by fewer reports, and may gain by luck.

    **Known attacks.** Graders who know the sign of their bias gain by subtracting it, and graders
    who only know that they are among the least accurate gain by *shifting* all their grades in
    either direction: half of the time they hit the right one, and there is little to lose. Both are
    true improvements half of the time, and no mechanism that pays for a small bias can prevent
    them. A majority that turns grades upside down gains, unless staff check some submissions. With
    an estimated prior a majority gains by grading lower or higher, or by hedging together. After
    one to three assignments moderate hedges and copying still gain some ranks, because *B* needs
    about twenty reports. *B* says nothing where the same people grade together every time, or where
    nobody is kinder than others; disguised copies are not detected there. The covariance of copied
    reports with the *noise* of co-graders is too small for a test of forty reports.

    **Source.** This mechanism is ours.

    Parameters
    ----------
    strength
        Weight of suspicion: 1 leaves hardly anything to gain by hedging; less measures better where
        honest graders differ in how much of the scale they use; 0 pays for the error and the last
        three penalties alone.
    """

    strength: float = 1.0

    weights: ClassVar[Weights] = USUAL_WEIGHTS

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.strength < np.inf:
            raise ParameterError(
                f"The strength of suspicion is a finite number from 0 up, not {self.strength:g}."
            )

    def account(self, reports: Reports) -> Account:
        return account_of(self.evidence(reports), self.weights, self.strength)

    def total_pay(self, reports: Reports) -> Floats:
        if not reports.assignments:
            return np.full(reports.graders, np.nan)
        last = self.evidence(reports, first=reports.assignments - 1)
        last = Evidence(*(column[-1:] for column in last))
        return np.asarray(account_of(last, self.weights, self.strength).total[-1])

    def evidence(self, reports: Reports, first: int = 0) -> Evidence:
        """The statistics of each grader after each assignment, from the assignment *first* on.

        They are computed once for all mechanisms that share a prior.
        """
        key = "evidence", self.prior, self.prior_mean, self.prior_variance, first
        return reports.derived(key, lambda: self._evidence(reports, first))

    def _evidence(self, reports: Reports, first: int) -> Evidence:
        scale, staff = reports.scale, reports.staff_score
        points = (reports.grade - scale.lowest) / scale.unit
        true = None if staff is None else (staff - scale.lowest) / scale.unit
        mean, variance = self.priors(reports, points, true)
        undone = np.zeros((reports.assignments, reports.graders))
        if reports.undone is not None:
            undone = np.cumsum(reports.undone, axis=0).astype(np.float64)
        found, late = evidence_so_far(
            points,
            reports.layout,
            mean,
            variance,
            SlopePriors(),
            step_in_points(scale.steps_needed() if scale.finite else None, scale.unit),
            undone,
            None if true is None else checked_so_far(reports, points, mean, true),
            first,
        )
        if late:
            warnings.warn(
                f"The estimates of {self.facts.name} did not converge after {late} of "
                f"{reports.assignments} assignments; those of the last round are used.",
                ConvergenceWarning,
                stacklevel=2,
            )
        for column in found:
            frozen(column)
        return found


def account_of(found: Evidence, weights: Weights, strength: float = 1.0) -> Account:
    """The parts of the payments, by the coefficients."""
    none = (found.n == 0) & (found.undone > 0)
    error = np.maximum(found.error, MIN_SQUARED_ERROR)
    ahead = ahead_of_the_median(error)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(found.n > 0, found.n + found.undone, np.nan) / USUAL_REPORTS
        t = np.minimum(t, 1.0)
        x = found.spread + weights.slope * found.slope + weights.residual * found.residual
        x = x + weights.usual
        too_wide = np.maximum(0.0, x - weights.excess_slack / np.sqrt(t))
        suspicion = strength * (np.minimum(x, 0.0) - weights.excess * too_wide)
        corrected = ahead + weights.inside * t**weights.inside_growth * suspicion
        merit = np.tanh(weights.merit * t**weights.merit_growth * corrected) + weights.rest * ahead
        outside = weights.outside * t**weights.outside_growth * suspicion
        guard = strength * weights.guard * t**weights.guard_growth
        penalty = guard * np.maximum(0.0, -found.by_prior)
        penalty += weights.flat * np.maximum(0.0, -weights.flat_slack / np.sqrt(t) - found.slope)
        penalty += weights.copied * np.maximum(0.0, found.matches - weights.copied_slack)
        penalty += weights.borrowed * t * np.maximum(0.0, found.borrowed - weights.borrowed_slack)
    total = merit + outside - penalty
    known = ~np.isnan(total)
    lowest = np.where(known, total, np.inf).min(axis=1, initial=np.inf)[:, None]
    merit = np.where(none & np.isfinite(lowest), np.broadcast_to(lowest, none.shape), merit)
    outside, penalty = np.where(none, 0.0, outside), np.where(none, 0.0, penalty)
    reports = np.where(found.n > 0, found.n, np.nan)
    return Account(reports, found.error, merit, outside, penalty)
