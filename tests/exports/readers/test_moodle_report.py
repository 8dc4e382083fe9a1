import json
from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews, without_defaults

FILES = GOLDEN / "moodle-report"

REVIEWS = [
    ("", "31", "12", "peer", "", 60.0, None, None, "done", 1.0, 1),
    ("", "31", "13", "peer", "", 68.0, None, None, "done", 3.0, 1),
    ("", "31", None, "peer", "", 50.0, None, None, "done", 1.0, 1),
    ("", "32", "11", "peer", "", None, None, None, "assigned", 1.0, 1),
]


def test_a_review_that_is_told_twice_is_there_once() -> None:
    export = read_export(FILES / "report.json")
    assert reviews(export) == REVIEWS
    assert export.submissions.rows() == [("", "31", "11"), ("", "32", "12")]
    assert notes(export) == [
        ("missed", "The name of a user is hidden in this export.", (1,)),
        ("missed", "The reviewer of a review is not given.", (1,)),
    ]


def test_the_override_of_a_teacher_is_the_truth() -> None:
    truth = read_export(FILES / "report.json").truth
    assert without_defaults("truth", truth) == [{"submission": "31", "score": 70.0}]


@pytest.mark.parametrize("wrap", ["grades", "bare", "pages"])
def test_the_report_may_be_wrapped_or_not(wrap: str, tmp_path: Path) -> None:
    whole = json.loads((FILES / "report.json").read_text())
    grades = whole["report"]["grades"]
    path = tmp_path / "report.json"
    shapes = {"grades": whole["report"], "bare": grades, "pages": [whole]}
    path.write_text(json.dumps(shapes[wrap]))
    assert reviews(read_export(path)) == REVIEWS


def test_grades_that_differ_are_noted(tmp_path: Path) -> None:
    whole = json.loads((FILES / "report.json").read_text())
    whole["report"]["grades"][1]["reviewerof"][0]["grade"] = 61
    path = tmp_path / "report.json"
    path.write_text(json.dumps(whole))
    export = read_export(path)
    assert reviews(export) == REVIEWS
    text = "A review is listed twice with different grades: the first is kept."
    assert ("repaired", text, (2,)) in notes(export)


def test_a_list_of_assessments_is_on_a_hundred_points() -> None:
    export = read_export(FILES / "assessments.json")
    assert reviews(export) == [
        ("", "31", "12", "peer", "", 75.0, 0.0, 100.0, "done", 1.0, 1),
        ("", "31", "13", "peer", "", None, 0.0, 100.0, "assigned", 2.0, 2),
    ]
    assert notes(export) == []


def test_a_key_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "assessments.json"
    path.write_text('{"assessments": [{"submissionid": 1, "grade": 3, "gradinggrade": 4}]}')
    with pytest.raises(TableError, match="'reviewerid', but the first has only 'submissionid'"):
        read_export(path)
