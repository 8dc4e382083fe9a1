"""Two strategies: where a class that learns comes to rest, and from where it becomes truthful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.errors import ParameterError
from peergauge.grouping import Floats
from peergauge.randomness import stream

RESAMPLES = 400
"""How often the semesters are drawn again for the error of a basin: the error has one of 4 %."""


class RestPoint(NamedTuple):
    """A mixture of two strategies in which both are worth the same."""

    share: float
    """Of those who are not truthful."""

    error: float
    """Standard error."""

    stable: bool
    """Whether a class that is a little off comes back."""


@dataclass(frozen=True, eq=False)
class PhaseLine:
    """What the followers of a strategy gain on the truthful ones, from few to nearly all of them.

    Any dynamic by which the better of two grows moves a class to the right where the gain is above
    zero and to the left where it is below; between the shares that were tried, gains are
    interpolated, and beyond them they stay as they are.

    Parameters
    ----------
    share
        The shares of followers that were tried, in order.
    gain
        What they gain, in ranks of a hundred; one row for each repetition. NaN where nobody was
        paid.
    """

    share: Floats
    gain: Floats

    def __post_init__(self) -> None:
        if self.gain.ndim != 2 or self.gain.shape[1] != len(self.share) or not len(self.gain):
            raise ParameterError("Gains have a row for each repetition and a column for each share.")

    @property
    def mean(self) -> Floats:
        """The mean gain at each share."""
        return _means(self.gain)

    @property
    def error(self) -> Floats:
        """Its standard error."""
        known = ~np.isnan(self.gain)
        count = known.sum(axis=0)
        square = np.where(known, (self.gain - self.mean) ** 2, 0.0).sum(axis=0)
        return np.sqrt(square / np.maximum(count - 1, 1) / np.maximum(count, 1))

    @property
    def rest_points(self) -> list[RestPoint]:
        """The mixtures that stay as they are, other than those of one strategy."""
        mean, error = self.mean, self.error
        found = []
        for left, right in zip(*_crossings(mean), strict=True):
            slope = (mean[right] - mean[left]) / (self.share[right] - self.share[left])
            at = self.share[left] - mean[left] / slope
            part = (at - self.share[left]) / (self.share[right] - self.share[left])
            own = np.hypot((1 - part) * error[left], part * error[right])
            found.append(RestPoint(float(at), float(own / abs(slope)), bool(slope < 0)))
        return found

    @property
    def basin(self) -> float:
        """The share of mixtures from which the class ends up truthful."""
        return _basin(self.share, self.mean)

    @property
    def basin_error(self) -> float:
        """Its standard error: how much it differs if other semesters had been drawn."""
        count = len(self.gain)
        rows = stream(0, "resample").integers(count, size=(RESAMPLES, count))
        return float(np.std([_basin(self.share, _means(self.gain[row])) for row in rows]))


def _means(gain: Floats) -> Floats:
    known = ~np.isnan(gain)
    sums = np.where(known, gain, 0.0).sum(axis=0)
    return np.asarray(sums / np.maximum(known.sum(axis=0), 1))


def _crossings(mean: Floats) -> tuple[Sequence[int], Sequence[int]]:
    """Between which neighbours, zeros left out, the sign changes."""
    signed = np.flatnonzero(mean)
    change = np.flatnonzero(np.diff(np.sign(mean[signed])))
    return signed[change].tolist(), signed[change + 1].tolist()


def _basin(share: Floats, mean: Floats) -> float:
    """Up to where gains are below zero, from the left."""
    signed = np.flatnonzero(mean)
    if not len(signed) or mean[signed[0]] > 0:
        return 0.0
    lefts, rights = _crossings(mean)
    if not lefts:
        return 1.0
    left, right = lefts[0], rights[0]
    slope = (mean[right] - mean[left]) / (share[right] - share[left])
    return float(share[left] - mean[left] / slope)


def phase_line(followers: Sequence[int], gain: Floats, students: int) -> PhaseLine:
    """The phase line of so many *followers* in a class of so many *students*."""
    return PhaseLine(np.asarray(followers, dtype=np.float64) / students, np.atleast_2d(gain))
