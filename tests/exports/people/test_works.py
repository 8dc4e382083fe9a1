from __future__ import annotations

import pytest

from peergauge.exports.people.works import work_key
from tests.exports.people.classes import (
    PEOPLE,
    WORKS,
    asked,
    decided,
    form,
    graders,
    opened,
    own_rows,
    ring,
    sheet,
    works,
)


@pytest.mark.parametrize(
    "text", ["project 1", "Project1", "PROJECT-1", "Project #1", "Project No. 1", "Project 01"]
)
def test_spellings_of_a_submission_are_one(text: str) -> None:
    assert work_key(text) == work_key("Project 1")
    rows = ring()
    at = next(place for place, row in enumerate(rows) if row[1] == "Project 1")
    rows[at] = (rows[at][0], text, rows[at][2])
    room = opened(form(rows))
    assert works(room) == sorted(WORKS)
    assert asked(room) == {}
    assert text.strip() in decided(room, "submissions")


def test_other_numbers_are_other_submissions() -> None:
    assert len({work_key(text) for text in ("Project 1", "Project 11", "Project 1-1", "1")}) == 4


@pytest.mark.parametrize("text", ["1", "Projekt 1", "Proj. 1", "P1"])
def test_another_word_before_the_number_is_the_same_if_all_others_have_one(text: str) -> None:
    rows = ring()
    at = next(place for place, row in enumerate(rows) if row[1] == "Project 1")
    rows[at] = (rows[at][0], text, rows[at][2])
    room = opened(form(rows))
    assert works(room) == sorted(WORKS)
    assert f"'{text}' = 'Project 1'" in decided(room, "submissions")


@pytest.mark.parametrize("text", ["Porject 1", "Team 1", "Project 1: Solar car"])
def test_a_doubtful_name_is_asked(text: str) -> None:
    rows = ring()
    at = next(place for place, row in enumerate(rows) if row[1] == "Project 1")
    rows[at] = (rows[at][0], text, rows[at][2])
    key = f"same submission: {text} / Project 1"
    assert asked(opened(form(rows))) == {key: "same"}
    assert works(opened(form(rows))) == sorted(WORKS)
    assert works(opened(form(rows), answers={key: "different"})) == sorted([*WORKS, text])


def test_groups_with_letters_are_different() -> None:
    letters = [f"Group {letter}" for letter in "ABCDEFGH"]
    rows = [*ring(works=letters), ("Ivo Late", "Group A", 4)]
    assert asked(opened(form(rows))) == {}
    assert works(opened(form(rows))) == letters


def test_submissions_named_after_people_have_these_authors() -> None:
    rows = [*ring(works=PEOPLE), ("ada example", "Example, Ada", 9)]
    room = opened(sheet("Your name,Whose work did you review?,Score", rows))
    assert graders(room) == sorted(PEOPLE)
    assert works(room) == sorted(PEOPLE)
    assert own_rows(room) == (len(rows) + 1,)


def test_small_numbers_of_graders_and_submissions_are_asked_if_they_meet() -> None:
    numbers = [str(place) for place in range(1, 9)]
    apart = opened(form(ring(numbers, numbers)))
    assert asked(apart) == {}
    rows = [*ring(numbers, numbers), ("3", "3", 9)]
    room = opened(form(rows))
    assert asked(room) == {"same numbers": "independent"}
    assert len(room.reports) == len(rows)
    other = opened(form(rows), answers={"same numbers": "own work"})
    assert own_rows(other) == (len(rows) + 1,)
