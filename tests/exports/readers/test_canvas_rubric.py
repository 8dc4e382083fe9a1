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
        ("77", "502", "91", "staff", "", None, None, 15.0, "done", 1.0, 4),
    ]
    assert export.truth.is_empty()
    assert notes(export) == [
        ("missed", "A criterion is not in the rubric: its id is used.", (3,)),
        ("repaired", "The score of a review is not a number and is left empty.", (4,)),
        ("missed", "Scores by criterion are not there; style=full asks for them.", (4,)),
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
