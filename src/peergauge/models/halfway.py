"""Grades that are half a model's estimate and half a plain mean.

A model that corrects for leniency and weights graders by their reliability is better than the mean
in most classes, and worse in some, for reasons that reports alone cannot show. A grade halfway
between the two keeps three quarters of the gain where the model is right (errors are squared), and
takes only a quarter of the damage where it is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.models import Estimates, Model, model
from peergauge.models.leniency import Leniency, LeniencyPrior, estimate_leniency
from peergauge.models.middle import medians
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.tables import Reports, Scale

REVIEW_DEGREES_OF_FREEDOM = 4.0
"""Degrees of freedom of the Student t distribution of single reviews. The weight of a review that
is far from all others falls with its distance, whoever gave it."""

SCORE_DEGREES_OF_FREEDOM = 15.0
"""Degrees of freedom of the Student t distribution of scores: if reviewers agree that a submission
is far from the rest of the class, the mean of the class loses weight."""

MAX_HISTORY_STRENGTH = 1.25
"""Largest strength of a grader with a history, in units of the median strength of the class. A good
reputation cannot be spent on one strong dishonest review."""

MAX_MEAN_DISTANCE = 2.5
"""Distance from the median of the reviews, in standard deviations of a review, beyond which the
mean pulls a review in."""

MIN_REVIEWS_TO_DISCARD = 4
"""Number of reviews from which on a distant review is pulled in further than to the distance above;
with three reviews it is not clear which of them is wrong."""

MIN_REVIEW_DEVIATION = 0.5
"""Least standard deviation of a review, in points of 0..10, that this distance is computed from;
otherwise a class whose graders agree would have none."""

CLASS_SHIFT_DEVIATION = 1.0
"""Prior standard deviation of the difference between peers and staff, in points of 0..10."""

SHIFT_PRIOR_COUNT = 2.0
"""Weight of the prior variance (one point of 0..10) of differences between peers and staff, as an
equivalent number of staff grades."""

MAX_REWEIGHTING_ROUNDS = 100
REWEIGHTING_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False, kw_only=True)
class HalfwayEstimates(Estimates):
    r"""Grades that are halfway between a model and the mean.

    The grade of a submission is a weighted mean of its reviews and of the mean of the assignment,

    .. math:: \hat g_s = a_{s} \mu + \sum_k a_{sk} v_{sk}, \quad a_s + \sum_k a_{sk} = 1

    with the share :math:`\lambda` of the model, weights of the model :math:`w`, and *n* reviews:

    .. math:: a_{sk} = \lambda w_{sk} + \frac{1 - \lambda}{n}, \quad a_s = \lambda w_s, \quad
        v_{sk} = \frac{\lambda w_{sk} c_{sk} + (1 - \lambda) m_{sk} / n}{a_{sk}}

    *c* is the report minus the leniency of its grader and minus the shift of the class, *m* is the
    report, pulled in if it is far off, minus the shift of the class; neither leaves the scale.

    Parameters
    ----------
    share
        :math:`\lambda`.
    corrected_grade, pulled_in
        *c* and *m* of each report.
    model_weight
        *w* of each report in the model's estimate.
    value, weight
        *v* and *a* of each report.
    prior_mean, prior_weight
        *μ* of each assignment, and its weight for each submission.
    peer_score
        Estimate from peers for every submission, also for those that staff graded.
    shift
        How much higher the peers of each assignment grade than staff; 0 without staff grades.
    staff
        Staff grade of each submission, which is then its score; NaN if there is none.
    anchor
        Staff grades whose level the others follow.
    leniency, leniency_deviation, leniency_ratio
        Leniency of each grader on each assignment (assignments × graders), its standard deviation,
        and its squared deviation in units of the variance of errors.
    evidence
        Probabilities of the ratios of variances in :mod:`~peergauge.models.leniency`, after the
        last assignment.
    strength
        Weight of each report before its distance from the others counts, in units of the weight of
        the mean.
    review_deviation
        Standard deviation of a review on each assignment, from which distant reviews are judged.
    """

    share: float
    corrected_grade: Floats
    pulled_in: Floats
    model_weight: Floats
    value: Floats
    weight: Floats
    prior_mean: Floats
    prior_weight: Floats
    peer_score: Floats
    shift: Floats
    staff: Floats
    anchor: Floats
    leniency: Floats
    leniency_deviation: Floats
    leniency_ratio: Floats
    evidence: Floats
    strength: Floats
    review_deviation: Floats


@model(
    "halfway",
    label="Half model, half mean",
    source="peergauge: half PG1 with intervals and leniency by REML, half the mean",
    random=True,
)
@dataclass(frozen=True)
class HalfwayModel(Model):
    r"""Half of a model's estimate plus half of the mean of a submission's grades.

    1. Leniency is estimated from differences between graders of the same submission alone
       (:mod:`~peergauge.models.leniency`), and shrunk by the probability that there is none.
    2. Reliabilities, kinds of graders and the distribution of scores are those of
       :class:`~peergauge.models.posterior.PG1Posterior`. The strength of a grader with a history is
       at most 1.25 times the median strength.
    3. The model's estimate is the mean of the corrected reports and of the mean of the class,
       weighted by strengths times :math:`u = 5 / (4 + \tau_k e^2)`: a report at a distance *e* from
       the estimate loses weight, as with Student t noise with four degrees of freedom. So does
       the mean of the class, with fifteen. The iteration starts at the median, so that it ends
       where most reviews agree.
    4. The mean pulls in a report that is more than 2.5 standard deviations away from the median of
       the submission to that distance. With four reviews or more it pulls it in by as much again
       as it is beyond: from 5 standard deviations on it counts as the median itself.
    5. The grade is halfway between both, and never leaves the scale. Two submissions at the top of
       the scale are tied only if all of their corrected and plain grades are.

    With staff grades, the mean difference between peers and staff is subtracted from all reports,
    shrunk by its uncertainty, and staff grades are final.

    Parameters
    ----------
    share
        Share of the model; 0 gives the mean with distant grades pulled in, 1 the model alone.
    draws, warmup, seed
        As in ``pg1-posterior``.
    """

    share: float = 0.5
    draws: int | None = None
    warmup: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.share <= 1:
            raise ParameterError(
                f"The share of the model is a number between 0 and 1, not {self.share:g}."
            )
        self.posterior_model()

    def posterior_model(self) -> PG1Posterior:
        """The model of reliabilities and scores."""
        return PG1Posterior(draws=self.draws, warmup=self.warmup, seed=self.seed)

    def fit(self, reports: Reports, staff: Floats | None = None) -> HalfwayEstimates:
        """Estimate the grades of all submissions.

        Parameters
        ----------
        staff
            Staff grade of each submission, NaN if there is none.
        """
        reports.scale.numbers_needed("The model 'halfway'")
        return halfway_grades(reports, self.posterior_model().fit(reports, staff), share=self.share)


def halfway_grades(
    reports: Reports,
    posterior: Posterior,
    *,
    share: float = 0.5,
    prior: LeniencyPrior | None = None,
    anchor: Floats | None = None,
) -> HalfwayEstimates:
    """Grades of a class, given the posterior distribution of its reliabilities and scores.

    Parameters
    ----------
    posterior
        The posterior distribution, which also has the staff grades.
    share
        Share of the model.
    prior
        What earlier runs say about the leniency of graders.
    anchor
        Staff grades whose level the grades by peers follow, NaN for others; all by default.
    """
    anchor = posterior.staff if anchor is None else anchor
    known = prior or LeniencyPrior.unknown(reports.graders)
    by_grader = (reports.assignments, reports.graders)
    leniency, deviation, ratio = np.full((3, *by_grader), np.nan)
    corrected, pulled_in, model_weight, strengths = np.full((4, len(reports)), np.nan)
    review_deviations = np.full(reports.assignments, np.nan)
    prior_weight = np.full(reports.submissions, np.nan)
    shift = np.zeros(reports.assignments)
    for a in range(reports.assignments):
        here = slice(reports.assignment_bounds[a], reports.assignment_bounds[a + 1])
        if here.start == here.stop:
            continue
        s_names, s = np.unique(reports.submission[here], return_inverse=True)
        k_names, k = np.unique(reports.grader[here], return_inverse=True)
        staff, grade = anchor[s_names], reports.grade[here]
        shift[a] = class_shift(grade, s, staff, reports.scale)
        before = LeniencyPrior(known.mean[k_names], known.ratio[k_names], known.evidence)
        widest = reports.scale.highest - reports.scale.lowest
        found = estimate_leniency(grade, s, k, staff + shift[a], before, widest)
        for column, values in zip((leniency, deviation, ratio), found[:3], strict=True):
            column[a, k_names] = values
        variance = _on_scale(reports, posterior, a)
        # Reliability times squared slope, in units of the precision of the scores on the scale.
        strength = posterior.weight[here] / posterior.prior_weight[s_names][s]
        strength *= posterior.precision[a] * variance
        has_history = ~np.isnan(before.mean)
        strength = _capped(strength, has_history[k])
        parts = AssignmentParts(
            grade - shift[a],
            s,
            found.mean[k],
            strength,
            reported_reliability(posterior.reliability[a, k_names][k], reports.scale),
            float(posterior.prior_mean[a]),
            variance,
            reports.scale,
        )
        corrected[here], pulled_in[here] = parts.corrected, parts.pulled_in()
        model_weight[here], prior_weight[s_names] = parts.weights
        strengths[here], review_deviations[a] = strength, parts.review_deviation
        known = _updated(known, k_names, found)
    return _combined(
        reports, posterior, share,
        corrected=corrected, pulled_in=pulled_in, model_weight=model_weight,
        prior_weight=prior_weight, shift=shift, leniency=leniency, leniency_deviation=deviation,
        leniency_ratio=ratio, evidence=known.evidence, strength=strengths, anchor=anchor,
        review_deviation=review_deviations,
    )  # fmt: skip


def grades_with(
    reports: Reports, grade: Floats, posterior: Posterior, known: HalfwayEstimates
) -> Floats:
    """Scores by peers if the reports were other *grade*s and nothing else changed.

    Leniencies, reliabilities and the mean of the class stay as they are *known*, so that the score
    of a submission depends on its own reports alone.
    """
    score = np.full(reports.submissions, np.nan)
    for a in range(reports.assignments):
        here = slice(reports.assignment_bounds[a], reports.assignment_bounds[a + 1])
        if here.start == here.stop:
            continue
        s_names, s = np.unique(reports.submission[here], return_inverse=True)
        k = reports.grader[here]
        parts = AssignmentParts(
            grade[here] - known.shift[a],
            s,
            known.leniency[a, k],
            known.strength[here],
            reported_reliability(posterior.reliability[a, k], reports.scale),
            float(posterior.prior_mean[a]),
            _on_scale(reports, posterior, a),
            reports.scale,
            float(known.review_deviation[a]),
        )
        count = np.bincount(s)
        by_mean = np.bincount(s, parts.pulled_in()) / count
        score[s_names] = known.share * parts.score + (1 - known.share) * by_mean
    return np.asarray(np.clip(score, reports.scale.lowest, reports.scale.highest))


def class_shift(grade: Floats, s: NDArray[np.int64], staff: Floats, scale: Scale) -> float:
    """How much higher peers grade than staff, shrunk towards 0 by its uncertainty."""
    count = np.bincount(s, minlength=len(staff))
    both = ~np.isnan(staff) & (count > 0)
    if not both.any():
        return 0.0
    total = np.bincount(s, grade, len(staff))
    off = (total[both] / count[both] - staff[both]) / scale.unit
    squares = ((off - off.mean()) ** 2).sum() + SHIFT_PRIOR_COUNT
    variance = squares / (len(off) - 1 + SHIFT_PRIOR_COUNT) / len(off)
    weight = CLASS_SHIFT_DEVIATION**2 / (CLASS_SHIFT_DEVIATION**2 + variance)
    return float(weight * off.mean() * scale.unit)


def medians_of(grade: Floats, s: NDArray[np.int64], submissions: int) -> Floats:
    """Median of the grades of each submission, in any order."""
    order = np.argsort(s, kind="stable")
    bounds = np.searchsorted(s[order], np.arange(submissions + 1))
    return medians(grade[order], bounds)


def review_deviation(grade: Floats, s: NDArray[np.int64], submissions: int) -> float:
    """Standard deviation of a review about its submission, estimated robustly.

    It is 1.4826 times the median absolute distance to the mean of the other reviews, which is
    corrected for the noise of that mean.
    """
    count, total = np.bincount(s, minlength=submissions), np.bincount(s, grade, submissions)
    several = count[s] > 1
    if not several.any():
        return 0.0
    others = count[s][several] - 1
    off = grade[several] - (total[s][several] - grade[several]) / others
    return float(1.4826 * np.median(np.abs(off) / np.sqrt(1 + 1 / others)))


def reported_reliability(reliability: Floats, scale: Scale) -> Floats:
    """Reliabilities of reports, which are rounded to the steps of the scale."""
    rounding = 0.0 if scale.step is None else scale.step**2 / 12
    return np.asarray(1 / (1 / reliability + rounding))


def _on_scale(reports: Reports, posterior: Posterior, assignment: int) -> float:
    """Variance of the scores of an assignment on the scale, where it is less than beyond it."""
    mean, precision = posterior.prior_mean[assignment], posterior.precision[assignment]
    return censored_variance(float(mean), float(precision), reports.scale)


def censored_variance(mean: float, precision: float, scale: Scale) -> float:
    """Variance of a normal number that is clipped to the scale."""
    from scipy.special import ndtr

    deviation = precision**-0.5
    a, b = (scale.lowest - mean) / deviation, (scale.highest - mean) / deviation
    below, above = float(ndtr(a)), float(ndtr(-b))
    density_a, density_b = (np.exp(-(one**2) / 2) / np.sqrt(2 * np.pi) for one in (a, b))
    inside = 1 - below - above
    first = a * below + b * above + density_a - density_b
    second = a**2 * below + b**2 * above + inside + a * density_a - b * density_b
    return float(deviation**2 * (second - first**2))


def _capped(strength: Floats, has_history: NDArray[np.bool_]) -> Floats:
    """Strengths of which those with a history are at most 1.25 times the median."""
    most = MAX_HISTORY_STRENGTH * float(np.median(strength))
    return np.where(has_history, np.minimum(strength, most), strength)


def _updated(
    known: LeniencyPrior, graders: NDArray[np.integer[Any]], found: Leniency
) -> LeniencyPrior:
    """What is known about leniency after one more assignment."""
    mean, ratio = known.mean.copy(), known.ratio.copy()
    mean[graders], ratio[graders] = found.mean, found.ratio
    return LeniencyPrior(mean, ratio, found.evidence)


class AssignmentParts:
    """Parts of the grades of one assignment, given what is known about its graders."""

    def __init__(
        self,
        grade: Floats,
        s: NDArray[np.int64],
        leniency: Floats,
        strength: Floats,
        reliability: Floats,
        mean: float,
        variance: float,
        scale: Scale,
        deviation: float | None = None,
    ):
        self.grade, self.s, self.scale = grade, s, scale
        self.mean, self.variance = mean, variance
        self.strength, self.reliability = strength, reliability
        self.submissions = int(s.max()) + 1
        if deviation is None:
            deviation = max(
                review_deviation(grade, s, self.submissions), MIN_REVIEW_DEVIATION * scale.unit
            )
        self.review_deviation = deviation
        self.corrected = np.clip(grade - leniency, scale.lowest, scale.highest)
        self.weights, self.score = self._reweighted()

    def _reweighted(self) -> tuple[tuple[Floats, Floats], Floats]:
        """Weights of the reports and of the mean, and the model's estimates, by iteration."""
        s, nu, mean_nu = self.s, REVIEW_DEGREES_OF_FREEDOM, SCORE_DEGREES_OF_FREEDOM
        # There can be several solutions. Iterations that start at the median end at the one that
        # most reviews agree with, also if the rest of the class is far from it.
        score = medians_of(self.corrected, s, self.submissions)
        for _ in range(MAX_REWEIGHTING_ROUNDS):
            before = score
            distance = self.reliability * (self.corrected - score[s]) ** 2
            strength = self.strength * (nu + 1) / (nu + distance)
            from_mean = (self.mean - score) ** 2 / self.variance
            of_mean = (mean_nu + 1) / (mean_nu + from_mean)
            total = of_mean + np.bincount(s, strength, self.submissions)
            made = np.bincount(s, strength * self.corrected, self.submissions)
            score = (of_mean * self.mean + made) / total
            if np.abs(score - before).max() <= REWEIGHTING_TOLERANCE * self.scale.unit:
                break
        return (strength / total[s], of_mean / total), score

    def pulled_in(self) -> Floats:
        """Reports as the mean counts them: those far from their median are pulled in."""
        reach = MAX_MEAN_DISTANCE * self.review_deviation
        centre = medians_of(self.grade, self.s, self.submissions)[self.s]
        off = self.grade - centre
        beyond = np.maximum(np.abs(off) - reach, 0.0)
        few = np.bincount(self.s)[self.s] < MIN_REVIEWS_TO_DISCARD
        back = np.where(few, 0.0, beyond)
        distance = np.where(beyond > 0, np.maximum(reach - back, 0.0), np.abs(off))
        pulled = centre + np.sign(off) * distance
        return np.asarray(np.clip(pulled, self.scale.lowest, self.scale.highest))


