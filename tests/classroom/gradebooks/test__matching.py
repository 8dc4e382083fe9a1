from __future__ import annotations

import pytest

from peergauge.classroom.gradebooks._matching import Known, match

IDS = ("lms", "sis", "login")


def found(ours: list[Known], theirs: list[Known], *, by_name: bool = True) -> dict[int, int]:
    return match(ours, theirs, IDS, by_name=by_name).row_of


@pytest.mark.parametrize("key", IDS)
def test_any_id_finds(key: str) -> None:
    assert found([{key: "2"}], [{key: "1"}, {key: "2"}]) == {0: 1}


def test_an_id_that_is_not_there_leaves_it_to_the_next() -> None:
    assert found([{"lms": "9", "sis": "2"}], [{"lms": "1", "sis": "2"}]) == {0: 0}


def test_ids_of_different_rows_find_nobody() -> None:
    theirs = [{"lms": "1", "sis": "1"}, {"lms": "2", "sis": "2"}]
    assert found([{"lms": "1", "sis": "2"}], theirs) == {}


@pytest.mark.parametrize("name", ["Lovelace, Ada", "Ada Lovelace", "ada  lovelace "])
def test_names_find_in_either_order(name: str) -> None:
    assert found([{"name": name}], [{"name": "Bell, Ben"}, {"name": "Lovelace, Ada"}]) == {0: 1}
    assert found([{"name": name}], [{"name": "Lovelace, Ada"}], by_name=False) == {}


def test_names_that_are_not_unique_find_nobody() -> None:
    ada = {"name": "Ada"}
    assert found([ada], [ada, ada]) == {}
    assert found([ada, ada], [ada]) == {}
    # Not even when one of them is known by an id.
    assert found([{"name": "Ada", "lms": "1"}, ada], [{"name": "Ada", "lms": "1"}]) == {0: 0}
    assert found([ada], [{"name": "Ada", "lms": "1"}, {"name": "Ada", "lms": "2"}]) == {}


def test_a_name_with_another_id_is_somebody_else() -> None:
    matching = match(
        [{"name": "Ada", "lms": "1"}], [{"name": "Ada", "lms": "2"}], IDS, by_name=True
    )
    assert matching.row_of == {}
    assert matching.reasons == {0: "whose name is there with other ids"}


def test_two_people_cannot_share_a_row() -> None:
    theirs = [{"lms": "1", "sis": "2"}]
    assert found([{"lms": "1"}, {"sis": "2"}], theirs) == {}


@pytest.mark.parametrize(
    ("person", "row"),
    [
        ("Ada Lovelace", {"name": "Lovelace, Ada", "lms": "9"}),
        ("Zoe Bell", {"name": "Bell, Zoë"}),
        ("ada@example.org", {"login": "Ada@example.org"}),
        ("S0123", {"sis": "S0123"}),
        ("100123", {"lms": "100123"}),
    ],
)
def test_the_identifier_in_our_tables_finds(person: str, row: Known) -> None:
    other = {"name": "Brown, Ben", "lms": "2", "sis": "S2", "login": "ben"}
    assert found([{"person": person}], [other, row]) == {0: 1}


def test_a_short_number_is_a_place_in_a_list_and_finds_nobody() -> None:
    assert found([{"person": "7"}], [{"lms": "7"}]) == {}


def test_an_identifier_that_is_an_id_of_two_rows_finds_nobody() -> None:
    assert found([{"person": "1001"}], [{"lms": "1001"}, {"sis": "1001"}]) == {}


def test_names_that_differ_only_in_accents_are_not_unique() -> None:
    assert found([{"name": "Zoe"}], [{"name": "Zoe"}, {"name": "Zoë"}]) == {}


def test_a_login_with_and_without_domain_is_no_contradiction() -> None:
    ours = {"name": "Ada", "login": "ada@example.org"}
    assert found([ours], [{"name": "Ada", "login": "ada"}]) == {0: 0}
    assert found([ours], [{"name": "Ada", "login": "ben"}]) == {}
