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
    own_rows,
    ring,
    sheet,
)

MAILS = {
    "Ada Example": "ada.example@uni.example",
    "Ben Sample": "bensample2@uni.example",
    "Chloé Müller": "mueller.chloe@uni.example",
    "Dan O'Neil": "dan_oneil@uni.example",
    "Eva Torres": "eva.torres@uni.example",
    "Finn Berg": "finn.berg@uni.example",
    "Gia Rossi": "gia.rossi@uni.example",
    "Hugo Nuñez": "hugo.nunez@uni.example",
}


@pytest.mark.parametrize(
    ("work", "spelt"),
    [
        ("Project 1", "ADA EXAMPLE"),
        ("Project 1", "Example, Ada"),
        ("Project 1", "Ada\u00a0 Example"),
        ("Project 3", "Chloe Mueller"),
        ("Project 3", "muller, chloé"),
        ("Project 4", "Dan O’Neil"),
        ("Project 8", "Hugo Nun\u0303ez"),
    ],
)
def test_ones_own_work_is_found_in_any_spelling(work: str, spelt: str) -> None:
    rows = [*ring(), (spelt, work, 9)]
    room = opened(form(rows, AUTHORS))
    assert own_rows(room) == (len(rows) + 1,)
    assert graders(room) == sorted(PEOPLE)
    assert asked(room) == {}


def test_spellings_across_files_are_one_person() -> None:
    roster = sheet(
        "Name,Project", [(", ".join(reversed(p.split(" "))), w) for w, p in AUTHORS.items()]
    )
    rows = [*ring(), ("ada  example", "Project 1", 9)]
    room = opened(form(rows), roster)
    assert own_rows(room) == (len(rows) + 1,)
    assert graders(room) == sorted(PEOPLE)
    assert "'Ada Example' = " in decided(room)


def test_numbers_with_decimals_or_without_zeros_are_matched() -> None:
    ids = {name: f"{place:04}" for place, name in enumerate(PEOPLE, 7)}
    rows = [(f"{int(ids[name])}.0", work, score) for name, work, score in ring()]
    rows.append(("7.0", "Project 1", 9))
    roster = sheet("Student ID,Name,Project", [(ids[p], p, w) for w, p in AUTHORS.items()])
    room = opened(sheet("Reviewer ID,Project,Score", rows), roster)
    assert own_rows(room) == (len(rows) + 1,)
    assert len(graders(room)) == len(PEOPLE)


def test_numbers_of_one_column_that_differ_in_zeros_are_asked() -> None:
    numbers = ["7", "007", "8", "9", "10", "11", "12", "13"]
    room = opened(sheet("Student ID,Project,Score", ring(numbers)))
    assert asked(room) == {"same person: 7 / 007": "different"}
    assert len(graders(room)) == len(numbers)


def test_people_whom_a_roster_keeps_apart_stay_apart() -> None:
    people = ["Jose Garcia", "José García", *PEOPLE[2:]]
    roster = sheet("Student ID,Name,Project", zip(range(1, 9), people, WORKS, strict=True))
    rows = [*ring(people), ("JOSE GARCIA", "Project 1", 9)]
    room = opened(form(rows), roster)
    assert graders(room) == sorted(people)
    assert asked(room) == {}
    assert own_rows(room) == (len(rows) + 1,)
    assert "stay different people" in decided(room)


def test_two_grades_for_one_submission_are_asked() -> None:
    rows = [*ring(), ("Hugo Nunez", "Project 2", 9), ("hugo nuñez", "Project 3", 9)]
    key = "same person: Hugo Nunez / Hugo Nuñez"
    room = opened(form(rows))
    assert asked(room)[key] == "different"
    assert "Hugo Nunez" in graders(room)
    same = opened(form(rows), answers={**asked(room), key: "same"})
    assert graders(same) == sorted(PEOPLE)


def test_addresses_in_another_case_are_one_mailbox_even_with_two_grades() -> None:
    rows = [(MAILS[name], work, score) for name, work, score in ring()]
    rows.append(("ADA.Example@uni.example", rows[0][1], 10))
    room = opened(form(rows))
    assert graders(room) == sorted(MAILS.values())
    assert not any(key.startswith("same person") for key in asked(room))


@pytest.mark.parametrize(
    ("typed", "likely"), [("Adda Example", "different"), ("Example Ada", "same")]
)
def test_a_near_name_is_asked(typed: str, likely: str) -> None:
    rows = ring()
    rows[0] = (typed, *rows[0][1:])
    key = f"same person: {typed} / Ada Example"
    assert asked(opened(form(rows))) == {key: likely}
    assert graders(opened(form(rows), answers={key: "same"})) == sorted(PEOPLE)
    apart = opened(form(rows), answers={key: "different"})
    assert graders(apart) == sorted([*PEOPLE, typed])


