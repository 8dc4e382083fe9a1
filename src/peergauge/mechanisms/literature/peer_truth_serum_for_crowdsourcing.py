"""Pay graders for agreeing on what is rarely said of other submissions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards


@mechanism(
    "ptsc",
    label="PTSC",
    source="Radanovic, Faltings & Jurca 2016",
    family="peer truth serum",
    steps=True,
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="self-predicting",
)
@dataclass(frozen=True)
class PeerTruthSerumForCrowdsourcing(Mechanism):
    r"""A match with a co-grader earns 1 / R[report] − 1, any other report −1.

    *R* is the share of the reported grade among the reports of a batch, without those of the
    grader and without those on the same submission, with add-one (Laplace) smoothing. With *c*
    reports of the grade *x* among *n*, on a scale of *L* grades, and *A* the share of the
    co-graders who reported *x* too,

    .. math:: \frac{A}{R(x)} - 1, \quad R(x) = \frac{c + 1}{n + L}.

    The original draws one co-grader; here *A* is the mean over all of them, which pays the same in
    expectation and takes chance out of it. A report without a co-grader is not paid.

    PTS takes *R* from earlier assignments, so that it is known beforehand and begins uniform,
    which is no fact about the class. Here it is that of the batch which is being paid: there is
    nothing to begin with, and nobody can move their own *R*, neither with this report nor with
    their others.

    **Why it should work.** To match by chance is as likely as the grade is frequent, so a report
    that is made without looking earns 0 in expectation, and so does the whole class if all report
    the same. Who has seen *x* earns the most with *x*, if seeing it makes *x* rise in likelihood
    for a co-grader by a larger factor than any other grade: signals are then called
    self-predicting.

    **What it costs.** Work linear in the reports. Payments vary a lot: agreement on a rare grade
    earns many times what agreement on the usual one does, and being off by one counts as much as
    being off by ten. So it measures poorly how good reports are.

    **What defeats it.** Grades on a long scale are hardly self-predicting: after a 3, it may be
    the rarer 2 that became likelier by the larger factor, and then 2 pays better. A class that
    agrees on another name for every grade is paid as for the truth. One that tells submissions
    apart without reading them, by their length for instance, is paid for agreeing on that.

    Parameters
    ----------
    batch
        Which reports *R* counts. ``assignment``: those on the assignment that is paid, all alike
        in what is usual; ``semester``: also those on earlier ones, which is steadier in a small
        class, if assignments are alike.
    """

    batch: Literal["assignment", "semester"] = "assignment"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = agreement_over_share_elsewhere(
            reports.level,
            reports.scale.levels,
            reports.grader,
            reports.graders,
            reports.submission_bounds,
            reports.assignment_bounds,
            self.batch == "semester",
        )
        return Rewards.from_parts(reports, part)


@accelerated
def agreement_over_share_elsewhere(
    level: Ints,
    levels: int,
    grader: Ints,
    graders: int,  # noqa: ARG001 - the twin keeps a histogram of each
    submission_bounds: Bounds,
    assignment_bounds: Bounds,
    whole_semester: bool,
) -> Floats:
    """The share of peers agreeing over that of the grade among others on other submissions, − 1."""
    part = np.full(len(level), np.nan)
    for begin, end in zip(submission_bounds[:-1], submission_bounds[1:], strict=True):
        if end - begin < 2:
            continue
        a = int(np.searchsorted(assignment_bounds, begin, side="right")) - 1
        batch = np.arange(0 if whole_semester else assignment_bounds[a], assignment_bounds[a + 1])
        elsewhere = batch[(batch < begin) | (batch >= end)]
        for row in range(begin, end):
            others = level[elsewhere[grader[elsewhere] != grader[row]]]
            share = (np.sum(others == level[row]) + 1) / (len(others) + levels)
            peers = np.delete(level[begin:end], row - begin)
            part[row] = np.mean(peers == level[row]) / share - 1
    return part
