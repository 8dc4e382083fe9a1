"""Pay graders for agreement, divided by the square root of how often two others agree on that."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.co_graders import co_graders, mean_over_co_graders
from peergauge.mechanisms.shared.others import share_of_pairs
from peergauge.tables import Reports, Rewards

MIN_PAIR_SHARE = 1e-9
"""Smallest share of pairs that is not a rounding error."""


@mechanism(
    "sqrt-agreement",
    label="√-Agreement",
    source="Kamble, Shah, Marn, Parekh & Ramchandran 2015",
    family="output agreement",
    steps=True,
    labels="any",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="conditionally independent",
)
@dataclass(frozen=True)
class SquareRootAgreement(Mechanism):
    r"""Agreement with co-graders, divided by the popularity index of the grade.

    The popularity index of a grade *x* is the square root of the estimated probability that two
    graders of one submission both report *x*. A report *x* earns

    .. math:: \frac{A}{\sqrt{Q(x)}},

    where *A* is the share of the co-graders who reported *x* too, and *Q(x)* the share of ordered
    pairs of reports (x, x), averaged over the submissions of the assignment that have two graders
    and that the grader did not grade. The original draws one co-grader and two reports of each
    other submission; the means pay the same in expectation without randomness. As in the original,
    a grade whose index is 0 or 1 earns nothing: nobody else, or everybody else, agreed on it.

    A report without a co-grader is not paid, nor is a grader who graded every submission that has
    two graders, since the index must not depend on the grader's own reports.

    **Why it should work.** Given the state of a submission, let graders report *x* with probability
    p(x), independently. A grader who saw *x* expects E[p(x) p(z)] / P(x) / √E[p(z)²] for reporting
    *z*. By the inequality of Cauchy and Schwarz this is at most √E[p(x)²] / P(x), which is what
    reporting *x* earns. Neither the prior nor the noise needs to be known, and the argument needs
    no order of the grades.

    **Cost.** The running time is linear in the reports. An error of one point costs as much as an
    error of ten, and agreement on a rare grade earns several times as much as agreement on the
    usual one, so the pay measures the quality of reports poorly.

    **Known attacks.** A class that agrees on other names for all grades is paid as for the truth,
    and a class that gives everybody one of two grades by a cheap feature of the submission is paid
    for agreeing on it. A bias that most graders share is never noticed.

    **Source.** Vijay Kamble, Nihar Shah, David Marn, Abhay Parekh and Kannan Ramchandran (2015).
    *Truth Serums for Massively Crowdsourced Evaluation Tasks*. arXiv:1507.07045.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        level = reports.level
        agreed, tasks = agreement_of_others(reports)
        group = reports.assignment, reports.grader
        tasks_of_report = tasks[group]
        share = np.divide(
            agreed[(*group, level)],
            tasks_of_report,
            out=np.full(len(level), np.nan),
            where=tasks_of_report > 0,
        )
        pairs = co_graders(reports)
        matches = level[pairs.row] == level[pairs.peer]
        agreement = mean_over_co_graders(pairs, matches.astype(np.float64), len(level))
        popular = (share > MIN_PAIR_SHARE) & (share < 1 - MIN_PAIR_SHARE)
        part = agreement * np.where(popular, 1 / np.sqrt(np.where(popular, share, 1.0)), 0.0)
        part[np.isnan(share)] = np.nan
        if np.isnan(part).all():
            raise DesignError(
                "Square-root agreement needs a submission with two graders that somebody did not "
                "grade, and there is none; choose another mechanism."
            )
        return Rewards.from_parts(reports, part)


def agreement_of_others(reports: Reports) -> tuple[Floats, Floats]:
    """Sums of the shares of pairs (x, x) over the submissions that a grader did not grade.

    The first array is assignments × graders × levels, the second has the number of submissions with
    two graders behind each sum.
    """
    levels, graders = reports.scale.levels, reports.graders
    submission = reports.submission.astype(np.int64)
    size = np.diff(reports.submission_bounds)
    count = np.bincount(submission * levels + reports.level, minlength=len(size) * levels)
    count = count.reshape(-1, levels)
    both = count * (count - 1) * share_of_pairs(size.astype(np.float64))[:, None]
    shape = reports.assignments, graders, levels
    place = reports.assignment.astype(np.int64) * graders + reports.grader
    cells = (place[:, None] * levels + np.arange(levels)).ravel()
    own = np.bincount(cells, both[submission].ravel(), int(np.prod(shape))).reshape(shape)
    counted = (size > 1).astype(np.float64)
    own_tasks = np.bincount(place, counted[submission], shape[0] * graders).reshape(shape[:2])
    graded = size > 0
    of_task = reports.assignment_of_submission[graded]
    whole = np.zeros((shape[0], levels))
    np.add.at(whole, of_task, both[graded])
    tasks = np.bincount(of_task, counted[graded], shape[0])
    return whole[:, None, :] - own, np.rint(tasks[:, None] - own_tasks)
