"""Sums over the reports of graders, spelt out by hand."""

from __future__ import annotations

import numpy as np

from peergauge.mechanisms.shared.semester import Sums


def sums(**given: list[float]) -> Sums:
    """Sums of some graders after one assignment; 0 where they are left out."""
    size = len(next(iter(given.values())))
    return Sums(*(np.array([given.get(name, [0.0] * size)]) for name in Sums._fields))
