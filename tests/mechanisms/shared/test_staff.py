"""Staff scores behind each report: by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from peergauge.core.errors import NeedsTruthError
from peergauge.mechanisms.shared.staff import staff_score_of_reports, true_score_of_reports
from tests.tables.classes import small_class


def test_each_report_has_the_score_of_its_submission() -> None:
    # Reports are on submissions 0, 0, 1, 2 and 3, and staff did not grade submission 2.
    some = replace(small_class(), staff_score=np.array([7.5, 5.0, np.nan, 9.0]))
    assert_array_equal(staff_score_of_reports(some), [7.5, 7.5, 5.0, np.nan, 9.0])
    assert_array_equal(true_score_of_reports(some, "MINE"), [7.5, 7.5, 5.0, np.nan, 9.0])


def test_without_staff_there_is_no_score() -> None:
    assert_array_equal(staff_score_of_reports(small_class()), [np.nan] * 5)
    with pytest.raises(NeedsTruthError, match=r"MINE is paid by the true scores; .*staff_score"):
        true_score_of_reports(small_class(), "MINE")
