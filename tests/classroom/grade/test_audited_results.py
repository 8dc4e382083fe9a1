"""Tables of an audit about results: by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from peergauge.classroom.grade.audit import audit, write_audit
from peergauge.classroom.grade.recomputed import AuditedNumbers
from tests.classroom.grade.classes import graded


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(write_audit({**audit(graded())}))
    return found


def test_influence_is_that_of_the_class(content: dict[str, Any]) -> None:
    audited = AuditedNumbers(content)
    assert audited.value("collusion", "0", "mean_lowered") == -1.73
    assert audited.value("influence", "0", "own_largest") == 0.11


def test_other_models_have_their_mean_and_largest_difference(content: dict[str, Any]) -> None:
    grades, (first, *_) = (
        content["submissions"]["grade"],
        content["submissions"]["other_models"].values(),
    )
    off = [abs(one - other) for one, other in zip(first, grades, strict=True)]
    table = AuditedNumbers(content).table("other-models")
    assert table["mean"][0] == pytest.approx(sum(off) / len(off))
    assert table["largest"][0] == pytest.approx(max(off))


def test_every_rewarded_review_is_listed_once(content: dict[str, Any]) -> None:
    table = AuditedNumbers(content).table("paid-reviews")
    assert sorted(table["reward"]) == sorted(content["reviews"]["earned"])  # type: ignore[type-var]


def test_percentages_of_marks_are_the_same_on_the_page(content: dict[str, Any]) -> None:
    row = {
        "person": "p3", "work": [{"assignment": "A1", "grade": 7.5}], "points": 8.0, "reviews": 3,
        "excluded": 0, "reviewing": {"assigned": 4, "done": 3, "declined": 0}, "mark": 74.0,
        "work_percent": 75.0, "work_share": 80.0, "work_part": 60.0, "reviewing_percent": 80.0,
        "reviewing_share": 20.0, "reviewing_part": 16.0, "deduction": 2.0, "letter": "B",
        "missing": [],
    }  # fmt: skip
    audited = AuditedNumbers({**content, "final": {"title": "Final mark", "marks": [row]}})
    assert audited.value("final", "0", "total") == 74.0
    assert audited.value("final", "0", "owed") == 1
    assert audited.value("final", "0", "grade") == 7.5
    assert audited.value("final-marks", "0", "work_percent") == 75.0
    assert audited.value("final-marks", "0", "label") == "p3"
