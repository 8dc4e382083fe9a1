"""Pay graders for grading as the staff do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.errors import NeedsTruthError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.staff import true_score_of_reports
from peergauge.tables import Reports, Rewards


@mechanism(
    "staff-distance",
    label="Distance to staff",
    source="PeerPal; Kritik",
    family="platform",
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    needs_truth=True,
    uses_checks=True,
)
@dataclass(frozen=True)
class StaffDistance(Mechanism):
    r"""The points of the scale less the mean distance of a grader's reports to the staff's grades.

    On a scale of *p* points from its lowest to its highest grade, and over the *n* submissions of
    the assignment that both the grader and the staff graded,

    .. math:: p - \frac{1}{n} \sum_s |r_s - g_s|

    It is given the staff's grades :math:`g_s` as true scores. Reports on other submissions are not
    paid, and a grader who graded none of those that the staff did is **not paid** (NaN), which is
    not the same as 0.

    It assumes that the staff are right and that nobody knows which submissions they graded: who
    does need be careful with those alone. A distance is smallest on average at the median of what
    a grader believes that the staff will say, so who knows little does best to say what is usual.

    Where the staff's grades are **spot checks**, it is chance who was checked, and nobody should
    gain or lose by that: who graded in an assignment but nothing that was checked is paid what
    those whom the checks concern earned on it on average. An assignment without any check pays
    nobody.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        by_distance = self.score_by_distance(reports)
        if not reports.spot_checks:
            return by_distance
        earned = by_distance.amount
        took_part = np.zeros(earned.shape, dtype=np.bool_)
        took_part[reports.assignment, reports.grader] = True
        paid = np.count_nonzero(~np.isnan(earned), axis=1)
        usual = np.nansum(earned, axis=1) / np.where(paid > 0, paid, np.nan)
        missing = took_part & np.isnan(earned)
        return Rewards(np.where(missing, usual[:, None], earned), reports)

    def score_by_distance(self, reports: Reports) -> Rewards:
        """Pay the reports on submissions that staff graded, and no others."""
        off = np.abs(reports.grade - true_score_of_reports(reports, self.facts.label))
        if np.isnan(off).all():
            raise NeedsTruthError(
                "None of the submissions that were graded here has a true score, so nobody can be "
                "paid for the distance to it; give the staff's grades of some of them."
            )
        points = reports.scale.highest - reports.scale.lowest
        return Rewards.from_parts(reports, points - off, mean=True)
