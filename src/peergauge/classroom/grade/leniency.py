"""Leniency of graders, as pages show it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.models.halfway import HalfwayEstimates
from peergauge.models.leniency import LeniencyPrior
from peergauge.tables import Reports


@dataclass(frozen=True, eq=False)
class GraderLeniency:
    """How much higher each grader grades than others who grade the same work.

    It is shrunk towards 0 by its uncertainty, and neither it nor its interval exceeds the largest
    difference between two grades of the assignment.

    Parameters
    ----------
    mean
        Leniency of each grader after their last assignment, in points of the scale; NaN for a
        grader without reviews.
    low, high
        Bounds of its interval.
    ratio
        Squared standard deviation in units of the variance of errors, for the next assignment.
    evidence
        Probabilities of the ratios of variances, for the next assignment.
    """

    mean: Floats
    low: Floats
    high: Floats
    ratio: Floats
    evidence: Floats

    @property
    def none_probability(self) -> float:
        """Probability that the graders of the class do not differ in leniency."""
        return float(self.evidence[0])

    def prior(self) -> LeniencyPrior:
        """What the next assignment knows about leniency."""
        return LeniencyPrior(self.mean, self.ratio, self.evidence)


def grader_leniency(reports: Reports, halfway: HalfwayEstimates, level: float) -> GraderLeniency:
    """Leniency of each grader after their last assignment, with intervals."""
    from scipy.special import ndtri

    mean, deviation, ratio = (
        _last(one) for one in (halfway.leniency, halfway.leniency_deviation, halfway.leniency_ratio)
    )
    half = float(ndtri((1 + level) / 2)) * deviation
    widest = reports.scale.highest - reports.scale.lowest
    return GraderLeniency(
        mean,
        np.maximum(mean - half, -widest),
        np.minimum(mean + half, widest),
        ratio,
        halfway.evidence,
    )


def _last(by_assignment: Floats) -> Floats:
    """Value of each grader on their last assignment (assignments × graders); NaN without any."""
    found = np.full(by_assignment.shape[1], np.nan)
    for row in by_assignment:
        found = np.where(np.isnan(row), found, row)
    return found