def test_near_names_with_full_work_are_two_people() -> None:
    people = ["Jon Smith", "John Smith", "Ana Lee", "Anna Lee", *PEOPLE[4:]]
    assert asked(opened(form(ring(people)))) == {}
    authors = dict(zip(WORKS, people, strict=True))
    assert asked(opened(form(ring(people), authors))) == {}


def test_the_only_grader_without_work_and_the_only_author_without_reviews() -> None:
    rows = [("Adda Example" if one == "Ada Example" else one, *rest) for one, *rest in ring()]
    room = opened(form(rows, AUTHORS))
    assert asked(room) == {"same person: Adda Example / Ada Example": "same"}
    assert graders(room) == sorted(PEOPLE)


def test_first_names_of_all_graders_are_one_question() -> None:
    rows = [(name.split()[0], work, score) for name, work, score in ring()]
    rows.append(("Ada", "Project 1", 9))
    room = opened(form(rows, AUTHORS))
    assert asked(room) == {"similar names": "same"}
    assert own_rows(room) == (len(rows) + 1,)
    other = opened(form(rows, AUTHORS), answers={"similar names": "different"})
    assert own_rows(other) == ()


def test_addresses_made_of_names_are_matched() -> None:
    rows = [(MAILS[name], work, score) for name, work, score in ring()]
    rows.append((MAILS["Ada Example"], "Project 1", 9))
    room = opened(form(rows, AUTHORS))
    assert asked(room) == {}
    assert own_rows(room) == (len(rows) + 1,)
    assert "'ada.example@uni.example' = 'Ada Example'" in decided(room)


def test_addresses_made_of_initials_are_asked() -> None:
    def mail(name: str) -> str:
        return f"{name[0]}{name.split()[1]}@uni.example".lower().replace("'", "")

    rows = [(mail(name), work, score) for name, work, score in ring()]
    rows.append((mail("Ada Example"), "Project 1", 9))
    room = opened(form(rows, AUTHORS))
    assert asked(room) == {"e-mail addresses": "same"}
    assert own_rows(room) == (len(rows) + 1,)


def test_addresses_that_say_nothing_are_asked_about() -> None:
    rows = [(f"x{PEOPLE.index(name)}@uni.example", work, score) for name, work, score in ring()]
    assert asked(opened(form(rows, AUTHORS))) == {"graders and authors": "stay"}


def test_a_roster_says_whose_addresses_they_are() -> None:
    mails = {name: f"x{place}@uni.example" for place, name in enumerate(PEOPLE)}
    rows = [(mails[name], work, score) for name, work, score in ring()]
    rows.append((mails["Ada Example"].upper(), "Project 1", 9))
    roster = sheet("Name,Email", mails.items())
    room = opened(form(rows, AUTHORS), roster)
    assert asked(room) == {}
    assert own_rows(room) == (len(rows) + 1,)


def test_an_author_is_found_by_the_name_beside_the_address_of_a_grader() -> None:
    rows = [
        (f"x{PEOPLE.index(name)}@uni.example", name, work, AUTHORS[work], score)
        for name, work, score in [*ring(), ("Ada Example", "Project 1", 9)]
    ]
    room = opened(sheet("Reviewer email,Reviewer name,Project,Author,Score", rows))
    assert asked(room) == {}
    assert own_rows(room) == (len(rows) + 1,)


def test_logins_beside_names_or_numbers_are_asked_about() -> None:
    """Nothing tells whose login it is, so that reviews of one's own work cannot be found."""
    logins = {name: f"student{place}x" for place, name in enumerate(PEOPLE)}
    rows = [(logins[name], work, score) for name, work, score in ring()]
    assert asked(opened(form(rows, AUTHORS))) == {"graders and authors": "stay"}
    numbers = {work: str(4102337 + place) for place, work in enumerate(AUTHORS)}
    assert asked(opened(form(rows, numbers))) == {"graders and authors": "stay"}


def test_names_of_people_as_works_of_graders_with_addresses_are_asked_about() -> None:
    rows = [(f"x{PEOPLE.index(name)}@uni.example", AUTHORS[w], score) for name, w, score in ring()]
    room = opened(sheet("Reviewer,Submission,Score", rows))
    assert asked(room) == {"graders and authors": "stay"}
