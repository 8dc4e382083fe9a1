from __future__ import annotations

import pytest

from peergauge.exports.formats.looks import Look, looks_of
from peergauge.exports.formats.opening import read_table


def look(header: str, *cells: str) -> Look:
    rows = "\n".join(f'"{cell}",x' for cell in cells)
    table = read_table(f'"{header}",other\n{rows}\n', "table")
    assert table is not None
    return looks_of(table)[0]


@pytest.mark.parametrize(
    "cell",
    [
        "3/2/2026 9:12:31",
        "2026/11/03 4:05:11 PM GMT+1",
        "2026-11-03T16:05:11Z",
        "03.11.2026 16:05",
        "45964.6701",
        "Nov 3, 2026 16:05",
    ],
)
def test_times_are_known_by_header_and_cells(cell: str) -> None:
    assert look("Completion time", cell, cell).dated
    assert not look("Project", cell, cell).dated
    assert not look("Completion time", "soon", "late").dated


def test_row_numbers_and_identifiers_only_count() -> None:
    assert look("No.", "1", "2", "3", "4", "5", "6").counting
    assert look("Matriculation", "123456", "123499", "130001").counting
    assert not look("Score", "1", "2", "3", "3", "5", "6").counting


def test_answers_of_yes_and_no_in_any_case() -> None:
    assert look("Self?", "Yes", "no", "NO").answers
    assert look("Selbst?", "Ja", "Nein").answers
    assert not look("Score", "1", "2", "0").answers


@pytest.mark.parametrize(
    "header",
    [
        "Your confidence (1-5)",
        "Reviewer expertise",
        "How helpful was this review?",
        "Number of reviews done",
        "Which grade would you give yourself? (0-10)",
        "Words in comment",
    ],
)
def test_what_measures_the_reviewer_is_no_grade(header: str) -> None:
    assert look(header, "3", "4", "5", "3").about_reviewer


@pytest.mark.parametrize("header", ["Score", "Number of points", "Clarity (1-5)", "Overall"])
def test_what_measures_the_submission_is_a_grade(header: str) -> None:
    assert not look(header, "3", "4", "5", "3").about_reviewer


def test_addresses_are_known_by_the_cells() -> None:
    assert look("Who", "ada@x.example", "ben@x.example").addresses
    assert not look("Who", "Ada", "Ben").addresses
