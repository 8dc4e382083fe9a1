"""Files that are made to harm are refused in one sentence, or read for what they say."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path

import pytest

from peergauge.classroom.gradebooks import read_marks
from peergauge.core.errors import TableError
from peergauge.exports.formats.columns import ColumnMap
from peergauge.exports.formats.guessing import guess_of_file
from peergauge.exports.formats.opening import MAX_SHEET_CELLS, Opened, check_workbook
from peergauge.exports.readers import read_export, readers
from tests.exports.exports import GOLDEN, rows, tarred, zipped
from tests.exports.workbooks import write_workbook

WORKSHOP = "activities/workshop_1/workshop.xml"
SHEET = "xl/worksheets/sheet1.xml"
CLASS = "grader,essay,score\nada,e1,7\nben,e1,9\n"


def refused(path: Path, using: str | None = None) -> str:
    with pytest.raises(TableError) as error:
        read_export(path, using=using)
    said = str(error.value)
    assert said.startswith(str(path))
    assert said.endswith(".")
    return said.removeprefix(str(path)).strip()


# ------------------------------------------------------------------------------------- no files


def pipe(path: Path) -> None:
    os.mkfifo(path)


def door(path: Path) -> None:
    # The address of a socket is short, and that of a temporary folder may not be.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("make", [pipe, door, lambda path: path.symlink_to("/dev/zero")])
@pytest.mark.parametrize("using", [None, *readers.classes()])
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_what_may_never_end_is_not_opened(
    make: Callable[[Path], None], using: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "class.csv"
    make(path)
    assert refused(path, using) == "is a pipe or a device; save what it gives as a file."


@pytest.mark.parametrize("read", [ColumnMap.read, guess_of_file])
def test_nor_is_it_for_its_columns(read: Callable[[Path], object], tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    os.mkfifo(path)
    with pytest.raises(TableError, match="is a pipe or a device"):
        read(path)


@pytest.mark.parametrize("kind", ["csv", "canvas", "xlsx"])
def test_nor_is_it_for_its_marks(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "marks"
    os.mkfifo(path)
    with pytest.raises(TableError, match="There is no file"):
        read_marks(path, kind)


@pytest.mark.parametrize("using", [None, "table", "canvas-rubric", "moodle-backup"])
def test_an_empty_folder_is_refused(using: str | None, tmp_path: Path) -> None:
    assert refused(tmp_path, using).startswith("is a folder without a file that is read here")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "class.csv"
    path.write_text(CLASS)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    # The rights of a file do not bind the user who may do anything.
    monkeypatch.setattr(os, "open", refuse)
    assert refused(path) == "cannot be read: Permission denied."


@pytest.mark.parametrize("later", [CLASS * 2, CLASS[:30], ""])
def test_a_file_that_changes_while_it_is_read(later: str, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text(CLASS)
    file = Opened(path)
    assert file.head
    path.write_text(later)
    with pytest.raises(TableError, match=r"class.csv changed while it was read; wait until"):
        readers.make("table").read(file)


# ---------------------------------------------------------------------------------- large files

PEAK = """
import pathlib, re, sys
from peergauge.exports.readers import read_export
from peergauge.core.errors import TableError
import polars

def peak():
    # Not ru_maxrss, which begins with what the program that started this one holds.
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])

before = peak()
try:
    read_export(sys.argv[1])
except TableError as error:
    print(error)
print(peak() - before)
"""


def reading(path: Path) -> tuple[str, float]:
    """What is said of a file, and the MiB that it took, in a program of its own."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True
    )
    said, peak = done.stdout.splitlines()
    return said, int(peak) / 1024


linux = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="asks Linux for memory")


@pytest.mark.slow
@linux
def test_a_cell_of_two_gigabytes_is_not_held_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("grader,essay,score\nada,")
    os.truncate(path, 2**31)  # takes no room on the disk
    said, peak = reading(path)
    assert said.endswith("has 2048 MiB, and at most 1024 are read; export fewer assignments at a "
                         "time.")  # fmt: skip
    assert peak < 100


