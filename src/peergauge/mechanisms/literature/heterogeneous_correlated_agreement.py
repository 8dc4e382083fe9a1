"""Pay graders for correlated reports, with penalty tasks from assignments of other kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.literature.correlated_agreement import MIN_EXCESS_PROBABILITY
from peergauge.mechanisms.shared.co_graders import CoGraders, co_graders, mean_over_co_graders
from peergauge.mechanisms.shared.others import AssignmentOfOthers, assignments_of_others
from peergauge.tables import Reports, Rewards


@mechanism(
    "cah",
    label="CAH",
    source="Mandal, Leifer, Parkes, Pickard & Shnayder 2016",
    family="correlated agreement",
    steps=True,
    labels="any",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="–",
    penalties=True,
)
@dataclass(frozen=True)
class HeterogeneousCorrelatedAgreement(Mechanism):
    r"""Agreement with a co-grader, minus the mean agreement on different tasks of all kinds so far.

    Correlated Agreement (``ca``) takes penalty tasks from the same assignment, because it assumes
    that all tasks are alike. This generalisation allows tasks of several kinds, each with its own
    distribution of reports. Here an assignment is a kind of task. The penalty tasks of assignment
    *a* are all submissions that a grader graded on the assignments 1, …, *a*. Two reports are
    positively correlated on assignment *a*, :math:`S_a(x, y) = 1`, if they are given to one of its
    submissions more often than to two different penalty tasks,

    .. math:: \Gamma_a(x, y) = P_a(x, y) - \bar P(x) \bar P(y) > 0,

    and :math:`S_a(x, y) = 0` otherwise. :math:`P_a` is the joint distribution of two reports on a
    submission of assignment *a*, and :math:`\bar P` the distribution of reports on all assignments
    so far. A report :math:`x_b` on submission *b* of assignment *a* earns, in the mean over
    co-graders,

    .. math:: S_a(x_b, y_b) - \overline{S_a(x_p, y_q)},

    where the mean is over all pairs of penalty tasks *p* of the grader and *q* of the co-grader
    that differ from *b* and from each other. A co-grader without such a pair is left out, and a
    report without any other co-grader is not paid. With a single assignment the mechanism is
    ``ca``.

    **Estimation.** For each grader, both distributions are estimated from the reports of all
    others, with the same weight for every submission that has two other graders. So graders cannot
    influence their own :math:`S_a`, and nothing is drawn at random. Later assignments change no
    earlier pay.

    **Why it should work.** If :math:`\Gamma_a` has the right signs, the expected pay is the sum of
    its positive entries, and reports that are any other function of the signals cannot earn more
    (informed truthfulness). Reports that do not depend on the submissions earn nothing. The
    strategy may not depend on the kind of task: a grader who knows that assignments differ in
    difficulty, and reports the usual grade of each, is paid for the difference between assignments.

    **Cost.** Graders with a single report on each assignment can be paid from the second assignment
    on, and the many penalty pairs make the penalty less noisy. If assignments differ in difficulty,
    agreement on the usual grade of an assignment counts as correlation, and less attention is paid
    to the differences between its submissions. As for ``ca``, neighbouring grades are mostly
    interchangeable, and biases are hardly noticed.

    **Known attacks.** Those of ``ca``: exaggerating, merging grades and hedging a little cost
    nothing. Where assignments differ, a class that reports the usual grade of each assignment is
    paid for it.

    **Source.** Debmalya Mandal, Matthew Leifer, David C. Parkes, Galen Pickard and Victor Shnayder
    (2016). *Peer Prediction with Heterogeneous Tasks*. arXiv:1612.00928.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        pairs, level = co_graders(reports), reports.level
        shape = reports.graders, reports.scale.levels
        # For each grader: the reports so far by level, and what all others reported so far.
        given, marginal, tasks = np.zeros(shape), np.zeros(shape), np.zeros(shape[0])
        value = np.full(len(pairs.row), np.nan)
        common = CommonTasks(reports, pairs)
        for _, here in assignments_of_others(reports):
            np.add.at(given, (reports.grader[here.rows], level[here.rows]), 1.0)
            everybody, count = here.of_everybody(reports)
            marginal[:, here.seen] += everybody
            tasks += count
            chosen = slice(*np.searchsorted(pairs.row, (here.rows.start, here.rows.stop)))
            who = here.grader[pairs.row[chosen] - here.rows.start]
            for others in here.tables(reports):
                members = here.graders[others.batch]
                marginal[np.ix_(members, here.seen)] += others.marginal - everybody
                tasks[members] += others.tasks - count
                with np.errstate(invalid="ignore", divide="ignore"):
                    joint = others.joint / others.tasks[:, None, None]
                    share = marginal[np.ix_(members, here.seen)] / tasks[members, None]
                excess = joint - share[:, :, None] * share[:, None, :]
                together = (excess > MIN_EXCESS_PROBABILITY).astype(np.float64)
                mine = (who >= others.batch.start) & (who < others.batch.stop)
                number = chosen.start + np.flatnonzero(mine)
                value[number] = bonus_minus_penalty(
                    reports, here, pairs, common, number, chosen.stop, together,
                    others.batch.start, given,
                )  # fmt: skip
        part = mean_over_co_graders(pairs, value, len(reports))
        if np.isnan(part).all():
            raise DesignError(
                "CAH needs two graders of a submission who each graded another one besides, on "
                "this or an earlier assignment, and nobody here did; choose another mechanism."
            )
        return Rewards.from_parts(reports, part)


