"""Mean of the middle grades of each submission, shared by mean, median and trimmed mean."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bounds, Floats


def middle_mean(grade: Floats, bounds: Bounds, cut: NDArray[np.int64]) -> Floats:
    """Mean of each submission's grades without the *cut* lowest and the *cut* highest grades.

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
    """Median of each submission's grades; for an even number, the mean of the middle two."""
    return middle_mean(grade, bounds, np.maximum(np.diff(bounds) - 1, 0) // 2)
