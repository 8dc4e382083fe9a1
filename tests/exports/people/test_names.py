from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.people.names import (
    address_in,
    is_test_student,
    is_unnamed,
    kind_of,
    names_nobody,
    near_names,
    one_letter_apart,
    place_of,
    says_staff,
    spelling_keys,
    typed_key,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("José García", "jose garcia"),
        ("José García", "Jose\u0301 Garci\u0301a"),
        ("Ada\u00a0Example", "ada  example "),
        ("Example, Ada", "Ada Example"),
        ("Example,Ada", "ADA EXAMPLE"),
        ("Müller", "Mueller"),
        ("Müller", "Muller"),
        ("Zoë", "Zoe"),
        ("Dan O’Neil", "Dan O'Neil"),
        ("Anne-Marie Sol", "Anne Marie Sol"),
        ("Søren Ångström", "Soren Angstrom"),
        ("Ada Example (she/her)", "Ada Example"),
        ("ADA@Uni.example", "ada@uni.example"),
        ("Ada Example <ada@uni.example>", "ada@uni.example"),
        ("1001.0", "1001"),
        ("007", "7"),
    ],
)
def test_spellings_of_one_name_share_a_key(one: str, other: str) -> None:
    assert set(spelling_keys(one)) & set(spelling_keys(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mueller", "Muller"),
        ("Jon Smith", "John Smith"),
        ("Ada Example", "Example Ada"),
        ("s1", "s11"),
        ("10", "100"),
        ("ada@uni.example", "ada@other.example"),
    ],
)
def test_other_names_share_none(one: str, other: str) -> None:
    assert not set(spelling_keys(one)) & set(spelling_keys(other))


@given(st.text(min_size=1, max_size=12))
def test_every_text_has_a_key_that_stays(text: str) -> None:
    keys = spelling_keys(text)
    assert keys
    assert spelling_keys(f"  {text}\u00a0")[0] == keys[0] or not text.strip()
    assert typed_key(typed_key(text)) == typed_key(text)
    assert kind_of(text) in ("e-mail address", "number", "code", "name")


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("Jon Smith", "John Smith", "one letter"),
        ("Micheal", "Michael", "one letter"),
        ("Mueller Ida", "Muller Ida", "one letter"),
        ("ada.exampel@x.example", "ada.example@x.example", "one letter"),
        ("Chris Lee", "Christopher Lee", "short form"),
        ("Bill Lee", "William Lee", "short form"),
        ("A. Example", "Ada Example", "initial"),
        ("Ada E.", "Ada Example", "initial"),
        ("Ada", "Ada Example", "last name"),
        ("Ada B. Example", "Ada Example", "middle name"),
        ("Example Ada", "Ada Example", "order"),
    ],
)
def test_near_names_are_found_with_the_reason(one: str, other: str, why: str) -> None:
    [found] = near_names([one, other, "Somebody Else"])
    assert {found.one, found.other} == {one, other}
    assert why in found.why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Maria Sol", "Mario Sol"),
        ("Paul", "Paula"),
        ("Ben", "Ken"),
        ("Student 1", "Student 2"),
        ("s12", "s13"),
        ("ben1@x.example", "ben2@x.example"),
        ("Tim Lee", "Tom Lee"),
        ("Ada Example", "Ada Sample"),
    ],
)
def test_names_of_different_people_are_not_near(one: str, other: str) -> None:
    assert list(near_names([one, other])) == []


@given(st.text("abc", max_size=5), st.text("abc", max_size=5))
def test_one_letter_apart_is_symmetric_and_small(one: str, other: str) -> None:
    assert one_letter_apart(one, other) == one_letter_apart(other, one)
    if one_letter_apart(one, other):
        assert one != other
        assert abs(len(one) - len(other)) <= 1


NOBODY = """
#REF! #N/A #DIV/0! #NAME? #VALUE! #NV NaN null - -- — n/a N/A none unknown TBD ? (blank)
Total Average: Mean Sum Summe Mittelwert Moyenne Promedio Count Durchschnitt Médiane
"""


@pytest.mark.parametrize(
    "text",
    [*NOBODY.split(), "Grand Total", "Class average", "Standard deviation", "Total général"],
)
def test_errors_dashes_and_totals_name_nobody(text: str) -> None:
    assert names_nobody(text)


@pytest.mark.parametrize("text", ["Ada", "Null, Ada", "Max", "Min Li", "Nan Sol", "Group 1", "7"])
def test_names_name_somebody(text: str) -> None:
    assert not names_nobody(text)


@pytest.mark.parametrize("text", ["Reviewer 1", "peer_3", "Anonyme 3", "R1", "Gutachter #2"])
def test_labels_have_places(text: str) -> None:
    assert place_of(text)


def test_people_have_no_places() -> None:
    assert not any(map(place_of, ("Student 3", "Ada", "Rita", "s3", "Group 1")))
    assert is_unnamed("Anonymous")
    assert not is_unnamed("Ann")


@pytest.mark.parametrize(
    "text",
    ["Prof. Quill", "Dr. Quill", "Instructor", "TA", "TA 2", "T.A. Kim", "Dozentin", "Kim (TA)"],
)
def test_titles_say_staff(text: str) -> None:
    assert says_staff(text)


def test_names_that_begin_like_titles_do_not() -> None:
    assert not any(map(says_staff, ("Drew Kim", "Tamara", "Taylor", "Profit Sol", "Ta Nguyen")))


def test_the_test_student_and_addresses_are_recognised() -> None:
    assert is_test_student("Student, Test")
    assert not is_test_student("Tess Student")
    assert all(map(is_test_student, ("test", "Test.Student@uni.example", "<test@x.example>")))
    assert not any(map(is_test_student, ("tess@x.example", "ada@test.example", "Test 2")))
    assert address_in("Ada <Ada@X.example>") == "ada@x.example"
    assert address_in("a@b c") == ""
