"""Rounding in a class: which interval of signals leads to which grade.

On a scale of 0..100 most people give multiples of 5, and on a lenient scale nearly everybody gives
the highest grade. Honest graders then agree far more often than the steps of the scale suggest, so
honest classes have to be rounded as the people of this class round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from peergauge.classroom.grade.flags.comparison import Indices
from peergauge.core.arrays import Floats
from peergauge.simulate.resample.levels import step_of
from peergauge.tables import Reports, Scale

MAX_GRADE_LEVELS = 201
"""Number of different grades beyond which neighbouring grades count as the same."""

ROUND_MULTIPLES = (2, 5, 10)
"""Multiples of the step that people round to."""

MOMENT_GRID_POINTS = 1025
"""Mean signals at which the moments of the grade are computed; the nearest one is looked up."""

NOMINAL_ROUNDING_REVIEWS = 50
"""Weight of ordinary rounding to the nearest step, as an equivalent number of reviews."""


class GradeMoments(NamedTuple):
    """Mean and variance of the grade, and the slope of the mean, by the mean of the signal."""

    grid: Floats
    mean: Floats
    variance: Floats
    slope: Floats

    def place(self, signal: Floats) -> Indices:
        """Index of the point of the grid that is nearest to each mean signal."""
        low, high = self.grid[0], self.grid[-1]
        place = (signal - low) * ((len(self.grid) - 1) / (high - low)) + 0.5
        return np.asarray(np.clip(place, 0, len(self.grid) - 1).astype(np.int64))


@dataclass(frozen=True, eq=False)
class GradeCells:
    """The grades that are told apart, each with the interval of signals that leads to it.

    Parameters
    ----------
    values
        The grades, in ascending order and with equal steps.
    thresholds
        Bounds between neighbouring intervals: one fewer than there are grades. The first and the
        last interval are unbounded, because signals beyond the ends of the scale are cut off.
    codes
        Mean signal behind each grade. Behind the highest grade it lies above the scale if many
        graders would have gone further.
    step
        Distance of neighbouring grades.
    """

    values: Floats
    thresholds: Floats
    codes: Floats
    step: float

    @classmethod
    def nominal(cls, scale: Scale, grade: Floats) -> Self:
        """Rounding to the nearest step of the scale, or to the step that nearly all grades keep.

        At most 201 grades are told apart. On a scale without steps the step is about one percent of
        the scale.
        """
        length = scale.highest - scale.lowest
        step = step_of(grade, scale)
        step *= max(1, int(np.ceil(length / step / (MAX_GRADE_LEVELS - 1) - 1e-9)))
        count = int(np.ceil(length / step - 1e-6)) + 1
        values = np.minimum(scale.lowest + step * np.arange(count), scale.highest)
        return cls(values, (values[1:] + values[:-1]) / 2, values, step)

    def fitted(self, grade: Floats, signals: Floats, max_shift: float) -> Self:
        """Rounding that gives honest signals the distribution of the observed grades.

        Each threshold is the quantile of the signals at the observed share of lower grades, but at
        most *max_shift* away from ordinary rounding: a class that is kinder or stricter than its
        model is not a matter of rounding.
        """
        count = len(self.values)
        signals = np.sort(signals)
        nominal = np.bincount(self.level_of_signals(signals), minlength=count) / len(signals)
        observed = np.bincount(self.level(grade), minlength=count)
        share = (observed + NOMINAL_ROUNDING_REVIEWS * nominal).cumsum()[:-1]
        share /= len(grade) + NOMINAL_ROUNDING_REVIEWS
        at = np.minimum((share * len(signals)).astype(np.int64), len(signals) - 1)
        shift = np.clip(signals[at] - self.thresholds, -max_shift, max_shift)
        new = replace(self, thresholds=self.thresholds + shift)
        level = new.level_of_signals(signals)
        times = np.bincount(level, minlength=count)
        mean = np.bincount(level, signals, count) / np.maximum(times, 1)
        return replace(new, codes=np.where(times > 0, mean, self.values))

    def level(self, grade: Floats) -> Indices:
        """Index of each grade, rounded to the grades that are told apart."""
        level = np.rint((grade - self.values[0]) / self.step).astype(np.int64)
        return np.asarray(np.clip(level, 0, len(self.values) - 1))

    def level_of_signals(self, signals: Floats) -> Indices:
        """Index of the grade that an honest grader with this signal gives."""
        return np.searchsorted(self.thresholds, signals, side="right").astype(np.int64, copy=False)

    def signal(self, grade: Floats) -> Floats:
        """Mean signal behind grades, which may lie between those that are told apart."""
        return np.interp(grade, self.values, self.codes)

    def grade(self, signals: Floats) -> Floats:
        """Grade that an honest grader with this signal gives."""
        return self.values[self.level_of_signals(signals)]

    def probability(self, level: Indices, mean: Floats, deviation: Floats) -> Floats:
        """Probability of a grade, for normal signals with this mean and standard deviation."""
        from scipy.special import ndtr

        bounds = np.concatenate(([-np.inf], self.thresholds, [np.inf]))
        above = ndtr((bounds[level + 1] - mean) / deviation)
        return np.asarray(above - ndtr((bounds[level] - mean) / deviation))

    def own_grids(self, group: Indices, level: Indices, groups: int) -> Floats:
        """Distance of the grades that each grader uses: the step, or a round multiple of it.

        The multiple is the largest of 2, 5 and 10, up to a tenth of the scale, that all grades of
        the grader keep; the ends of the scale are always in use.
        """
        grid = np.full(groups, self.step)
        length = self.values[-1] - self.values[0]
        number = np.rint(self.values / self.step).astype(np.int64)
        for multiple in ROUND_MULTIPLES:
            if multiple * self.step <= length / 10 * (1 + 1e-9):
                odd = number % multiple != 0
                odd[[0, -1]] = False
                others = np.bincount(group, odd[level], groups)
                grid[others == 0] = multiple * self.step
        return grid

    def interval(self, level: Indices, grid: Floats) -> tuple[Floats, Floats]:
        """Bounds of the signals that lead to a grade, for graders with these grids."""
        low = np.concatenate(([-np.inf], self.thresholds))[level]
        high = np.concatenate((self.thresholds, [np.inf]))[level]
        value = self.values[level]
        return np.minimum(low, value - grid / 2), np.maximum(high, value + grid / 2)

    def moments(self, deviation: float) -> GradeMoments:
        """Moments of the grade for normal signals with this standard deviation."""
        from scipy.special import ndtr

        reach = 4 * deviation
        grid = np.linspace(self.values[0] - reach, self.values[-1] + reach, MOMENT_GRID_POINTS)
        below = ndtr((self.thresholds - grid[:, None]) / deviation)
        mass = np.diff(below, axis=1, prepend=0.0, append=1.0)
        mean = mass @ self.values
        variance = np.maximum(mass @ self.values**2 - mean**2, 0.0)
        return GradeMoments(grid, mean, variance, np.gradient(mean, grid))


@dataclass(frozen=True, eq=False)
class PersonalRounding:
    """Rounding of honest classes: some graders give only multiples of 5 or 10, others do not.

    Parameters
    ----------
    cells
        Rounding of the graders without a grid of their own.
    grid
        Distance of the grades that the grader of each report uses.
    """

    cells: GradeCells
    grid: Floats

    @classmethod
    def fitted(cls, reports: Reports, signals: Sequence[Floats]) -> Self:
        """Fit the rounding of all graders to their grades, given signals of honest classes."""
        nominal = GradeCells.nominal(reports.scale, reports.grade)
        level, grader = nominal.level(reports.grade), reports.grader.astype(np.int64)
        grid = nominal.own_grids(grader, level, reports.graders)[grader]
        rest = grid == nominal.step
        everyone = np.concatenate([one[rest] for one in signals])
        if len(everyone):
            nominal = nominal.fitted(reports.grade[rest], everyone, max_shift(nominal, reports))
        return cls(nominal, grid)

    def grade(self, signals: Floats) -> Floats:
        """Grade that the grader of each report gives for a signal."""
        values = self.cells.values
        rounded = np.clip(np.rint(signals / self.grid) * self.grid, values[0], values[-1])
        return np.where(self.grid > self.cells.step, rounded, self.cells.grade(signals))


def max_shift(cells: GradeCells, reports: Reports) -> float:
    """Largest shift of a threshold by rounding: half a step or half a tenth of the scale."""
    return max(cells.step, reports.scale.unit) / 2
