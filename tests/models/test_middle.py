"""The mean of the middle grades, against sorting by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from peergauge.models.middle import medians, middle_mean
from peergauge.tables import Reports
from tests.generators import reports as any_reports


@pytest.mark.parametrize(("cut", "mean"), [(0, 5.2), (1, 14 / 3), (2, 4.0)])
def test_the_share_is_cut_from_either_end(cut: int, mean: float) -> None:
    """Of 3, 12, 4, 0, 7: all sum to 26; 3 + 4 + 7 = 14 without the ends; then 4."""
    grade = np.array([3.0, 12.0, 4.0, 0.0, 7.0])
    assert middle_mean(grade, np.array([0, 5]), np.array([cut])) == pytest.approx([mean])


def test_submissions_are_cut_each_for_itself_and_may_have_no_grades() -> None:
    grade = np.array([9.0, 1.0, 5.0, 8.0, 2.0, 6.0])
    found = middle_mean(grade, np.array([0, 3, 3, 6]), np.array([1, 0, 0]))
    np.testing.assert_allclose(found, [5, np.nan, 16 / 3])


@given(any_reports())
def test_medians_are_numpys(reports: Reports) -> None:
    bounds = reports.submission_bounds
    expected = [np.median(reports.grade[a:b]) for a, b in zip(bounds, bounds[1:], strict=False)]
    np.testing.assert_allclose(medians(reports.grade, bounds), expected)
