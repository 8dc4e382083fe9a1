"""Statistics of the reports of one grader on one assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.mechanisms.shared.parametric import Parametric, estimated_score
from peergauge.models import Estimates
from peergauge.tables import Reports, frozen

MIN_SQUARED_SPREAD = 1e-9
"""Smallest sum of squares, in squared points of 0..10, that is not a rounding error."""


class Spread(NamedTuple):
    """Sums of squares of two columns around their means, for each grader and assignment.

    Each array is assignments × graders: the sums of squared deviations of either column and of
    their products, and the sum of squared differences between the columns.
    """

    xx: Floats
    yy: Floats
    xy: Floats
    difference: Floats

    def varies(self, squares: Floats, reports: Reports) -> NDArray[np.bool_]:
        """Where a column varies by more than rounding errors."""
        return squares > MIN_SQUARED_SPREAD * reports.scale.unit**2


@accelerated
def spread_of(
    assignment: Ints, grader: Ints, assignments: int, graders: int, x: Floats, y: Floats
) -> Spread:
    """The sums of squares of two columns with one number for each report."""
    shape = assignments, graders
    group = assignment.astype(np.int64) * graders + grader

    def total(values: Floats) -> Floats:
        return np.bincount(group, values, minlength=shape[0] * shape[1]).astype(np.float64)

    count = np.bincount(group, minlength=shape[0] * shape[1])
    present = np.maximum(count, 1)
    dx, dy = x - (total(x) / present)[group], y - (total(y) / present)[group]
    sums = (total(dx * dx), total(dy * dy), total(dx * dy), total((x - y) ** 2))
    return Spread(*(column.reshape(shape) for column in sums))


@dataclass(frozen=True)
class AgainstEstimates(Parametric):
    """A mechanism that compares a grader's reports on an assignment with the estimated scores."""

    def spread(self, reports: Reports, estimates: Estimates) -> Spread:
        """Sums of squares of scored reports and estimated scores, shared by all such mechanisms."""
        return reports.derived(
            ("spread", self.bias == "correct"),
            lambda: self._spread(reports, estimates),
            of=estimates,
        )

    def _spread(self, reports: Reports, estimates: Estimates) -> Spread:
        spread = spread_of(
            reports.assignment,
            reports.grader,
            reports.assignments,
            reports.graders,
            self.scored(reports, estimates),
            estimated_score(reports, estimates),
        )
        for column in spread:
            frozen(column)
        return spread
