"""Pay graders, as CrowdGrader does, for reports close to the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.mechanisms import ComparesWithReference, Equilibrium, Mechanism, mechanism
from peergauge.models.middle import medians
from peergauge.tables import Comparison, Reports, Rewards


@mechanism(
    "crowdgrader",
    label="CrowdGrader",
    source="CrowdGrader, consensus-based grading, since 2016",
    family="platform",
    equilibrium=Equilibrium.NONE,
    assumption="–",
)
@dataclass(frozen=True)
class CrowdGrader(Mechanism, ComparesWithReference):
    r"""One minus the distance of a report to the consensus grade, as a share of the scale.

    The consensus is the median of all reviews of the submission, **including the grader's own**: by
    CrowdGrader's manual, reviews are compared with the grade that the submission receives. On a
    scale of *p* points from its lowest to its highest grade, a review earns

    .. math:: 1 - \frac{|\operatorname{median}(r_s) - r_s^k|}{p}

    and graders earn the mean over their reviews. CrowdGrader adds up rubric items, each with its
    own median; reports contain one grade for each review.

    Special cases: a single review is its own consensus and earns 1, the maximum. Two reviews are
    equally far from their median and earn the same, less the further apart they are. Of three
    reviews, the middle one earns 1.

    The rule assumes that most graders are right. Known attacks: graders who all report the same
    grade earn 1, whatever the grade, and the usual grade is never far off.

    **Source.** The manual of CrowdGrader, consensus-based grading, since 2016.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        consensus = medians(reports.grade, reports.submission_bounds)[reports.submission]
        points = reports.scale.highest - reports.scale.lowest
        part = 1.0 - np.abs(consensus - reports.grade) / points
        return Rewards.from_parts(reports, part, mean=True)

    def comparison(self, reports: Reports) -> Comparison:
        return Comparison(
            reports.grade,
            medians(reports.grade, reports.submission_bounds)[reports.submission],
            "the median of all reviews of the submission, this one included",
            highest=1.0,
            cost=1.0 / (reports.scale.highest - reports.scale.lowest),
            power=1,
        )
