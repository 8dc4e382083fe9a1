"""Pay graders for agreement on pass or fail, with a fixed number of passes for everybody."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.co_graders import co_graders, mean_over_co_graders
from peergauge.tables import Reports, Rewards

MAX_SHARE_ERROR = 1e-9
"""Largest rounding error of a share of reports."""


@mechanism(
    "ea",
    label="EA, {flips} flips",
    source="Zhang, Xu, Pennock & Schoenebeck 2025",
    variants=({"flips": "random"}, {"flips": "nearest"}),
    family="output agreement",
    random=True,
    steps=True,
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="self-predicting, two signals",
)
@dataclass(frozen=True)
class EnforcedAgreement(Mechanism):
    r"""Agreement with co-graders, after a fixed number of each grader's reports is set to *high*.

    The mechanism is made for binary signals. A grade is *high* if it is at least a threshold *c*
    and *low* otherwise. Of the *n* reports that a grader gave on an assignment, exactly *h* count
    as high: if more are, some of the high ones are drawn at random and set to low, and if fewer
    are, some of the low ones are set to high. Then a report earns the share of the co-graders whose
    own report, which is left as it is, is on the same side, and the grader earns the sum.

    **The enforced number.** *h* is *n* times the share of high grades among the reports of all
    other graders on the assignment, rounded to the nearest number from 1 to *n* − 1. A grader
    cannot influence it. With a single report it would be 0 or 1 and the pay would not depend on the
    report, so a grader with a single report on an assignment is not paid for it. A report without a
    co-grader is not paid, but counts for *h*.

    **Why it should work.** Most mechanisms make the truth best *in expectation*. That is enough for
    graders who want a high mean, but not for those who want to be in the top ten, or to get at
    least half of the points. Here the truth is best for all of them: its pay *stochastically
    dominates* the pay of any other strategy, that is, every amount is reached with at least the
    same probability. With binary signals, a grader can only choose *which* of the reports are high,
    as their number is fixed. Exchanging a submission that looked high with one that looked low
    replaces agreement on both by disagreement on both, which is the less likely of the two if
    signals are positively correlated (self-predicting). With more signals this is not known. No
    mean over draws of the flips is taken, because the mean would have another distribution.

    **More than two grades.** With ``threshold="middle"`` the threshold is the one that splits the
    reports of all other graders most evenly. With ``threshold="every"`` the rule is applied to
    every threshold of the scale, and a report earns the mean over all thresholds, with weights
    s (1 − s) by the share *s* of high grades among the reports of others. This uses the whole
    scale, but a sum over thresholds that share their signals is not known to keep the dominance.

    A grader who sees more than the side of a submission can use it: with random flips, a lone
    grader who calls exactly *h* submissions high, those that looked best, and all others low, gains
    many ranks, and so does a biased grader who calibrates. With ``flips="nearest"`` the mechanism
    does this for everybody: the *h* highest grades count as high, and only equal grades are drawn
    at random. The pay then depends on nothing but the order of a grader's own grades on each
    assignment. With two grades both are the original.

    **Rounding.** A bounded score of any truthful mechanism becomes stochastically dominant if it is
    turned into the probability of winning a prize of 1: a higher mean of a prize that is 0 or 1 is
    a higher chance of winning, which everybody wants. With ``rounding="lottery"`` a grader wins 1
    on each assignment with the probability that the agreement there says, a mean over reports in
    0..1. Drawing separate lotteries for parts of the tasks, here the assignments, keeps more
    information than a single lottery for the semester. It makes ``threshold="every"`` dominant if
    it is truthful in expectation, and costs accuracy.

    **Cost.** Enforcing needs several reports on each assignment; with two reports it only compares
    them with each other. With ``flips="nearest"`` it never sees how lenient a grader is, nor how
    much of the scale the grader uses; with random flips, leniency costs pay because more
    reports are flipped. The running time is linear in the reports for each threshold.

    **Known attacks.** Choosing the enforced number oneself, and calibrating, pay with random flips
    (see above). A class that agrees on another common signal is paid for it.

    **Reading.** The rule for two grades follows the published description of the mechanism:
    enforced numbers of both reports, random flips, number of agreements. The enforced number and
    the extension to more grades are ours.

    **Source.** Yichi Zhang, Shengwei Xu, David Pennock and Grant Schoenebeck (2025).
    *Stochastically Dominant Peer Prediction*. NeurIPS 2025. arXiv:2506.02259.

    Parameters
    ----------
    threshold
        ``middle`` for the threshold that splits the reports of others most evenly, ``every`` for
        the mean over all thresholds.
    flips
        The reports that are set to the other side first: those ``nearest`` to it, or ``random``
        ones.
    rounding
        ``none`` to pay the agreement, ``lottery`` to pay 0 or 1 on each assignment.
    """

    threshold: Literal["middle", "every"] = "middle"
    flips: Literal["random", "nearest"] = "random"
    rounding: Literal["none", "lottery"] = "none"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        order, lots = reports.drawn("enforced", rng, lambda: draw(reports, rng))
        layout, steps = reports.layout, reports.scale.levels - 1
        group = reports.assignment.astype(np.int64) * reports.graders + reports.grader
        own = np.diff(layout.bounds)
        tables = np.zeros((len(own), steps + 1))
        np.add.at(tables, (group, reports.level), 1.0)
        by_level = tables.reshape(reports.assignments, reports.graders, -1)
        others = by_level.sum(axis=1, keepdims=True) - by_level
        others = others.reshape(len(own), -1)
        total = others.sum(axis=1)
        # Share of the others' reports at or above each threshold 1, …, steps.
        above = np.cumsum(others[:, ::-1], axis=1)[:, ::-1][:, 1:]
        share = np.divide(above, total[:, None], out=np.zeros_like(above), where=total[:, None] > 0)
        weight = weight_of_thresholds(share, self.threshold)
        pairs = co_graders(reports)
        part, used = np.zeros(len(reports)), np.flatnonzero(weight.any(axis=0))
        for step in used:
            high = reports.level > step
            first = reports.level if self.flips == "nearest" else high.astype(np.int32)
            enforced = enforce(first, order, group, own, share[:, step])
            same = enforced[pairs.row] == high[pairs.peer]
            agreement = mean_over_co_graders(pairs, same.astype(np.float64), len(reports))
            part += np.where(weight[group, step] > 0, weight[group, step] * agreement, 0.0)
        alone = np.diff(reports.submission_bounds)[reports.submission] < 2
        judged = ~alone & (own[group] > 1)
        part = np.where(judged, part, np.nan)
        if not judged.any():
            raise DesignError(
                "EA needs a grader with two reports on an assignment, one of them with a "
                "co-grader, and nobody here has them; choose another mechanism."
            )
        if self.rounding == "none":
            return Rewards.from_parts(reports, part)
        mean = Rewards.from_parts(reports, part, mean=True).amount
        won = np.where(np.isnan(mean), np.nan, (lots < mean).astype(np.float64))
        return Rewards(won, reports, averaged=True)


def draw(reports: Reports, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A random number for each report, which orders the flips, and one for each lottery."""
    return rng.random(len(reports)), rng.random((reports.assignments, reports.graders))


