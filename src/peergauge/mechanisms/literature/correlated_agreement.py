"""Pay graders for correlated reports on the same submission, minus those on different ones."""

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
"""Smallest Δ, a difference of probabilities, that counts as a positive correlation."""


@mechanism(
    "ca",
    label="CA",
    source="Dasgupta & Ghosh 2013; Shnayder, Agarwal, Frongillo & Parkes 2016",
    family="correlated agreement",
    steps=True,
    labels="any",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="–",
    penalties=True,
)
@dataclass(frozen=True)
class CorrelatedAgreement(Mechanism):
    r"""Agreement with a co-grader on a submission, minus the mean agreement on different ones.

    Two reports *x* and *y* are positively correlated, S(x, y) = 1, if they are given to one
    submission more often than if they were independent, and S(x, y) = 0 otherwise:

    .. math:: \Delta(x, y) = P(x, y) - P(x) P(y) > 0

    A report :math:`x_b` on submission *b* earns, in the mean over co-graders,

    .. math:: S(x_b, y_b) - \overline{S(x_p, y_q)},

    where the mean is over all pairs of penalty tasks: *p* is another task of the grader, *q*
    another task of the co-grader, and the two differ. The original draws one such pair. A co-grader
    without such a pair is left out, and a report without any other co-grader is not paid.

    **Estimation of Δ.** For each grader, Δ is estimated from all reports on the assignment except
    their own: ordered pairs on the same submission are counted, and every submission with at least
    two other graders has the same weight. So graders cannot influence their own Δ, which the
    argument needs, and nothing is drawn at random. A grade that nobody else gave is correlated with
    nothing.

    **Relation to Φ-Div with TVD.** That mechanism pays ½ sign Δ on the bonus task minus ½ sign Δ on
    a drawn penalty task, which equals S − S where Δ is not 0. It estimates Δ for each half of the
    submissions from the other half, as the detail-free mechanism was proposed. So its Δ contains
    the graders' own reports on other submissions, is estimated from half of the reports, and
    depends on two draws. If all these Δ have the same signs, the two mechanisms pay the same in
    expectation.

    **Why it should work.** If Δ has the right signs, the expected pay is the sum of the positive
    entries of Δ. Reports that are any other function of the signals add up other entries of Δ, or
    fractions of them, and cannot earn more; reports that do not depend on signals earn 0. This
    needs no assumption about the signals (informed truthfulness), only a good enough estimate of Δ.

    **Cost.** Two grades that are always positively correlated are interchangeable. On a long scale
    most neighbouring grades are, so that an error of one point, or a bias, is hardly noticed. In a
    small class the signs are estimated badly. The running time is linear in the reports, and for
    each pair of graders in the product of their tasks.

    **Known attacks.** Exaggerating, merging grades and hedging a little cost nothing, since the
    same pairs of grades stay positively correlated. A class that replaces its signals by any other
    common signal, or renames the grades, is paid for it.

    **Source.** Anirban Dasgupta and Arpita Ghosh (2013). *Crowdsourced Judgement Elicitation with
    Endogenous Proficiency*. Proceedings of WWW 2013, 319–330. doi:10.1145/2488388.2488417.

    Victor Shnayder, Arpit Agarwal, Rafael Frongillo and David C. Parkes (2016). *Informed
    Truthfulness in Multi-Task Peer Prediction*. Proceedings of EC 2016, 179–196.
    doi:10.1145/2940716.2940790.
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
    """The payment of each report, by the correlations in the reports of all other graders."""
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
