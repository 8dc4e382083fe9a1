from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from peergauge.exports.readers.canvas_csv import CanvasCsv
from tests.exports.exports import GOLDEN, noted, rows

FOLDER = GOLDEN / "canvas-csv"


def test_assessments_have_a_total_and_criteria_with_their_maxima() -> None:
    export = read_export(FOLDER / "peer_review_assessments.csv")
    assert rows(export.reviews, "submission", "grader", "criterion", "score", "highest") == [
        ("Ben Okoro", "Ada Lin", "", 40.0, 45.0),
        ("Ben Okoro", "Ada Lin", "Argument", 8.0, 10.0),
        ("Ben Okoro", "Ada Lin", "Style", 32.0, 35.0),
        ("Cleo Marsh", "Ada Lin", "", 31.5, 45.0),
        ("Cleo Marsh", "Ada Lin", "Argument", 6.5, 10.0),
        ("Cleo Marsh", "Ada Lin", "Style", 25.0, 35.0),
        ("Ada Lin", "Ben Okoro", "", None, 45.0),
        ("Ada Lin", "Ben Okoro", "Argument", None, 10.0),
        ("Ada Lin", "Ben Okoro", "Style", None, 35.0),
        ("Cleo Marsh", "Cleo Marsh", "", 45.0, 45.0),
        ("Cleo Marsh", "Cleo Marsh", "Argument", 10.0, 10.0),
        ("Cleo Marsh", "Cleo Marsh", "Style", None, 35.0),
    ]
    assert export.reviews["state"].to_list() == ["done"] * 6 + ["assigned"] * 3 + ["done"] * 3
    assert export.reviews["row"].to_list() == [row for row in (2, 3, 4, 5) for _ in range(3)]
    assert rows(export.submissions, "submission", "author") == [
        (name, name) for name in ("Ben Okoro", "Cleo Marsh", "Ada Lin")
    ]
    assert noted(export, "repaired") == [("No number for a score in 'Style (35.0)': 'n/a'.", (5,))]
    assert noted(export, "missed") == []
    assert rows(export.comments, "review", "criterion", "text", "visible") == [
        (2, "Argument", "Clear, mostly", True),
        (3, "Style", "A line\nand another", True),
    ]
    assert export.reviews["comments"].to_list() == [2] * 3 + [3] * 3 + [None] * 6


def test_people_go_by_number_where_there_is_one() -> None:
    export = read_export(FOLDER / "peer_review_assessments_with_ids.csv")
    assert rows(export.reviews, "submission", "grader", "criterion", "score") == [
        ("102", "101", "", 8.0),
        ("102", "101", "Argument", 8.0),
        ("101", "102", "", 9.0),
        ("101", "102", "Argument", 9.0),
    ]
    assert rows(export.people, "person", "name", "lms") == [
        ("102", "Ben Okoro", "102"),
        ("101", "Ada Lin", "101"),
    ]


def test_scores_given_by_staff_are_the_truth() -> None:
    export = read_export(FOLDER / "peer_review_given_score.csv")
    assert not export.reviews.height
    assert rows(export.truth, "submission", "criterion", "score", "by") == [
        ("101", "", 9.5, "staff"),
        ("102", "", 7.0, "staff"),
    ]
    assert noted(export, "dropped") == [("Staff have not graded these.", (4,))]


def test_an_overview_says_who_has_reviews_to_do() -> None:
    export = read_export(FOLDER / "peer_review_overview.csv")
    assert rows(export.reviews, "grader", "submission", "score", "state", "row") == [
        ("102", None, None, "assigned", 3),
        ("103", None, None, "assigned", 4),
        ("103", None, None, "assigned", 4),
    ]
    assert [kind for kind, *_ in export.notes] == ["dropped", "missed"]


def test_assessments_and_truth_are_joined() -> None:
    export = read_export(
        [FOLDER / "peer_review_assessments_with_ids.csv", FOLDER / "peer_review_given_score.csv"]
    )
    assert export.reviews.height == 4
    assert set(export.truth["submission"]) == set(export.reviews["submission"])


def test_the_assignment_can_be_named(tmp_path: Path) -> None:
    export = read_export(
        FOLDER / "peer_review_assessments.csv", using=CanvasCsv(assignment="Essay")
    )
    assert set(export.reviews["assignment"]) == set(export.submissions["assignment"]) == {"Essay"}


def test_comments_alone_are_no_scores(tmp_path: Path) -> None:
    path = tmp_path / "assessments.csv"
    path.write_text("Assessor,Assessee,Total Score comments\nada,ben,fine\n")
    with pytest.raises(TableError, match=r"no column of scores, only 'Assessor', 'Assessee', 'T"):
        read_export(path)
