import json
from pathlib import Path

from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews, without_defaults

FILES = GOLDEN / "crowdgrader"

ADA, BEN, CLEO, DAN = (f"{name}@x.example" for name in ("ada", "ben", "cleo", "dan"))


def test_a_list_with_its_reviews_in_place() -> None:
    export = read_export(FILES / "class.json")
    assert reviews(export) == [
        ("Sorting", ADA, BEN, "peer", "", 8.5, None, None, "done", 1.0, 1),
        ("Sorting", ADA, DAN, "peer", "", None, None, None, "declined", 1.0, 2),
    ]
    assert export.submissions.rows() == [
        ("Sorting", ADA, ADA),
        ("Sorting", ADA, CLEO),
        ("Sorting", BEN, BEN),
    ]
    assert without_defaults("people", export.people) == [
        {"person": ADA, "name": "Ada آدا", "email": ADA},
        {"person": BEN, "name": "Ben", "email": BEN},
    ]
    assert notes(export) == [
        ("missed", "Only the address of the reviews is given; save them too.", (2,))
    ]


def test_reviews_in_a_file_of_their_own_join_the_assignment() -> None:
    export = read_export([FILES / "class.json", FILES / f"{BEN}.json"])
    assert reviews(export)[2:] == [
        ("Sorting", BEN, ADA, "peer", "", 7.0, None, None, "done", 1.0, 1),
        ("Sorting", BEN, CLEO, "peer", "", None, None, None, "assigned", 1.0, 2),
    ]


def test_comments_of_the_reviewer_are_read_and_the_answer_of_the_author_is_not(
    tmp_path: Path,
) -> None:
    given = {
        "Review author": BEN,
        "Review grade": 8,
        "Reviewer comments": "<p>Fast.</p><p>Clear.</p>",
        "Review feedback": "thanks",
    }
    path = tmp_path / f"{ADA}.json"
    path.write_text(json.dumps({"Assignment": "Sorting", "Reviews": [given]}))
    export = read_export(path)
    assert export.comments.rows() == [(0, "", "Fast.\nClear.", True)]
    assert export.reviews["comments"].to_list() == [0]
