"""The consensus grade of a submission: the mean of all its reports."""

from __future__ import annotations

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.tables import Reports


def consensus(reports: Reports) -> Floats:
    """For each report, the mean of all reports on its submission; NaN for a single report."""
    count = np.bincount(reports.submission, minlength=reports.submissions)
    total = np.bincount(reports.submission, reports.grade, minlength=reports.submissions)
    mean = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 1)
    return np.asarray(mean[reports.submission])
