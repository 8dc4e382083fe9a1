"""Pairs of graders on a bonus task, each with a penalty task, as the Φ-Div family pays them."""

from __future__ import annotations

from enum import Enum
from itertools import combinations
from typing import NamedTuple

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.tables import Reports, frozen
from peergauge.tables.layout import Layout

KINK_TOLERANCE = 1e-9
"""Largest logarithm that counts as 0, where the subgradient of TVD jumps."""


class Divergence(Enum):
    """A convex function Φ, given by its subgradient and the convex conjugate of that.

    Both take the logarithm of the joint-to-marginal-product ratio JP. A ratio of 0 has logarithm
    −∞; where the ratio is undefined (NaN), the subgradient is 0.
    """

    TVD = "tvd"
    KL = "kl"
    CHI2 = "chi2"
    H2 = "h2"

    @property
    def label(self) -> str:
        """The notation of the paper."""
        return {"tvd": "TVD", "kl": "KL", "chi2": "χ²", "h2": "H²"}[self.value]

    @property
    def full_name(self) -> str:
        """The divergence that Φ defines."""
        return {
            "tvd": "total variation distance",
            "kl": "Kullback-Leibler divergence",
            "chi2": "χ²-divergence",
            "h2": "squared Hellinger distance",
        }[self.value]

    @property
    def formula(self) -> str:
        """Φ(x)."""
        formulas = {"tvd": "|x − 1| / 2", "kl": "x log x", "chi2": "x² − 1", "h2": "(1 − √x)²"}
        return formulas[self.value]

    def subgradient(self, log_ratio: Floats) -> Floats:
        """∂Φ(JP): the reward for a bonus task."""
        with np.errstate(over="ignore"):
            match self:
                case Divergence.TVD:
                    slope = _side_of_one(log_ratio) / 2
                case Divergence.KL:
                    slope = 1 + log_ratio
                case Divergence.CHI2:
                    slope = 2 * np.exp(log_ratio)
                case Divergence.H2:
                    slope = 1 - np.exp(-log_ratio / 2)
        return _with_undefined(slope, log_ratio, 0.0)

    def conjugate(self, log_ratio: Floats) -> Floats:
        """Φ*(∂Φ(JP)): the price of a pair of penalty tasks."""
        with np.errstate(over="ignore"):
            match self:
                case Divergence.TVD:  # Φ*(y) = y
                    price, at_zero = _side_of_one(log_ratio) / 2, 0.0
                case Divergence.KL:  # Φ*(y) = exp(y − 1)
                    price, at_zero = np.exp(log_ratio), np.exp(-1.0)
                case Divergence.CHI2:  # Φ*(y) = y² / 4 + 1
                    price, at_zero = np.exp(2 * log_ratio) + 1, 1.0
                case Divergence.H2:  # Φ*(y) = y / (1 − y)
                    price, at_zero = np.exp(log_ratio / 2) - 1, 0.0
        return _with_undefined(price, log_ratio, float(at_zero))


def _with_undefined(values: Floats, log_ratio: Floats, value: float) -> Floats:
    """Put *value* where the ratio is undefined; most ratios are defined everywhere."""
    undefined = np.isnan(log_ratio)
    if np.count_nonzero(undefined):
        values[undefined] = value
    return values


def _side_of_one(log_ratio: Floats) -> Floats:
    """The sign of the logarithm of a ratio, where rounding errors count as a ratio of 1."""
    return np.sign(np.where(np.abs(log_ratio) < KINK_TOLERANCE, 0.0, log_ratio))


class Pairings(NamedTuple):
    """Rows of the reports of each pair: two on the bonus task, one each on a penalty task.

    Penalty rows are -1 if the pair has no two different penalty tasks.
    """

    one: Ints
    two: Ints
    penalty_one: Ints
    penalty_two: Ints


def draw_for_pairs(reports: Reports, rng: np.random.Generator) -> Floats:
    """One random number for every two graders of a submission.

    The number of draws depends on who graded what, not on the grades.
    """
    count = np.diff(reports.submission_bounds)
    return rng.random(int((count * (count - 1) // 2).sum()))


def draw_pairings(reports: Reports, rng: np.random.Generator) -> Pairings:
    """Every two graders of a submission, with the penalty tasks drawn for them."""
    pairs = pair_up(reports.layout, draw_for_pairs(reports, rng))
    for column in pairs:
        frozen(column)
    return pairs


@accelerated
def pair_up(layout: Layout, uniform: Floats) -> Pairings:
    """Pair every two graders of a submission, and draw penalty tasks for them.

    The pair of penalty tasks, one graded by each, is uniform over all that are different from the
    bonus task and from each other.
    """

    def other_tasks(row: int) -> list[int]:
        group = int(layout.assignment[row]) * layout.graders + int(layout.grader[row])
        tasks = layout.rows[layout.bounds[group] : layout.bounds[group + 1]]
        return [other for other in tasks if other != row]

    task, bounds = layout.submission, layout.submission_bounds
    pairs = np.full((len(uniform), 4), -1, dtype=np.int32)
    at = 0
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        for one, two in combinations(range(begin, end), 2):
            pairs[at, :2] = one, two
            first, second = other_tasks(one), other_tasks(two)
            valid = [(p, q) for p in first for q in second if task[p] != task[q]]
            if valid:
                # The digits of one random number choose a task of each grader and, if these are the
                # same submission, a valid pair instead.
                place = uniform[at] * len(first)
                p, place = first[int(place)], (place - int(place)) * len(second)
                q, place = second[int(place)], (place - int(place)) * len(valid)
                pairs[at, 2:] = (p, q) if task[p] != task[q] else valid[int(place)]
            at += 1
    return Pairings(*pairs.T)


def mean_over_pairings(pairs: Pairings, score: Floats, reports: int) -> Floats:
    """The mean score of each report over its pairs, without the pairs that have no penalty tasks.

    NaN for a report without any other pair.
    """
    counts = pairs.penalty_one >= 0
    total = np.zeros(reports)
    times = np.zeros(reports)
    for side in (pairs.one, pairs.two):
        np.add.at(total, side[counts], score[counts])
        np.add.at(times, side[counts], 1.0)
    part = np.full(reports, np.nan)
    part[times > 0] = total[times > 0] / times[times > 0]
    return part
