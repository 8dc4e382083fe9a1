"""Pay graders if their report tells the co-grader's report from one on another submission."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.co_graders import CoGraders, co_graders, mean_over_co_graders
from peergauge.mechanisms.shared.others import AssignmentOfOthers, Others, assignments_of_others
from peergauge.tables import Reports, Rewards

MIN_RATIO_DIFFERENCE = 1e-9
"""Smallest difference of two ratios of probabilities that is not a rounding error."""


@mechanism(
    "ma",
    label="MA",
    source="Zhang & Schoenebeck 2023a",
    family="correlated agreement",
    steps=True,
    labels="any",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="–",
    penalties=True,
)
@dataclass(frozen=True)
class MatchingAgreement(Mechanism):
    r"""The share of reports on other submissions that match a report worse than a co-grader's does.

    Take a report *x*, the report *y* of a co-grader of the same submission (the joint task), and a
    report *z* on a submission that the grader did not grade (a disjoint task). Someone who knows
    only *x* and has to say which of *y* and *z* belongs to the same submission is most often right
    with the one whose ratio

    .. math:: J(x, y) = \frac{P(x, y)}{P(x) P(y)}

    is larger. The report earns 1 if this finds the co-grader's report, ½ if the ratios are equal,
    and 0 otherwise:

    .. math:: T(x, y, z) = [J(x, y) > J(x, z)] + \tfrac12 [J(x, y) = J(x, z)],

    in the mean over co-graders and over the reports *z* of other graders on the assignment.

    **Estimation.** For each grader, J is estimated from all reports on the assignment except their
    own, as for Correlated Agreement (``ca``). If one of the two grades was not given by others, J
    is 1, as for independent grades. A report without a co-grader is not paid, and a grader who
    graded everything is not paid, because no disjoint task is left.

    **Why it should work.** A grader who saw *x* believes that *y* has the probabilities P(y | x)
    and *z* the probabilities P(z). Among all ways to choose one of two grades, choosing by the
    larger J(x, ·) is right most often (Neyman and Pearson), so reporting anything other than *x*
    can only choose worse. Penalty tasks of other mechanisms are answered by the grader too, and a
    strategy that looks at all of one's own signals can use that. Here the disjoint task is one of
    which the grader knows nothing, so the argument also holds for strategies that depend on all
    tasks at once ("informed omni-truthful"). It needs no assumption about the signals, only good
    estimates of J.

    **Compared with the original.** The original takes *z* from the disjoint tasks of the co-grader
    (``disjoint="co-grader"``). In a class, co-graders share most of their tasks or have few others,
    so by default *z* is a report of any other grader, which has the same distribution if graders
    are exchangeable, and varies less. The original draws one *z*; the mean over all of them pays
    the same in expectation.

    **Reading.** The rule follows the published description of the mechanism (joint and disjoint
    tasks, the more likely match); the estimation of J and the means are ours.

    **Cost.** For the same reason as CA, grades that match the same grades are interchangeable, and
    a bias is hardly noticed. In a small class the order of the ratios is estimated badly. The
    running time is linear in the reports, and grows with the square of the number of levels for
    each grader.

    **Known attacks.** A class that renames the grades, or agrees on another common signal, is paid
    for it. Exaggerating costs little, because T only compares two ratios.

    **Source.** Yichi Zhang and Grant Schoenebeck (2023). *Multitask Peer Prediction With
    Task-dependent Strategies*. Proceedings of WWW 2023.

    Parameters
    ----------
    disjoint
        The reports *z*: of ``all`` other graders, or of the ``co-grader`` alone, as in the
        original. The latter cannot pay classes in clusters.
    """

    disjoint: Literal["all", "co-grader"] = "all"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        pairs = co_graders(reports)
        value = np.full(len(pairs.row), np.nan)
        for _, here in assignments_of_others(reports):
            chosen = slice(*np.searchsorted(pairs.row, (here.rows.start, here.rows.stop)))
            local = CoGraders(
                pairs.row[chosen] - here.rows.start, pairs.peer[chosen] - here.rows.start
            )
            for others in here.tables(reports):
                ratio = ratio_of_others(others)
                mine = np.flatnonzero(
                    (here.grader[local.row] >= others.batch.start)
                    & (here.grader[local.row] < others.batch.stop)
                )
                some = CoGraders(local.row[mine], local.peer[mine])
                matched = (
                    against_all(reports, here, others, ratio, some)
                    if self.disjoint == "all"
                    else against_co_grader(reports, here, others, ratio, some)
                )
                value[chosen.start + mine] = matched
        part = mean_over_co_graders(pairs, value, len(reports))
        if np.isnan(part).all():
            raise DesignError(
                "MA compares the report of a co-grader with reports on submissions that a grader "
                "did not grade, and no grader here has both; choose another mechanism."
            )
        return Rewards.from_parts(reports, part)


def ratio_of_others(others: Others) -> Floats:
    """J by the reports of others: grader × level × level; 1 for levels that they never gave."""
    product = others.marginal[:, :, None] * others.marginal[:, None, :]
    known = (others.marginal > MIN_RATIO_DIFFERENCE)[:, :, None] & (
        others.marginal > MIN_RATIO_DIFFERENCE
    )[:, None, :]
    joint = np.maximum(others.joint, 0.0) * others.tasks[:, None, None]
    ratio = np.ones_like(joint)
    np.divide(joint, product, out=ratio, where=known)
    # Ratios that differ by rounding errors are the same number.
    return np.asarray(np.rint(ratio / MIN_RATIO_DIFFERENCE))


def against_all(
    reports: Reports,
    here: AssignmentOfOthers,
    others: Others,
    ratio: Floats,
    pairs: CoGraders,
) -> Floats:
    """T of each pair, in the mean over the reports of others on submissions not graded."""
    submission = reports.submission[here.rows]
    local = np.unique(submission, return_inverse=True)[1]
    levels = len(here.seen)
    count = np.bincount(local * levels + here.level, minlength=(local.max() + 1) * levels)
    count = count.reshape(-1, levels)
    # All reports, without those on the submissions that the grader graded.
    mine = (here.grader >= others.batch.start) & (here.grader < others.batch.stop)
    disjoint = np.tile(count.sum(axis=0), (len(ratio), 1))
    np.subtract.at(disjoint, here.grader[mine] - others.batch.start, count[local[mine]])
    who = here.grader[pairs.row] - others.batch.start
    x, y = here.level[pairs.row], here.level[pairs.peer]
    of_x, weight = ratio[who, x], disjoint[who]
    of_y = of_x[np.arange(len(y)), y][:, None]
    better = ((of_y > of_x) + 0.5 * (of_y == of_x)) * weight
    total = weight.sum(axis=1)
    return np.asarray(
        np.divide(better.sum(axis=1), total, out=np.full(len(y), np.nan), where=total > 0)
    )


def against_co_grader(
    reports: Reports,
    here: AssignmentOfOthers,
    others: Others,
    ratio: Floats,
    pairs: CoGraders,
) -> Floats:
    """T of each pair, in the mean over the co-grader's reports on submissions not graded."""
    submission = reports.submission[here.rows] - reports.submission[here.rows.start]
    graded = np.zeros((len(here.graders), int(submission[-1]) + 1), dtype=np.bool_)
    graded[here.grader, submission] = True
    order = np.argsort(here.grader, kind="stable")
    bounds = np.searchsorted(here.grader[order], np.arange(len(here.graders) + 1))
    one, two = here.grader[pairs.row], here.grader[pairs.peer]
    of_x = ratio[one - others.batch.start, here.level[pairs.row]]
    every = np.arange(len(one))
    mine = of_x[every, here.level[pairs.peer]]
    total, times = np.zeros(len(one)), np.zeros(len(one))
    for number in range(int(np.diff(bounds).max())):
        # The report of this number of every co-grader, where there is one and it is disjoint.
        place = bounds[two] + number
        exists = place < bounds[two + 1]
        row = order[np.where(exists, place, 0)]
        free = exists & ~graded[one, submission[row]]
        theirs = of_x[every, here.level[row]]
        total += np.where(free, (mine > theirs) + 0.5 * (mine == theirs), 0.0)
        times += free
    return np.asarray(np.divide(total, times, out=np.full(len(one), np.nan), where=times > 0))
