from __future__ import annotations

import pytest

from tests.exports.people.classes import (
    AUTHORS,
    PEOPLE,
    WORKS,
    asked,
    form,
    graders,
    opened,
    ring,
    sheet,
)


@pytest.mark.parametrize("label", ["Reviewer {}", "Peer #{}", "R{}", "Anonyme {}"])
def test_reviewers_of_every_submission_are_places(label: str) -> None:
    rows = [
        (label.format(place), work, (at + place) % 9)
        for at, work in enumerate(WORKS)
        for place in (1, 2, 3)
    ]
    room = opened(form(rows))
    assert asked(room) == {"reviewers are places": "places"}
    assert len(graders(room)) == len(rows)
    assert f"{label.format(1)} of Project 1" in graders(room)
    people = opened(form(rows), answers={"reviewers are places": "people"})
    assert graders(people) == [label.format(place) for place in (1, 2, 3)]


def test_numbered_people_are_people() -> None:
    peers = [f"Peer {place}" for place in range(1, 9)]
    room = opened(form(ring(peers)))
    assert asked(room) == {}
    assert graders(room) == sorted(peers)


def test_columns_of_reviewers_are_places_too() -> None:
    rows = [(work, at % 5 + 1, (at + 2) % 5 + 1) for at, work in enumerate(WORKS)]
    room = opened(sheet("Project,Reviewer 1,Reviewer 2", rows))
    assert asked(room) == {"reviewers are places": "places"}
    assert len(graders(room)) == 2 * len(WORKS)


def test_one_anonymous_of_many_rows_is_nobody() -> None:
    rows = [*ring(), ("Anonymous", "Project 1", 3), ("Anonymous", "Project 1", 8)]
    room = opened(form(rows))
    assert asked(room) == {"reviewers are places": "places"}
    found = ["Anonymous 1 of Project 1", "Anonymous 2 of Project 1"]
    assert graders(room) == sorted([*PEOPLE, *found])
    assert len(room.reports) == len(rows)


def test_a_title_is_asked_and_staff_by_default() -> None:
    rows = [*ring(), *(("Prof. Quill", work, 5) for work in WORKS[:4])]
    room = opened(form(rows, AUTHORS))
    assert asked(room) == {"staff: Prof. Quill": "staff"}
    assert graders(room) == sorted(PEOPLE)
    assert room.truth is not None
    assert sorted(room.truth.score) == [5.0] * 4
    peer = opened(form(rows, AUTHORS), answers={"staff: Prof. Quill": "peer"})
    assert peer.truth is None
    assert len(peer.reports) == len(rows)


def test_who_graded_everything_and_wrote_nothing_is_asked() -> None:
    rows = [*ring(), *(("Pat Quill", work, 5) for work in WORKS)]
    room = opened(form(rows, AUTHORS))
    assert asked(room) == {"staff: Pat Quill": "staff"}
    assert graders(room) == sorted(PEOPLE)


def test_a_class_in_which_everybody_grades_everything_has_no_staff() -> None:
    rows = [(name, work, 5) for name in PEOPLE for work in WORKS]
    assert asked(opened(form(rows))) == {}