@pytest.mark.slow
@linux
def test_a_line_that_does_not_end_is_not_split(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_bytes(b"grader,essay,score," * 2**21)
    said, peak = reading(path)
    assert "too wide for a table" in said
    assert peak < 400  # the text of 40 MB, a few times


@pytest.mark.parametrize("columns", [2**14 + 1, 1_000_000])
def test_more_columns_than_a_sheet_has_are_refused(columns: int, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text(",".join(f"c{number}" for number in range(columns)) + "\n")
    assert refused(path).startswith("has a first line of more than 16384 columns or 1048576")


def test_json_on_one_line_is_not_taken_for_a_wide_table(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps([{"a": 1, "b": 2}] * 10_000))
    assert refused(path).startswith("is JSON, not a table")


def test_a_cell_that_breaks_a_table_is_not_quoted_in_full(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text('grader,essay,score\nada,"e1' + "x" * 10**6)
    assert len(refused(path)) < 400


# ------------------------------------------------------------------------------------- archives

LAUGHS = (
    '<!DOCTYPE a [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]>"
)
OUTSIDE = '<!DOCTYPE a [<!ENTITY i SYSTEM "file:///etc/passwd">]>'

packs = pytest.mark.parametrize("pack", [tarred, zipped])
Pack = Callable[[Mapping[str, bytes]], bytes]


@packs
@pytest.mark.parametrize("begin", [LAUGHS, OUTSIDE])
def test_entities_in_a_backup_are_refused(pack: Pack, begin: str, tmp_path: Path) -> None:
    path = tmp_path / "course.mbz"
    path.write_bytes(pack({WORKSHOP: f"{begin}<workshop><name>&i;</name></workshop>".encode()}))
    assert "declares a document type" in refused(path)


def book(tmp_path: Path, change: Callable[[bytes], bytes]) -> Path:
    """A workbook of two reviews with something done to its sheet."""
    path = write_workbook(
        tmp_path / "class.xlsx",
        {"Class": [["essay", "grader", "score"], ["e1", "ada", 7], ["e1", "ben", 9]]},
    )
    with zipfile.ZipFile(path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    path.write_bytes(zipped({**members, SHEET: change(members[SHEET])}))
    return path


@pytest.mark.parametrize("begin", [LAUGHS, OUTSIDE])
def test_entities_in_a_workbook_are_not_expanded(begin: str, tmp_path: Path) -> None:
    path = book(tmp_path, lambda sheet: begin.encode() + sheet.replace(b"ada", b"&i;"))
    for read in (read_export, lambda path: read_marks(path, "xlsx")):
        try:
            found = str(read(path))
        except TableError as error:
            found = str(error)
        assert "root:" not in found
        assert len(found) < 1000


@pytest.mark.parametrize(
    "cell",
    [
        "XFD1048576",
        "ZZZZZZ99999999999",
        "AA" * 500 + "1",
        "A" + "9" * 500,
        'XFD3"/></row><row r="1048576"><c id="',
    ],
)
def test_a_cell_far_away_is_not_reached(cell: str, tmp_path: Path) -> None:
    far = f'<row r="3"><c r="{cell}"><v>1</v></c></row></sheetData>'.encode()
    path = book(tmp_path, lambda sheet: sheet.replace(b"</sheetData>", far))
    assert "nearly all of them empty; copy the cells" in refused(path)
    with pytest.raises(TableError, match="nearly all of them empty"):
        read_marks(path, "xlsx")


def test_an_address_that_is_cut_off_between_two_pieces_is_seen() -> None:
    for shift in range(40):
        sheet = b" " * (2**20 - shift) + b'<c r="XFD1048576"/>'
        with pytest.raises(TableError, match="and 16384 columns, nearly all of them empty"):
            check_workbook(zipped({SHEET: sheet}), "class.xlsx")
    check_workbook(zipped({SHEET: f'<c r="A{MAX_SHEET_CELLS}"/>'.encode()}), "class.xlsx")


@pytest.mark.slow
def test_a_workbook_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = book(tmp_path, lambda sheet: sheet + bytes(66 * 2**20))
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as packed:
        size = packed.getinfo(SHEET).file_size
    told = struct.pack("<I", size)
    assert raw.count(told) == 2
    path.write_bytes(raw.replace(told, struct.pack("<I", 1000)))
    with zipfile.ZipFile(path) as packed:
        assert sum(member.file_size for member in packed.infolist()) < 5000
    assert "MiB when unpacked, too much for" in refused(path)
    with pytest.raises(TableError, match="MiB when unpacked, too much for"):
        read_marks(path, "xlsx")


def test_archives_inside_archives_are_not_opened(tmp_path: Path) -> None:
    inner = zipped({"deep.zip": zipped({WORKSHOP: b"<workshop/>"})})
    for name in ("course.mbz", "class.xlsx"):
        path = tmp_path / name
        path.write_bytes(zipped({"inner.zip": inner}))
        assert refused(path).startswith("is none of the files that are read here")


def locked(raw: bytes) -> bytes:
    """A zip file whose members say that they have a password."""
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        begin = 0
        while (begin := raw.find(mark, begin)) >= 0:
            raw = raw[: begin + place] + b"\x01" + raw[begin + place + 1 :]
            begin += 4
    return raw


def test_archives_with_a_password_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "course.mbz"
    path.write_bytes(locked(zipped({WORKSHOP: b"<workshop/>"})))
    assert "cut off, changed or locked" in refused(path)
    path = book(tmp_path, bytes)
    path.write_bytes(locked(path.read_bytes()))
    assert "without a password" in refused(path)


def test_workbooks_with_a_password_are_told_from_others(tmp_path: Path) -> None:
    path = tmp_path / "class.xlsx"
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(4000))
    assert refused(path).startswith("is a workbook with a password, or one from before 2007;")


@packs
@pytest.mark.parametrize("name", ["../" * 9 + WORKSHOP, f"/{WORKSHOP}", f"x/../{WORKSHOP}"])
def test_members_that_lead_elsewhere_are_never_written(
    pack: Pack, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "a"
    inside.mkdir()
    path = inside / "course.mbz"
    content = (GOLDEN / "moodle-backup" / "workshop.xml").read_bytes()
    path.write_bytes(pack({"moodle_backup.xml": b"<a/>", name: content}))
    monkeypatch.chdir(inside)
    if name.startswith("/") and pack is tarred:  # tar itself writes absolute names without it
        assert read_export(path).reviews.height
    else:
        assert refused(path).startswith("should hold a <workshop>")
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


@pytest.mark.parametrize(
    "kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE]
)
def test_members_that_are_no_files_are_passed_over(kind: bytes, tmp_path: Path) -> None:
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("moodle_backup.xml"))
        member = tarfile.TarInfo(WORKSHOP)
        member.type, member.linkname = kind, "/etc/passwd"
        archive.addfile(member)
    path = tmp_path / "course.mbz"
    path.write_bytes(buffer.getvalue())
    assert refused(path).startswith("should hold a <workshop>")


# ---------------------------------------------------------------------------------------- cells

NAMES = ["أدا لوفلايس", "🌻👩‍🏫", "\u202eevil", "İstanbul ß", "a" * 5000]


def test_names_in_any_script_stay_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text(
        "grader,essay,score\n" + "".join(f"{name},e1,7\n" for name in NAMES), encoding="utf-8"
    )
    assert read_export(path).reviews["grader"].to_list() == NAMES
    path = tmp_path / "class.json"
    given = [{"artifact_id": 1, "assessor_id": name, "score": 7} for name in NAMES]
    path.write_text(json.dumps({"points_possible": 9, "assessments": given}))
    assert read_export(path).reviews["grader"].to_list() == NAMES


def test_zero_bytes_are_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text(CLASS.replace("ada", "a\0d\0a").replace("7", "\x007"))
    assert rows(read_export(path).reviews, "grader", "score") == [("ada", 7.0), ("ben", 9.0)]


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-Infinity", "1e999", "9" * 10_000])
def test_no_cell_is_more_than_a_number(score: str, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text(CLASS.replace("7", score) + "cyd,e1,8\n")
    export = read_export(path)
    assert export.reviews["score"].to_list() == [None, 9.0, 8.0]
    assert any(note.text.startswith("No number for a score") for note in export.notes)


@pytest.mark.parametrize("score", ["NaN", "-Infinity", "1e999", "9" * 10_000, "-" + "9" * 10_000])
def test_no_value_of_json_is_more_than_a_number(score: str, tmp_path: Path) -> None:
    path = tmp_path / "class.json"
    one = '{"artifact_id": 1, "assessor_id": "ada", "score": %s}'
    path.write_text(f'{{"points_possible": 9, "assessments": [{one % score}, {one % 8}]}}')
    export = read_export(path)
    assert export.reviews["score"].to_list() == [None, 8.0]
    assert "The score of a review is not a number and is left empty." in [
        note.text for note in export.notes
    ]


def test_half_a_letter_and_a_key_given_twice(tmp_path: Path) -> None:
    path = tmp_path / "class.json"
    path.write_text(
        r'{"points_possible": 9, "assessments": [{"artifact_id": 1, "assessor_id": "a\ud800", '
        r'"score": 1, "score": 2}]}'
    )
    assert rows(read_export(path).reviews, "grader", "score") == [("a?", 2.0)]


def test_bytes_that_unpack_badly_are_refused(tmp_path: Path) -> None:
    path = book(tmp_path, bytes)
    raw = path.read_bytes()
    packed = zlib.compress(b"x")
    path.write_bytes(raw[:60] + packed + raw[60 + len(packed) :])
    assert "workbook" in refused(path)
