"""Assigned reviews are read from what files list, without self-assessments and staff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.exports.assigned import (
    ASSIGNED_COLUMNS,
    assigned_in,
    left_out_in,
    no_assigned,
    no_left_out,
)
from peergauge.exports.open import interpret_class
from peergauge.exports.records import Export, Role, State, table


def export_of(*rows: dict[str, Any], form: str = "table", **more: Any) -> Export:
    return Export(reviews=table("reviews", rows), format=form, **more)


def review(of: str | None, by: str, score: float | None = None, **more: Any) -> dict[str, Any]:
    state = State.ASSIGNED if score is None else State.DONE
    return {"submission": of, "grader": by, "score": score, "state": state.value, **more}


def states(export: Export) -> list[tuple[str | None, str, str]]:
    found = assigned_in(export)
    assert found is not None
    assert list(found.columns) == list(ASSIGNED_COLUMNS)
    return found.select("submission", "grader", "state").rows()


def test_a_table_without_open_reviews_says_nothing() -> None:
    assert assigned_in(export_of(review("s", "a", 1.0), review("s", "b", 2.0))) is None
    assert assigned_in(export_of(review("s", "a", 1.0), form="moodle-backup")) is not None


def test_a_review_without_a_score_says_that_reviews_are_assigned() -> None:
    export = export_of(review("s", "a", 1.0), review("s", "b"), review("t", "a", state="declined"))
    assert states(export) == [("s", "a", "done"), ("s", "b", "assigned"), ("t", "a", "declined")]


def test_only_assignments_with_open_reviews_are_listed_unless_the_platform_lists_all() -> None:
    rows = [
        review("s", "a", 1.0, assignment="one"),
        review("s", "b", assignment="one"),
        review("s", "a", 1.0, assignment="two"),
    ]
    found = assigned_in(export_of(*rows))
    assert found is not None
    assert set(found["assignment"]) == {"one"}
    assert len(states(export_of(*rows, form="canvas-peer-reviews+canvas-rubric"))) == 3


def test_a_criterion_without_a_score_is_no_open_review() -> None:
    rows = [review("s", "a", 1.0, criterion="x"), review("s", "a", criterion="remarks")]
    assert assigned_in(export_of(*rows)) is None


def test_a_review_that_the_platform_calls_done_is_done() -> None:
    export = export_of(review("s", "a", state="done"), review("s", "b"))
    assert states(export) == [("s", "a", "done"), ("s", "b", "assigned")]


def test_own_work_staff_and_practice_are_not_owed() -> None:
    export = export_of(
        review("s", "a"),
        review("s", "b", role=Role.STAFF.value),
        review("s", "c", role=Role.SELF.value),
        review("s", "d", role=Role.CALIBRATION.value),
        review("s", "e"),
        submissions=table("submissions", [{"submission": "s", "author": "e"}]),
    )
    assert states(export) == [("s", "a", "assigned")]


def test_reviews_without_a_submission_are_counted_once() -> None:
    """One file says that two reviews are open, and another names one of them."""
    export = export_of(review("s", "a"), review(None, "a"), review(None, "a"), review(None, "b"))
    assert states(export) == [
        ("s", "a", "assigned"),
        (None, "a", "assigned"),
        (None, "b", "assigned"),
    ]


def test_reviews_off_the_scale_are_done_and_left_out(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text(
        "Reviewer,Author,Score\nAnn,Bob,4\nBob,Ann,3\nCy,Bob,55\nCy,Ann,2\nBob,Bob,5\nCy,Di,\n"
    )
    opened = interpret_class(path, scale="0..5")
    assert opened.left_out.rows() == [("", "Bob", "Cy")]
    assert opened.assigned is not None
    assert set(opened.assigned.select("submission", "grader", "state").iter_rows()) == {
        ("Bob", "Ann", "done"),
        ("Ann", "Bob", "done"),
        ("Bob", "Cy", "done"),
        ("Ann", "Cy", "done"),
        ("Di", "Cy", "assigned"),
    }


def test_nothing_is_left_out_where_everything_is_kept() -> None:
    export = export_of(review("s", "a", 1.0), review("s", "b", 2.0))
    found = left_out_in(export, export.reviews.with_row_index("id"))
    assert found.is_empty()
    assert found.schema == no_left_out().schema


def test_canvas_lists_assigned_reviews(tmp_path: Path) -> None:
    listed = [
        {"asset_id": of, "assessor_id": by, "user_id": author, "workflow_state": state}
        for of, by, author, state in (
            ("501", "12", "11", "completed"),
            ("501", "13", "11", "assigned"),
            ("502", "13", "12", "completed"),
        )
    ]
    rubric = {
        "points_possible": 10,
        "data": [],
        "assessments": [
            {"artifact_id": of, "assessor_id": by, "assessment_type": "peer_review", "score": score}
            for of, by, score in (("501", "12", 7), ("502", "13", 4))
        ],
    }
    (tmp_path / "reviews.json").write_text(json.dumps(listed))
    (tmp_path / "rubric.json").write_text(json.dumps(rubric))
    opened = interpret_class([tmp_path / "reviews.json", tmp_path / "rubric.json"])
    assert opened.assigned is not None
    assert set(opened.assigned.select("submission", "grader", "state").iter_rows()) == {
        ("501", "12", "done"),
        ("501", "13", "assigned"),
        ("502", "13", "done"),
    }


@pytest.mark.parametrize("name", ["course-backup.mbz", "grades-report-workshop-1.json"])
def test_the_exports_of_moodle_say_what_is_not_done(name: str, real_classes: Path) -> None:
    """Every assessment without a grade by somebody who is neither teacher nor author is open."""
    grades = pl.read_csv(real_classes / "platform-exports" / "moodle-4.5" / "grading-grades.csv")
    opened = interpret_class(real_classes / "platform-exports" / "moodle-4.5" / name)
    if name.endswith(".json"):
        grades = grades.filter(pl.col("wid") == 1)
    teachers = {"15"}
    owed = [
        (str(row["sid"]), str(row["reviewerid"]))
        for row in grades.iter_rows(named=True)
        if row["reviewerid"] != row["authorid"] and str(row["reviewerid"]) not in teachers
    ]
    done = grades.drop_nulls("grade").height
    assert opened.assigned is not None
    pairs = opened.assigned.select("submission", "grader").rows()
    assert set(owed) <= set(pairs)
    assert opened.assigned.filter(state="done").height == len(opened.reports) <= done
    assert opened.assigned.filter(state="assigned").height == (5 if "report" in name else 25)


def test_a_class_that_says_so_lists_assigned_reviews_without_open_ones() -> None:
    rows = [review("s", "a", 1.0, assignment="one"), review("s", "a", 1.0, assignment="two")]
    found = assigned_in(export_of(*rows, assigned_in=frozenset({"one"})))
    assert found is not None
    assert found.rows() == [("one", "s", "a", "done")]
    assert no_assigned().schema == found.schema
