from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.classroom.gradebooks import Marks, read_marks, write
from peergauge.core.errors import TableError
from tests.classroom.gradebooks.classes import GOLDEN, marks_of

EXPORT = GOLDEN / "brightspace-export.csv"


def test_only_marks_change_in_an_export(tmp_path: Path) -> None:
    marks = Marks.from_frame(
        {
            "person": ["a", "b"],
            "sis": ["0017", None],
            "login": [None, "ben"],
            "Essay": [9.5, 7],
            "Bonus": [1, None],
        },
        {"Essay": 10},
    )
    written = write(marks, "brightspace", tmp_path / "filled.csv", into=EXPORT)
    assert written.path.read_bytes() == (GOLDEN / "brightspace-filled.csv").read_bytes()
    assert written.notes == ("Brightspace will create 'Bonus' as a new item unless it has one.",)
    again = read_marks(written.path, "brightspace")
    assert again.of("Essay") == [9.5, 7.0]
    assert again.highest == {"Essay": 10.0}


def test_other_points_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"out of 10 in .* but the marks are out of 100"):
        write(marks_of(sis=["0017"], highest=100), "brightspace", tmp_path / "f.csv", into=EXPORT)


def test_marks_that_may_be_capped_are_noted(tmp_path: Path) -> None:
    marks = marks_of(sis=["1", "2"], mark=[10, 11], highest=10)
    assert (
        "cap marks above 10 for Essay: p1"
        in write(marks, "brightspace", tmp_path / "f.csv").notes[1]
    )


def test_only_the_ids_that_there_are(tmp_path: Path) -> None:
    write(marks_of(login=["ada"], mark=[3]), "brightspace", tmp_path / "f.csv")
    text = (tmp_path / "f.csv").read_text(encoding="utf-8")
    assert text == "Username,Essay Points Grade,End-of-Line Indicator\nada,3,#\n"
