"""Files with numbers of assigned reviews; lists of reviews are tested with the numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.assigned_file import read_assigned
from peergauge.exports.assigned_numbers import AssignedList, assigned_reviews, known_assigned
from peergauge.exports.open import interpret_class
from tests.classroom.grade.test_deciding import opened_class


def read(text: str, folder: Path) -> AssignedList:
    """The content of a file, for the small class."""
    path = folder / "assigned.csv"
    path.write_text(text, encoding="utf-8")
    return read_assigned(path, opened_class())


def numbers(listed: AssignedList) -> dict[tuple[str, str], tuple[int, ...]]:
    """Assigned, done, declined, undone and extra reviews, by person and assignment."""
    return {row[:2]: row[2:] for row in assigned_reviews(opened_class(), listed).iter_rows()}


def test_counts_are_read_and_done_reviews_are_counted(tmp_path: Path) -> None:
    found = numbers(
        read(
            "Person,Assigned,assignment,declined\nann,4,A1,\n,,,\nANN,1,A2,0\nbob,1,A1,0\n"
            "zoe,2,A2,1\n",
            tmp_path,
        )
    )
    assert found["ann", "A1"] == (4, 2, 0, 2, 0)
    assert found["ann", "A2"][:4] == (1, 1, 0, 0)
    # Bob did two reviews, of which one was assigned.
    assert found["bob", "A1"] == (1, 1, 0, 0, 1)
    assert found["zoe", "A2"] == (2, 0, 1, 1, 0)


def test_a_column_of_done_reviews_is_believed(tmp_path: Path) -> None:
    found = numbers(read("person,reviews assigned,done,assignment\nann,4,3,A1\n", tmp_path))
    assert found["ann", "A1"] == (4, 3, 0, 1, 0)
    # Nobody else was assigned a review there, and nothing is known about the other assignment.
    assert found["bob", "A1"] == (0, 0, 0, 0, 2)
    assert found["ann", "A2"][0] is None


def test_who_is_not_in_the_class_owes_all_reviews_and_is_named(tmp_path: Path) -> None:
    listed = read("person,assigned,assignment\nann,2,A1\nnew,3,A1\n", tmp_path)
    assert numbers(listed)["new", "A1"] == (3, 0, 0, 3, 0)
    assert len(listed.notes) == 1
    assert "names 1 reviewer who is not in the class ('new')" in listed.notes[0]


def test_columns_of_which_nothing_is_made_are_named(tmp_path: Path) -> None:
    listed = read("person,assigned,assignment,colour\nann,4,A1,red\n", tmp_path)
    assert "nothing is made: 'colour'" in listed.notes[0]


def test_a_list_with_a_column_of_yes_and_no_is_a_list(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text("Reviewer,Project,Score\nAnn,P1,4\nBob,P1,3\nBob,P2,3\n")
    found = interpret_class(tmp_path / "reviews.csv", scale="0..5")
    (tmp_path / "list.csv").write_text("reviewer,project,assigned\nAnn,P1,1\nAnn,P2,1\nBob,P1,1\n")
    listed = read_assigned(tmp_path / "list.csv", found)
    assert listed.counts is None
    assert listed.reviews.height == 3
    assert known_assigned(found) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour,assigned\nred,4\n", "no column 'person'"),
        ("person,assigned,Reviews assigned\nann,4,3\n", "two columns of reviews assigned"),
        ("person,assigned\nann,4\n", "names no assignment, but the class has the assignments"),
        ("person,assigned,assignment\nanne,4,A1\n", "Nobody whom .* is in this class"),
        ("person,assigned,assignment\nann,4,A7\n", "names 'A7', but the class has"),
        ("person,assigned,assignment\nann,many,A1\n", "'many' as its number of reviews assigned"),
        ("person,assigned,assignment\nann,-1,A1\n", "a whole number was expected"),
        ("person,assigned,assignment\nann,1.5,A1\n", "a whole number was expected"),
        ("person,assigned,assignment\nann,,A1\n", "a whole number was expected"),
        ("person,assigned,assignment\n,4,A1\n", "Row 2 of .* but no person"),
        ("person,assigned,assignment\nann,1,A1\nAnn,1,A1\n", "Row 3 of .* 'Ann' again"),
    ],
)
def test_wrong_tables_are_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=said):
        read(text, tmp_path)


def test_a_list_of_the_whole_semester_serves_every_week_and_another_week_is_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "reviews.csv").write_text(
        "Assignment,Reviewer,Project,Score\nWeek 2,Ann,P1,4\nWeek 2,Bob,P1,3\nWeek 2,Bob,P2,3\n"
    )
    found = interpret_class(tmp_path / "reviews.csv", scale="0..5")
    path = tmp_path / "list.csv"
    path.write_text("person,assignment,assigned\nAnn,Week 1,9\nAnn,week 2,2\nBob,Week 2,2\n")
    listed = read_assigned(path, found)
    assert listed.counts is not None
    assert listed.counts["assigned"].to_list() == [2, 2]
    assert "1 assignment that the class does not have ('Week 1')" in listed.notes[0]
    path.write_text("person,assignment,assigned\nAnn,Week 1,9\nBob,Week 1,2\n")
    with pytest.raises(
        TableError, match="lists the assignment 'Week 1', but the class has 'Week 2"
    ):
        read_assigned(path, found)
