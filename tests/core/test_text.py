"""Names in the order in which people count, and numbers in words."""

from __future__ import annotations

import pytest

from peergauge.core.text import as_counted, counted, folder_name, percent


def test_numbers_within_names_sort_by_value() -> None:
    names = ["HW10", "HW2b", "HW2a", "10", "9", "HW"]
    assert sorted(names, key=as_counted) == ["9", "10", "HW", "HW2a", "HW2b", "HW10"]


def test_only_plain_digits_are_numbers() -> None:
    # int("²") is an error, so a superscript counts as a letter.
    assert as_counted("hw²") == ["hw²"]
    assert as_counted("a12b3") == ["a", 12, "b", 3, ""]


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("../secret", "secret"),
        ("...", "-"),
        ("", "-"),
        ("a/b\\c:d", "a-b-c-d"),
        (".hidden", "hidden"),
        ("Essay (2), draft+final", "Essay-(2),-draft+final"),
    ],
)
def test_a_folder_name_leads_nowhere_else(name: str, folder: str) -> None:
    assert folder_name(name) == folder


def test_shares_are_rounded_to_the_digits_asked_for() -> None:
    assert percent(0.0549) == "5 %"
    assert percent(0.0549, 1) == "5.5 %"
    assert percent(-1.0) == "-100 %"


def test_one_thing_is_singular_and_no_other_number_is() -> None:
    assert [counted(number, "grade") for number in (0, 1, 2)] == ["0 grades", "1 grade", "2 grades"]