def _combined(
    reports: Reports,
    posterior: Posterior,
    share: float,
    *,
    corrected: Floats,
    pulled_in: Floats,
    model_weight: Floats,
    prior_weight: Floats,
    leniency: Floats,
    **rest: Floats,
) -> HalfwayEstimates:
    """The estimates, from the parts of model and mean."""
    lowest, highest = reports.scale.lowest, reports.scale.highest
    weight, value = combined_parts(reports, share, corrected, pulled_in, model_weight)
    value = np.clip(value, lowest, highest)
    made = np.bincount(reports.submission, weight * value, reports.submissions)
    assignment = np.zeros(reports.submissions, dtype=np.int64)
    assignment[reports.submission] = reports.assignment
    peer_score = made + share * prior_weight * posterior.prior_mean[assignment]
    peer_score = np.clip(peer_score, lowest, highest)
    by_staff = ~np.isnan(posterior.staff)
    score = np.where(by_staff, posterior.staff, peer_score)
    return HalfwayEstimates(
        score=score,
        bias=leniency,
        reliability=posterior.reliability,
        rounds=posterior.rounds,
        converged=posterior.converged,
        share=share,
        corrected_grade=corrected,
        pulled_in=pulled_in,
        model_weight=model_weight,
        value=value,
        weight=weight,
        prior_mean=posterior.prior_mean,
        prior_weight=share * prior_weight,
        peer_score=peer_score,
        staff=posterior.staff,
        leniency=leniency,
        **rest,
    )


def root_mean_square_error(posterior: Posterior, score: Floats) -> Floats:
    """Expected distance of the true scores from estimates, as a root mean square; 0 for staff."""
    mean, variance = posterior.score_moments
    error = np.sqrt(variance + (mean - score) ** 2)
    return np.asarray(np.where(np.isnan(posterior.staff), error, 0.0))


def combined_parts(
    reports: Reports, share: float, corrected: Floats, pulled_in: Floats, model_weight: Floats
) -> tuple[Floats, Floats]:
    """Weight and value of each report in the grade, from its parts in model and mean."""
    count = np.bincount(reports.submission, minlength=reports.submissions)[reports.submission]
    by_model, by_mean = share * model_weight, (1 - share) / count
    weight = by_model + by_mean
    value = np.divide(
        by_model * corrected + by_mean * pulled_in, weight, where=weight > 0, out=corrected.copy()
    )
    return weight, value
