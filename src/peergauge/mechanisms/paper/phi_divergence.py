"""Pay pairs of graders for agreeing more on the same submission than on different ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.pairing import (
    Divergence,
    Pairings,
    draw_pairings,
    mean_over_pairings,
)
from peergauge.tables import Reports, Rewards, frozen

LOWEST_INT64 = -(2.0**63)
"""The smallest 64-bit integer."""


@mechanism(
    "phi-div",
    label="Φ-Div: {divergence}",
    source="Schoenebeck & Yu 2021; Kong & Schoenebeck 2019",
    variants=tuple({"divergence": divergence} for divergence in Divergence),
    family="Φ-divergence pairing",
    random=True,
    steps=True,
    minus_infinity=True,
    labels="any",
    equilibrium=Equilibrium.NEARLY_STRONGLY,
    assumption="stochastically relevant",
    penalties=True,
    in_paper=True,
)
@dataclass(frozen=True)
class PhiDivergence(Mechanism):
    r"""A pair earns for likely agreement on a bonus task, and pays for it on penalty tasks.

    The submissions of an assignment are split at random into two halves. Each half estimates, for
    the other half, the joint-to-marginal-product ratio of two reports,

    .. math:: JP(x, y) = \frac{P(x, y)}{P(x) P(y)},

    by counting ordered pairs of reports on the same submission, with the same weight for every
    submission. Two graders of a submission *b*, with penalty tasks *p* and *q* that differ from it
    and from each other, both earn

    .. math:: \partial\Phi(JP(x_b, y_b)) - \Phi^*(\partial\Phi(JP(x_p, y_q)))

    and a report earns the mean over all pairings with another grader of its submission. A pairing
    without two different penalty tasks is skipped, and a report without any other pairing is not
    paid. A grade that does not occur in the other half leaves the ratio undefined; its subgradient
    is then 0. With TVD this is the Correlated Agreement mechanism.

    An assignment with fewer than two submissions that have two graders cannot be split, and is not
    paid; a class without any other assignment is refused.

    The mechanism is ε-strongly truthful if signals are stochastically relevant. Known attack:
    graders who all rename the grades in the same way are paid as for the truth.

    **Source.** Grant Schoenebeck and Fang-Yi Yu (2021). *Learning and Strongly Truthful Multi-Task
    Peer Prediction: A Variational Approach*. ITCS 2021. doi:10.4230/LIPIcs.ITCS.2021.78.

    Yuqing Kong and Grant Schoenebeck (2019). *An Information Theoretic Framework for Designing
    Information Elicitation Mechanisms That Reward Truth-Telling*. ACM Transactions on Economics and
    Computation 7(1). doi:10.1145/3296670.

    Parameters
    ----------
    divergence
        Φ: ``tvd``, ``kl``, ``chi2`` or ``h2``.
    unseen
        The payment for a pair whose two grades both occur in the other half but never together, so
        that JP = 0 and the subgradient of KL and H² is −∞. ``infinite``: −∞, as the formula says;
        ``int64``: payments below −2⁶³ are set to −2⁶³ before they are averaged, as the authors'
        published numbers were computed.
    """

    divergence: Divergence = Divergence.TVD
    unseen: Literal["infinite", "int64"] = "infinite"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        half, pairs = reports.drawn("halves", rng, lambda: draw_halves(reports, rng))
        if not (half >= 0).any():
            raise DesignError(
                "Φ-Div estimates each half of the submissions from the other, and no assignment "
                "here has two submissions with two graders; choose another mechanism."
            )
        log_ratio = reports.derived(
            "log ratio of other half", lambda: ratios_of(reports, half), of=half
        )
        part = mean_score_by_table(
            pairs,
            reports.assignment,
            reports.submission_bounds,
            reports.level,
            half,
            self.divergence.subgradient(log_ratio),
            self.divergence.conjugate(log_ratio),
            LOWEST_INT64 if self.unseen == "int64" else -np.inf,
        )
        return Rewards.from_parts(reports, frozen(part))


def draw_halves(reports: Reports, rng: np.random.Generator) -> tuple[Ints, Pairings]:
    """The half of each submission, and the pairs of graders with their penalty tasks."""
    half = halve(
        reports.submission_bounds,
        reports.submission,
        reports.assignment_bounds,
        rng.random(reports.submissions),
    )
    return frozen(half), draw_pairings(reports, rng)


def ratios_of(reports: Reports, half: Ints) -> Floats:
    """Logarithms of JP for each half of these reports."""
    log_ratio = log_ratio_of_other_half(
        half,
        reports.level,
        reports.scale.levels,
        reports.submission_bounds,
        reports.submission,
        reports.assignment_bounds,
    )
    return frozen(log_ratio)


@accelerated
def halve(
    submission_bounds: Bounds, submission: Ints, assignment_bounds: Bounds, uniform: Floats
) -> Ints:
    """Shuffle the tasks of each assignment into halves 0 and 1.

    Tasks are the submissions with at least two graders. Others, and those of an assignment with
    fewer than two tasks, are in half -1.
    """
    half = np.full(len(submission_bounds) - 1, -1, dtype=np.int32)
    for begin, end in zip(assignment_bounds[:-1], assignment_bounds[1:], strict=True):
        here = np.unique(submission[begin:end])
        tasks = here[np.diff(submission_bounds)[here] >= 2].tolist()
        if len(tasks) < 2:
            continue
        for last in range(len(tasks) - 1, 0, -1):
            other = int(uniform[here[0] + last] * (last + 1))
            tasks[last], tasks[other] = tasks[other], tasks[last]
        half[tasks[: len(tasks) // 2]] = 0
        half[tasks[len(tasks) // 2 :]] = 1
    return half


@accelerated
def log_ratio_of_other_half(
    half: Ints,
    level: Ints,
    levels: int,
    submission_bounds: Bounds,
    submission: Ints,
    assignment_bounds: Bounds,
) -> Floats:
    """Logarithms of JP by assignment, half and two levels, estimated from the other half.

    −∞ where two levels were seen but never together, NaN where one was not seen.
    """
    assignments = len(assignment_bounds) - 1
    table = np.full((assignments, 2, levels, levels), np.nan)
    for a in range(assignments):
        here = np.unique(submission[assignment_bounds[a] : assignment_bounds[a + 1]])
        for side in (0, 1):
            joint, marginal = np.zeros((levels, levels)), np.zeros(levels)
            others = here[half[here] == 1 - side]
            for s in others:
                seen = level[submission_bounds[s] : submission_bounds[s + 1]]
                count = np.bincount(seen, minlength=levels)
                n = len(seen)
                joint += (np.outer(count, count) - np.diag(count)) / (n * (n - 1))
                marginal += count / n
            if len(others):
                product = np.outer(marginal, marginal) / len(others)
                with np.errstate(divide="ignore", invalid="ignore"):
                    table[a, side] = np.log(joint / product)
    return table


@accelerated
def mean_score_by_table(
    pairs: Pairings,
    assignment: Ints,
    submission_bounds: Bounds,
    level: Ints,
    half: Ints,
    reward: Floats,
    price: Floats,
    floor: float,
) -> Floats:
    """The mean payment of each report over its pairings, by tables for each assignment and half."""
    of_report = np.repeat(half, np.diff(submission_bounds))
    where = assignment[pairs.one], of_report[pairs.one]
    bonus = reward[(*where, level[pairs.one], level[pairs.two])]
    penalty = price[(*where, level[pairs.penalty_one], level[pairs.penalty_two])]
    part = mean_over_pairings(pairs, np.maximum(bonus - penalty, floor), len(level))
    return np.where(of_report < 0, np.nan, part)
