"""Tables of assigned reviews."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from peergauge.classroom.grade.assigned_counts import assigned_numbers, read_assigned_counts
from peergauge.classroom.grade.final_mark import known_assigned
from peergauge.core.errors import TableError
from tests.classroom.grade.test_deciding import opened_class


def read(text: str, folder: Path) -> pl.DataFrame:
    """The table of a file, for the small class."""
    path = folder / "assigned.csv"
    path.write_text(text, encoding="utf-8")
    return read_assigned_counts(path, opened_class())


def test_counts_are_read_and_done_reviews_are_counted(tmp_path: Path) -> None:
    found = read(
        "Person,Assigned,assignment,declined\nann,4,A1,\n,,,\nann,1,A2,0\nbob,1,A1,0\nzoe,2,A2,1\n",
        tmp_path,
    )
    assert found.rows() == [
        ("A1", "ann", 4, 2, 0),
        ("A2", "ann", 1, 1, 0),
        # Bob did two reviews, of which one was assigned.
        ("A1", "bob", 1, 1, 0),
        ("A2", "zoe", 2, 0, 1),
    ]


def test_a_list_of_reviews_is_counted_and_an_export_may_say_nothing(tmp_path: Path) -> None:
    opened = opened_class()
    path = tmp_path / "listed.csv"
    path.write_text("assignment,grader,submission\nA1,ann,w1\nA1,ann,w2\nA1,bob,w1\nA2,dan,w1\n")
    found, notes = assigned_numbers(opened, path)
    known = known_assigned(found)
    assert known is not None
    numbers = {row[:2]: row[2:] for row in known.rows()}
    assert numbers["A1", "ann"] == (2, 1, 0)
    assert numbers["A1", "bob"] == (1, 1, 0)
    assert notes == ()
    path.write_text("person,assigned,assignment\nann,4,A1\n")
    assert assigned_numbers(opened, path)[0].rows() == [("A1", "ann", 4, 2, 0)]
    assert known_assigned(assigned_numbers(opened)[0]) is None


def test_a_column_of_done_reviews_is_believed(tmp_path: Path) -> None:
    found = read("person,assigned,done,assignment\nann,4,3,A1\n", tmp_path)
    assert found.rows() == [("A1", "ann", 4, 3, 0)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,assigned\nann,4\n", "no table with the columns 'person' and 'assigned'"),
        ("person,assigned,colour\nann,4,red\n", "a column 'colour' that is unknown"),
        ("person,assigned\nann,4\n", "Row 2 of .* has no assignment"),
        ("person,assigned,assignment\nanne,4,A1\n", "the person 'anne', .* did you mean 'ann'"),
        ("person,assigned,assignment\nann,4,A7\n", "the assignment 'A7', .* did you mean 'A"),
        ("person,assigned,assignment\nann,many,A1\n", "'many' as its number of reviews assigned"),
        ("person,assigned,assignment\nann,-1,A1\n", "a whole number was expected"),
        ("person,assigned,assignment\nann,1.5,A1\n", "a whole number was expected"),
        ("person,assigned,assignment\nann,1,A1\nann,1,A1\n", "Row 3 of .* 'ann' again"),
    ],
)
def test_wrong_tables_are_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=said):
        read(text, tmp_path)
