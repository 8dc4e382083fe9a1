"""Hand-worked payments for agreeing on what is rarely said of other submissions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import peergauge
from peergauge.core.errors import ScaleError
from peergauge.tables import Reports
from tests.generators import class_of, parts_of
from tests.generators import reports as any_reports

FIRST = {
    "s": {"ann": 6, "bob": 6, "cy": 8},
    "t": {"ann": 6, "dee": 6},
    "u": {"bob": 6, "dee": 7},
    "v": {"cy": 9},
}


def test_shares_are_those_of_others_on_other_submissions() -> None:
    """Ann on s: of t, u and v without hers there are 6, 6, 7, 9, so R[6] = (2 + 1) / (4 + 11)."""
    part = parts_of(peergauge.score("ptsc", class_of(FIRST)))
    expected = [
        (1 / 2) / (3 / 15) - 1,  # ann on s: one of two agrees
        (1 / 2) / (3 / 15) - 1,  # bob on s: elsewhere 6, 6, 7, 9
        -1.0,  # cy on s agrees with nobody
        1 / (3 / 16) - 1,  # ann on t: elsewhere 6 and 8 on s, 6 and 7 on u, 9
        1 / (4 / 16) - 1,  # dee on t: elsewhere 6, 6, 8 on s, 6 on u, 9
        -1.0,
        -1.0,
        np.nan,  # cy on v has no co-grader
    ]
    np.testing.assert_allclose(part, expected)


def test_a_semester_counts_earlier_assignments_too() -> None:
    """Eve and Flo agree on 6; the 8 earlier reports hold five 6s, so R[6] = 6 / 19."""
    second = {"w": {"eve": 6, "flo": 6}}
    alone = peergauge.score("ptsc", class_of(FIRST, second)).amount[1]
    assert alone[4] == pytest.approx(1 / (1 / 11) - 1)
    so_far = peergauge.score("ptsc:batch=semester", class_of(FIRST, second))
    assert so_far.amount[1, 4] == pytest.approx(1 / (6 / 19) - 1)
    np.testing.assert_array_equal(
        so_far.amount[0], peergauge.score("ptsc", class_of(FIRST, second)).amount[0]
    )


@given(any_reports())
def test_no_other_report_of_a_grader_moves_what_one_is_worth(reports: Reports) -> None:
    """Every other grade of grader 0 is turned upside down; the pay for the first one stays."""
    own = np.flatnonzero(reports.grader == 0)
    if len(own) < 2:
        return
    grade = reports.grade.copy()
    grade[own[1:]] = reports.scale.highest - (grade[own[1:]] - reports.scale.lowest)
    for batch in ("assignment", "semester"):
        here, there = (
            parts_of(peergauge.score(f"ptsc:batch={batch}", r))[own[0]]
            for r in (reports, reports.with_grades(grade))
        )
        np.testing.assert_array_equal(here, there)


def test_a_class_that_always_says_the_same_earns_nearly_nothing() -> None:
    """R = (c + 1) / (c + 11) with c = 60 reports elsewhere: 10 / 61 is what smoothing leaves."""
    grades = {f"s{i}": {f"k{i}{j}": 10 for j in range(3)} for i in range(21)}
    amount = peergauge.score("ptsc", class_of(grades)).amount
    np.testing.assert_allclose(amount, 71 / 61 - 1)


def test_a_scale_without_steps_is_refused_with_what_to_do() -> None:
    reports = class_of({"s": {"ann": 0.25, "bob": 0.25}}, scale="0..1:any")
    with pytest.raises(ScaleError, match="coarsen the reports first"):
        peergauge.score("ptsc", reports)


def test_each_batch_holds_the_reports_of_its_own_assignment_only() -> None:
    """Two assignments alike: both hold a 6 and a 7 elsewhere, so R[6] = (1 + 1) / (2 + 11)."""
    alike = {"s": {"ann": 6, "bob": 6}, "t": {"cy": 6, "dee": 7}}
    moved = {f"{name}2": grades for name, grades in alike.items()}
    amount = peergauge.score("ptsc", class_of(alike, moved)).amount
    np.testing.assert_allclose(amount, [[13 / 2 - 1, 13 / 2 - 1, -1, -1]] * 2)


def test_the_first_batch_of_a_semester_holds_nothing_of_later_ones() -> None:
    """Ann and Bob agree on 6 first; later the same grade is frequent, then R[6] = 4 / (5 + 11)."""
    first = {"s": {"ann": 6, "bob": 6}, "t": {"cy": 6, "dee": 7}}
    later = {"u": {"cy": 6, "dee": 7}, "v": {"ann": 6, "bob": 6}}
    amount = peergauge.score("ptsc:batch=semester", class_of(first, later)).amount
    np.testing.assert_allclose(amount[0, :2], 13 / 2 - 1)
    # Ann on v: Bob's 6 on s, Cy's two 6s and Dee's two 7s are elsewhere and not her own.
    np.testing.assert_allclose(amount[1, :2], 16 / 4 - 1)
