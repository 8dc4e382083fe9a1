"""Ordered pairs of reports on the same submission, and means over co-graders."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.tables import Reports, frozen


class CoGraders(NamedTuple):
    """Every ordered pair of two reports on one submission, sorted by the first report."""

    row: Ints
    """Row of the report that is paid."""
    peer: Ints
    """Row of the co-grader's report."""


def co_graders(reports: Reports) -> CoGraders:
    """The pairs of a class; they depend on who graded what, but not on the grades."""
    return reports.of_design("co-graders", lambda: _co_graders(reports))


def _co_graders(reports: Reports) -> CoGraders:
    bounds = reports.submission_bounds
    first = bounds[reports.submission]
    others = np.diff(bounds)[reports.submission] - 1
    row = np.repeat(np.arange(len(reports)), others)
    number = np.arange(len(row)) - np.repeat(np.cumsum(others) - others, others)
    peer = first[row] + number
    # The report itself is skipped.
    peer += peer >= row
    return CoGraders(frozen(row.astype(np.int32)), frozen(peer.astype(np.int32)))


def mean_over_co_graders(pairs: CoGraders, value: Floats, reports: int) -> Floats:
    """Mean value of each report over its pairs, without pairs whose value is NaN.

    NaN for a report without any other pair.
    """
    known = ~np.isnan(value)
    count = np.bincount(pairs.row[known], minlength=reports)
    total = np.bincount(pairs.row[known], value[known], minlength=reports)
    return np.asarray(np.divide(total, count, out=np.full(reports, np.nan), where=count > 0))
