from __future__ import annotations

import sys
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest

from peergauge.classroom.gradebooks import read_marks, write
from peergauge.core.errors import TableError
from tests.classroom.gradebooks.classes import marks_of, two_people
from tests.exports.exports import zipped


def test_text_is_text_and_numbers_are_numbers(tmp_path: Path) -> None:
    marks = marks_of("=Essay", name=["=1+1", "#N/A", "+5"], mark=[-8.5, None, 3])
    write(marks, "xlsx", tmp_path / "marks.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "marks.xlsx")["Marks"]
    rows = [[(cell.data_type, cell.value) for cell in row] for row in sheet.iter_rows()]
    assert rows == [
        [("s", "person"), ("s", "name"), ("s", "=Essay")],
        [("s", "p0"), ("s", "=1+1"), ("n", -8.5)],
        [("s", "p1"), ("s", "#N/A"), ("n", None)],
        [("s", "p2"), ("s", "+5"), ("n", 3)],
    ]


def test_no_cell_is_a_formula_in_the_file_itself(tmp_path: Path) -> None:
    write(marks_of("=Essay", name=["=1+1"]), "xlsx", tmp_path / "marks.xlsx")
    with ZipFile(tmp_path / "marks.xlsx") as book:
        sheets = [book.read(name) for name in book.namelist() if "worksheets/sheet" in name]
    assert len(sheets) == 2
    assert not any(b"<f>" in sheet or b"<f " in sheet for sheet in sheets)


def test_a_second_sheet_explains(tmp_path: Path) -> None:
    write(two_people(), "xlsx", tmp_path / "marks.xlsx")
    told = dict(openpyxl.load_workbook(tmp_path / "marks.xlsx")["About"].values)
    assert told["Peer review quality"] == "marks out of 10; empty where there is none"
    assert told["lms"] == "their id on the platform"


def test_a_text_that_no_cell_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="40000 letters"):
        write(marks_of(name=["x" * 40000]), "xlsx", tmp_path / "marks.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_broken_workbook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "marks.xlsx"
    write(two_people(), "xlsx", path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with pytest.raises(TableError, match=r"(no|a damaged) workbook"):
            read_marks(path, "xlsx")
    for place in range(0, len(whole), 61):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 255]) + whole[place + 1 :])
        try:
            read_marks(path, "xlsx")
        except TableError:
            continue


def test_without_openpyxl_one_sentence_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(TableError, match="pip install peergauge"):
        write(two_people(), "xlsx", tmp_path / "marks.xlsx")


def test_a_zip_file_of_other_things_is_no_workbook(tmp_path: Path) -> None:
    path = tmp_path / "marks.xlsx"
    types = "http://schemas.openxmlformats.org/package/2006/content-types"
    path.write_bytes(zipped({"[Content_Types].xml": f'<Types xmlns="{types}"/>'.encode()}))
    with pytest.raises(TableError, match="is no workbook; give a file saved as XLSX"):
        read_marks(path, "xlsx")


def test_a_workbook_that_declares_entities_is_refused(tmp_path: Path) -> None:
    # Small enough for every limit on growth: it is the declaration that is refused.
    path = tmp_path / "marks.xlsx"
    write(marks_of(name=["Ada"]), "xlsx", path)
    with ZipFile(path) as book:
        members = {name: book.read(name) for name in book.namelist()}
    sheet = members["xl/worksheets/sheet1.xml"]
    assert b"Ada" in sheet
    declared = b'<!DOCTYPE worksheet [<!ENTITY who "Eve">]>' + sheet.replace(b"Ada", b"&who;")
    path.write_bytes(zipped(members | {"xl/worksheets/sheet1.xml": declared}))
    with pytest.raises(TableError, match="is no workbook"):
        read_marks(path, "xlsx")
