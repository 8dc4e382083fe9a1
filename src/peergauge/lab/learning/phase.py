"""Phase lines of two strategies: rest points, and the basin of truthful reporting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream

LEAD_METRIC = "lead-over-truthful"
"""Measure: mean rank of a strategy's followers minus that of truthful graders, out of 100."""

CLEAR_ERRORS = 1.96
"""Standard errors by which a gain must differ from zero to be clear."""

BOOTSTRAP_SAMPLES = 400
"""Bootstrap samples for the standard error of a basin, which is then known to about 4 %."""


class RestPoint(NamedTuple):
    """A mixture of two strategies in which both have the same fitness."""

    share: float
    """Share of the students who are not truthful."""

    error: float
    """Standard error of the share."""

    stable: bool
    """Whether a class that is near this mixture moves towards it."""


@dataclass(frozen=True, eq=False)
class PhaseLine:
    """Lead of the followers of a strategy over truthful graders, by the share of followers.

    A dynamic under which the better of two strategies grows moves a class to the right where the
    lead is positive, and to the left where it is negative. Between the shares that were measured,
    leads are interpolated linearly; beyond them, they are constant.

    Parameters
    ----------
    share
        The shares of followers that were measured, in increasing order.
    gain
        Leads in ranks out of 100: repetitions × shares. NaN where nobody was paid.
    """

    share: Floats
    gain: Floats

    def __post_init__(self) -> None:
        if self.gain.ndim != 2 or self.gain.shape[1] != len(self.share) or not len(self.gain):
            raise ParameterError("Gains have a row for each repetition, a column for each share.")

    @property
    def mean(self) -> Floats:
        """Mean lead at each share."""
        return _means(self.gain)

    @property
    def error(self) -> Floats:
        """Standard error of the mean lead at each share."""
        known = ~np.isnan(self.gain)
        count = known.sum(axis=0)
        square = np.where(known, (self.gain - self.mean) ** 2, 0.0).sum(axis=0)
        return np.asarray(np.sqrt(square / np.maximum(count - 1, 1) / np.maximum(count, 1)))

    @property
    def rest_points(self) -> list[RestPoint]:
        """The mixtures of both strategies that stay as they are.

        The lead must be clearly positive on one side of a rest point and clearly negative on the
        other side. If its sign changes several times in between, the middle change counts.
        """
        mean, error = self.mean, self.error
        lefts, rights = _crossings(mean)
        found = []
        for begin, end in zip(
            *_crossings(np.where(np.abs(mean) > CLEAR_ERRORS * error, mean, 0.0)), strict=True
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
        """The basin, the rest points and the leads at both ends, in two sentences."""
        if not (np.abs(self.mean) > CLEAR_ERRORS * self.error).any():
            return (
                f"Against {strategy}: both strategies rank about the same in all mixtures; a class "
                "stays at its starting mixture."
            )
        basin, error = 100 * self.basin, 100 * self.basin_error
        parts = [
            f"Against {strategy}: from {basin:.0f} ± {error:.0f} % of mixtures the class becomes "
            "truthful"
        ]
        for rest in self.rest_points:
            share = f"{100 * rest.share:.0f} ± {100 * rest.error:.0f} %"
            if rest.stable:
                parts.append(f"it stays at a mixture where {share} follow {strategy}")
            else:
                parts.append(f"{strategy} takes over if more than {share} follow it")
        first, last = (f"{self.mean[i]:+.1f} ± {self.error[i]:.1f}" for i in (0, -1))
        return (
            f"{'; '.join(parts)}. The lead over truthful graders is {first} ranks out of 100 for a "
            f"single follower, and {last} if all but one follow {strategy}."
        )

    @property
    def basin(self) -> float:
        """Share of mixtures from which the class becomes truthful; NaN if all leads are 0."""
        return _basin(self.share, self.mean)

    @property
    def basin_error(self) -> float:
        """Bootstrap standard error of the basin, over semesters."""
        count = len(self.gain)
        rows = stream(0, "resample").integers(count, size=(BOOTSTRAP_SAMPLES, count))
        return float(np.std([_basin(self.share, _means(self.gain[row])) for row in rows]))


def lines_of(rows: pl.DataFrame) -> dict[str, PhaseLine]:
    """The phase line of every strategy, from the results of one mechanism."""
    gains, found = rows.filter(pl.col("metric") == LEAD_METRIC), {}
    for spec in gains["strategy"].unique(maintain_order=True):
        own = gains.filter(pl.col("strategy") == spec)
        followers = sorted(own["followers"].unique().to_list())
        columns = [
            own.filter(pl.col("followers") == count).sort("repetition")["value"].to_numpy()
            for count in followers
        ]
        # The largest number of followers is all students but one.
        share = np.array(followers) / (followers[-1] + 1)
        found[str(spec)] = PhaseLine(share, np.column_stack(columns))
    return found


def _means(gain: Floats) -> Floats:
    """Mean of the defined leads at each share; 0 where none is defined."""
    known = ~np.isnan(gain)
    sums = np.where(known, gain, 0.0).sum(axis=0)
    return np.asarray(sums / np.maximum(known.sum(axis=0), 1))


def _crossings(mean: Floats) -> tuple[Sequence[int], Sequence[int]]:
    """Pairs of neighbours, without zeros, between which the sign changes."""
    signed = np.flatnonzero(mean)
    change = np.flatnonzero(np.diff(np.sign(mean[signed])))
    return signed[change].tolist(), signed[change + 1].tolist()


def _basin(share: Floats, mean: Floats) -> float:
    """The share up to which leads are negative, from the left."""
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
