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
