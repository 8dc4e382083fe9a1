"""Reward graders for being close to the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards

from .distances import to_median


@mechanism(
    "lab-median",
    label="Lab Median",
    source="gradinglab",
    family="baseline",
    equilibrium=Equilibrium.NONE,
    assumption="–",
)
@dataclass(frozen=True)
class MedianDistance(Mechanism):
    """Minus the distance of each report to the median of its submission's reports.

    Parameters
    ----------
    weight
        Cost of a distance of one point.
    """

    weight: float = 1.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = np.full(len(reports), np.nan)
        bounds = reports.submission_bounds
        for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
            if end - begin > 1:
                part[begin:end] = -self.weight * to_median(reports.grade[begin:end])
        return Rewards.from_parts(reports, part)
