"""Pay pairs of graders as Φ-Div_P does, averaged over all penalty tasks instead of one draw."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.paper.parametric_phi_divergence import ModelledPairs, log_ratio
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.tables import Reports, Rewards, frozen
from peergauge.tables.layout import Layout


@mechanism(
    "phi-div-p-averaged",
    label="Φ-Div_P averaged: {divergence}",
    source="peergauge; Φ-Div_P of Burrell & Schoenebeck 2022",
    variants=tuple({"divergence": divergence} for divergence in Divergence),
    family="parametric Φ-divergence pairing",
    equilibrium=Equilibrium.NEARLY_STRONGLY,
    assumption="stochastically relevant",
    prior="given",
    penalties=True,
)
@dataclass(frozen=True)
class AveragedParametricPhiDivergence(ModelledPairs):
    r"""The expected payment of Φ-Div_P over all its random draws.

    Two graders of a submission *b* both earn

    .. math::
        \partial\Phi(JP(x_b, y_b))
        - \frac{1}{|V|} \sum_{(p, q) \in V} \Phi^*(\partial\Phi(JP(x_p, y_q)))

    where *V* contains all pairs of penalty tasks from which Φ-Div_P draws one: *p* is another task
    of the first grader, *q* another task of the second, and the two differ. Everything else is as
    in Φ-Div_P: the ratio JP of model PG1, the mean over all pairings, a pairing without penalty
    tasks is skipped, and a report without a pairing is not paid.

    **Why it should work.** It pays what Φ-Div_P pays in expectation over the draws, given the
    reports. So it has the same equilibria with the same expected pay, and the pay of every grader
    varies less around its expectation.

    **Cost.** Each pair needs a sum over the product of two graders' tasks, where Φ-Div_P evaluates
    one pair of tasks: nine pairs with the usual four tasks. The penalties of a grader still depend
    on the few tasks that the grader and the co-graders have, so that some luck remains.

    **Known attacks** are those on Φ-Div_P. The mechanism assumes model PG1 with the prior and the
    noise that it is given. Hedging pays under KL and H², for which a large error on a bonus task
    costs far more than a penalty task gives back. A majority that turns grades upside down is paid
    for it.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521. The average over all draws is ours.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = mean_score_over_penalties(reports.layout, *self.modelled(reports))
        return Rewards.from_parts(reports, frozen(part))


@accelerated
def mean_score_over_penalties(
    layout: Layout, deviation: Floats, variance: float, noise: float, kind: int
) -> Floats:
    """The mean payment of each report over its pairings, by the divergence number *kind*."""

    def ratio(x: Floats, y: Floats) -> Floats:
        return log_ratio(x, y, variance, noise, noise)

    def others(row: int) -> Ints:
        group = int(layout.assignment[row]) * layout.graders + int(layout.grader[row])
        tasks = layout.rows[layout.bounds[group] : layout.bounds[group + 1]]
        return np.asarray(tasks[tasks != row])

    divergence = list(Divergence)[kind]
    task, bounds = layout.submission, layout.submission_bounds
    earned: list[list[float]] = [[] for _ in deviation]
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        for one, two in combinations(range(begin, end), 2):
            p, q = (rows.ravel() for rows in np.meshgrid(others(one), others(two)))
            valid = task[p] != task[q]
            if valid.any():
                bonus = divergence.subgradient(ratio(deviation[[one]], deviation[[two]]))[0]
                penalty = divergence.conjugate(ratio(deviation[p[valid]], deviation[q[valid]]))
                for row in (one, two):
                    earned[row].append(bonus - penalty.mean())
    return np.array([np.mean(each) if each else np.nan for each in earned])
