from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews, without_defaults

FILES = GOLDEN / "ora2"


def test_the_cells_of_the_data_report_are_joined_by_number() -> None:
    export = read_export(FILES / "data_report.csv")
    ideas = "Part 1: Ideas"
    assert reviews(export) == [
        ("Essay", "sub-1", "anon-b", "peer", "", 4.0, None, 5.0, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-b", "peer", ideas, 3.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-b", "peer", "Style", 1.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-c", "peer", ideas, 1.0, None, None, "done", 0.0, 2),
        ("Essay", "sub-1", "anon-c", "peer", "Style", None, None, None, "done", 0.0, 2),
        ("Essay", "sub-1", "anon-t", "staff", "", 5.0, None, 5.0, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-t", "staff", ideas, 3.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-t", "staff", "Style", 2.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-2", "anon-b", "self", "", 2.0, None, 5.0, "done", 1.0, 3),
        ("Essay", "sub-2", "anon-b", "self", ideas, 1.0, None, None, "done", 1.0, 3),
        ("Essay", "sub-2", "anon-b", "self", "Style", 1.0, None, None, "done", 1.0, 3),
    ]
    assert export.submissions.rows() == [
        ("Essay", "sub-1", "anon-a"),
        ("Essay", "sub-2", "anon-b"),
        ("Essay", "sub-3", "anon-c"),
    ]
    assert without_defaults("people", export.people) == [
        {"person": "anon-a", "login": "ada"},
        {"person": "anon-b", "login": "ben"},
        {"person": "anon-c", "login": "cleo"},
        {"person": "anon-t", "login": "teacher"},
    ]
    assert notes(export) == []


def test_a_row_for_each_assessment_has_its_total() -> None:
    export = read_export(FILES / "assessments.csv")
    assert reviews(export) == [
        ("ora1", "sub-1", "anon-b", "peer", "", 4.0, None, 5.0, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-b", "peer", "Ideas", 3.0, None, None, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-b", "peer", "Style", 1.0, None, None, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-t", "staff", "", 5.0, None, 5.0, "done", 1.0, 3),
        ("ora1", "sub-1", "anon-t", "staff", "Ideas", 3.0, None, None, "done", 1.0, 3),
        ("ora1", "sub-1", "anon-t", "staff", "Style", 2.0, None, None, "done", 1.0, 3),
    ]
    assert export.submissions.rows() == [("ora1", "sub-1", "anon-a"), ("ora1", "sub-3", "anon-c")]
    assert notes(export) == []


def test_a_row_for_each_criterion() -> None:
    export = read_export(FILES / "flat.csv")
    assert reviews(export) == [
        ("ora1", "sub-1", "anon-b", "peer", "Ideas", 3.0, None, None, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-b", "peer", "Style", 1.0, None, None, "done", 1.0, 3),
        ("ora1", "sub-2", "anon-b", "self", "Ideas", None, None, None, "done", 1.0, 4),
    ]
    assert notes(export) == [
        ("repaired", "The score of a criterion is not a number and is left empty.", (4,)),
    ]


def test_feedback_cannot_pass_for_an_assessment_of_the_same_number(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text(
        "Submission ID,Item ID,Assessment Details,Assessment Scores\n"
        's1,o,"Assessment #1\n-- type: PE\n-- scorer_id: ben\n-- overall_feedback: ha\n'
        'Assessment #1\n-- type: ST\n-- scorer_id: boss","Assessment #1\n-- Ideas: Good (3)"\n'
    )
    export = read_export(path)
    assert reviews(export) == [("o", "s1", "ben", "peer", "Ideas", 3.0, None, None, "done", 1.0, 2)]
    assert notes(export) == [
        ("dropped", "An assessment stands twice in a cell: the first is kept.", (2,)),
    ]


def test_details_and_scores_that_do_not_meet_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text(
        "Submission ID,Item ID,Assessment Details,Assessment Scores\n"
        's1,o,"Assessment #1\n-- type: XX\n-- scorer_id: ben","Assessment #2\n-- Ideas: Good (3)"\n'
    )
    export = read_export(path)
    assert reviews(export) == [("o", "s1", "ben", "peer", "", None, None, None, "done", 1.0, 2)]
    assert [kind for kind, _, _ in notes(export)] == ["repaired", "missed", "dropped"]


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("Submission ID,Item ID,Assessment Details\ns1,o,\n")
    with pytest.raises(TableError, match=r"column 'Assessment Scores', .* 'Submission ID', 'Item"):
        read_export(path)


def test_problems_of_one_name_are_called_by_their_ids(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text(
        "Submission ID,Item ID,Problem Name,Assessment Details,Assessment Scores\n"
        "s1,o1,Essay,,\ns2,o2,Essay,,\ns3,o3,Talk,,\n"
    )
    assert read_export(path).submissions["assignment"].to_list() == ["o1", "o2", "Talk"]
