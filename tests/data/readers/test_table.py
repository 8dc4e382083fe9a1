from __future__ import annotations

import builtins
import zipfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.data.columns import Column, ColumnMap, Part
from peergauge.data.readers import read_export, readers
from peergauge.data.readers.table import TableReader
from peergauge.errors import TableError
from tests.data.exports import GOLDEN, noted, rows
from tests.data.workbooks import write_workbook

FOLDER = GOLDEN / "table"


def test_a_row_for_each_review() -> None:
    export = read_export(FOLDER / "long.csv")
    assert rows(
        export.reviews, "assignment", "submission", "grader", "role", "score", "state", "row"
    ) == [
        ("A1", "s1", "ben", "peer", 7.0, "done", 2),
        ("A1", "s1", "cleo", "peer", 8.5, "done", 3),
        ("A1", "s2", "ada", "peer", None, "done", 4),
        ("A1", "s2", "tom", "staff", 6.0, "done", 5),
        ("A1", "s2", "cleo", "peer", None, "assigned", 6),
    ]
    assert rows(export.submissions, "assignment", "submission", "author") == [
        ("A1", "s1", "ada"),
        ("A1", "s2", "ben"),
    ]
    assert noted(export, "repaired") == [
        ("No number for a score: 'abc'.", (4,)),
        ("The role 'alien' is taken as peer.", (6,)),
    ]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "german.csv",
            [
                ("Blatt 1", "Aufsatz 3", "Jörg", "", 17.5, None, 20.0),
                ("Blatt 1", "Aufsatz 3", "Änne", "", 1012.5, None, 20.0),
                ("Blatt 1", "Aufsatz 4", "Jörg", "", 85.0, None, 100.0),
            ],
        ),
        (
            "french.tsv",
            [
                ("", "c1", "Élodie", "", 12.0, None, 20.0),
                ("", "c1", "Loïc", "", 14.5, None, 20.0),
            ],
        ),
        ("spanish.csv", [("T1", "p1", "José", "", 8.0, 0.0, 10.0)]),
        (
            "italian.csv",
            [
                ("", "e1", "Nicolò", "Chiarezza", 4.0, 1.0, 5.0),
                ("", "e1", "Nicolò", "Rigore", 5.0, 1.0, 5.0),
                ("", "e1", "Zoë", "Chiarezza", 3.0, 1.0, 5.0),
                ("", "e1", "Zoë", "Rigore", None, 1.0, 5.0),
            ],
        ),
        (
            "form.csv",
            [
                ("", "3", "101", "Clarity", 7.0, 1.0, 10.0),
                ("", "3", "101", "Depth of feedback", 8.0, 1.0, 10.0),
                ("", "3", "102", "Clarity", 9.0, 1.0, 10.0),
                ("", "3", "102", "Depth of feedback", 10.0, 1.0, 10.0),
            ],
        ),
        (
            "r2r.csv",
            [("", "2", "ada", "", 5.0, None, None), ("", "1", "ben", "", 4.0, None, None)],
        ),
        (
            "names.csv",
            [
                ("", "مقالة", "عائشة", "", 8.0, None, 10.0),
                ("", "חיבור", "דוד", "", 9.0, None, 10.0),
                ("", "essay 🚀", "Zoë 🐝", "", 10.0, None, 10.0),
            ],
        ),
    ],
)
def test_headers_of_many_kinds(file: str, expected: list[tuple[Any, ...]]) -> None:
    reviews = read_export(FOLDER / file).reviews
    assert (
        rows(
            reviews,
            "assignment",
            "submission",
            "grader",
            "criterion",
            "score",
            "lowest",
            "highest",
        )
        == expected
    )


def test_grades_in_pairs_with_who_gave_them() -> None:
    export = read_export(FOLDER / "pairs.csv")
    assert rows(export.reviews, "submission", "grader", "score", "state", "row") == [
        ("11", "102", 7.0, "done", 2),
        ("11", "103", 9.0, "done", 2),
        ("12", "103", 6.0, "done", 3),
        ("12", "101", None, "assigned", 3),
    ]
    assert rows(export.submissions, "submission", "author") == [
        ("11", "101"),
        ("12", "102"),
        ("13", "103"),
    ]


def test_a_column_for_each_grader() -> None:
    export = read_export(FOLDER / "matrix.csv")
    assert rows(export.reviews, "submission", "grader", "score") == [
        ("p1", "peer_1", 5.0),
        ("p1", "peer_3", 4.0),
        ("p2", "peer_2", 2.0),
    ]
    assert rows(export.truth, "submission", "score") == [("p1", 4.0), ("p2", 3.0)]


def test_staff_as_graders() -> None:
    reviews = read_export(FOLDER / "tutors.csv").reviews
    assert rows(reviews.head(3), "grader", "role", "criterion", "score") == [
        ("T1", "staff", "item1", 2.0),
        ("T1", "staff", "item2", 3.0),
        ("T1", "staff", "", 5.0),
    ]


def test_reviews_and_truth_together() -> None:
    export = read_export([FOLDER / "long.csv", FOLDER / "truth.csv"])
    assert export.reviews.height == 5
    assert rows(export.truth, "assignment", "submission", "score") == [
        ("A1", "s1", 8.0),
        ("A1", "s2", 6.0),
    ]


def test_a_map_that_cannot_be_guessed_is_asked_for_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "riddle.csv"
    file.write_text("x,y,z\n1,2,3\n")
    with pytest.raises(
        TableError,
        match=r"riddle.csv has the columns 'x', 'y', 'z', and its headers name no submission "
        r"\(what was graded\) and no grader \(who gave each grade\) and no grade \(what they "
        r"gave\); write a column map .* 'table:columns=map.toml'\.$",
    ):
        read_export(file)


