"""Statistics over the reports of one grader on one assignment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peergauge.grouping import Floats
from peergauge.tables import Reports

FLAT = 1e-9
"""A spread below so many (squared) points of 0..10 is none: only rounding is left of it."""


@dataclass(frozen=True)
class Spread:
    """How far two columns spread around their means within each grader's assignment.

    Each array is assignments × graders: the number of reports, the sums of squared deviations of
    either column and of their products, and the sum of squared differences between the columns.
    """

    count: NDArray[np.int64]
    xx: Floats
    yy: Floats
    xy: Floats
    difference: Floats

    @classmethod
    def of(cls, reports: Reports, x: Floats, y: Floats) -> Spread:
        """Group by assignment and grader."""
        shape = reports.assignments, reports.graders
        group = reports.assignment.astype(np.int64) * reports.graders + reports.grader

        def total(values: Floats) -> Floats:
            return np.bincount(group, values, minlength=shape[0] * shape[1]).astype(np.float64)

        count = np.bincount(group, minlength=shape[0] * shape[1])
        present = np.maximum(count, 1)
        dx, dy = x - (total(x) / present)[group], y - (total(y) / present)[group]
        sums = (total(dx * dx), total(dy * dy), total(dx * dy), total((x - y) ** 2))
        return cls(count.reshape(shape), *(column.reshape(shape) for column in sums))

    def varies(self, squares: Floats, reports: Reports) -> NDArray[np.bool_]:
        """Where a column varies by more than rounding."""
        return squares > FLAT * reports.scale.unit**2
