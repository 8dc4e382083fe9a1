"""Ordered pairs of reports on the same submission."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from peergauge.mechanisms.shared.co_graders import CoGraders, co_graders, mean_over_co_graders
from peergauge.tables import Reports
from tests.generators import reports as any_reports


@given(any_reports())
def test_pairs_are_all_two_different_reports_of_a_submission(reports: Reports) -> None:
    pairs = co_graders(reports)
    expected = [
        (i, j)
        for i in range(len(reports))
        for j in range(len(reports))
        if i != j and reports.submission[i] == reports.submission[j]
    ]
    assert list(zip(pairs.row, pairs.peer, strict=True)) == expected


def test_means_leave_out_what_is_missing() -> None:
    pairs = CoGraders(np.array([0, 0, 1, 2]), np.array([1, 2, 0, 0]))
    value = np.array([1.0, 3.0, np.nan, 5.0])
    np.testing.assert_array_equal(mean_over_co_graders(pairs, value, 4), [2, np.nan, 5, np.nan])
