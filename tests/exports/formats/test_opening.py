from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened, number, read_table
from peergauge.exports.records import SCHEMAS, table


@pytest.mark.parametrize("what", SCHEMAS)
def test_a_table_of_nothing_has_no_rows(what: str) -> None:
    assert table(what).height == 0


@pytest.mark.parametrize("text", ["1e999", "9" * 400, "nan", "inf", "", "8/10", None])
def test_what_is_no_finite_number(text: str | None) -> None:
    assert number(text) is None


def test_the_first_foreign_letter_may_come_late(tmp_path: Path) -> None:
    late = "grader;score\n" + "ada;7\n" * 20_000 + "Jörg;8\n"
    for encoding in ("cp1252", "utf-8"):
        file = tmp_path / f"{encoding}.csv"
        file.write_bytes(late.encode(encoding))
        found = Opened(file).table
        assert found is not None
        assert found.frame["grader"][-1] == "Jörg"


def test_one_bad_byte_does_not_spoil_the_other_letters(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    late = "grader;score\n" + "ada;7\n" * 20_000
    file.write_bytes(late.encode() + "Jörg;8\nÄnne;9\n".encode() + b"\xff;1\n")
    found = Opened(file).table
    assert found is not None
    assert found.frame["grader"][-3:].to_list() == ["Jörg", "Änne", "\ufffd"]


def test_a_header_may_break_lines_and_stand_below_empty_ones() -> None:
    found = read_table('\n\n"who;\ngraded";score\nada;7\n', "table")
    assert found is not None
    assert found.header == ("who;\ngraded", "score")
    assert found.rows.to_list() == [4]


@pytest.mark.parametrize(
    ("above", "titles"),
    [
        ("Peer review\n\n", ("Peer review",)),
        ("Course: Writing, Spring, Section 3\n", ("Course: Writing", "Spring", "Section 3")),
        ('"a, title\nof two lines"\n', ("a, title\nof two lines",)),
        ("Course,Writing\nTerm,Spring\n\n", ("Course", "Writing", "Term", "Spring")),
        ("Peer review,,,,\n,,,,\n", ("Peer review",)),
        ("sep=,\n", ("sep=",)),
    ],
)
def test_titles_above_the_header(above: str, titles: tuple[str, ...]) -> None:
    body = 'who,what,score,remark,time\nada,e1,7,,\nben,e1,8,"a, b",\ncleo,e2,9,,\n'
    found = read_table(above + body, "table")
    assert found is not None
    assert found.header == ("who", "what", "score", "remark", "time")
    assert found.titles == titles
    # A title of two lines is one row, as spreadsheets have it.
    first = above.count("\n") + 2 - ("two lines" in above)
    assert found.rows.to_list() == [first, first + 1, first + 2]


@pytest.mark.parametrize(
    ("text", "header", "delimiter"),
    [
        # A title with commas, and commas in numbers.
        ("A, B, C\nwho;score\nada;7,5\nben;8,5\n", ("who", "score"), ";"),
        ("who;remark\nada;a, b, c\nben;d, e, f\n", ("who", "remark"), ";"),
        ("who\tscore\nada\t7,5\n", ("who", "score"), "\t"),
        # Rows that are too long or too short do not make a title of the header.
        ("who,what,score\nada,e1,7,,\nben,e1,8,,\n", ("who", "what", "score"), ","),
        ("who,what,score,a,b\nada,e1,7\nben,e1,8\n", ("who", "what", "score", "a", "b"), ","),
        ("who,score,remark\nada,7,x, y\nben,8,y, z\n", ("who", "score", "remark"), ","),
        ("who,1,2\nada,x,y\n", ("who", "1", "2"), ","),
        ("who,score\rada,7\rben,8\r", ("who", "score"), ","),
    ],
)
def test_which_row_is_the_header(text: str, header: tuple[str, ...], delimiter: str) -> None:
    found = read_table(text, "table")
    assert found is not None
    assert (found.header, found.delimiter) == (header, delimiter)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF file"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a picture"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a picture"),
        (b"\xef\xbb\xbf \n<!DOCTYPE html><html>", "a web page (HTML)"),
        ("<table><tr><td>a</td></tr></table>".encode("utf-16"), "a web page (HTML)"),
        (b"<?xml version='1.0'?><a/>", "XML"),
        (b'{"a": 1, "b": 2}\n{"a": 2, "b": 3}\n', "JSON"),
        (b"[1, 2]", "JSON"),
        (b"[Group],score\n1,2\n", None),
        (b"<name>,score\na,2\n", None),
        (b"a,b\n1,2\n", None),
    ],
)
def test_what_a_file_is_instead_of_a_table(raw: bytes, kind: str | None, tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_bytes(raw)
    assert Opened(file).kind == kind
    assert (Opened(file).table is None) == (kind is not None)


def test_a_quotation_mark_that_is_never_closed_is_named(tmp_path: Path) -> None:
    file = tmp_path / "open.csv"
    file.write_text("grader,essay,score\nada,e1,7\n" * 100 + '"ben,e1,8\n')
    with pytest.raises(TableError, match="a cell in quotes is never closed; save it again"):
        _ = Opened(file).table
