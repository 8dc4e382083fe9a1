"""Pay graders for a small error in proportion to the spread of their reports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.semester import (
    MIN_SQUARED_ERROR,
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


class Weights(NamedTuple):
    """The coefficients of one form; see the mechanism for the formula.

    Parameters
    ----------
    slope, spread, residual
        c₁, c₂ and c₃: the pay for the three logarithms of a grader's spread.
    growth
        α, the power of 40 / T by which that pay shrinks or grows.
    width, width_growth
        *s* and β: where the pay for a small error begins to saturate, and its power of 40 / T;
        infinite for the linear form.
    rest
        η, how much of the error is paid without saturation.
    caution
        *k*, squared points added to both spreads, so that a few reports are not decisive.
    cap
        κ, the maximum pay for spread.
    penalty, slack
        λ and δ: the penalty for too little spread, and how much too little is free.
    """

    slope: float
    spread: float
    residual: float
    growth: float
    width: float
    width_growth: float
    rest: float
    caution: float
    cap: float
    penalty: float
    slack: float


class Form(Enum):
    """How error and spread are weighed."""

    LINEAR = "linear"
    SHARP = "sharp"
    STRICT = "strict"

    @property
    def label(self) -> str:
        """One letter, for legends."""
        return {"linear": "L", "sharp": "M", "strict": "S"}[self.value]

    @property
    def weights(self) -> Weights:
        """The coefficients of this form."""
        return FORM_WEIGHTS[self]


FORM_WEIGHTS = {
    Form.LINEAR: Weights(
        slope=0.0, spread=2.0, residual=0.0, growth=0.0, width=np.inf, width_growth=0.0,
        rest=0.0, caution=2.46, cap=np.inf, penalty=2.0, slack=0.35,
    ),
    Form.SHARP: Weights(
        slope=0.0, spread=0.88, residual=0.0, growth=-0.25, width=0.25, width_growth=0.40,
        rest=0.15, caution=2.0, cap=0.11, penalty=2.0, slack=0.28,
    ),
    Form.STRICT: Weights(
        slope=-0.133, spread=1.271, residual=-0.086, growth=-0.068, width=0.2976,
        width_growth=0.022, rest=0.084, caution=2.622, cap=0.206, penalty=1.957, slack=0.359,
    ),
}  # fmt: skip


@mechanism(
    "sne",
    label="SNE-{form}",
    source="peergauge",
    variants=tuple({"form": form} for form in Form),
    family="spread-normalised error",
    uses_checks=True,
    semester=True,
    equilibrium=Equilibrium.NONE,
    assumption="–",
    prior="given or estimated",
    superseded_by="guarded-merit",
)
@dataclass(frozen=True)
class SpreadNormalisedError(JudgesSemesters):
    r"""Minus the logarithm of a grader's squared error, plus that of the spread of their reports.

    A grader who hedges, and reports a grade halfway between the signal and the usual grade, has a
    smaller squared error than a grader who reports the signal. But the reports of the former also
    spread less. The error in proportion to the spread is smallest for honest reports, and that is
    what this mechanism pays, for all reports so far together. Grades are converted to points of
    0..10.

    **Estimates from the other graders.** True scores, and a bias, a slope and a noise variance for
    every grader, are estimated from all assignments so far by EM, as normal distributions (see
    :class:`~peergauge.models.slopes.SlopePriors`). The estimation starts from the estimates after
    the previous assignment and stops when no score changes by more than 0.03. Without the report
    *r* itself, it gives the score behind that report a mean *m* and a variance *p*.

    **Error.** With the distances :math:`e = r - m` of a grader's *T* reports, the grader's noise
    variance *v* around a bias *b*, and :math:`K = p / (p + v)`, the expected squared error is

    .. math:: E = \frac{1}{T} \sum \left( (1 - K) e + K b \right)^2 + p \, (1 - K),

    and *U* is :math:`-\ln E` minus its median over all graders.

    **Spread.** With sums of squares around the grader's own mean, :math:`C_{rr}` of reports,
    :math:`C_{mm}` of the means *m*, :math:`C_{em}` and :math:`C_{ee}` for the distances,

    .. math::
        x_1 = \ln \left( 1 + \frac{C_{em}}{C_{mm} + k} \right), \quad
        x_2 = \frac12 \ln \frac{C_{rr} + 0.5 + k}{C_{mm} + (T - 1)(p + 1.05) + k}, \quad
        x_3 = \frac12 \ln \frac{C_{ee} + 1}{1.35 (T - 1) + 1}:

    slope, spread and residual. Graders have hardly any influence on the denominators, which are
    predicted from the reports of others. (The argument of the first logarithm is at least 0.05.)

    **Payment** after *T* reports, with :math:`R = 40 / T` and :math:`S = s R^\beta`:

    .. math::
        S \tanh \frac{U}{S} + \eta U
        + \min \left( R^\alpha (c_1 x_1 + c_2 x_2 + c_3 x_3), \, \kappa \sqrt R \right)
        - \lambda \max \left( 0, -\delta \sqrt R - y \right), \quad
        y = \frac12 \ln \frac{C_{rr} + 0.5}{(T - 1)(\sigma^2 + 1.05)}

    The last term makes it costly for a whole class to hedge, since it compares the spread with the
    one that the prior predicts, not with that of other graders. It is 0 for a single report. The
    linear form has *U* instead of the first two terms, and no cap κ. :class:`Weights` has the
    coefficients of each form.

    **Spot checks.** A submission that staff checked has its staff score as *m*, and *p* = 0. The
    reports on it determine the bias, slope and noise of its graders, and through these the weight
    of their other reports. They also show which graders turn grades upside down
    (:func:`~peergauge.models.slopes.upright`): their grades are reversed when scores are estimated,
    and paid as reported. An estimated prior mean is corrected by the mean excess of the reports on
    checked submissions (:func:`~peergauge.mechanisms.shared.semester.excess_so_far`).

    **Why it should work.** Measure the signal *s* and the mean *m* from the prior mean, and let *m*
    be calibrated, so that the signal is :math:`m + b` on average. A grader who reports *f s* has,
    over many reports, the squared distance :math:`f^2 E s^2 - 2 f \, \mathrm{Var}\, m +
    \mathrm{Var}\, m`, and so

    .. math:: \frac{SE(f)}{f^2} = SE(1) + \mathrm{Var}(m) \left( \frac1f - 1 \right)^2.

    The variance of these reports is :math:`f^2` times that of the signals. So the logarithm of the
    variance over the squared distance has its only maximum at *f* = 1 among all factors for
    stretching about the **prior mean**, whatever the grader's bias and noise. The linear form with
    ``error=distance`` pays exactly that. The result holds in expectation, for many reports, for
    normal signals, without rounding and the ends of the scale, and for graders who do not know
    their bias.

    It does not hold for stretching about one's **own mean**. A grader with bias *b* who stretches
    by *f* about :math:`\mu + b` has :math:`SE(f) / f^2 = \mathrm{Var}\, s + (b^2 +
    \mathrm{Var}\, m) / f^2 - 2 \mathrm{Var}\, m / f`, which is smallest at :math:`f = 1 + b^2 /
    \mathrm{Var}\, m`: biased graders gain by exaggerating about their own mean, up to reporting
    only the ends of the scale, and those with a large bias even by adding noise.

    It is no proof for the other forms. The expected error *E* follows the true error better than
    the distance does, but favours hedged reports a little: if any grade could be given, factors of
    0.8 to 0.9 would pay best under the linear form, by a few hundredths. Rounding to whole grades
    removes this advantage. The other two forms let the pay for error saturate away from the median
    grader. Less pay for spread is then enough to keep hedging from paying, on average over graders,
    and the payments still separate the better half sharply. These forms were tuned and evaluated by
    simulation on the paper's model.

    **Cost.** All payments are relative to the class, and every assignment changes what the earlier
    ones were worth; :meth:`progress` shows graders these changes. Saturation loses the order among
    the best and among the worst graders. With one or three assignments ``sharp`` is lenient:
    hedging gains some ranks. The prior mean must be right within much less than a point, or be
    estimated. The running time after each assignment is linear in the reports so far, and so
    quadratic in the number of assignments over a semester.

    **Known attacks.** Copying a co-grader gains about 30 ranks, and biased graders gain by
    exaggerating about their own mean (see above). Honest graders who use little of the scale are
    fined. A grader who knows their own bias gains by subtracting it, as under any pay for squared
    error. A majority that turns all grades upside down around the prior mean gains,
    under the linear form also if it hedges besides. With an estimated mean, a majority gains by
    grading lower or higher; with an estimated variance also by hedging together, since a class that
    hedges looks like a class whose work varies little. Spot checks of one or two percent of the
    submissions remove the gain from turning grades upside down and from grading lower or higher
    together.

    **Source.** This mechanism is ours.

    Parameters
    ----------
    form
        ``linear``: the form of the calculation above; ``sharp``: separates the better half of the
        graders from the worse best of the three; ``strict``: it leaves less to gain than ``sharp``,
        most of all with few assignments, and measures a little worse.
    error
        ``expected``: as above; ``distance``: *E* is the mean squared distance from the mean *m*, at
        least 0.01. This measures a little worse, and is harder to hedge.
    """

    form: Form = Form.SHARP
    error: Literal["expected", "distance"] = "expected"

    def account(self, reports: Reports) -> Account:
        sums, variance = self.sums(reports)
        least = least_error(reports)
        return account_of(sums, variance[:, None], self.form.weights, self.error, least)


def account_of(
    sums: Sums,
    variance: Floats,
    weights: Weights,
    error: Literal["expected", "distance"],
    least: float = 0.0,
) -> Account:
    """The parts of the payments, by the coefficients of a form and the kind of error.

    *least* is the lower bound of an expected error.
    """
    n = np.where(sums.n > 0, sums.n, np.nan)
    squared = (
        expected_error(sums, least)
        if error == "expected"
        else np.maximum(sums.ee / n, MIN_SQUARED_ERROR)
    )
    ratio = USUAL_REPORTS / n
    ahead = ahead_of_the_median(squared)
    if np.isinf(weights.width):
        for_error = ahead
    else:
        width = weights.width * ratio**weights.width_growth
        for_error = width * np.tanh(ahead / width) + weights.rest * ahead
    log = spreads_of(sums, variance, weights.caution)
    logs = weights.spread * log.spread + weights.slope * log.slope + weights.residual * log.residual
    for_spread = np.minimum(ratio**weights.growth * logs, weights.cap * np.sqrt(ratio))
    penalty = weights.penalty * np.maximum(0, -weights.slack * np.sqrt(ratio) - log.by_prior)
    return Account(n, squared, for_error, for_spread, penalty)
