"""The column of reports that holds what staff know."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from peergauge.core.errors import TableError
from peergauge.tables import Reports
from tests.generators import class_of


def staffed() -> Reports:
    reports = class_of({"s": {"ann": 2}, "t": {"bob": 4}}, {"u": {"ann": 6}})
    return reports.with_staff_score([1, np.nan, 5], spot_checks=True)


def column_of(reports: Reports) -> list[float]:
    assert reports.staff_score is not None
    return [float(one) for one in reports.staff_score]


def test_staff_scores_are_one_read_only_number_for_each_submission() -> None:
    reports = staffed()
    np.testing.assert_array_equal(column_of(reports), [1, np.nan, 5])
    assert reports.staff_score is not None
    assert not reports.staff_score.flags.writeable
    with pytest.raises(TableError, match=r"There are 3 submissions, but 2 staff scores"):
        reports.with_staff_score([1, 2], spot_checks=False)
    with pytest.raises(TableError, match=r"There are 3 submissions, but 2 staff scores"):
        replace(reports, staff_score=np.ones(2))


def test_staff_scores_are_kept_by_other_reports_of_the_same_submissions() -> None:
    reports = staffed()
    for other in (
        reports.with_grades([1, 2, 3]),
        reports.relabel([1, 0]),
        reports.among([0]),
        replace(reports, spare=np.array([False, True, False])).paid_only,
        pickle.loads(pickle.dumps(reports)),
    ):
        np.testing.assert_array_equal(column_of(other), [1, np.nan, 5])
        assert other.spot_checks
    np.testing.assert_array_equal(column_of(reports.first(1)), [1, np.nan])
    np.testing.assert_array_equal(column_of(reports.coarsen("0..100")), [10, np.nan, 50])


def test_reports_with_and_without_staff_scores_are_two_things() -> None:
    reports = staffed()
    bare = reports.without_staff_score
    assert bare.staff_score is None
    assert not bare.spot_checks
    assert bare != reports
    assert bare.without_staff_score is bare
    assert bare.layout is reports.layout
    assert reports.derived("of staff", lambda: 1) == 1
    assert bare.derived("of staff", lambda: 2) == 2
