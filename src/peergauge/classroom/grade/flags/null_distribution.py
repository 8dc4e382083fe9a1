"""Null distribution of a statistic among honest graders."""

from __future__ import annotations

import numpy as np

from peergauge.classroom.grade.flags.comparison import Indices
from peergauge.classroom.grade.flags.statistic import FlagStatistic
from peergauge.core.arrays import Floats

MIN_VALUES_PER_BIN = 400
"""Simulated values from which the mean and the standard deviation of a bin are estimated."""

ROUNDING_SLACK = 1e-9


class NullDistribution:
    """Distribution of a statistic in simulated honest classes.

    Values are standardised by the mean and the standard deviation of values that are made of as
    many reviews. Each grader counts by the largest of their own values.
    """

    def __init__(self, statistic: FlagStatistic, simulated: list[Floats]):
        self.statistic = statistic
        self.bin = _bins(statistic.review_counts, simulated)
        bins = int(self.bin.max()) + 1
        count, total, square = np.zeros((3, bins))
        for one in simulated:
            finite = np.isfinite(one)
            count += np.bincount(self.bin[finite], minlength=bins)
            total += np.bincount(self.bin[finite], one[finite], bins)
            square += np.bincount(self.bin[finite], one[finite] ** 2, bins)
        self.mean = total / np.maximum(count, 1)
        variance = square / np.maximum(count, 1) - self.mean**2
        self.deviation = np.where(variance > 1e-12, np.sqrt(np.maximum(variance, 1e-12)), 1.0)
        self.largest = np.sort(
            np.concatenate([self._largest_of_graders(self.standardised(one)) for one in simulated])
        )

    def standardised(self, values: Floats) -> Floats:
        """Values minus their mean, divided by their standard deviation under the null."""
        return np.asarray((values - self.mean[self.bin]) / self.deviation[self.bin])

    def _largest_of_graders(self, values: Floats) -> Floats:
        largest = np.full(self.statistic.comparison.graders, -np.inf)
        for graders in self.statistic.graders:
            np.maximum.at(largest, graders, values)
        return largest[np.unique(self.statistic.graders)]

    def p_values(self, values: Floats) -> Floats:
        """Probability that an honest grader has as large a value; 1 where it is not finite."""
        below = np.searchsorted(self.largest, self.standardised(values) - ROUNDING_SLACK)
        share = (len(self.largest) - below + 1) / (len(self.largest) + 1)
        return np.asarray(np.where(np.isfinite(values), share, 1.0))


def _bins(review_counts: Indices, simulated: list[Floats]) -> Indices:
    """Bin of each value: neighbouring numbers of reviews are merged until a bin is large enough."""
    counts, at = np.unique(review_counts, return_inverse=True)
    values = np.zeros(len(counts), dtype=np.int64)
    for one in simulated:
        values += np.bincount(at[np.isfinite(one)], minlength=len(counts))
    number = np.zeros(len(counts), dtype=np.int64)
    held = 0
    for place in range(1, len(counts)):
        held += int(values[place - 1])
        rest = int(values[place:].sum()) if held >= MIN_VALUES_PER_BIN else 0
        new = held >= MIN_VALUES_PER_BIN and rest >= MIN_VALUES_PER_BIN
        number[place] = number[place - 1] + new
        held = 0 if new else held
    return np.asarray(number[at])
