"""Pay graders for agreeing on grades that are rare on other submissions."""

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
    labels="any",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="self-predicting",
)
@dataclass(frozen=True)
class PeerTruthSerumForCrowdsourcing(Mechanism):
    r"""1 / R[report] − 1 for a match with a co-grader, and −1 otherwise.

    *R* is the share of the reported grade among the reports of a batch, without the reports of the
    grader and without those on the same submission, with add-one (Laplace) smoothing. With *c*
    reports of the grade *x* among *n*, on a scale of *L* grades, and *A* the share of the
    co-graders who reported *x* too, a report earns

    .. math:: \frac{A}{R(x)} - 1, \quad R(x) = \frac{c + 1}{n + L}.

    The original draws one co-grader; here *A* is the mean over all of them, which pays the same in
    expectation without randomness. A report without a second grader is not paid.

    PTS takes *R* from earlier assignments, so that it is known in advance and begins uniform, which
    says nothing about the class. Here *R* comes from the batch that is being paid: no start value
    is needed, and graders cannot influence their own *R*, neither by this report nor by their
    others.

    **Why it should work.** The probability of a match by chance is the frequency of the grade. So a
    report that does not depend on the submission earns 0 in expectation, and so does a class in
    which all graders report the same grade. A grader who saw *x* earns most by reporting *x* if
    seeing it raises the probability of *x* for a co-grader by a larger factor than that of any
    other grade: signals are then called self-predicting.

    **Cost.** The running time is linear in the reports. Payments vary a lot: agreement on a rare
    grade earns many times what agreement on the usual one does, and an error of one point costs as
    much as an error of ten. So the payments measure the quality of reports poorly.

    **Known attacks.** Grades on a long scale are hardly self-predicting: after a 3, the rarer 2 may
    have become more likely by the larger factor, and then reporting 2 pays better. A class that
    agrees on other names for all grades is paid as for the truth. A class that distinguishes
    submissions without reading them, for instance by their length, is paid for agreeing on that.

    **Source.** Goran Radanovic, Boi Faltings and Radu Jurca (2016). *Incentives for Effort in
    Crowdsourcing Using the Peer Truth Serum*. ACM Transactions on Intelligent Systems and
    Technology 7(4). doi:10.1145/2856102.

    Parameters
    ----------
    batch
        The reports that *R* counts. ``assignment``: those on the assignment that is being paid;
        ``semester``: also those on earlier assignments, which is more stable in a small class if
        the assignments are alike.
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
    graders: int,  # noqa: ARG001 - the compiled version keeps a histogram of each
    submission_bounds: Bounds,
    assignment_bounds: Bounds,
    whole_semester: bool,
) -> Floats:
    """The share of agreeing peers over the grade's share among others on other submissions, − 1."""
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
