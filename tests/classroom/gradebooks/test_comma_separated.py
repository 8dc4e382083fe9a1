from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.classroom.gradebooks import read_marks
from peergauge.core.errors import TableError


def test_what_people_save_is_read(tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text("person;Essay;\nada;8,5;\nben;;\n", encoding="utf-8")
    assert read_marks(path, "csv").of("Essay") == [8.5, None]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("person,Essay\nada,1\nben,good\n", "Row 3 of .* has 'good' under 'Essay'"),
        ("person,Essay,Essay\nada,1,2\n", "two columns 'Essay'"),
        ("name,Essay\nada,1\n", "no column 'person'"),
        ("person,Essay\nada,1\nada,2\n", "Row 3 of .* has person ada again"),
    ],
)
def test_what_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "marks.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=sentence):
        read_marks(path, "csv")
