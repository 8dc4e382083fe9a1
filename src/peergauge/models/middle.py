"""The mean of the middle grades of each submission: what mean, median and trimmed mean share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bounds, Floats


def middle_mean(grade: Floats, bounds: Bounds, cut: NDArray[np.int64]) -> Floats:
    """The mean of each submission's grades without its *cut* lowest and its *cut* highest ones.

    NaN for a submission without grades.
    """
    count = np.diff(bounds)
    submission = np.repeat(np.arange(len(count)), count)
    ordered = grade[np.lexsort((grade, submission))]
    rank = np.arange(len(grade)) - bounds[submission]
    kept = (rank >= cut[submission]) & (rank < (count - cut)[submission])
    total = np.bincount(submission[kept], ordered[kept], minlength=len(count))
    mean = np.full(len(count), np.nan)
    np.divide(total, count - 2 * cut, out=mean, where=count > 2 * cut)
    return mean


def medians(grade: Floats, bounds: Bounds) -> Floats:
    """The median of each submission's grades: of an even number, the mean of the middle two."""
    return middle_mean(grade, bounds, np.maximum(np.diff(bounds) - 1, 0) // 2)
