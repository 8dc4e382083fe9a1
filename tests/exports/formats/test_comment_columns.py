"""Columns of comments are found last, and nothing else changes because of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.exports.formats.columns import ColumnMap, Part
from peergauge.exports.formats.comment_columns import is_for_author, says_comment
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.opening import Opened
from peergauge.exports.questions import Dialogue


def guessed(folder: Path, text: str) -> tuple[ColumnMap, Dialogue]:
    path = folder / "reviews.csv"
    path.write_text(text)
    table, dialogue = Opened(path).table, Dialogue()
    assert table is not None
    return guess_columns(table, dialogue), dialogue


def parts(found: ColumnMap) -> dict[str, str]:
    return {one.name: one.part.value for one in found.columns}


def test_unused_columns_with_words_for_comments_hold_comments(tmp_path: Path) -> None:
    found, dialogue = guessed(
        tmp_path,
        "Reviewer,Project,Score (1-5),Feedback,Comments,Confidential feedback,Comment count\n"
        "Ann,P1,4,well argued text,could be shorter,copied from me,2\n"
        "Bob,P1,3,nice figures in it,more examples,,1\n"
        "Ann,P2,2,too short for me,,,0\n",
    )
    assert parts(found) == {
        "Reviewer": "grader",
        "Project": "submission",
        "Score (1-5)": "grade",
        "Feedback": "comment",
        "Comments": "private comment",
        "Confidential feedback": "private comment",
        "Comment count": "unused",
    }
    assert not dialogue.asked
    told = [one.text for one in dialogue.decisions]
    assert "'Feedback' is the comment." in told
    assert "'Feedback' is not used." not in told


@pytest.mark.parametrize(
    "cells",
    [
        ["4", "5", "3"],
        ["yes", "no", "yes"],
        ["Ann", "Bob", "Ann"],
        ["2026-01-02", "2026-01-03", "2026-01-04"],
        ["ann@x.org", "bob@x.org", "cy@x.org"],
        ["https://x.org/1", "https://x.org/2", "https://x.org/3"],
        ["", "", ""],
    ],
)
def test_cells_without_texts_are_no_comments(tmp_path: Path, cells: list[str]) -> None:
    one, two, three = cells
    text = (
        "Reviewer,Project,Score (1-5),Rating (1-9),Remarks\n"
        f"Ann,P1,4,8,{one}\nBob,P1,3,7,{two}\nAnn,P2,2,6,{three}\n"
    )
    assert parts(guessed(tmp_path, text)[0])["Remarks"] not in ("comment", "private comment")


def test_comments_of_blocks_belong_to_their_block(tmp_path: Path) -> None:
    found, _ = guessed(
        tmp_path,
        "Email,Which project did you review first?,Score for the first project (1-10),"
        "Feedback for the first project,Which project did you review second?,"
        "Score for the second project (1-10),Feedback for the second project,Other comments\n"
        "ann@x.org,P1,4,good one,P2,5,bad one,for all\n"
        "bob@x.org,P2,3,could be longer,P3,2,fine by me,\n"
        "cy@x.org,P1,6,hm nice slides,P3,7,,\n",
    )
    of = {one.name: one.of for one in found.of(Part.COMMENT, Part.PRIVATE_COMMENT)}
    assert of == {
        "Feedback for the first project": "Which project did you review first?",
        "Feedback for the second project": "Which project did you review second?",
    }


def test_the_criterion_is_named_or_stands_directly_before(tmp_path: Path) -> None:
    rows = "Ann,P1,4,clear text,5,dry style,ok so far\nBob,P1,3,not so clear,2,lively,go on\n"
    rows += "Ann,P2,2,unclear,1,boring,stop it now\n"
    begin = "Reviewer,Project,Clarity (1-5),"
    named, _ = guessed(
        tmp_path, f"{begin}Comment on clarity,Style (1-5),Style feedback,Strengths\n{rows}"
    )
    assert [one.criterion for one in named.columns[3:]] == [
        "Clarity",
        "Style",
        "Style",
        "Strengths",
    ]
    beside, _ = guessed(tmp_path, f"{begin}Comments,Style (1-5),Comments,Feedback\n{rows}")
    assert [one.criterion for one in beside.columns[3:]] == ["Clarity", "Style", "Style", ""]


@pytest.mark.parametrize(
    "header",
    [
        "Comment ID",
        "Comment count",
        "Feedback on review",
        "Comments about the reviewer",
        "Instructor feedback",
        "TA comments",
        "Feedback link",
        "Clarity",
    ],
)
def test_headers_of_other_things_are_no_comments(header: str) -> None:
    assert not says_comment(header)


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        ("Feedback", True),
        ("Rückmeldung", True),
        ("Comments for the authors", True),
        ("Suggestions for improvement", True),
        ("Comments", False),
        ("Comments for PC", False),
        ("Feedback (only for the instructor)", False),
        ("Private feedback", False),
        ("Kommentar (vertraulich)", False),
        ("Justification of the grade", False),
    ],
)
def test_only_a_clear_header_shows_comments_to_the_author(header: str, shown: bool) -> None:
    assert says_comment(header)
    assert is_for_author(header) == shown


def test_a_map_with_comments_reads_a_table_without_them(tmp_path: Path) -> None:
    found, _ = guessed(
        tmp_path,
        "Reviewer,Project,Score,Feedback\n"
        "Ann,P1,4,well argued\nBob,P1,3,nice one\nAnn,P2,2,short\n",
    )
    path = tmp_path / "map.toml"
    found.write(path)
    other = tmp_path / "next.csv"
    other.write_text("Reviewer,Project,Score\nAnn,P1,4\nBob,P1,3\nAnn,P2,2\n")
    table = Opened(other).table
    assert table is not None
    again = ColumnMap.read(path)
    assert again == found
    assert again.fits([table])
    assert [one.name for one in again.fitting(table, "next.csv").columns] == table.frame.columns
