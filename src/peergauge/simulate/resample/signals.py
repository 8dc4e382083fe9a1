"""Signals of resampled graders: true score plus bias plus noise, and the grade reported for it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.tables import Scale

Indices = NDArray[np.integer[Any]]


def signals(
    submission: Indices, grader: Indices, score: Floats, bias: Floats, noise: Floats
) -> Floats:
    r"""Signal of each report.

    .. math:: x_i = q_{s(i)} + b_{k(i)} + \varepsilon_i

    Parameters
    ----------
    submission, grader
        The submission and the grader of each report.
    score, bias
        The quality of each submission and the bias of each grader.
    noise
        The noise of each report.
    """
    return np.asarray(score[submission] + bias[grader] + noise)


def rounded_reports(
    submission: Indices, grader: Indices, score: Floats, bias: Floats, noise: Floats, scale: Scale
) -> Floats:
    """Grades of honest graders: their signals, rounded and truncated to the scale."""
    return scale.nearest(signals(submission, grader, score, bias, noise))
