"""Pay graders for reports that go together, on the same submission more than on different ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards
from peergauge.tables.layout import Layout

MIN_EXCESS_PROBABILITY = 1e-9
"""By how much a chance exceeds what independence gives, at least, for reports to go together."""


@mechanism(
    "ca",
    label="CA",
    source="Dasgupta & Ghosh 2013; Shnayder, Agarwal, Frongillo & Parkes 2016",
    family="correlated agreement",
    steps=True,
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="–",
    penalties=True,
)
@dataclass(frozen=True)
class CorrelatedAgreement(Mechanism):
    r"""A report earns 1 where it goes together with a co-grader's, less how often that is chance.

    Two reports *x* and *y* go together, S(x, y) = 1, if they are given to one submission more
    often than if they were independent, and S(x, y) = 0 otherwise:

    .. math:: \Delta(x, y) = P(x, y) - P(x) P(y) > 0

    A report :math:`x_b` on submission *b* earns, in the mean over co-graders,

    .. math:: S(x_b, y_b) - \overline{S(x_p, y_q)},

    the mean being over all pairs of penalty tasks: *p* is another task of the grader, *q* another
    of the co-grader, and the two differ. The original draws one such pair. A co-grader with whom
    there is none is left out, and a report with no co-grader left is not paid.

    **Which reports Δ is learnt from.** For each grader, all reports on the assignment but their
    own: ordered pairs on the same submission are counted, every submission with two graders left
    weighing alike. So nobody has a say in what goes together for them, which is what the argument
    needs, and nothing is drawn. A grade that nobody else gave goes together with nothing.

    **How it is related to Φ-Div with TVD.** That pays ½ sign Δ on the bonus task less ½ sign Δ on
    a drawn penalty task, which is the same as S − S where Δ is not 0. It learns Δ for each half
    of the submissions from the other, as the detail-free mechanism was proposed. So Φ-Div has the
    graders' own reports on other submissions in their Δ, half of the reports, and two draws. Where
    all these Δ have the same signs, the two pay the same in expectation.

    **Why it should work.** If Δ has the right signs, the expected pay is the sum of Δ over all
    *x* and *y* with S = 1, that is of its positive entries. Reports that are made of the signals
    in another way, whatever it is, only add up other entries of Δ or fractions of them, and cannot
    get more; reports that do not depend on signals get 0. No assumption on the signals is needed
    for that (informed truthfulness), only that Δ is learnt well enough.

    **What it costs.** Two grades that always go together are interchangeable: on a long scale
    most near ones do, so it is hardly seen whether a report is off by one, or biased. Signs are
    learnt badly in a small class. The work is linear in the reports, and in each pair of graders
    in the product of their tasks.

    **What defeats it.** Exaggerating, merging grades and hedging a little cost nothing, since
    what goes together stays together. A class that hides what it saw behind any other common
    signal, or renames grades, is paid for it.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = correlated_agreement(reports.layout, reports.level, reports.scale.levels)
        if np.isnan(part).all():
            raise DesignError(
                "CA needs two graders of a submission who each graded another one besides, and "
                "nobody here did; choose another mechanism."
            )
        return Rewards.from_parts(reports, part)


@accelerated
def correlated_agreement(layout: Layout, level: Ints, levels: int) -> Floats:
    """What each report earns, by what goes together in the reports of all others."""
    part = np.full(len(level), np.nan)
    task, bounds = layout.submission, layout.submission_bounds
    for group in range(len(layout.bounds) - 1):
        own = layout.rows[layout.bounds[group] : layout.bounds[group + 1]]
        if len(own) < 2:
            continue
        a, grader = divmod(group, layout.graders)
        together = going_together(layout, level, levels, a, grader)
        for row in own:
            earned = []
            for peer in range(bounds[task[row]], bounds[task[row] + 1]):
                theirs = a * layout.graders + layout.grader[peer]
                others = layout.rows[layout.bounds[theirs] : layout.bounds[theirs + 1]]
                chance = [
                    together[level[p], level[q]]
                    for p in own
                    for q in others
                    if p != row and q != peer and task[p] != task[q]
                ]
                if peer != row and chance:
                    earned.append(together[level[row], level[peer]] - np.mean(chance))
            if earned:
                part[row] = np.mean(earned)
    return part


def going_together(layout: Layout, level: Ints, levels: int, a: int, grader: int) -> Floats:
    """S for each two levels: 1 where Δ > 0 on assignment *a* in the reports of all but *grader*."""
    joint, marginal, tasks = np.zeros((levels, levels)), np.zeros(levels), 0
    rows = np.arange(layout.assignment_bounds[a], layout.assignment_bounds[a + 1])
    rows = rows[layout.grader[rows] != grader]
    for s in np.unique(layout.submission[rows]):
        seen = level[rows[layout.submission[rows] == s]]
        n = len(seen)
        if n > 1:
            count = np.bincount(seen, minlength=levels)
            joint += (np.outer(count, count) - np.diag(count)) / (n * (n - 1))
            marginal += count / n
            tasks += 1
    if not tasks:
        return np.zeros((levels, levels))
    delta = joint / tasks - np.outer(marginal, marginal) / tasks**2
    return (delta > MIN_EXCESS_PROBABILITY).astype(np.float64)
