"""Times, maxima and self-reviews in columns of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.open import interpret_class
from peergauge.exports.validate import OpenedClass


def read(
    folder: Path, rows: list[list[Any]], parts: list[Column], answers: dict[str, str] | None = None
) -> OpenedClass:
    """A class with a column map for its columns."""
    path = folder / "form.csv"
    header = [one.name for one in parts]
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]))
    return interpret_class(path, columns=ColumnMap(tuple(parts)), answers=answers)


def open_keys(found: OpenedClass) -> list[str]:
    return [one.key for one in found.interpretation.open_questions]


WHO = [Column("work", Part.SUBMISSION), Column("rater", Part.GRADER)]
GRADE = Column("score", Part.GRADE, lowest=0, highest=10)
NAMES = ("ada", "ben", "cleo", "dora", "emil")
ROWS = [[f"w{n // 5}", NAMES[n % 5], n % 11] for n in range(20)]


def test_the_newest_by_a_column_of_times(tmp_path: Path) -> None:
    rows = [[*row, "2026-11-03 10:00"] for row in ROWS]
    rows += [["w0", "ada", 9, "2026-11-03 11:00"], ["w0", "ben", 9, "2026-11-03 09:00"]]
    found = read(tmp_path, rows, [*WHO, GRADE, Column("time", Part.TIME)])
    assert open_keys(found) == []
    assert found.reports.grade[:2].tolist() == [9, 1]


def test_the_order_of_days_and_months_is_asked_only_where_it_matters(tmp_path: Path) -> None:
    parts = [*WHO, GRADE, Column("time", Part.TIME)]
    rows = [[*row, "1/2/2026"] for row in ROWS]
    assert open_keys(read(tmp_path, rows, parts)) == []
    rows += [["x", "ada", 3, "3/4/2026"], ["x", "ada", 9, "4/2/2026"], ["x", "ben", 9, "2/2/2026"]]
    found = read(tmp_path, rows, parts)
    assert open_keys(found) == ["day or month: time"]
    # The fourth of March is before the second of April, but the third of April is after February.
    assert found.reports.to_polars().filter(submission="x", grader="ada")["grade"].item() == 9
    day = read(tmp_path, rows, parts, {"day or month: time": "day"})
    assert day.reports.to_polars().filter(submission="x", grader="ada")["grade"].item() == 3


def test_maxima_in_a_column(tmp_path: Path) -> None:
    parts = [*WHO, Column("score", Part.GRADE), Column("of", Part.MAXIMUM)]
    found = read(tmp_path, [[*row, 12] for row in ROWS], parts)
    assert (found.report.scale, found.report.scale_from) == ("0..12", "as the export says")


def test_a_maximum_of_one_column_of_grades(tmp_path: Path) -> None:
    parts = [
        *WHO,
        Column("idea", Part.GRADE, criterion="idea"),
        Column("idea max", Part.MAXIMUM, of="idea"),
        Column("style", Part.GRADE, criterion="style", highest=20.0),
    ]
    found = read(tmp_path, [[*row, 12, 5] for row in ROWS], parts)
    assert found.report.scale == "0..32"


def test_a_column_that_names_self_reviews(tmp_path: Path) -> None:
    parts = [*WHO, GRADE, Column("self_rating", Part.SELF)]
    for yes, no in (("yes", "no"), ("Ja", "Nein"), ("oui", "non"), ("sí", "no"), ("TRUE", "FALSE")):
        found = read(tmp_path, [[*row, yes if row[1] == "ada" else no] for row in ROWS], parts)
        assert open_keys(found) == []
        assert len(found.reports) == 16
        [decision] = [one for one in found.interpretation.decisions if one.part == "self-reviews"]
        assert decision.text.startswith("4 of 20 rows have self_rating = yes")


def test_a_column_whose_header_does_not_say_self_is_asked_about(tmp_path: Path) -> None:
    parts = [*WHO, GRADE, Column("mine?", Part.SELF)]
    rows = [[*row, "y" if row[1] == "ada" else "n"] for row in ROWS]
    found = read(tmp_path, rows, parts)
    assert open_keys(found) == ["self-reviews: mine?"]
    assert len(found.reports) == 16
    kept = read(tmp_path, rows, parts, {"self-reviews: mine?": "no"})
    assert len(kept.reports) == 20


def test_a_column_that_contradicts_the_authors_is_asked_about(tmp_path: Path) -> None:
    parts = [*WHO, GRADE, Column("author", Part.AUTHOR), Column("self", Part.SELF)]
    authors = dict(zip(("w0", "w1", "w2", "w3"), NAMES, strict=False))
    right = [
        [*row, authors[str(row[0])], "yes" if row[1] == authors[str(row[0])] else "no"]
        for row in ROWS
    ]
    found = read(tmp_path, right, parts)
    assert open_keys(found) == []
    assert len(found.reports) == 16
    wrong = [[*row[:4], "yes" if row[1] == "emil" else "no"] for row in right]
    assert open_keys(read(tmp_path, wrong, parts)) == ["self-reviews: self"]
