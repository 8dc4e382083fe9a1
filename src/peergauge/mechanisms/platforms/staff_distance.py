"""Pay graders for reports close to the grades of the staff."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.errors import NeedsTruthError
from peergauge.mechanisms import ComparesWithReference, Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.staff import true_score_of_reports
from peergauge.tables import Comparison, Reports, Rewards


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
class StaffDistance(Mechanism, ComparesWithReference):
    r"""The points of the scale minus the mean distance of a grader's reports to the staff's grades.

    On a scale of *p* points from its lowest to its highest grade, and over the *n* submissions of
    the assignment that both the grader and the staff graded,

    .. math:: p - \frac{1}{n} \sum_s |r_s - g_s|

    The mechanism is given the staff's grades :math:`g_s`. Reports on other submissions are not
    paid, and a grader who graded none of the submissions that the staff graded is **not paid**
    (NaN), which is different from 0.

    **Spot checks.** If the staff's grades are spot checks, chance decides who was checked, and
    nobody should gain or lose by it: a grader who graded in an assignment, but no checked
    submission, is paid the mean payment of the graders whom the checks concern. An assignment
    without checks pays nobody.

    The rule assumes that the staff are right and that nobody knows which submissions they graded.
    Known attacks: a grader who knows these submissions can be careless with all others. The
    expected distance is smallest at the median of the grades that a grader thinks the staff may
    give, so that a grader who knows little does best to report the usual grade.

    **Source.** PeerPal and Kritik, platforms that compare peer grades with staff grades.
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
        return Rewards(np.where(missing, usual[:, None], earned), reports, averaged=True)

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

    def comparison(self, reports: Reports) -> Comparison | None:
        # With spot checks, graders whom no check concerns are paid the mean of the others.
        if reports.spot_checks:
            return None
        return Comparison(
            reports.grade,
            true_score_of_reports(reports, self.facts.label),
            "the grade by staff",
            highest=reports.scale.highest - reports.scale.lowest,
            power=1,
        )