class CommonTasks:
    """For each pair of graders, all submissions that both graded, in the order of assignments."""

    def __init__(self, reports: Reports, pairs: CoGraders):
        one, two = (reports.grader[side].astype(np.int64) for side in pairs)
        self.key = (one * reports.graders + two) * (len(one) + 1)
        self.order = np.argsort(self.key, kind="stable")
        self.sorted = self.key[self.order] + self.order

    def until(
        self, number: NDArray[np.int64], stop: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pairs of the same two graders before *stop*: which of *number*, and the pair."""
        begin = np.searchsorted(self.sorted, self.key[number])
        end = np.searchsorted(self.sorted, self.key[number] + stop)
        size = end - begin
        which = np.repeat(np.arange(len(number)), size)
        place = np.arange(len(which)) - np.repeat(np.cumsum(size) - size, size) + begin[which]
        return which, self.order[place]


def bonus_minus_penalty(
    reports: Reports,
    here: AssignmentOfOthers,
    pairs: CoGraders,
    common: CommonTasks,
    number: NDArray[np.int64],
    stop: int,
    together: Floats,
    first: int,
    given: Floats,
) -> Floats:
    """The pay of each pair in *number*: agreement on the bonus task minus the mean on penalties.

    *together* is S of a batch of graders that begins with the grader *first*, and *given* counts
    the reports of each grader so far by level. A level that is not on the assignment is correlated
    with nothing.
    """
    place = np.full(reports.scale.levels, -1)
    place[here.seen] = np.arange(len(here.seen))
    row, peer = pairs.row[number], pairs.peer[number]
    who = here.grader[row - here.rows.start] - first
    one, two = reports.grader[row], reports.grader[peer]
    x, y = here.level[row - here.rows.start], here.level[peer - here.rows.start]
    every = np.arange(len(number))
    here_given = given[:, here.seen]
    members = here.graders[first : first + len(together)]
    by_own = np.einsum("gi,gij->gj", here_given[members], together)
    # All pairs of a report of the grader and one of the co-grader, without the bonus reports.
    of_own = by_own[who] - together[who, x]
    agreed = np.einsum("pj,pj->p", of_own, here_given[two]) - of_own[every, y]
    all_given = given.sum(axis=1)
    count = (all_given[one] - 1) * (all_given[two] - 1)
    # Two reports on the same submission are no pair of penalty tasks.
    which, other = common.until(number, stop)
    keep = other != number[which]
    which, other = which[keep], other[keep]
    s, t = place[reports.level[pairs.row[other]]], place[reports.level[pairs.peer[other]]]
    same = np.where((s >= 0) & (t >= 0), together[who[which], s, t], 0.0)
    agreed -= np.bincount(which, same, len(number))
    count -= np.bincount(which, minlength=len(number))
    penalty = np.divide(agreed, count, out=np.full(len(number), np.nan), where=count > 0.5)
    return np.asarray(together[who, x, y] - penalty)
