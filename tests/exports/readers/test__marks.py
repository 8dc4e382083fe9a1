"""Grades in cells of tables: dates, ranges, unreadable cells, maxima and directions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.marks import Mark, date_in, mark, range_in, says_no_grade
from peergauge.exports.open import interpret_class
from peergauge.exports.validate import OpenedClass

NAMES = ("Ada", "Ben", "Cleo", "Dora", "Emil")


def read(
    folder: Path, cells: list[str], header: str = "Score", answers: dict[str, str] | None = None
) -> OpenedClass:
    """A class with these cells; every fifth is by the same reviewer."""
    rows = [f'Team {n // 5},{NAMES[n % 5]},"{cell}"' for n, cell in enumerate(cells)]
    path = folder / "form.csv"
    path.write_text("\n".join([f'Team,Reviewer,"{header}"', *rows]))
    parts = (Column("Team", Part.SUBMISSION), Column("Reviewer", Part.GRADER))
    columns = ColumnMap((*parts, Column(header, Part.GRADE)))
    return interpret_class(path, columns=columns, answers=answers)


def open_keys(found: OpenedClass) -> list[str]:
    return [one.key for one in found.interpretation.open_questions]


TEN = [str(n) for n in range(1, 11)] * 3


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("~8", Mark(8)),
        ("8?", Mark(8)),
        ("8!", Mark(8)),
        ("8.", Mark(8)),
        ("'8", Mark(8)),
        ("８", Mark(8)),
        ("7½", Mark(7.5)),
        ("½", Mark(0.5)),
        ("7 1/2", Mark(7.5)),
        ("8 (late)", Mark(8)),
        ("eight", Mark(8)),
        ("acht", Mark(8)),
        ("8,0/10", Mark(8, 10)),
        ("10/10", Mark(10, 10)),
        ("1st", Mark(1)),
        ("12 Pkt.", Mark(12)),
        ("7-8", None),
        ("7 5", None),
        ("4-Mar", None),
        ("3. Apr", None),
        ("8 (10)", None),
        ("2026-03-04", None),
        ("null", None),
    ],
)
def test_grades_as_people_write_them(cell: str, expected: Mark | None) -> None:
    assert mark(cell) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("4-Mar", (4, 3)),
        ("03.Apr", (3, 4)),
        ("3. Apr", (3, 4)),
        ("Mar-04", (4, 3)),
        ("2026-03-04", (4, 3)),
        ("2026-03-04T00:00:00", (4, 3)),
        ("03.04.2026", (3, 4)),
        ("3/4/2026", (4, 3)),
        ("02. Mrz", (2, 3)),
        ("4 - Marginal", None),
        ("3/4", None),
        ("7.5", None),
    ],
)
def test_dates_in_cells(cell: str, expected: tuple[int, int] | None) -> None:
    assert date_in(cell) == expected


def test_ranges_and_words_for_no_grade() -> None:
    assert range_in("7–8", {}) == (7, 8)
    assert range_in("B+/A-", {"b+": 9, "a-": 10}) == (9, 10)
    assert range_in("8/10", {}) is None
    assert says_no_grade("k. A.")
    assert not says_no_grade("good")


def test_dates_among_grades_are_asked_about(tmp_path: Path) -> None:
    cells = [*TEN, "4-Mar", "4-Feb"]
    found = read(tmp_path, cells)
    assert open_keys(found) == ["dates as grades"]
    [question] = found.interpretation.open_questions
    assert "2 cells of 32 in 'Score' hold a date" in question.text
    assert "rows 32, 33" in question.text
    assert len(found.reports) == 30
    [note] = [one for one in found.report.notes if "No number for a score" in one.text]
    assert note.rows == (32, 33)
    fractions = read(tmp_path, cells, answers={"dates as grades": "month/day"})
    # Grades out of 4 and out of 10 are compared in percent.
    assert (len(fractions.reports), fractions.report.scale) == (32, "0..100:any")
    assert sorted(fractions.reports.to_polars().filter(submission="Team 6")["grade"]) == [50, 75]
    decimals = read(tmp_path, cells, answers={"dates as grades": "day.month"})
    assert sorted(set(decimals.reports.grade.tolist()))[3:5] == [4, 4.2]


def test_a_column_of_dates_is_read_as_fractions_by_default(tmp_path: Path) -> None:
    cells = [f"5-{month}" for month in ("Jan", "Feb", "Mar", "Apr", "May")] * 4
    found = read(tmp_path, cells, "Score")
    assert open_keys(found) == ["dates as grades"]
    assert found.report.scale == "0..5"
    assert sorted(set(found.reports.grade.tolist())) == [1, 2, 3, 4, 5]


def test_ranges_are_asked_about(tmp_path: Path) -> None:
    found = read(tmp_path, [*TEN, "7-8"])
    assert open_keys(found) == ["ranges as grades"]
    assert 7.5 in found.reports.grade
    left = read(tmp_path, [*TEN, "7-8"], answers={"ranges as grades": "leave out"})
    assert len(left.reports) == 30


def test_many_unreadable_cells_are_asked_about_and_few_are_noted(tmp_path: Path) -> None:
    few = read(tmp_path, [*TEN, "who knows"])
    assert open_keys(few) == []
    many = read(tmp_path, [*TEN, "who knows", "ask me", "later"])
    assert open_keys(many) == ["unread grades: Score"]
    zero = read(tmp_path, [*TEN, "a", "b", "c"], answers={"unread grades: Score": "0"})
    assert len(zero.reports) == 33


def test_words_for_no_grade_are_no_question(tmp_path: Path) -> None:
    found = read(tmp_path, [*TEN, "n/a", "-", "absent", "?"])
    assert open_keys(found) == []
    assert len(found.reports) == 30


def test_percents_beside_fractions_are_asked_about(tmp_path: Path) -> None:
    found = read(tmp_path, ["60 %", "75 %", "80%", "95%", "0.6"] * 4 + ["0.8"] * 3)
    assert open_keys(found) == ["mixed scales"]
    assert sorted(set(found.reports.grade.tolist())) == [60, 75, 80, 95]


@pytest.mark.parametrize("header", ["Note", "Schulnote", "Gesamtnote"])
def test_school_grades_are_asked_about(tmp_path: Path, header: str) -> None:
    cells = ["1", "2", "3", "4", "6"] * 4
    found = read(tmp_path, cells, header)
    assert "direction" in open_keys(found)
    assert found.report.scale == "1..6"
    assert found.reports.grade[:5].tolist() == [6, 5, 4, 3, 1]
    high = read(tmp_path, cells, header, {"direction": "high", "scale": "1..6"})
    assert high.reports.grade[:5].tolist() == [1, 2, 3, 4, 6]


def test_french_grades_out_of_20_are_not(tmp_path: Path) -> None:
    found = read(tmp_path, [str(n) for n in range(1, 21)], "Note")
    assert open_keys(found) == []
    assert found.reports.grade[0] == 1


def test_a_header_that_states_the_direction_needs_no_question(tmp_path: Path) -> None:
    found = read(tmp_path, ["1", "2", "3", "4"] * 5, "Note (1 = sehr gut, 6 = ungenügend)")
    assert open_keys(found) == []
    assert (found.report.scale, found.reports.grade[0]) == ("1..6", 6)


def test_labels_state_the_direction(tmp_path: Path) -> None:
    labels = ["1 - sehr gut", "2 - gut", "3 - befriedigend", "5 - mangelhaft", "6 - ungenügend"]
    found = read(tmp_path, labels * 4, "Urteil")
    assert found.reports.grade[:5].tolist() == [6, 5, 4, 2, 1]


@given(st.lists(st.integers(0, 20), min_size=20, max_size=40))
def test_decimal_commas_change_nothing(halves: list[int]) -> None:
    from tempfile import TemporaryDirectory

    points = [f"{half / 2:g}" for half in [*halves, 20, 19]]
    with TemporaryDirectory() as folder:
        one = read(Path(folder), points)
        other = read(Path(folder), [cell.replace(".", ",") for cell in points])
    assert one.report.scale == other.report.scale
    assert one.reports.to_polars().equals(other.reports.to_polars())
