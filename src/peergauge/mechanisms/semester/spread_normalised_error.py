"""Pay graders for being close to what others say, in proportion to how far they spread out."""

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
    """The numbers of one form; see the mechanism for the formula that they stand in.

    Parameters
    ----------
    slope, spread, residual
        c₁, c₂ and c₃: what is paid for the three logarithms that speak of a grader's spread.
    growth
        α, the power of 40 / T by which that pay shrinks or grows.
    width, width_growth
        *s* and β: where the pay for a small error begins to saturate, and its power of 40 / T;
        infinite for the linear form.
    rest
        η, how much of the error is paid without saturation.
    caution
        *k*, squared points added to both spreads, so that a few reports do not decide.
    cap
        κ, the most that is paid for spread.
    penalty, slack
        λ and δ: what it costs to spread too little, and how much too little is free.
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
        """The numbers of this form."""
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
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="normal signals, many reports",
    prior="given or estimated",
)
@dataclass(frozen=True)
class SpreadNormalisedError(JudgesSemesters):
    r"""Minus the logarithm of a grader's squared error, plus that of how far their reports spread.

    Who hedges, and reports halfway between what they saw and the usual grade, is closer to the
    truth in squared error than who reports what they saw. But their reports also spread less.
    Error in proportion to spread is smallest for the truth, and that is paid, for all reports so
    far together. Grades are taken to points of 0..10.

    **What others say.** True scores, and a bias, a slope and a noise for every grader, are
    estimated from all assignments so far by EM, as normal distributions (see
    :class:`~peergauge.models.slopes.SlopePriors`), beginning with the estimates of the
    assignment before, until no score moves by more than 0.03. Taken without the report *r* itself,
    they give the score behind it a mean *m* and a variance *p*.

    **Error.** With the distances :math:`e = r - m` of a grader's *T* reports, their noise *v*
    around a bias *b*, and :math:`K = p / (p + v)`, the squared error to be expected is

    .. math:: E = \frac{1}{T} \sum \left( (1 - K) e + K b \right)^2 + p \, (1 - K),

    and :math:`U = -\ln E`, less the median of that over all graders.

    **Spread.** With sums of squares around the grader's own mean, :math:`C_{rr}` of reports,
    :math:`C_{mm}` of what others say, :math:`C_{em}` and :math:`C_{ee}` for the distances,

    .. math::
        x_1 = \ln \left( 1 + \frac{C_{em}}{C_{mm} + k} \right), \quad
        x_2 = \frac12 \ln \frac{C_{rr} + 0.5 + k}{C_{mm} + (T - 1)(p + 1.05) + k}, \quad
        x_3 = \frac12 \ln \frac{C_{ee} + 1}{1.35 (T - 1) + 1}:

    slope, spread and residual. Graders have hardly any influence on the denominators, which are
    what others lead one to expect. (The first logarithm is that of at least 0.05.)

    **Payment** after *T* reports, with :math:`R = 40 / T` and :math:`S = s R^\beta`:

    .. math::
        S \tanh \frac{U}{S} + \eta U
        + \min \left( R^\alpha (c_1 x_1 + c_2 x_2 + c_3 x_3), \, \kappa \sqrt R \right)
        - \lambda \max \left( 0, -\delta \sqrt R - y \right), \quad
        y = \frac12 \ln \frac{C_{rr} + 0.5}{(T - 1)(\sigma^2 + 1.05)}

    The last term makes it costly for a whole class to hedge, since it asks for the spread that
    the prior leads one to expect, not for that of others. It is 0 for a single report. The linear
    form has *U* in place of the first two terms, and no cap κ. :class:`Weights` has the numbers of
    each form.

    **Checks.** A submission that staff checked has its true score for *m*, and *p* = 0. What its
    graders reported of it tells their bias, slope and noise, and these what their other reports are
    worth. It also tells who turns grades upside down (:func:`~peergauge.models.slopes.upright`):
    they are read the other way round when scores are estimated, and paid for what they reported.
    An estimated prior mean is corrected by what reports on checked submissions are too high
    (:func:`~peergauge.mechanisms.shared.semester.excess_so_far`).

    **Why it should work.** Count signal *s* and what others say, *m*, from the prior mean, and let
    *m* be calibrated, so that the signal is :math:`m + b` on average. Who reports *f s* has, over
    many reports, the squared distance :math:`f^2 E s^2 - 2 f \, \mathrm{Var}\, m +
    \mathrm{Var}\, m`, and so

    .. math:: \frac{SE(f)}{f^2} = SE(1) + \mathrm{Var}(m) \left( \frac1f - 1 \right)^2.

    The variance of these reports is :math:`f^2` times that of the signals. So the logarithm of
    variance over squared distance is largest at *f* = 1 and nowhere else, whatever the grader's
    bias and noise. That is what the linear form pays with ``error=distance``. It holds in
    expectation, for many reports, for normal signals, without rounding and the ends of the scale,
    and for graders who do not know their bias.

    It is no proof for the rest. The expected error *E* follows the true error better than the
    distance does, but is a little kinder to reports that are drawn in: if any grade could be given,
    factors of 0.8 to 0.9 would pay best under the linear form, by a few hundredths. Rounding to
    whole grades takes that away. The other two forms let the pay for error saturate away from the
    median grader, so that less pay for spread keeps hedging from paying, on average over graders,
    and the median still divides sharply. What they are worth was found by simulation, on the
    paper's model, for which their numbers were tuned.

    **What it costs.** All is paid in relation to the class, and every assignment changes what the
    earlier ones were worth: see :meth:`told` for what graders can be shown. Saturation costs order
    among the best and among the worst. With one or three assignments ``sharp`` is lax: hedging
    gains some ranks. The prior mean must be right within well under a point, or be estimated.
    The work after each assignment is linear in the reports so far, so that of a semester grows
    with the square of its assignments.

    **What defeats it.** A grader who knows their own bias gains by subtracting it, as under any
    pay for squared error. A majority who all turn grades upside down around the prior mean gains,
    under the linear form also if they hedge besides. With an estimated mean a majority gains by
    grading lower or higher; with an estimated variance also by hedging together, since a class
    that hedges looks like one whose work is alike. Checks of one or two submissions in a hundred
    take the gain from turning grades upside down and from grading lower or higher together.

    Parameters
    ----------
    form
        ``linear``: the form with the argument; ``sharp``: it tells the better half from the worse
        best of the three; ``strict``: it leaves less to gain than ``sharp``, most of all with few
        assignments, and measures a little worse.
    error
        ``expected``: as above; ``distance``: the mean squared distance from what others say takes
        the place of *E*, at least 0.01. That measures a little worse, and is harder to hedge.
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
    """What the payments are made of, by the numbers of a form and the kind of error.

    An expected error counts as *least* at the least.
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