def test_a_map_is_corrected_and_given_as_a_file_or_as_it_is(tmp_path: Path) -> None:
    file, where = tmp_path / "riddle.csv", tmp_path / "map.toml"
    file.write_text("x,y,z\nada,s1,3\n")
    columns = ColumnMap(
        (
            Column("x", Part.GRADER),
            Column("y", Part.SUBMISSION),
            Column("z", Part.GRADE, lowest=1, highest=5),
        ),
        assignment="A1",
    )
    columns.write(where)
    for using in (f"table:columns={where}", TableReader(columns=columns)):
        [row] = rows(
            read_export(file, using=using).reviews, "assignment", "grader", "score", "lowest"
        )
        assert row == ("A1", "ada", 3.0, 1.0)
    assert readers.make(f"table:columns={where}").spec == f"table:columns={where}"


def test_a_map_for_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    file.write_text("who,what,score\nada,s1,3\n")
    columns = ColumnMap((Column("marker", Part.GRADER),))
    with pytest.raises(
        TableError, match=r"grades.csv has no column 'marker', which the column map .* correct"
    ):
        read_export(file, using=TableReader(columns=columns))
    with pytest.raises(
        TableError, match=r"the column map lists no submission \(.*\) and no grade \("
    ):
        read_export(file, using=TableReader(columns=ColumnMap((Column("who", Part.GRADER),))))


Cells = list[list[str | float | None]]

GRADES: Cells = [["grader", "essay", "score (0-10)"], ["ada", "e1", 7], [], ["ben", "e1", 7.5]]


def test_the_first_sheet_with_a_header_that_fits(tmp_path: Path) -> None:
    file = write_workbook(
        tmp_path / "class.xlsx",
        {
            "About": [["Grades of spring"]],
            "Roster": [["name", "room"], ["Ada", "A"]],
            "Grades": [["Grades of spring"], [], *GRADES],
        },
    )
    export = read_export(file)
    assert export.format == "table"
    assert rows(export.reviews, "submission", "grader", "score", "highest", "row") == [
        ("e1", "ada", 7.0, 10.0, 4),
        ("e1", "ben", 7.5, 10.0, 6),
    ]
    assert noted(export, "read")[0] == ("The header stands below 'Grades of spring'.", ())


def test_a_sheet_by_name(tmp_path: Path) -> None:
    other: Cells = [["grader", "essay", "score"], ["cleo", "e2", 1]]
    file = write_workbook(tmp_path / "class.xlsx", {"First": GRADES, "Second": other})
    [row] = rows(read_export(file, using="table:sheet=Second").reviews, "grader")
    assert row == ("cleo",)
    with pytest.raises(
        TableError, match="no table on a sheet 'Third', only on 'First', 'Second'; name one"
    ):
        read_export(file, using="table:sheet=Third")


def test_rows_count_from_the_top_of_a_sheet(tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "class.xlsx", {"Grades": [[], [], *GRADES]})
    assert read_export(file).reviews["row"].to_list() == [4, 6]


def test_a_workbook_that_would_explode_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
        with packed.open("xl/worksheets/sheet1.xml", "w") as member:
            for _ in range(65):
                member.write(bytes(2**20))
    with pytest.raises(TableError, match=r"bomb.xlsx would take 65 MiB when unpacked, .* CSV\.$"):
        read_export(file)


def test_a_damaged_workbook_is_refused(tmp_path: Path) -> None:
    whole = write_workbook(tmp_path / "class.xlsx", {"Grades": GRADES}).read_bytes()
    file = tmp_path / "cut.xlsx"
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match=r"cut.xlsx is a damaged workbook; save it again"):
        read_export(file)


def test_without_fastexcel_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "fastexcel":
            raise ModuleNotFoundError(name=name)
        return there(name, *rest, **more)

    file = write_workbook(tmp_path / "class.xlsx", {"Grades": GRADES})
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TableError, match=r"pip install 'peergauge\[sheets\]' brings it"):
        read_export(file)


CLASSES = {
    "auckland-r-coding": (741, 247),
    "cornell-orie4741-2017": (217, 45),
    "mooc-aaai15-assignment3": (2084, 23),
}


@pytest.mark.parametrize("name", CLASSES)
def test_real_classes_are_read_with_one_call(name: str, real_classes: Path) -> None:
    reports, truth = real_classes / name / "reports.csv", real_classes / name / "truth.csv"
    given = pl.read_csv(reports, infer_schema=False)
    known = pl.read_csv(truth, infer_schema=False)
    assert (given.height, known.height) == CLASSES[name]
    both = read_export([reports, truth])
    for export in (read_export(reports), both):
        for column in ("assignment", "submission", "grader"):
            assert export.reviews[column].equals(given[column])
        assert export.reviews["score"].equals(given["score"].cast(pl.Float64))
        if "author" in given.columns:
            assert export.submissions.equals(
                given.select("assignment", "submission", "author").unique(maintain_order=True)
            )
    for export in (read_export(truth), both):
        assert export.truth["submission"].equals(known["submission"])
        assert export.truth["score"].equals(known["truth"].cast(pl.Float64).alias("score"))


def test_a_real_matrix_says_what_its_reports_say(real_classes: Path) -> None:
    folder = real_classes / "cornell-orie4741-2017"
    wide = read_export(folder / "ratings.csv")
    long = read_export(folder / "reports.csv")
    key = ("submission", "grader", "score")
    assert sorted(rows(wide.reviews, *key)) == sorted(rows(long.reviews, *key))
    truth = read_export(folder / "truth.csv").truth
    place = ("submission", "score")
    assert sorted(rows(wide.truth, *place)) == sorted(rows(truth, *place))
