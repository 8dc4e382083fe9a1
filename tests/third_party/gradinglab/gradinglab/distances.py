"""Distances between grades, which a plug-in of the package uses."""

from __future__ import annotations

import numpy as np

from peergauge.core.arrays import Floats


def to_median(grades: Floats) -> Floats:
    """Distance of each grade to the median of all."""
    return np.asarray(np.abs(grades - np.median(grades)))
