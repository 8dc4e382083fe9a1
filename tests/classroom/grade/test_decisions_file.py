"""The file of decisions: every row is read or refused with its number."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.decisions_file import read_decisions
from peergauge.core.errors import TableError

HEADER = "action,assignment,submission,grader,grade,decision,reason,date,asked\n"


def read(text: str, folder: Path, header: str = HEADER) -> Decisions:
    """The decisions of a file."""
    path = folder / "decisions.csv"
    path.write_text(header + text, encoding="utf-8")
    return read_decisions(path)


def test_all_actions_are_read(tmp_path: Path) -> None:
    found = read(
        "Exclude  Review,A1,w3,ann,,,copied,2026-11-02,\n"
        ",,,,,,,,\n"
        "exclude grader,,,bob,,,absent,,\n"
        'staff grade,,w7,,"8,5",,,2026-11-03 00:00:00,\n'
        "appeal,,w2,,9,Partly Accepted,missed a page,2026-11-05,two points\n"
        "appeal,,,cy,,open,,2026-11-05,\n",
        tmp_path,
    )
    assert found.rows == (
        Decision(Action.EXCLUDE_REVIEW, "A1", "w3", "ann", None, "", "copied", "2026-11-02", row=2),
        Decision(Action.EXCLUDE_GRADER, grader="bob", reason="absent", row=4),
        Decision(Action.STAFF_GRADE, submission="w7", grade=8.5, date="2026-11-03", row=5),
        Decision(Action.APPEAL, "", "w2", "", 9.0, "partly accepted", "missed a page", "2026-11-05",
                 "two points", 6),
        Decision(Action.APPEAL, grader="cy", decision="open", date="2026-11-05", row=7),
    )  # fmt: skip
    assert found.where(found.rows[1]).startswith("Row 4 of ")


def test_few_columns_in_any_order_are_enough(tmp_path: Path) -> None:
    found = read("late;ann;exclude grader\n", tmp_path, "Reason;Grader;Action\n")
    assert found.rows == (Decision(Action.EXCLUDE_GRADER, grader="ann", reason="late", row=2),)


def test_a_file_may_have_no_decision_yet(tmp_path: Path) -> None:
    assert read("", tmp_path).rows == ()


def test_a_workbook_is_read(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    import datetime

    book = openpyxl.Workbook()
    book.active.title = "notes"
    book.active.append(["What we decided", "and why"])
    sheet = book.create_sheet("decisions")
    sheet.append(["action", "submission", "grade", "date", "grader", "reason"])
    sheet.append(["staff grade", 12, 8.5, datetime.date(2026, 11, 3), None, None])
    sheet.append(["exclude review", 12, None, None, 7, "copied"])
    book.save(tmp_path / "decisions.xlsx")
    found = read_decisions(tmp_path / "decisions.xlsx")
    assert [(one.submission, one.grade, one.date, one.row) for one in found.rows] == [
        ("12", 8.5, "2026-11-03", 2),
        ("12", None, "", 3),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("exclude reviews,,w3,ann,,,x,,", "action 'exclude reviews', which is none; did you mean"),
        ("forget,,w3,ann,,,x,,", "which is none; write one of 'exclude review'"),
        (",,w3,ann,,,x,,", "has no action"),
        ("exclude review,,w3,,,,x,,", "no grader; fill in the grader"),
        ("exclude review,,,ann,,,x,,", "no submission"),
        ("exclude review,,w3,ann,,,,,", "no reason; fill in the reason"),
        ("exclude grader,,,ann,,,,,", "no reason"),
        ("exclude grader,,w3,ann,,,x,,", "takes no submission, but its submission is 'w3'"),
        ("exclude review,,w3,ann,7,,x,,", "takes no grade"),
        ("exclude review,,w3,ann,,rejected,x,,", "takes no decision"),
        ("staff grade,,w3,,,,x,,", "no grade"),
        ("staff grade,,w3,,good,,x,,", "the grade 'good', which is not a number"),
        ("staff grade,,w3,,nan,,x,,", "which is not a number"),
        ("staff grade,,w3,ann,7,,x,,", "takes no grader"),
        ("staff grade,,w3,,7,,x,3.11.2026,", "wrong date: '3.11.2026' is not a day"),
        ("appeal,,w3,,,,x,2026-11-03,", "no decision"),
        ("appeal,,w3,,,rejected,x,,", "no date"),
        ("appeal,,w3,,,maybe,x,2026-11-03,", "the decision 'maybe'; write one of 'accepted'"),
        ("appeal,,w3,,,rejected,,2026-11-03,", "no reason"),
        ("appeal,,w3,,8,rejected,x,2026-11-03,", "is rejected, but has the new grade 8"),
        ("appeal,,w3,,8,open,x,2026-11-03,", "is open, but has the new grade 8"),
        ("appeal,,w3,ann,,rejected,x,2026-11-03,", "fill in one of the two"),
        ("appeal,,,,,rejected,x,2026-11-03,", "fill in one of the two"),
        ("appeal,,,ann,8,accepted,x,2026-11-03,", "cannot have a new grade"),
    ],
)
def test_wrong_rows_are_refused_with_their_number(row: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=said) as refused:
        read(f"exclude grader,,,bob,,,absent,,\n{row}\n", tmp_path)
    assert str(refused.value).startswith("Row 3 of ")


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("action,grades,reason", "a column 'grades', but .* did you mean 'grade'?"),
        ("action,reason,colour", "a column 'colour', but .* remove it"),
        ("action,reason,Reason", "two columns 'reason'"),
        ("what,reason,grader", "no table with a column 'action'"),
    ],
)
def test_wrong_columns_are_refused(header: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=said):
        read("exclude grader,absent,ann\n", tmp_path, f"{header}\n")


def test_a_reason_with_a_comma_needs_quotes(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"Row 3 of .* more cells than the header"):
        read(
            'exclude grader,bob,"absent, ill"\nexclude grader,ann,absent, ill\n',
            tmp_path,
            "action,grader,reason\n",
        )


def test_cells_without_a_title_and_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="'lost' in a column without a title"):
        read("exclude grader,absent,ann,lost\n", tmp_path, "action,reason,grader,\n")
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    with pytest.raises(TableError, match="no table with a column 'action'"):
        read_decisions(tmp_path / "image.csv")
    with pytest.raises(TableError, match="cannot be opened"):
        read_decisions(tmp_path / "gone.csv")
    pl.DataFrame({"a": [1]}).write_csv(tmp_path / "other.csv")
    with pytest.raises(TableError, match="no table with a column 'action'"):
        read_decisions(tmp_path / "other.csv")


def test_a_text_that_is_too_long_for_a_cell_is_refused(tmp_path: Path) -> None:
    long = "x" * 200_000
    with pytest.raises(TableError, match="shorten it"):
        read(f"exclude grader,,,bob,,,{long},,\n", tmp_path)
