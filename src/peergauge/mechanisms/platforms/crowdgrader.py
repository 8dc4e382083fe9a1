"""Grade graders as CrowdGrader does: by their distance from the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.models.middle import medians
from peergauge.tables import Reports, Rewards


@mechanism(
    "crowdgrader",
    label="CrowdGrader",
    source="CrowdGrader, consensus-based grading, since 2016",
    family="platform",
    equilibrium=Equilibrium.NONE,
    assumption="–",
)
@dataclass(frozen=True)
class CrowdGrader(Mechanism):
    r"""The share of the points that is left after the distance to the consensus grade.

    The consensus is the median of all reviews of the submission, **the grader's own included**: by
    CrowdGrader's manual, reviews are held against the very grade that the submission gets. On a
    scale of *p* points from its lowest to its highest grade, a review earns

    .. math:: 1 - \frac{|\operatorname{median}(r_s) - r_s^k|}{p}

    and graders the mean over their reviews. CrowdGrader adds up rubric items, each with a median of
    its own; reports hold one grade for each review.

    A single review is its own consensus and earns 1, the maximum. Two reviews are equally far from
    theirs and earn the same, the less the further apart they are. Of three, whoever is in the
    middle earns 1.

    It assumes that most graders are right. Graders who all say the same earn 1, whatever they say,
    and a grade in the usual middle is never far off.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        consensus = medians(reports.grade, reports.submission_bounds)[reports.submission]
        points = reports.scale.highest - reports.scale.lowest
        part = 1.0 - np.abs(consensus - reports.grade) / points
        return Rewards.from_parts(reports, part, mean=True)
