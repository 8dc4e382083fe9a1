from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.gradebooks._sheet import Sheet, _rows, quoted, value
from peergauge.core.errors import TableError

FILES = [
    b"a,b\r\n1,2\r\n",
    b"\xef\xbb\xbfa;b\n1;2",
    b'a,"b ""x"""\n\n" 1",\n\n',
    "a\tb\nß\t2\n".encode("utf-16"),
    "a,b\nß,2\n".encode("cp1252"),
    b"a,b\r1,2\r",
    b'a,b\n"x\ny",2\n ,\n',
]


@pytest.mark.parametrize("data", FILES)
def test_every_byte_is_kept(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(data)
    assert Sheet.read(path, ["a", "b"]).data() == data


@given(st.lists(st.lists(st.text('a",;\n\r\t ', max_size=4), min_size=2), min_size=1))
def test_quoted_cells_are_read_back(rows: list[list[str]]) -> None:
    text = Sheet.new(rows).data().decode()
    assert [[value(cell) for cell in row.cells] for row in _rows(text, ",", "")] == rows


@given(st.text('a",;\n\r ', min_size=1, max_size=12))
def test_any_text_is_kept_or_refused(text: str) -> None:
    try:
        rows = _rows(text, ",", "")
    except TableError:
        return
    assert "".join(",".join(row.cells) + row.end for row in rows) == text


def test_cells_beyond_the_header_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(b"a,b\n1,2,,\n1,2,3\n")
    with pytest.raises(TableError, match=r"Row 3 of .* has 3 cells, but the header has 2"):
        Sheet.read(path, ["a"])


def test_a_title_that_the_encoding_lacks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(b"a,\xdf\n")
    sheet = Sheet.read(path, ["a"])
    sheet.add_column(2, "π")
    with pytest.raises(TableError, match="cannot hold the letter 'π'"):
        sheet.data()


def test_quotes_only_where_needed() -> None:
    assert [quoted(text) for text in ("a b", "a,b", " a")] == ["a b", '"a,b"', '" a"']


def test_columns_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text('a,b,c\n1,"2,5",3\n\n4\n', encoding="utf-8")
    sheet = Sheet.read(path, ["a"])
    sheet.keep_columns([2, 0])
    assert sheet.header == ["a", "c"]
    assert sheet.data() == b"a,c\n1,3\n\n4\n"