def weight_of_thresholds(share: Floats, threshold: str) -> Floats:
    """The weight of each threshold in the pay of each grader and assignment.

    *share* has the share *s* of the others' reports at or above each threshold. ``every`` weighs
    thresholds by s (1 − s); if none separates the reports of others, it is ``middle``.
    """
    # The most even split; of two that are equally even, the lower threshold.
    uneven = np.round(np.abs(share - 0.5) / MAX_SHARE_ERROR)
    middle = np.zeros_like(share)
    middle[np.arange(len(share)), np.argmin(uneven, axis=1)] = 1.0
    weight = np.maximum(share * (1 - share), 0.0)
    total = weight.sum(axis=1, keepdims=True)
    if threshold == "middle":
        return middle
    return np.asarray(np.where(total > MAX_SHARE_ERROR, weight / np.maximum(total, 1e-300), middle))


def enforce(height: Ints, order: Floats, group: Ints, own: Ints, share: Floats) -> Bools:
    """The sides of all reports after the enforced number of each group is set to high.

    The reports of a group are sorted by *height* from the highest, equal ones in random order; the
    first ones up to the enforced number count as high.
    """
    # Halves are rounded up; the number never makes all reports of a grader alike.
    number = np.clip(np.floor(own * share + 0.5), 1, np.maximum(own - 1, 1))
    first = np.lexsort((order, -height, group))
    start = np.cumsum(own) - own
    place = np.empty(len(height), dtype=np.int64)
    place[first] = np.arange(len(height)) - start[group[first]]
    return np.asarray(place < number[group])
