"""Strict tables: all rows with a mistake of one kind are listed at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.errors import PeergaugeError
from peergauge.exports import open_class
from peergauge.exports.readers import read_export


def refusal(folder: Path, *rows: str) -> str:
    path = folder / "reports.csv"
    path.write_text("\n".join(["submission,grader,grade", *rows]))
    with pytest.raises(PeergaugeError) as caught:
        open_class(path, scale="0..10")
    return str(caught.value)


def test_rows_without_a_grade_are_listed(tmp_path: Path) -> None:
    assert "Rows 2, 4 of " in refusal(tmp_path, "a,x,", "a,y,3", "a,z,")


def test_at_most_eight_rows_are_listed(tmp_path: Path) -> None:
    told = refusal(tmp_path, "b,x,3", *(f"a,g{n},bad" for n in range(10)))
    assert "Rows 3, 4, 5, 6, 7, 8, 9, 10 and 2 more of " in told
    assert "grade 'bad', which is not a number" in told


def test_one_row_is_told_as_before(tmp_path: Path) -> None:
    assert "has no grade; fill it in or drop the row" in refusal(tmp_path, "a,x,", "a,y,3")


def test_grades_off_the_scale_are_listed(tmp_path: Path) -> None:
    assert "(2 such grades in all: rows 2, 3)" in refusal(tmp_path, "a,x,11", "a,y,12", "a,z,3")


def test_repeated_reviews_are_listed(tmp_path: Path) -> None:
    told = refusal(tmp_path, "a,x,1", "a,x,2", "a,x,3")
    assert "(2 repeated in all: rows 3, 4)" in told


def test_comments_beside_reports_are_read(tmp_path: Path) -> None:
    path = tmp_path / "reports.csv"
    path.write_text(
        "submission,grader,grade,comment,feedback,strengths\n"
        "a,x,3,hm well,<p>more</p>,short\na,y,4,,,\nb,x,5,,go on,\n"
    )
    export = read_export(path)
    assert export.format == "own-tables"
    assert export.reviews["comments"].to_list() == [2, None, 4]
    assert set(export.comments.iter_rows()) == {
        (2, "", "hm well", False),
        (2, "", "more", True),
        (2, "strengths", "short", True),
        (4, "", "go on", True),
    }
    [note] = export.notes
    assert note.text.startswith("Only staff may read the comments in 'comment'; if authors may")
