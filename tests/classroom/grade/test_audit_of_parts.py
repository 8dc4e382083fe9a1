"""Parts of grades and points, computed again; edits in one place are found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peergauge.classroom.grade.audit import audit, check_audit, write_audit
from peergauge.classroom.grade.audit_of_parts import (
    check_last_run,
    check_mark_parts,
    check_staff_intervals,
)
from tests.classroom.grade.classes import graded


@pytest.fixture
def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(write_audit(audit(graded(staff=6))))
    return found


def test_an_audit_agrees_with_itself(content: dict[str, Any]) -> None:
    assert list(check_audit(content)) == []


def test_a_changed_end_of_a_staff_interval_is_found(content: dict[str, Any]) -> None:
    content["submissions"]["staff_high"][8] += 0.01
    (found,) = check_staff_intervals(content)
    assert found.startswith("The staff_high of submission s8 should be")
    content["submissions"]["staff_high"] = None
    assert "The column staff_high of the submissions is missing." in [
        *check_staff_intervals(content)
    ]


def test_a_changed_result_of_the_run_is_found(content: dict[str, Any]) -> None:
    run = content["semester"]["runs"][-1]
    run["points"]["points"][2] = 1.0
    run["reviews"]["reviews"][0] += 1
    run["grades"]["grade"][0] = 0.25
    found = "\n".join(check_last_run(content))
    assert "The points of p2 in the semester should be" in found
    assert "in the semester should be 3, but is 4." in found
    assert "but is 0.25." in found


def test_a_class_without_final_marks_has_no_parts_of_them(content: dict[str, Any]) -> None:
    assert list(check_mark_parts(content)) == []
