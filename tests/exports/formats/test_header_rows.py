from __future__ import annotations

import pytest

from peergauge.exports.formats.header_rows import HeaderRows, Row, header_rows_of, is_numeric

Cells = list[str | None]


def header(*rows: Cells) -> HeaderRows:
    found = header_rows_of([Row(row) for row in rows])
    assert found is not None
    return found


GROUPS: Cells = ["Reviewer", "Project 1", "", "Project 2", None]
PARTS: Cells = ["", "Clarity", "Quality", "Clarity", "Quality"]
NAMES = (
    "Reviewer",
    "Project 1 / Clarity",
    "Project 1 / Quality",
    "Project 2 / Clarity",
    "Project 2 / Quality",
)


@pytest.mark.parametrize(
    ("top", "low", "names"),
    [
        (GROUPS, PARTS, NAMES),
        # The first row fills fewer cells than half of the table, or was not merged.
        (["", *GROUPS[1:]], ["Reviewer", *PARTS[1:]], NAMES),
        (["Reviewer", "Project 1", "Project 1", "Project 2", "Project 2"], PARTS, NAMES),
        # The cells at the end were cut off.
        (["Reviewer", "Project 1", "", "Project 2"], PARTS, NAMES),
    ],
)
def test_a_header_of_two_rows(top: Cells, low: Cells, names: tuple[str, ...]) -> None:
    found = header(top, low, ["ada", "1", "2", "3", "4"], ["ben", "4", "3", "", ""])
    assert (found.first, found.last, found.names) == (0, 1, names)
    assert found.groups == ("", "Project 1", "Project 1", "Project 2", "Project 2")


def test_groups_above_words_are_known_by_their_repeated_parts() -> None:
    found = header(GROUPS, PARTS, ["ada", "Good", "Poor", "Fair", "Good"])
    assert found.names == NAMES


@pytest.mark.parametrize(
    "rows",
    [
        # A row of data without grades below a header with empty cells.
        [["who", "what", "", ""], ["ada", "e1", "late", "x"], ["ben", "e2", "late", "y"]],
        # A title in two cells above names that differ.
        [["Essay 2", "", "Spring", ""], ["who", "what", "score", "note"], ["a", "e", "7", "x"]],
        # One group says nothing that the names below it do not.
        [["", "", "Scores", ""], ["who", "what", "style", "depth"], ["a", "e", "7", "8"]],
        # Numbers are data.
        [["who", "1", "", "2"], ["ada", "3", "4", "5"], ["ben", "3", "4", "5"]],
    ],
)
def test_a_header_of_one_row(rows: list[Cells]) -> None:
    found = header(*rows)
    assert found.first == found.last
    assert found.groups == ()


def test_a_survey_has_names_texts_and_ids() -> None:
    found = header(
        ["StartDate", "Status", "ResponseId", "Q1", "Q2_1", "Q2_2", "Peer1_name"],
        ["Start Date", "Response Type", "Response ID", "Your e-mail", "Rate it", "Rate it", ""],
        ['{"ImportId":"startDate"}'] * 7,
        ["2026-03-01", "IP Address", "R_1", "a@x.org", "4", "5", "Ben"],
    )
    assert (found.first, found.last) == (0, 2)
    assert found.names == (
        "StartDate",
        "Status",
        "ResponseId",
        "Your e-mail",
        "Q2_1 Rate it",
        "Q2_2 Rate it",
        "Peer1_name",
    )
    assert found.short[3:5] == ("Q1", "Q2_1")


def test_a_survey_whose_row_of_ids_was_deleted() -> None:
    found = header(
        ["StartDate", "EndDate", "RecordedDate", "Q1"],
        ["Start Date", "End Date", "Recorded Date", "Your name"],
        ["2026-03-01", "2026-03-01", "2026-03-01", "Ada"],
    )
    assert (found.last, found.names[3]) == (1, "Your name")
    # A table with dates has no header of two rows.
    found = header(["StartDate", "EndDate", "Q1"], ["2026-03-01", "2026-03-01", "Ada"])
    assert found.last == 0


def test_a_header_below_a_letterhead() -> None:
    found = header(
        ["University of Somewhere", "", "", "Faculty"],
        ["Course:", "LIT-204", "", ""],
        ["", "", "", ""],
        ["Reviewer", "Essay", "Score", "Remark"],
        ["ada", "e1", "7", "fine"],
    )
    assert found.first == found.last == 3


@pytest.mark.parametrize("cell", ["7", "7,5", " 85 %", "1.234,5", "-3", "1 234", ".5", "1e3"])
def test_numbers(cell: str) -> None:
    assert is_numeric(cell)


@pytest.mark.parametrize("cell", ["", "8/10", "2.3.2026", "Q1", "%", "-", None, "e1"])
def test_what_is_no_number(cell: str | None) -> None:
    assert not is_numeric(cell)
