"""Who is who, in whole classes: spellings change nothing, and nobody is lost or merged."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

import hypothesis
import polars as pl
import pytest
from hypothesis import strategies as st

from peergauge.exports.people.settle import settled
from peergauge.exports.records import Export, table
from tests.exports.people.classes import (
    AUTHORS,
    PEOPLE,
    WORKS,
    Row,
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

GROUPS = {
    "Project 1": "Ada Example; Ben Sample",
    "Project 2": "Chloé Müller & Dan O'Neil",
    "Project 3": "Eva Torres, Finn Berg, Gia Rossi",
    "Project 4": "Hugo Nuñez",
}


def swapped(name: str) -> str:
    first, last = name.split(" ", 1)
    return f"{last}, {first}"


SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.lower,
    swapped,
    lambda name: name.replace(" ", "\u00a0"),
    lambda name: f" {name.replace(' ', '  ')} ",
    lambda name: unicodedata.normalize("NFD", name),
    lambda name: name.replace("é", "e").replace("ñ", "n").replace("ü", "u"),
    lambda name: name.replace("ü", "ue").replace("'", "’"),
    lambda name: swapped(name).upper(),
)
WORK_SPELLINGS: tuple[Callable[[str], str], ...] = (
    str,
    str.upper,
    str.lower,
    lambda work: work.replace(" ", ""),
    lambda work: work.replace(" ", "-"),
    lambda work: work.replace(" ", "  "),
    lambda work: work.replace(" ", " #"),
    lambda work: work.replace(" ", " 0"),
)


@pytest.mark.slow
@hypothesis.settings(deadline=None, max_examples=40)
@hypothesis.given(st.randoms(use_true_random=False), st.booleans())
def test_random_spellings_give_the_same_class(rng: random.Random, with_roster: bool) -> None:
    """Every cell is respelt by itself; the class is the same, and its own work is found."""
    own: list[Row] = [(name, work, 9) for work, name in list(AUTHORS.items())[:3]]
    rows = [*ring(), *own]
    respelt = [
        (rng.choice(SPELLINGS)(name), rng.choice(WORK_SPELLINGS)(work), score)
        for name, work, score in rows
    ]
    if with_roster:
        told = [(rng.choice(SPELLINGS)(name), work) for work, name in AUTHORS.items()]
        room = opened(form(respelt), sheet("Name,Project", told))
    else:
        cells = [
            (g, w, rng.choice(SPELLINGS)(AUTHORS[rows[at][1]]), s)
            for at, (g, w, s) in enumerate(respelt)
        ]
        room = opened(sheet("Reviewer,Project,Author,Score", cells))
    assert asked(room) == {}
    assert len(graders(room)) == len(PEOPLE)
    assert len(works(room)) == len(WORKS)
    assert own_rows(room) == tuple(range(len(ring()) + 2, len(rows) + 2))
    counts = room.reports.to_polars().group_by("grader").len()["len"].to_list()
    assert counts == [3] * len(PEOPLE)


names_alike = st.sampled_from(
    ["Jose Sol", "José Sol", "JOSE SOL", "Sol, Jose", "Zoe", "Zoë", "zoe"]
)


@pytest.mark.slow
@hypothesis.settings(deadline=None, max_examples=40)
@hypothesis.given(st.lists(names_alike, min_size=2, max_size=5, unique=True))
def test_people_with_ids_are_never_merged(people: list[str]) -> None:
    """However alike the names of a roster are, people with different ids stay different."""
    roster = sheet("Student ID,Name", enumerate(people, 1))
    rows = [(str(place), WORKS[0], place) for place in range(1, len(people) + 1)]
    rows += [(str(place), WORKS[1], place) for place in range(1, len(people) + 1)]
    room = opened(sheet("Student ID,Project,Score", rows), roster)
    assert len(graders(room)) == len(people)


@pytest.mark.parametrize("place", ["column", "roster"])
def test_members_of_a_group_in_one_cell_are_its_authors(place: str) -> None:
    rows = [(name, work, 5) for name in PEOPLE for work in GROUPS]
    if place == "column":
        room = opened(form(rows, GROUPS))
    else:
        room = opened(form(rows), sheet("Group,Members", GROUPS.items()))
    assert sorted(room.submissions["author"]) == sorted(PEOPLE)
    assert len(own_rows(room)) == len(PEOPLE)
    assert len(room.reports) == len(rows) - len(PEOPLE)
    assert "members of groups" in decided(room)
    assert asked(room) == {}


def test_last_names_first_are_one_person_each() -> None:
    rows = [*ring(), ("Ada Example", "Project 1", 9)]
    room = opened(form(rows, {work: swapped(name) for work, name in AUTHORS.items()}))
    assert asked(room) == {}
    assert own_rows(room) == (len(rows) + 1,)
    assert len(room.submissions) == len(WORKS)


def test_two_full_names_with_a_comma_are_asked() -> None:
    authors = dict.fromkeys(WORKS, "Ida Quill, Otto Quill")
    room = opened(form(ring(), authors))
    assert asked(room) == {"members in one cell": "several"}
    assert set(room.submissions["author"]) == {"Ida Quill", "Otto Quill"}
    one = opened(form(ring(), authors), answers={"members in one cell": "one"})
    assert one.submissions["author"].n_unique() == 1


def test_a_group_that_grades_together_is_one_grader_of_others() -> None:
    rows = [*ring(), ("Ada Example & Ben Sample", "Project 1", 9)]
    rows.append(("Ada Example & Ben Sample", "Project 5", 8))
    room = opened(form(rows, AUTHORS))
    assert "Ada Example & Ben Sample" in graders(room)
    assert own_rows(room) == (len(rows),)
    assert "grade together" in decided(room)


def test_a_clean_class_has_no_questions_and_no_decisions_about_names() -> None:
    room = opened(form(ring(), AUTHORS))
    assert asked(room) == {}
    assert decided(room) == ""
    assert decided(room, "submissions") == ""


def test_tables_of_peergauge_and_ids_of_platforms_stay_as_they_are() -> None:
    for export in (
        Export(reviews=_alike(), exact=True, format="table"),
        Export(reviews=_alike(), format="canvas-rubric"),
    ):
        [found] = settled([export])
        assert found.reviews.equals(export.reviews)


def _alike() -> pl.DataFrame:
    rows = [{"submission": "p1", "grader": one, "score": 1.0} for one in ("Ada", "ada", "#REF!")]
    return table("reviews", rows)
