from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.formats.marks import LETTER_ORDERS, MAX_MARK_LETTERS, letters_of, mark, worth


@pytest.mark.parametrize(
    ("cell", "score", "highest"),
    [
        ("8", 8, None),
        ("7,5", 7.5, None),
        ("8/10", 8, 10),
        ("8 / 10 pts", 8, 10),
        ("8 pts / 10 pts", 8, 10),
        ("7,5/10", 7.5, 10),
        ("8 out of 10", 8, 10),
        ("8 of 10 points", 8, 10),
        ("4 von 5 Punkten", None, None),
        ("4 von 5 Punkte", 4, 5),
        ("12 sur 20", 12, 20),
        ("-2/4", -2, 4),
        ("85%", 85, 100),
        ("85 %", 85, 100),
        ("8 points", 8, None),
        ("4 - Good", 4, None),
        ("4 – good work", 4, None),
        ("4: agree", 4, None),
        ("4 = agree", 4, None),
        ("4. Good", 4, None),
        ("4) Good", 4, None),
        ("(4) Good", 4, None),
        ("80% - good", 80, 100),
        ("Good (4)", 4, None),
        ("Strongly agree [5]", 5, None),
        ("Good (4/5)", 4, 5),
        ("Good (4 pts)", 4, None),
    ],
)
def test_grades_as_people_write_them(cell: str, score: float | None, highest: float | None) -> None:
    assert mark(cell) == (None if score is None else (score, highest))


@pytest.mark.parametrize(
    "cell",
    [
        *("", "e1", "Group 4", "peer-4", "5a", "4 - 5", "4 Good", "Good", "n/a", "A-"),
        *("10:30", "2026-05-01", "3/12/2026", "1.2.3", "8/", "8/0", "8/ten", "1/2/3"),
        "4 - " + "very " * 30,
        None,
    ],
)
def test_what_is_no_grade(cell: str | None) -> None:
    assert mark(cell) is None


@given(st.text(st.sampled_from("0123456789 ./,-%()[]aof:=e"), max_size=MAX_MARK_LETTERS))
def test_any_cell_is_a_grade_or_none(cell: str) -> None:
    found = mark(cell)
    assert found is None or found.highest is None or found.highest > 0


def test_letters_count_from_below_in_the_shortest_order_that_has_them() -> None:
    assert letters_of(["A", "B", "C"]) == {"F": 0, "D": 1, "C": 2, "B": 3, "A": 4}
    assert letters_of(["a", "E"])["A"] == 5
    # F, then D-, D, D+ and so on up to A.
    assert [letters_of(["B+"])[letter] for letter in ("F", "D-", "C", "B+", "A")] == [
        0,
        1,
        5,
        9,
        11,
    ]
    assert "A+" not in letters_of(["A-"])
    assert letters_of(["A+"])["A+"] == 12
    assert letters_of(["A", "Good"]) == letters_of([]) == {}


@pytest.mark.parametrize("order", LETTER_ORDERS)
def test_letters_are_in_order(order: dict[str, float]) -> None:
    def rank(letter: str) -> tuple[int, int]:
        return -ord(letter[0]), {"-": 0, "": 1, "+": 2}[letter[1:]]

    assert sorted(order, key=rank) == list(order)
    assert list(order.values()) == list(range(len(order)))


def test_values_come_before_numbers() -> None:
    values = {"strongly agree": 5.0, "1": 4.0}
    assert worth("Strongly  agree", values) == (5, None)
    assert worth("1", values) == (4, None)
    assert worth("2", values) == (2, None)
    assert worth("agree", values) is None
