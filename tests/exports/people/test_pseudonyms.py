"""Pseudonyms: the same class, and nobody named in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.people.pseudonyms import pseudonymize, restored
from peergauge.exports.records import SCHEMAS, Export, Note, table
from peergauge.exports.validate import validate

EXPORT = Export(
    reviews=table(
        "reviews",
        [
            {"submission": "Ben's essay", "grader": "ada@school", "score": 7, "source": "ada.csv"},
            {"submission": "Ben's essay", "grader": "cleo@school", "score": 5, "source": "ada.csv"},
            {"submission": "Cleo's essay", "grader": "ada@school", "score": 3, "source": "ada.csv"},
        ],
    ),
    submissions=table("submissions", [{"submission": "Ben's essay", "author": "ben@school"}]),
    people=table(
        "people",
        [{"person": "ada@school", "name": "Ada", "email": "ada@school", "section": "Monday"}],
    ),
    truth=table("truth", [{"submission": "Ben's essay", "score": 6.0, "by": "Prof. Dee"}]),
    notes=(Note("read", "a column was left out", (), "ada.csv"),),
)


def test_nothing_of_anybody_is_left() -> None:
    other, key = pseudonymize(EXPORT)
    text = "".join(str(getattr(other, name).rows()) for name in SCHEMAS) + str(other.notes)
    for word in ("ada", "Ada", "ben", "Ben", "cleo", "Cleo", "Dee", "Monday", "school"):
        assert word not in text
    assert set(key["name"]) == {
        "ada@school",
        "ben@school",
        "cleo@school",
        "Ben's essay",
        "Cleo's essay",
        "Monday",
    }


def test_the_class_is_the_same_but_for_its_names() -> None:
    other, _ = pseudonymize(EXPORT, seed=4)
    one, two = validate(EXPORT), validate(other)
    assert sorted(one.reports.grade) == sorted(two.reports.grade)
    assert one.report.shape == two.report.shape


def test_the_key_brings_the_names_back() -> None:
    other, key = pseudonymize(EXPORT)
    back = restored(other, key)
    assert back.reviews["grader"].to_list() == EXPORT.reviews["grader"].to_list()
    assert back.submissions.equals(EXPORT.submissions)
    assert back.truth["submission"].to_list() == ["Ben's essay"]
    assert back.people["section"].to_list() == ["Monday"]


def test_only_a_seed_gives_the_same_names_again() -> None:
    assert pseudonymize(EXPORT, seed=1)[1].equals(pseudonymize(EXPORT, seed=1)[1])
    many = table("reviews", [{"submission": "s", "grader": f"g{n}", "score": 1} for n in range(99)])
    keys = [pseudonymize(Export(reviews=many))[1] for _ in range(2)]
    assert not keys[0].equals(keys[1])


@given(st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=30))
def test_names_stay_apart(names: list[str]) -> None:
    reviews = table("reviews", [{"submission": "s", "grader": one, "score": 1} for one in names])
    other, _ = pseudonymize(Export(reviews=reviews))
    pairs = set(zip(names, other.reviews["grader"], strict=True))
    assert len(pairs) == len(set(names)) == other.reviews["grader"].n_unique()
