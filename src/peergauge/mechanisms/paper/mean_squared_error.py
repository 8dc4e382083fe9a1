"""Pay graders for reports close to the consensus."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats
from peergauge.mechanisms import ComparesWithReference, Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.consensus import consensus
from peergauge.mechanisms.shared.staff import staff_score_of_reports
from peergauge.tables import Comparison, Reports, Rewards, frozen


@mechanism(
    "mse",
    label="MSE",
    source="Bachelet et al. 2015",
    family="baseline",
    equilibrium=Equilibrium.NONE,
    assumption="–",
    uses_checks=True,
    in_paper=True,
)
@dataclass(frozen=True)
class MeanSquaredError(Mechanism, ComparesWithReference):
    r"""Minus the mean squared distance of a grader's reports to the consensus grades.

    The consensus grade of a submission is the mean of all its reports, including the grader's own:

    .. math:: -\frac{1}{n} \sum_{s} (r_s - \bar r_s)^2

    over the *n* submissions of the assignment that the grader shared with another grader. A
    submission with a single grader has no consensus, and its report is not paid.

    Spot checks: if staff checked a submission, the staff score replaces the consensus, and a single
    report is paid too.

    Known attacks: hedging towards the usual grade, and any agreement of all graders on one grade.

    **Source.** Rémi Bachelet, Drissa Zongo and Aline Bourelle (2015). *Does Peer Grading Work? How
    to Implement and Improve It? Comparing Instructor and Peer Assessment in MOOC GdP*. European
    MOOCs Stakeholders Summit.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        distance = squared_distance_to_consensus(reports.grade, reports.submission_bounds)
        if reports.staff_score is not None:
            checked = staff_score_of_reports(reports)
            distance = np.where(np.isnan(checked), distance, (reports.grade - checked) ** 2)
        return Rewards.from_parts(reports, frozen(-distance), mean=True)

    def comparison(self, reports: Reports) -> Comparison:
        reference = consensus(reports)
        words = "the mean of all reviews of the submission, this one included"
        if reports.staff_score is not None:
            checked = staff_score_of_reports(reports)
            reference = np.where(np.isnan(checked), reference, checked)
            words += ", or the grade by staff if they checked it"
        return Comparison(reports.grade, reference, words)


@accelerated
def squared_distance_to_consensus(grade: Floats, bounds: Bounds) -> Floats:
    """Squared distance of each report to the mean of its submission; NaN for a single report."""
    count = np.diff(bounds)
    graded = np.flatnonzero(count)
    total = np.zeros(len(count))
    total[graded] = np.add.reduceat(grade, bounds[graded]) if len(graded) else 0.0
    consensus = np.repeat(total / np.maximum(count, 1), count)
    distance = (grade - consensus) ** 2
    distance[np.repeat(count, count) < 2] = np.nan
    return distance
