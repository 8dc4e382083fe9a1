from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews, without_defaults

FILES = GOLDEN / "canvas-peer-reviews"


def test_pages_in_a_row_are_one_list_of_reviews_without_scores() -> None:
    export = read_export(FILES / "essay.json")
    assert reviews(export) == [
        ("", "501", "12", "peer", "", None, None, None, "done", 1.0, 1),
        ("", "501", "13", "peer", "", None, None, None, "assigned", 1.0, 2),
        ("", "502", "11", "peer", "", None, None, None, "done", 1.0, 3),
        ("", "502", "13", "peer", "", None, None, None, "assigned", 1.0, 4),
    ]
    assert export.submissions.rows() == [("", "501", "11"), ("", "502", "12")]
    assert without_defaults("people", export.people) == [
        {"person": "11", "name": "Ada", "lms": "11"},
        {"person": "12", "name": "Ben", "lms": "12"},
        {"person": "13", "name": "Cléo 🌻", "lms": "13"},
    ]
    assert export.truth.is_empty()
    assert notes(export) == [
        ("dropped", "A peer review should be an object, but is not.", (5,)),
        ("repaired", "A state is not known and is taken as assigned.", (4,)),
    ]


def test_a_wrapped_list_may_name_the_assignment() -> None:
    export = read_export(FILES / "wrapped.json")
    assert reviews(export) == [
        ("77", "601", "21", "peer", "", None, None, None, "assigned", 1.0, 1)
    ]
    assert export.submissions.rows() == [("77", "601", "22")]
    # Nothing is known of the two but their ids, which lead marks back to Canvas.
    assert export.people.select("person", "name", "lms").rows() == [
        ("22", None, "22"),
        ("21", None, "21"),
    ]
    assert notes(export) == []


def test_an_empty_list_is_a_class_without_reviews(tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_text('{"peer_reviews": []}')
    export = read_export(path)
    assert export.format == "canvas-peer-reviews"
    assert export.reviews.is_empty()


def test_a_key_that_no_review_has_is_named(tmp_path: Path) -> None:
    path = tmp_path / "reviews.json"
    path.write_text('[{"id": 1, "asset_id": 5, "workflow_state": "assigned"}]')
    with pytest.raises(TableError, match=r"'assessor_id', but .* 'id', 'asset_id', 'workflow"):
        read_export(path)


def test_a_key_that_one_review_lacks_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "reviews.json"
    path.write_text(
        '[{"asset_id": 5, "assessor_id": 7, "user_id": 1, "workflow_state": "assigned"},'
        ' {"asset_id": 5, "user_id": 1, "workflow_state": "assigned"}]'
    )
    export = read_export(path)
    assert export.reviews["grader"].to_list() == ["7", None]
    assert notes(export) == [("missed", "Who reviews is not given.", (2,))]
