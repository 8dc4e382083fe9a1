"""Two strategies: where a class that learns comes to rest, and from where it becomes truthful."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream

LEAD = "lead-over-truthful"
"""Measure: mean rank of a strategy's followers minus that of truthful graders, out of 100."""

SURE = 1.96
"""How many standard errors make a gain clear of zero."""

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
            raise ParameterError("Gains have a row for each repetition, a column for each share.")

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
        return np.asarray(np.sqrt(square / np.maximum(count - 1, 1) / np.maximum(count, 1)))

    @property
    def rest_points(self) -> list[RestPoint]:
        """The mixtures that stay as they are, other than those of one strategy.

        A gain must be clear of zero on one side, and clear of it the other way on the other. If it
        changes its sign several times in between, the rest point is in the midst of them.
        """
        mean, error = self.mean, self.error
        lefts, rights = _crossings(mean)
        found = []
        for begin, end in zip(
            *_crossings(np.where(np.abs(mean) > SURE * error, mean, 0.0)), strict=True
        ):
            between = [i for i, left in enumerate(lefts) if begin <= left and rights[i] <= end]
            left, right = (side[between[len(between) // 2]] for side in (lefts, rights))
            slope = (mean[right] - mean[left]) / (self.share[right] - self.share[left])
            at = self.share[left] - mean[left] / slope
            part = (at - self.share[left]) / (self.share[right] - self.share[left])
            own = np.hypot((1 - part) * error[left], part * error[right])
            found.append(RestPoint(float(at), float(own / abs(slope)), bool(mean[begin] > 0)))
        return found

    def in_words(self, strategy: str) -> str:
        """What a teacher would want to know."""
        if not (np.abs(self.mean) > SURE * self.error).any():
            return (
                f"Against {strategy}: no mixture tells the two apart; a class stays as it begins."
            )
        basin, error = 100 * self.basin, 100 * self.basin_error
        told = [
            f"Against {strategy}: from {basin:.0f} ± {error:.0f} % of mixtures the class ends up "
            "truthful"
        ]
        for rest in self.rest_points:
            what = "it rests where" if rest.stable else f"{strategy} takes over once"
            told.append(
                f"{what} {100 * rest.share:.0f} ± {100 * rest.error:.0f} % follow {strategy}"
            )
        one, all_but_one = (f"{self.mean[i]:+.1f} ± {self.error[i]:.1f}" for i in (0, -1))
        return (
            f"{'; '.join(told)}. One who follows it gains {one} ranks of 100 on the truthful, and "
            f"all but one {all_but_one}."
        )

    @property
    def basin(self) -> float:
        """The share of mixtures from which the class ends up truthful; NaN if nothing moves it."""
        return _basin(self.share, self.mean)

    @property
    def basin_error(self) -> float:
        """Its standard error: how much it differs if other semesters had been drawn."""
        count = len(self.gain)
        rows = stream(0, "resample").integers(count, size=(RESAMPLES, count))
        return float(np.std([_basin(self.share, _means(self.gain[row])) for row in rows]))


def lines_of(rows: pl.DataFrame) -> dict[str, PhaseLine]:
    """The phase line of every strategy, from the rows of one mechanism."""
    gains, found = rows.filter(pl.col("metric") == LEAD), {}
    for spec in gains["strategy"].unique(maintain_order=True):
        own = gains.filter(pl.col("strategy") == spec)
        followers = sorted(own["followers"].unique().to_list())
        columns = [
            own.filter(pl.col("followers") == count).sort("repetition")["value"].to_numpy()
            for count in followers
        ]
        # From one follower to all but one.
        share = np.array(followers) / (followers[-1] + 1)
        found[str(spec)] = PhaseLine(share, np.column_stack(columns))
    return found


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
    if not len(signed):
        return float("nan")
    if mean[signed[0]] > 0:
        return 0.0
    lefts, rights = _crossings(mean)
    if not lefts:
        return 1.0
    left, right = lefts[0], rights[0]
    slope = (mean[right] - mean[left]) / (share[right] - share[left])
    return float(share[left] - mean[left] / slope)
