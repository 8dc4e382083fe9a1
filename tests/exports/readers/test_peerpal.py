from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews

FILES = GOLDEN / "peerpal"

SUBMISSIONS = [("", "501", "11"), ("", "501", "13"), ("", "502", "12")]


def test_fractions_become_points() -> None:
    export = read_export(FILES / "reviews.json")
    assert reviews(export) == [
        ("", "502", "11", "peer", "Ideas", 7.0, 0.0, 10.0, "done", 1.0, 1),
        ("", "502", "11", "peer", "Style", 2.5, 0.0, 5.0, "done", 1.0, 1),
        ("", "502", "90", "staff", "Ideas", 8.0, 0.0, 10.0, "done", 1.0, 2),
        ("", "502", "90", "staff", "Style", 5.0, 0.0, 5.0, "done", 1.0, 2),
        ("", "501", "12", "peer", "", None, None, None, "assigned", 1.0, 3),
        ("", "501", "13", "peer", "Ideas", None, 0.0, 10.0, "done", 1.0, 4),
    ]
    assert notes(export) == [
        ("repaired", "The score of a criterion is not a number and is left empty.", (4,)),
        ("dropped", "A review should be a list of 2 or more, but is not.", (5,)),
    ]


def test_the_matching_tells_groups() -> None:
    export = read_export(FILES / "matching.json")
    assert export.submissions.rows() == SUBMISSIONS
    assert export.reviews.is_empty()


def test_both_files_are_one_class() -> None:
    export = read_export([FILES / "matching.json", FILES / "reviews.json"])
    assert export.submissions.rows() == SUBMISSIONS
    assert export.reviews.height == 6


def test_reviews_without_a_rubric_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "reviews.json"
    path.write_text('{"graders": [], "reviews": []}')
    with pytest.raises(TableError, match="in 'rubric', but has only 'graders', 'reviews'"):
        read_export(path, using="peerpal")


def test_comments_on_criteria_and_on_the_whole_are_for_the_author(tmp_path: Path) -> None:
    path = tmp_path / "reviews.json"
    path.write_text(
        '{"graders": [], "rubric": [[10, "Ideas"], [5, "Style"]], "reviews": [["11", "502", '
        '{"scores": [[0.7, "good ideas"], [0.5, ""]], "comments": "well done"}]]}'
    )
    export = read_export(path)
    assert export.reviews["comments"].to_list() == [0, 0]
    assert export.comments.rows() == [
        (0, "Ideas", "good ideas", True),
        (0, "", "well done", True),
    ]
