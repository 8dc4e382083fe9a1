"""Classes with the design of a real class and people drawn from its posterior distribution.

Two samplers differ in what they keep.

- :class:`PosteriorClasses` answers what would happen in another class like this one: submissions
  and graders are resampled, so that nobody keeps their true score or bias.
- :class:`HonestClasses` gives null distributions for tests of single graders: every submission
  keeps what is known about its true score, and biases are normal, so that a few graders with
  unusual biases do not make such biases common.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ScaleError
from peergauge.core.randomness import stream
from peergauge.models.posterior import Posterior
from peergauge.simulate.design import Design
from peergauge.simulate.resample.levels import step_of
from peergauge.simulate.resample.signals import rounded_reports
from peergauge.tables import Reports, Scale, Truth

MAX_POOLED_BIAS_DRAWS = 1_000_000
"""Draws of biases from which quartiles are computed; more of them are thinned."""

QUARTILES_APART = 1.349
"""Interquartile range of a normal distribution, in standard deviations."""


@dataclass(frozen=True, eq=False)
class PosteriorClasses:
    """Classes like a given one, resampled from its posterior distribution.

    They have the design of the class: who graded what, including graders with few reports. Each
    class takes one draw from the posterior. True scores are resampled with replacement among the
    submissions of an assignment. Pairs of bias and reliability are resampled among the graders;
    the probability that a grader reports a constant lowers their weight. So all classes have the
    distributions of the given class, and nobody keeps their own values. Everybody is honest.

    Parameters
    ----------
    reports
        The design, with any grades.
    scores, biases, reliabilities
        One row for each class.
    expected
        Mean true score of each assignment, which graders know.
    """

    reports: Reports
    scores: NDArray[np.float32]
    biases: NDArray[np.float32]
    reliabilities: NDArray[np.float32]
    expected: Floats

    @classmethod
    def of(cls, reports: Reports, posterior: Posterior, classes: int, seed: int) -> Self:
        """Resample the true scores and graders of *classes* classes."""
        reports = reports.paid_only
        scale = with_steps(reports.scale, reports.grade)
        draw = np.linspace(0, len(posterior.score_draws) - 1, classes).round().astype(np.int64)
        scores, expected = _resampled_scores(reports, posterior, draw, seed)
        weight = _honest_weight(posterior)
        grader = stream(seed, "game", "graders").choice(
            len(weight), size=(classes, reports.graders), p=weight / weight.sum()
        )
        return cls(
            Design.of(reports).reports(scale.nearest(reports.grade), scale),
            scores,
            np.take_along_axis(posterior.bias_draws[draw], grader, axis=1),
            np.take_along_axis(posterior.reliability_draws[draw], grader, axis=1),
            expected,
        )

    def draw(self, number: int, seed: int) -> tuple[Reports, Truth]:
        """Reports and truth of one of the classes; the seed decides the noise."""
        reports = self.reports
        score, bias = (one[number].astype(np.float64) for one in (self.scores, self.biases))
        noise = stream(seed, "noise").standard_normal(len(reports))
        noise /= np.sqrt(self.reliabilities[number].astype(np.float64))[reports.grader]
        grade = rounded_reports(
            reports.submission, reports.grader, score, bias, noise, reports.scale
        )
        truth = Truth(score, Design.of(reports).submission_assignment, bias=bias)
        return reports.with_grades(grade), truth


def _resampled_scores(
    reports: Reports, posterior: Posterior, draw: NDArray[np.int64], seed: int
) -> tuple[NDArray[np.float32], Floats]:
    """True scores of each class (one posterior draw each), and the mean of each assignment."""
    known = posterior.score_draws[draw]
    scores = np.full_like(known, np.nan)
    expected = np.full(reports.assignments, np.nan)
    rng = stream(seed, "game", "scores")
    for assignment in range(reports.assignments):
        here = np.unique(reports.submission[reports.assignment == assignment])
        if len(here):
            chosen = rng.integers(len(here), size=(len(draw), len(here)))
            scores[:, here] = np.take_along_axis(known[:, here], chosen, axis=1)
            expected[assignment] = posterior.score_draws[:, here].mean(dtype=np.float64)
    return scores, expected


def _honest_weight(posterior: Posterior) -> Floats:
    """Probability that each grader does not report a constant; 0 for graders without reports."""
    unknown = np.isnan(posterior.bias_draws[0])
    weight = np.clip(1 - np.nan_to_num(posterior.traits.constant, nan=1.0), 0.0, 1.0)
    weight[unknown] = 0.0
    return weight if weight.any() else (~unknown).astype(np.float64)


class HonestClasses:
    """Honest classes in which the same graders grade the same submissions.

    True scores are normal with the posterior mean and variance of each submission, ignoring the
    ends of the scale; scores that staff gave are kept. Biases are normal with the median and the
    interquartile range of the class. Reliabilities are draws of the posterior, without graders who
    probably hedge or report a constant.
    """

    def __init__(self, reports: Reports, posterior: Posterior):
        self.reports, self.staff = reports, posterior.staff
        self.score_mean, self.score_deviation = _score_moments(reports, posterior)
        traits = posterior.traits
        # A grader without reports may have traits from earlier weeks, but has no draws.
        known = ~np.isnan(posterior.bias_draws[0])
        honest = known & (traits.constant + traits.hedging < 0.5)
        self.pool = np.flatnonzero(honest if honest.any() else known)
        draws = len(self.pool) * len(posterior.bias_draws)
        thinned = slice(None, None, max(1, draws // MAX_POOLED_BIAS_DRAWS))
        pooled = posterior.bias_draws[thinned][:, self.pool]
        low, middle, high = np.quantile(pooled, [0.25, 0.5, 0.75])
        self.bias_mean, self.bias_deviation = float(middle), float(high - low) / QUARTILES_APART
        self.reliability_draws = posterior.reliability_draws

    def draw(self, rng: np.random.Generator) -> Floats:
        """Grades of one honest class, in the order of the reports."""
        reports = self.reports
        score = self.score_mean + self.score_deviation * rng.standard_normal(reports.submissions)
        score = np.where(np.isnan(self.staff), score, self.staff)
        bias = self.bias_mean + self.bias_deviation * rng.standard_normal(reports.graders)
        like = rng.choice(self.pool, reports.graders)
        draw = rng.integers(len(self.reliability_draws), size=reports.graders)
        reliability = self.reliability_draws[draw, like]
        noise = rng.standard_normal(len(reports)) / np.sqrt(reliability)[reports.grader]
        return rounded_reports(
            reports.submission, reports.grader, score, bias, noise, reports.scale
        )


def _score_moments(reports: Reports, posterior: Posterior) -> tuple[Floats, Floats]:
    """Posterior mean and standard deviation of each true score, ignoring the ends of the scale."""
    assignment = Design.of(reports).submission_assignment
    weighted = posterior.weight * posterior.value
    by_reports = np.bincount(reports.submission, weighted, reports.submissions)
    mean = by_reports + posterior.prior_weight * posterior.prior_mean[assignment]
    deviation = np.zeros(reports.submissions)
    for number in range(reports.assignments):
        here = (assignment == number) & ~np.isnan(mean)
        if here.any():
            weight = posterior.prior_weight[here]
            # Posterior means vary less than true scores, by the mean weight of the prior.
            variance = mean[here].var() / max(1 - weight.mean(), 1e-3)
            deviation[here] = np.sqrt(variance * weight)
    return mean, deviation


def with_steps(scale: Scale, grade: Floats) -> Scale:
    """The scale with the step that nearly all grades are multiples of, if it has no step itself."""
    if scale.finite:
        return scale
    try:
        return replace(scale, step=step_of(grade, scale))
    except ScaleError:
        return scale
