import json
from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews

RUBRIC = GOLDEN / "canvas-rubric" / "essay.json"


def test_scores_come_by_criterion_and_in_all() -> None:
    export = read_export(RUBRIC)
    assert reviews(export) == [
        ("77", "501", "12", "peer", "", 12.0, None, 15.0, "done", 1.0, 1),
        ("77", "501", "12", "peer", "Ideas", 8.0, 0.0, 10.0, "done", 1.0, 1),
        ("77", "501", "12", "peer", "Style", 4.0, None, 5.0, "done", 1.0, 1),
        ("77", "502", "11", "peer", "", 7.5, None, 15.0, "done", 1.0, 2),
        ("77", "502", "11", "peer", "Ideas", 7.5, 0.0, 10.0, "done", 1.0, 2),
        ("77", "502", "11", "peer", "Style", None, None, 5.0, "done", 1.0, 2),
        ("77", "501", "90", "staff", "", 13.0, None, 15.0, "done", 1.0, 3),
        ("77", "501", "90", "staff", "Ideas", 9.0, 0.0, 10.0, "done", 1.0, 3),
        ("77", "501", "90", "staff", "_99", 4.0, None, None, "done", 1.0, 3),
    ]
    assert export.truth.is_empty()
    # Staff are not among the people who get marks.
    assert export.people.select("person", "lms").rows() == [("12", "12"), ("11", "11")]
    assert notes(export) == [
        ("missed", "A criterion is not in the rubric: its id is used.", (3,)),
        (
            "dropped",
            "A provisional grade does not say which submission it is about; the final grades of "
            "staff are in the list of submissions.",
            (4,),
        ),
    ]


def test_several_uses_of_a_rubric_are_several_assignments(tmp_path: Path) -> None:
    rubric = json.loads(RUBRIC.read_text())
    del rubric["associations"]
    rubric["assessments"][0]["rubric_association_id"] = 71
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps([rubric]))
    export = read_export(path)
    assert export.reviews.filter(row=1)["assignment"].unique().to_list() == ["71"]
    assert export.reviews.filter(row=2)["assignment"].unique().to_list() == ["70"]


def test_assessments_alone_call_criteria_by_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "assessments.json"
    path.write_text(json.dumps(json.loads(RUBRIC.read_text())["assessments"]))
    export = read_export(path)
    assert export.format == "canvas-rubric"
    assert export.reviews["criterion"].to_list()[:3] == ["", "_10", "_11"]


def test_a_rubric_without_assessments_says_how_to_get_them(tmp_path: Path) -> None:
    path = tmp_path / "rubric.json"
    path.write_text('{"title": "Essay", "data": []}')
    with pytest.raises(TableError, match=r"'assessments', but has only .* ask .*peer_assessments"):
        read_export(path, using="canvas-rubric")


def with_assessments(tmp_path: Path, *changes: dict[str, object]) -> Path:
    rubric = json.loads(RUBRIC.read_text())
    first = rubric["assessments"][0]
    rubric["assessments"] = [{**first, **change} for change in changes]
    path = tmp_path / "rubric.json"
    path.write_text(json.dumps(rubric))
    return path


def test_a_self_assessment_is_a_review_of_ones_own_work(tmp_path: Path) -> None:
    path = with_assessments(tmp_path, {}, {"assessment_type": "self_assessment"})
    assert read_export(path).reviews.filter(criterion="")["role"].to_list() == ["peer", "self"]


def test_a_provisional_grade_is_neither_a_submission_nor_a_peer(tmp_path: Path) -> None:
    moderated = {"artifact_type": "ModeratedGrading::ProvisionalGrade", "artifact_id": 9001}
    path = with_assessments(
        tmp_path,
        {},
        {**moderated, "assessment_type": "provisional_grade"},
        # The kind alone does not make it a peer's.
        {**moderated, "assessment_type": "peer_review"},
        {"assessment_type": "provisional_grade", "artifact_type": "Submission"},
    )
    export = read_export(path)
    whole = export.reviews.filter(criterion="")
    assert whole.select("submission", "role", "row").rows() == [
        ("501", "peer", 1),
        ("501", "staff", 4),
    ]
    assert [note.rows for note in export.notes if "provisional" in note.text] == [(2, 3)]


def test_other_kinds_and_artifacts_are_left_out_and_noted(tmp_path: Path) -> None:
    path = with_assessments(
        tmp_path, {}, {"assessment_type": "calibration"}, {"artifact_type": "Assignment"}
    )
    export = read_export(path)
    assert set(export.reviews["row"]) == {1}
    told = {note.text: note.rows for note in export.notes if note.kind == "dropped"}
    assert list(told.values()) == [(2,), (3,)]
    assert "'calibration'" in " ".join(told)
