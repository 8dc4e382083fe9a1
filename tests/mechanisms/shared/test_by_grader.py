"""The spread of reports and estimates, plain and compiled."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from peergauge.core.randomness import stream
from peergauge.mechanisms.shared.by_grader import spread_of
from peergauge.tables import Reports
from tests.generators import reports as any_reports


@given(any_reports())
def test_plain_and_compiled_spreads_are_equal(reports: Reports) -> None:
    who = reports.assignment, reports.grader, reports.assignments, reports.graders
    y = stream(1, "estimates").normal(7.0, 1.0, len(reports))
    for plain, twin in zip(
        spread_of.plain(*who, reports.grade, y), spread_of.twin(*who, reports.grade, y), strict=True
    ):
        np.testing.assert_allclose(twin, plain, rtol=1e-12, atol=1e-12)


def test_a_grader_with_one_report_has_no_spread() -> None:
    one = np.zeros(1, dtype=np.int32)
    spread = spread_of(one, one, 1, 2, np.array([7.0]), np.array([5.0]))
    assert spread.xx.tolist() == spread.yy.tolist() == spread.xy.tolist() == [[0.0, 0.0]]
    assert spread.difference.tolist() == [[4.0, 0.0]]
