"""Pseudonyms: the same class, and nobody named in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.people.pseudonyms import (
    LEFT_OUT_NOTE,
    PLAIN_REASONS,
    pseudonymize,
    pseudonymize_each,
    restored,
)
from peergauge.exports.records import Export, Note, table
from peergauge.exports.validate import OpenedClass, validate, validate_each
from peergauge.exports.writing import write_class

EXPORT = Export(
    reviews=table(
        "reviews",
        [
            {"submission": "Ben's essay", "grader": "ada@school", "score": 7, "source": "ada.csv"},
            {"submission": "Ben's essay", "grader": "cleo@school", "score": 5, "source": "ada.csv"},
            {"submission": "Cleo's essay", "grader": "ada@school", "score": 3, "source": "ada.csv"},
            {"submission": "Cleo's essay", "grader": "dan@school", "state": "assigned"},
            {"submission": "Ben's essay", "grader": "ben@school", "score": 9, "row": 12},
        ],
    ).with_columns(assignment=pl.lit("Essay for Dee")),
    submissions=table(
        "submissions",
        [
            {"submission": "Ben's essay", "author": "ben@school"},
            {"submission": "Cleo's essay", "author": "cleo@school"},
        ],
    ).with_columns(assignment=pl.lit("Essay for Dee")),
    people=table(
        "people",
        [{"person": "ada@school", "name": "Ada", "email": "ada@school", "section": "Monday"}],
    ),
    truth=table(
        "truth",
        [
            {
                "assignment": "Essay for Dee",
                "submission": "Ben's essay",
                "score": 6.0,
                "by": "Prof. Dee",
            }
        ],
    ),
    notes=(Note("read", "the column 'Ada, please' was left out", (4,), "ada.csv"),),
    assigned_in=frozenset({"Essay for Dee"}),
    files=("/home/dee/ada.csv",),
)

WORDS = ("ada", "Ada", "ben", "Ben", "cleo", "Cleo", "dan", "Dee", "dee", "Monday", "school", "ess")


def opened() -> OpenedClass:
    return validate(EXPORT, scale="0..10")


def written(one: OpenedClass, folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in write_class(one, folder)}


def test_nothing_of_anybody_is_left(tmp_path: Path) -> None:
    other, key = pseudonymize(opened())
    files = written(other, tmp_path / "class")
    assert set(files) == {"reports.csv", "truth.csv", "authors.csv", "assigned.csv", "class.json"}
    for text in (*files.values(), str(other)):
        assert not [word for word in WORDS if word in text]
    assert set(key["name"]) == {
        *(f"{one}@school" for one in ("ada", "ben", "cleo", "dan")),
        "Ben's essay",
        "Cleo's essay",
        "Monday",
        "Essay for Dee",
    }


def test_files_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    """The rows of authors.csv were once in the order of the export, which a roster may have."""
    one = opened()
    assert one.assigned is not None
    other = replace(
        one,
        submissions=one.submissions.reverse(),
        assigned=one.assigned.reverse(),
        people=one.people.reverse(),
        left_out=one.left_out.reverse(),
    )
    files = [
        written(pseudonymize(found, seed=5)[0], tmp_path / str(place))
        for place, found in enumerate((one, other))
    ]
    assert files[0] == files[1]


@pytest.mark.parametrize("seed", range(6))
def test_rows_are_in_the_order_of_pseudonyms(seed: int, tmp_path: Path) -> None:
    for name, text in written(pseudonymize(opened(), seed)[0], tmp_path / "c").items():
        if name.endswith(".csv"):
            header, *rows = text.splitlines()
            assert rows == sorted(rows), header


def test_notes_keep_numbers_and_quote_nothing() -> None:
    notes = pseudonymize(opened())[0].report.notes
    assert Note("dropped", "1 review: a review of one's own work") in notes
    assert Note("missed", LEFT_OUT_NOTE) in notes
    assert all(not note.rows and not note.source for note in notes)


def test_plain_reasons_are_those_of_validation() -> None:
    source = Path(str(validate.__code__.co_filename)).read_text()
    assert [reason for reason in PLAIN_REASONS if f'"{reason}"' not in source] == []


def test_a_class_without_other_notes_says_nothing_of_them() -> None:
    other, _ = pseudonymize(validate(replace(EXPORT, notes=()), scale="0..10"))
    assert LEFT_OUT_NOTE not in {note.text for note in other.report.notes}


def test_criteria_have_pseudonyms_and_classes_share_one_key() -> None:
    rows = [
        {"submission": s, "grader": g, "criterion": c, "score": 3.0, "highest": 5.0}
        for s, g in (("s", "ada"), ("s", "ben"), ("t", "cleo"))
        for c in ("What Ada liked", "Style")
    ]
    each = validate_each(Export(reviews=table("reviews", rows)))
    others, key = pseudonymize_each(each)
    assert {one.report.criteria for one in others.values()} == {("k1", "k2")}
    people = key.filter(kind="person")
    assert people.height == 3
    assert all(set(one.reports.grader_names or ()) == set(people["pseudonym"])
               for one in others.values())  # fmt: skip


def test_assignments_keep_their_order() -> None:
    rows = [
        {"assignment": f"Week {week}", "submission": f"s{week}", "grader": grader, "score": week}
        for week in (2, 10, 1)
        for grader in ("a", "b")
    ]
    one = validate(Export(reviews=table("reviews", rows)), scale="0..10")
    other, _ = pseudonymize(one)
    assert other.reports.assignment_names == ("a1", "a2", "a3")
    assert other.reports.grade.tolist() == one.reports.grade.tolist() == [1, 1, 2, 2, 10, 10]


def test_the_class_is_the_same_but_for_its_names() -> None:
    one, (two, _) = opened(), pseudonymize(opened(), seed=4)
    assert sorted(one.reports.grade) == sorted(two.reports.grade)
    assert one.report.shape == two.report.shape
    assert one.assigned is not None
    assert two.assigned is not None
    assert sorted(one.assigned["state"]) == sorted(two.assigned["state"])


def test_the_key_brings_the_names_back() -> None:
    one, (other, key) = opened(), pseudonymize(opened())
    back = restored(other, key)
    assert back.reports == one.reports
    assert back.truth == one.truth
    assert sorted(back.submissions.rows()) == sorted(one.submissions.rows())
    assert back.people["section"].to_list() == ["Monday"]


def test_only_a_seed_gives_the_same_names_again() -> None:
    assert pseudonymize(opened(), seed=1)[1].equals(pseudonymize(opened(), seed=1)[1])
    many = table("reviews", [{"submission": "s", "grader": f"g{n}", "score": 1} for n in range(99)])
    one = validate(Export(reviews=many), scale="0..10")
    assert not pseudonymize(one)[1].equals(pseudonymize(one)[1])


@given(st.sets(st.text(st.characters(exclude_categories=("C", "Z")), min_size=1), min_size=2))
def test_names_stay_apart(names: set[str]) -> None:
    graders = sorted(names)
    rows = [{"submission": "s", "grader": one, "score": k} for k, one in enumerate(graders)]
    one = validate(Export(reviews=table("reviews", rows), exact=True), scale="0..1000")
    other, key = pseudonymize(one)
    names_of = dict(key.filter(kind="person").select("pseudonym", "name").rows())
    found = other.reports.to_polars().select("grader", "grade").rows()
    assert {names_of[name]: grade for name, grade in found} == {
        name: k for k, name in enumerate(graders)
    }
