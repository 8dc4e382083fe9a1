from __future__ import annotations

import pytest

from peergauge.exports.people.nobody import leave_out_nobody
from peergauge.exports.people.room import Room
from peergauge.exports.records import Export, table
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


def typed(*cells: tuple[str, str]) -> Room:
    """A room with one table, whose rows have these graders and submissions."""
    rows = [
        {"grader": grader, "submission": work, "score": 5.0, "row": row}
        for row, (grader, work) in enumerate(cells, 2)
    ]
    return Room([Export(reviews=table("reviews", rows), format="table")])


@pytest.mark.parametrize("cell", ["#REF!", "n/a", "Average", "-", "TBD", "Summe"])
def test_a_cell_without_a_person_is_no_grader(cell: str) -> None:
    room = typed(("Ada", "Rain"), (cell, "Rain"))
    leave_out_nobody(room)
    assert list(room.graders) == ["Ada"]
    [note] = room.exports[0].notes
    assert (note.kind, note.rows) == ("dropped", (3,))
    [decision] = room.dialogue.decisions
    assert decision.text == f"'{cell}': not taken for a grader; 1 grade left out."
    rows = [*ring(), (cell, "Project 1", 4)]
    opened_again = opened(form(rows))
    assert graders(opened_again) == sorted(PEOPLE)
    dropped = [one.rows for one in opened_again.report.notes if one.kind == "dropped"]
    assert dropped == [(len(rows) + 1,)]


@pytest.mark.parametrize("cell", ["#N/A", "Grand Total", "?"])
def test_a_cell_without_a_submission_is_no_work(cell: str) -> None:
    room = typed(("Ada", "Rain"), ("Ada", cell))
    leave_out_nobody(room)
    assert room.reviews["submission"].to_list() == ["Rain"]
    [decision] = room.dialogue.decisions
    assert decision.part == "submissions"
    assert works(opened(form([*ring(), ("Ada Example", cell, 4)]))) == sorted(WORKS)


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


@pytest.mark.parametrize("tried", [("test", "teacher@x.example"), ("Max", "test.test@x.example")])
def test_a_first_try_of_the_form_is_left_out_by_name_or_address(tried: tuple[str, str]) -> None:
    """The addresses identify the graders here, and the names stand in another column."""
    addresses = {name: f"s{place}@x.example" for place, name in enumerate(PEOPLE)}
    rows = [(name, work, mark, addresses[name]) for name, work, mark in ring()]
    header = "Gutachter,Project,Score,Reviewer e-mail"
    room = opened(sheet(header, [(tried[0], "Project 1", 1, tried[1]), *rows]))
    assert len(room.reports) == len(rows)
    assert "test student" in decided(room)
