from __future__ import annotations

import pytest

from tests.exports.people.classes import (
    AUTHORS,
    PEOPLE,
    WORKS,
    asked,
    decided,
    form,
    graders,
    opened,
    ring,
    sheet,
    works,
)


@pytest.mark.parametrize("cell", ["#REF!", "n/a", "Average", "-", "TBD", "Summe"])
def test_a_cell_without_a_person_is_no_grader(cell: str) -> None:
    rows = [*ring(), (cell, "Project 1", 4)]
    room = opened(form(rows))
    assert graders(room) == sorted(PEOPLE)
    assert f"'{cell}'" in decided(room)
    [note] = [one for one in room.report.notes if one.kind == "dropped"]
    assert note.rows == (len(rows) + 1,)


@pytest.mark.parametrize("cell", ["#N/A", "Grand Total", "?"])
def test_a_cell_without_a_submission_is_no_work(cell: str) -> None:
    room = opened(form([*ring(), ("Ada Example", cell, 4)]))
    assert works(room) == sorted(WORKS)
    assert f"'{cell}'" in decided(room, "submissions")


def test_max_and_min_are_people_unless_they_stand_beside_a_mean() -> None:
    rows = [*ring(), ("Max", "Project 1", 4), ("Min", "Project 2", 4)]
    assert graders(opened(form(rows))) == sorted([*PEOPLE, "Max", "Min"])
    assert graders(opened(form([*rows, ("Mean", "Project 1", 5)]))) == sorted(PEOPLE)


def test_a_student_called_null_stays_if_a_roster_knows_them() -> None:
    people = [*PEOPLE, "Null"]
    roster = sheet(
        "Name,Email,Section",
        [(name, f"s{place}@x.example", "A") for place, name in enumerate(people)],
    )
    rows = [*ring(), ("Null", "Project 1", 4)]
    assert graders(opened(form(rows))) == sorted(PEOPLE)
    assert len(graders(opened(form(rows), roster))) == len(people)


def test_the_test_student_is_left_out() -> None:
    room = opened(form([*ring(), ("Student, Test", "Project 1", 4)], AUTHORS))
    assert graders(room) == sorted(PEOPLE)
    assert asked(room) == {}
    assert "test student" in decided(room)
