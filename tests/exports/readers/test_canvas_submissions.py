import json
from pathlib import Path
from typing import Any

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.open import open_class
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, noted, rows

ESSAY = GOLDEN / "canvas-submissions" / "essay.json"
RUBRIC = GOLDEN / "canvas-rubric" / "essay.json"


def submission(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "assignment_id": 77,
        "user_id": number - 490,
        "workflow_state": "graded",
        "score": 10,
        "grader_id": 90,
        **more,
    }


def written(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "submissions.json"
    path.write_text(json.dumps(value))
    return path


def test_only_scores_by_staff_are_true_scores() -> None:
    export = read_export(ESSAY)
    assert rows(export.truth, "assignment", "submission", "score", "by") == [
        ("77", "501", 13.0, "90"),
        ("77", "505", 9.5, "90"),
    ]
    assert export.reviews.is_empty()
    assert noted(export, "dropped") == [
        ("Canvas gave the score automatically, not a member of staff.", (2, 3)),
        ("Staff have not graded this submission.", (4,)),
        ("The score was given by a student, not by a member of staff.", (6,)),
        ("The student is excused from this assignment.", (7,)),
    ]
    assert noted(export, "read") == [
        ("Points deducted for lateness are not deducted from the score.", (1,)),
        ("Staff graded an earlier attempt than the current one.", (5,)),
    ]


def test_every_submission_has_its_author() -> None:
    export = read_export(ESSAY)
    assert rows(export.submissions, "submission", "author")[:2] == [("501", "11"), ("502", "12")]
    assert export.submissions.height == 7
    assert rows(export.people, "person", "name", "lms", "login")[:2] == [
        ("11", "Ada", "11", "ada"),
        ("12", None, "12", None),
    ]


def test_the_assessor_of_a_rubric_stands_in_for_the_grader(tmp_path: Path) -> None:
    by_staff = {"assessor_id": 90, "assessment_type": "grading"}
    by_peer = {"assessor_id": 55, "assessment_type": "peer_review"}
    path = written(
        tmp_path,
        [
            submission(501, grader_id=None, full_rubric_assessment=by_staff),
            submission(502, grader_id=None, full_rubric_assessment=by_peer),
        ],
    )
    assert rows(read_export(path).truth, "submission", "by") == [("501", "90")]


def test_submissions_may_be_grouped_by_students(tmp_path: Path) -> None:
    grouped = [
        {"user_id": 11, "submissions": [submission(501)]},
        {"user_id": 12, "submissions": [submission(502, score=7)]},
    ]
    export = read_export(written(tmp_path, grouped))
    assert export.format == "canvas-submissions"
    assert rows(export.truth, "submission", "score") == [("501", 10.0), ("502", 7.0)]


def test_the_scores_join_the_assessments_of_a_rubric(tmp_path: Path) -> None:
    rubric = json.loads(RUBRIC.read_text())
    rubric["assessments"] = [
        {**rubric["assessments"][0], "artifact_id": artifact, "assessor_id": assessor}
        for artifact, assessor in [(501, 12), (501, 13), (502, 11), (502, 13)]
    ]
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps(rubric))
    opened = open_class([path, ESSAY])
    assert opened.truth is not None
    assert opened.truth.to_polars().select("assignment", "submission", "score").rows()[0] == (
        "77",
        "501",
        13.0,
    )


def test_submissions_name_the_assignments_of_a_rubric(tmp_path: Path) -> None:
    """A rubric that is used twice, without its associations, knows only the numbers of these."""
    rubric = json.loads(RUBRIC.read_text())
    del rubric["associations"]
    first = rubric["assessments"][0]
    rubric["assessments"] = [
        {**first, "artifact_id": artifact, "assessor_id": assessor, "rubric_association_id": used}
        for artifact, assessor, used in [(501, 12, 70), (501, 13, 70), (601, 11, 71), (601, 13, 71)]
    ]
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps(rubric))
    both = [submission(501), {**submission(601), "assignment_id": 78, "user_id": 12}]
    export = read_export([path, written(tmp_path, both)])
    assert set(rows(export.reviews, "submission", "assignment")) == {("501", "77"), ("601", "78")}
    assert rows(export.truth, "submission", "assignment") == [("501", "77"), ("601", "78")]


def test_alone_it_says_that_reviews_are_missing() -> None:
    with pytest.raises(TableError, match=r"no grades by peers in .*essay\.json"):
        open_class(ESSAY)
