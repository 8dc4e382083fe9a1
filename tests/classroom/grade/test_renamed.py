"""Graders who are named otherwise than in the earlier run."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.renamed import KnownPerson, full_name, match_people


def people(*names: str) -> list[KnownPerson]:
    return [KnownPerson(name) for name in names]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("Student 6", "student 06"),
        ("Student 6", "STUDENT  6 "),
        ("Student 6", "student_6"),
        ("Student 5", "Student 05 (Smith)"),
        ("Student 05 (Smith)", "student 5"),
        ("Ada Lovelace", "Lovelace, Ada"),
        ("Lovelace, Ada", "ada lovelace"),
        ("Ada Lovelace", "Lovelace Ada"),
        ("Chloé Dupont", "CHLOE DUPONT"),
        ("7", "007"),
        ("7", "7.0"),
        ("ada@example.org", "Ada@Example.org "),
    ],
)
def test_the_same_person_under_another_spelling_is_matched(before: str, now: str) -> None:
    found = match_people(people("Zoe Zimmer", before), people(now, "Xaver Young"))
    assert found.places == {0: 1}
    assert found.how[0]
    assert not found.doubts


def test_people_who_differ_in_a_number_are_never_matched_or_asked_about() -> None:
    found = match_people(people("Student 1", "Student 3"), people("Student 13", "Student 31"))
    assert not found.places
    assert not found.doubts


def test_an_address_is_matched_with_the_name_that_a_table_of_people_gives() -> None:
    before = [KnownPerson("Ada Lovelace", {"email": "ada@example.org"}), KnownPerson("Ben Berg")]
    now = [KnownPerson("ben@example.org", {"name": "Berg, Ben"}), KnownPerson("ADA@example.org")]
    found = match_people(before, now)
    assert found.places == {0: 1, 1: 0}
    assert found.how == {0: "name", 1: "e-mail address"}


def test_two_people_who_fit_one_are_asked_about() -> None:
    found = match_people(people("Student 6"), people("student 06", "STUDENT 6"))
    assert not found.places
    assert [(one.now, one.before, one.likely) for one in found.doubts] == [
        (0, (0,), None),
        (1, (0,), None),
    ]


def test_one_person_who_fits_two_is_asked_about() -> None:
    found = match_people(people("Ada (North)", "Ada (South)"), people("ada"))
    assert not found.places
    assert [(one.before, one.likely) for one in found.doubts] == [((0, 1), None)]


def test_other_words_in_brackets_are_a_doubt() -> None:
    found = match_people(people("Student 5 (Jones)"), people("Student 5 (Smith)"))
    assert not found.places
    assert [one.before for one in found.doubts] == [(0,)]


def test_the_same_number_with_another_address_is_a_doubt() -> None:
    before = [KnownPerson("7", {"email": "ada@example.org"})]
    now = [KnownPerson("7", {"email": "ben@example.org"})]
    found = match_people(before, now)
    assert not found.places
    (doubt,) = found.doubts
    assert doubt.likely is None
    assert "another e-mail address" in doubt.why


def test_a_short_name_or_a_typing_error_is_a_question_with_a_likely_answer() -> None:
    found = match_people(people("Ada Lovelace", "Jonathan Berg"), people("Ada", "Jonathon Berg"))
    assert not found.places
    assert [(one.now, one.likely) for one in found.doubts] == [(0, 0), (1, 1)]


def test_an_abbreviated_name_is_a_question() -> None:
    found = match_people(people("Ada Byron", "Student 1"), people("A. Byron", "Stud. 1"))
    assert not found.places
    assert [(one.now, one.likely) for one in found.doubts] == [(0, 0), (1, 1)]


def test_a_name_of_an_earlier_week_is_still_known() -> None:
    before = [KnownPerson("Ada Byron", also_called=("Ada Lovelace",)), KnownPerson("Ben")]
    found = match_people(before, people("Ada Lovelace", "Ben"))
    assert found.places == {0: 0, 1: 1}


def test_numbers_in_another_order_are_other_people() -> None:
    found = match_people(people("Group 1 Student 2"), people("Group 2 Student 1"))
    assert not found.places


FIRST = ("Ada", "Ben", "Chloé", "Dörte", "Jan", "Jana", "Zoë")
LAST = ("Berg", "Bergmann", "Example", "O'Neil", "Young")
NUMBERED = [f"Student {number}" for number in range(1, 25)]
NAMED = [f"{first} {last}" for first in FIRST for last in LAST]

SPELLINGS = (
    str.upper,
    str.lower,
    lambda name: f"  {name.replace(' ', '   ')} ",
    lambda name: name.replace(" ", "_"),
    lambda name: ", ".join(reversed(name.split(" "))) if not name[-1].isdigit() else name,
    lambda name: re.sub("[0-9]+", lambda digits: digits[0].zfill(3), name),
    lambda name: f"{name} (Smith)",
)
"""What teachers and spreadsheets do to names."""


@given(
    st.sampled_from((NUMBERED, NAMED)).flatmap(st.permutations),
    st.integers(0, 20),
    st.integers(0, 20),
    st.lists(st.integers(0, len(SPELLINGS)), min_size=40, max_size=40),
)
def test_a_respelled_class_is_matched_or_asked_and_never_mistaken(
    names: list[str], joined: int, left: int, chosen: list[int]
) -> None:
    before, stay = names[joined:], names[: len(names) - left]
    respelled = [
        name if which == len(SPELLINGS) else SPELLINGS[which](name)
        for name, which in zip(stay, chosen, strict=False)
    ]
    found = match_people(people(*before), people(*respelled))
    asked = {doubt.now for doubt in found.doubts}
    for place, name in enumerate(stay[: len(respelled)]):
        if place in found.places:
            assert before[found.places[place]] == name
        else:
            assert place in asked or name not in before


@given(st.lists(st.text(min_size=1, max_size=12), unique=True, max_size=12), st.randoms())
def test_nobody_is_matched_twice_and_the_same_names_stay_the_same(names, random) -> None:  # type: ignore[no-untyped-def]
    mixed = list(names)
    random.shuffle(mixed)
    found = match_people(people(*names), people(*mixed))
    assert found.places == {mixed.index(name): names.index(name) for name in names}
    upper = match_people(people(*names), people(*dict.fromkeys(one.upper() for one in mixed)))
    assert len(set(upper.places.values())) == len(upper.places)


@given(st.text(st.characters(codec="ascii")))
def test_plain_letters_are_read_as_wide_ones(text: str) -> None:
    """Wide letters and digits, which are no ASCII, take the long way."""
    wide = "".join(chr(ord(one) + 0xFEE0) if one.isalnum() else one for one in text)
    assert full_name(wide) == full_name(text)
