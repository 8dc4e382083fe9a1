"""Names in the order in which people count, and numbers in words."""

from __future__ import annotations

import pytest

from peergauge.core.text import as_counted, counted, folder_name, folder_names, percent


def test_numbers_within_names_sort_by_value() -> None:
    names = ["HW10", "HW2b", "HW2a", "10", "9", "HW"]
    assert sorted(names, key=as_counted) == ["9", "10", "HW", "HW2a", "HW2b", "HW10"]


def test_only_plain_digits_are_numbers() -> None:
    # int("²") is an error, so a superscript counts as a letter.
    assert as_counted("hw²") == ["hw²"]
    assert as_counted("a12b3") == ["a", (2, "12"), "b", (1, "3"), ""]


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


def test_names_of_many_digits_are_sorted_by_value() -> None:
    large = "9" * 5000
    assert sorted([f"e1{large}", f"e{large}", "e010", "e9"], key=as_counted) == [
        "e9", "e010", f"e{large}", f"e1{large}",
    ]  # fmt: skip


@pytest.mark.parametrize("letter", ["x", "ä", "漢", "😀"])
def test_a_folder_name_fits_into_a_file_system(letter: str) -> None:
    names = folder_names([letter * 300, letter * 300 + "b"])
    assert len(set(names.values())) == 2
    assert all(len(f"{one}.html".encode()) <= 255 for one in names.values())
    assert all(one.isprintable() for one in names.values())
