"""Distribution of the grades of a class, coarse enough to disclose nobody's grade."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.degrees import MIN_DISCLOSED_COUNT, Counts
from peergauge.tables import Scale

SCALE_BANDS = 10
"""Bands of equal width into which the scale is divided for rare grades."""


class Levels(NamedTuple):
    """Distribution of grades: common grades with their shares, and rare grades in broad bands.

    A grade that was given five times or more is a heap: the grade and its share. Rarer grades are
    summarised by bands of the scale that hold five or more of them: the ends of the band, its
    share, and the relative position of the mean in it. They are drawn in multiples of the step. If
    there are fewer than five rare grades in all, only their share is kept, and they are drawn from
    the whole scale.
    """

    heaps: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float, float, float], ...]
    step: float

    @classmethod
    def of(cls, grade: Floats, scale: Scale) -> Levels:
        """Fit the distribution to the grades of a class."""
        value, times = np.unique(grade, return_counts=True)
        common = times >= MIN_DISCLOSED_COUNT
        rare = np.repeat(value[~common], times[~common])
        return cls(
            tuple(
                (float(one), round(float(count) / len(grade), 4))
                for one, count in zip(value[common], times[common], strict=True)
            ),
            tuple(_bands(rare, scale, len(grade))),
            step_of(rare, scale),
        )

    def quantiles(self) -> tuple[Floats, Floats]:
        """Possible grades in ascending order, and the distribution function at each."""
        values = [np.array([one for one, _ in self.heaps])]
        shares = [np.array([share for _, share in self.heaps])]
        for low, high, share, centre in self.bands:
            steps = round((high - low) / self.step) + 1
            # Multiples of steps such as 0.1 are not exact, and grades are compared for equality.
            values.append(np.round(low + self.step * np.arange(steps), 9))
            # A Beta(c / (1 - c), 1) distribution has mean c.
            reached = np.linspace(0.0, 1.0, steps + 1) ** (centre / (1 - centre))
            shares.append(share * np.diff(reached))
        distinct, place = np.unique(np.concatenate(values), return_inverse=True)
        total = np.cumsum(np.bincount(place, np.concatenate(shares)))
        return distinct, total / total[-1]

    def at(self, probability: Floats) -> Floats:
        """Quantiles: the grade at each probability."""
        value, below = self.quantiles()
        place = np.searchsorted(below, probability, side="left")
        return value[np.minimum(place, len(value) - 1)]


def step_of(grade: Floats, scale: Scale) -> float:
    """The step of the scale, or the coarsest round step that at least 95 % of the grades keep."""
    if scale.step is not None:
        return scale.step
    finest = float(10.0 ** np.floor(np.log10(scale.unit / 10)))
    for step in (1.0, 0.5, 0.25, 0.1, 0.05):
        steps = (grade - scale.lowest) / step
        if step > finest and np.mean(np.abs(steps - np.rint(steps)) < 1e-6) >= 0.95:
            return step
    return finest


def _bands(rare: Floats, scale: Scale, grades: int) -> Iterator[tuple[float, float, float, float]]:
    """Bands of the scale, merged until each holds five rare grades; shares are of all *grades*."""
    step = step_of(rare, scale)
    if len(rare) < MIN_DISCLOSED_COUNT:
        if len(rare):
            steps = np.floor((scale.highest - scale.lowest) / step + 1e-9)
            high = round(float(scale.lowest + step * steps), 9)
            yield scale.lowest, high, round(len(rare) / grades, 4), 0.5
        return
    edges = scale.lowest + scale.unit * np.arange(SCALE_BANDS + 1)
    place = np.clip(np.searchsorted(edges, rare, side="right") - 1, 0, SCALE_BANDS - 1)
    begin = int(place.min())
    for end in _merged_ends(np.bincount(place, minlength=SCALE_BANDS), begin, int(place.max()) + 1):
        held = rare[(place >= begin) & (place < end)]
        # A band ends below the next one; the last band includes the end of the scale.
        low = scale.lowest + step * np.ceil((edges[begin] - scale.lowest) / step - 1e-9)
        last = edges[end] if end == SCALE_BANDS else edges[end] - step / 2
        high = scale.lowest + step * np.floor((last - scale.lowest) / step + 1e-9)
        high = max(low, high)
        # A grade stands for the middle of its step.
        centre = (held.mean() - low + step / 2) / (high - low + step)
        centre = round(float(np.clip(centre, 0.05, 0.95)), 2)
        share = round(len(held) / grades, 4)
        yield float(round(low, 9)), float(round(high, 9)), share, centre
        begin = end


def _merged_ends(count: Counts, begin: int, end: int) -> list[int]:
    """Ends of the merged bands between *begin* and *end*."""
    ends: list[int] = []
    held = 0
    for band in range(begin, end):
        held += int(count[band])
        if held >= MIN_DISCLOSED_COUNT:
            ends.append(band + 1)
            held = 0
    return [*ends[:-1], end] if held else ends
