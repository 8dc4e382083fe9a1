"""Agreement beyond chance: equal grades that the work does not explain."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.flags.comparison import Indices, sums
from peergauge.core.arrays import Floats

MIN_EQUAL_GRADES = 3
"""Equal grades below which no agreement is evidence."""

MIN_EXCESS_AGREEMENTS = 2.0
"""Equal grades beyond the expected number below which no agreement is evidence."""

MIN_CHANCE = 0.05
"""Smallest probability of an equal grade. Honest graders also make the same rare mistakes, so no
single equal grade is worth more."""

MAX_CHANCE = 0.98

SPREAD_GROUPS = 4
"""Groups of submissions, by the spread of their grades, whose probabilities are recalibrated."""

MAX_SPREAD_SAMPLE = 20_000
"""Reports from which the bounds of these groups are computed; more of them are thinned."""

SHIFT_ROUNDS = 4
"""Newton steps of the recalibration, each of at most 1 in log odds."""

SHIFT_PRECISION = 5.0
"""Precision of the prior of a shift in log odds: worth about 20 reports."""

MIN_VARIANCE = 0.25
"""Variance added to that of the weighted excess, which is 0 where equal grades are certain."""


class Agreement(NamedTuple):
    """Equal grades in each group of reports, and the number to expect of honest graders."""

    equal: Floats
    expected: Floats
    excess: Floats
    r"""Weighted excess over the expected number, in standard deviations.

    .. math:: \sum_i w_i (h_i - q_i) \Big/ \sqrt{\tfrac{1}{4} + \sum_i w_i^2 q_i (1 - q_i)},
        \quad w_i = \ln(1 + 1 / q_i)

    *h* says whether the grades are equal, and *q* is the probability of that. With these weights
    the sum is the log likelihood ratio, up to a constant, of a grader who copies every other grade.
    """

    @property
    def evident(self) -> NDArray[np.bool_]:
        """Whether there are enough equal grades, and enough that chance does not explain."""
        return (self.equal >= MIN_EQUAL_GRADES) & (
            self.equal - self.expected >= MIN_EXCESS_AGREEMENTS
        )

    @property
    def value(self) -> Floats:
        """The weighted excess; minus infinity where it is not evident."""
        return np.where(self.evident, self.excess, -np.inf)


def agreement(
    group: Indices, groups: int, equal: NDArray[np.bool_], chance: Floats, spread: Floats
) -> Agreement:
    """Sum up equal grades and their probabilities over each group.

    Parameters
    ----------
    spread
        How far the other graders of the submission disagree, by which probabilities are
        recalibrated.
    """
    chance = recalibrated(chance, equal, spread)
    q = np.clip(chance, MIN_CHANCE, MAX_CHANCE)
    weight = np.log1p(1 / q)
    difference = sums(group, weight * (equal - q), groups)
    variance = sums(group, weight**2 * q * (1 - q), groups)
    return Agreement(
        sums(group, equal.astype(np.float64), groups),
        sums(group, chance, groups),
        np.asarray(difference / np.sqrt(variance + MIN_VARIANCE)),
    )


def recalibrated(chance: Floats, equal: NDArray[np.bool_], spread: Floats) -> Floats:
    """Shift the log odds of probabilities so that their sum is the number of equal grades.

    The shift is the same for a quarter of the reports: those whose submissions have the smallest
    *spread*, and so on. Thus the class itself says how often its graders agree where the others
    agree: about easy submissions, or with a rubric. Each shift has a normal prior around 0.
    """
    if not len(chance):
        return chance
    # Rounding errors must not decide between groups.
    spread = np.round(spread, 6)
    sample = spread[:: max(1, len(spread) // MAX_SPREAD_SAMPLE)]
    edges = np.quantile(sample, np.arange(1, SPREAD_GROUPS) / SPREAD_GROUPS)
    at = np.searchsorted(edges, spread)
    odds = np.clip(chance, 0.01, 0.99)
    odds = np.log(odds / (1 - odds))
    count = np.bincount(at, equal, SPREAD_GROUPS)
    shift = np.zeros(SPREAD_GROUPS)
    for _ in range(SHIFT_ROUNDS):
        q = 1 / (1 + np.exp(-odds - shift[at]))
        slope = np.bincount(at, q * (1 - q), SPREAD_GROUPS) + SHIFT_PRECISION
        left = count - np.bincount(at, q, SPREAD_GROUPS) - SHIFT_PRECISION * shift
        shift += np.clip(left / slope, -1.0, 1.0)
    return np.asarray(1 / (1 + np.exp(-odds - shift[at])))
