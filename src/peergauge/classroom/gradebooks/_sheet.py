"""A delimited file that is written back byte by byte, except for filled cells."""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from peergauge.classroom.gradebooks.cells import text_number
from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened

_MARKS_OF_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DELIMITERS = ",;\t:"
_QUOTED_DELIMITERS = ",;\t"
"""Delimiters for which a cell of a new file is quoted; a colon separates cells of exports only."""


@dataclass
class Row:
    """The raw cells of one row, including quotes, and its line ending."""

    cells: list[str]
    end: str

    @property
    def blank(self) -> bool:
        """Whether the row is an empty line."""
        return self.cells == [""]


@dataclass
class Sheet:
    """A delimited file: its format and its rows, header first."""

    source: str
    rows: list[Row]
    delimiter: str = ","
    encoding: str = "utf-8"
    bom: bytes = b""

    def __post_init__(self) -> None:
        self.header = [value(cell) for cell in self.rows[0].cells]

    @classmethod
    def new(cls, rows: Iterable[Sequence[str]], *, bom: bytes = b"") -> Sheet:
        """Create a sheet from the text of its cells."""
        return cls(
            "", [Row([quoted(text) for text in row], "\n") for row in rows], ",", "utf-8", bom
        )

    @classmethod
    def read(cls, path: Path, known: Collection[str]) -> Sheet:
        """Read a file; its delimiter is the one that gives most of the *known* columns."""
        if not path.is_file():
            raise TableError(f"There is no file {path}; give the path of a gradebook.")
        data = Opened(path).read()
        bom, encoding = next(
            (found for found in _MARKS_OF_ENCODINGS if data.startswith(found[0])), (b"", "")
        )
        text = _decoded(data[len(bom) :], (encoding,) if encoding else ("utf-8", "cp1252"))
        if text is None or "\0" in text[0]:
            raise TableError(f"{path} cannot be read as text; give a gradebook saved as CSV.")
        content, encoding = text
        if not content.strip():
            raise TableError(f"{path} is empty; a gradebook with named columns is needed.")

        def shows(delimiter: str) -> tuple[int, int]:
            header = [value(cell).strip().lower() for cell in _first_row(content, delimiter).cells]
            return sum(name.lower() in header for name in known), len(header)

        delimiter = max(_DELIMITERS, key=shows)
        sheet = cls(str(path), _rows(content, delimiter, str(path)), delimiter, encoding, bom)
        width = len(sheet.rows[0].cells)
        for number, row in enumerate(sheet.rows):
            if any(value(cell).strip() for cell in row.cells[width:]):
                raise TableError(
                    f"Row {number + 1} of {path} has {len(row.cells)} cells, but the header has "
                    f"{width}; export the gradebook again."
                )
        return sheet

    def find(self, *names: str) -> int | None:
        """Index of the column with one of these names (case-insensitive), or None."""
        wanted = {name.lower() for name in names}
        for column, name in enumerate(self.header):
            if name.strip().lower() in wanted:
                return column
        return None

    def text(self, row: int, column: int | None) -> str:
        """Text of a cell; empty if the cell does not exist."""
        cells = self.rows[row].cells
        return value(cells[column]) if column is not None and column < len(cells) else ""

    def put(self, row: int, column: int, text: str) -> None:
        """Fill a cell; a row that is too short is extended."""
        cells = self.rows[row].cells
        cells.extend([""] * (column + 1 - len(cells)))
        cells[column] = quoted(text, self.delimiter)

    def add_column(self, at: int, title: str) -> None:
        """Insert an empty column before column *at*."""
        self.header.insert(at, title)
        for number, row in enumerate(self.rows):
            if number == 0:
                row.cells.insert(at, quoted(title, self.delimiter))
            elif not row.blank:
                row.cells.extend([""] * (at - len(row.cells)))
                row.cells.insert(at, "")

    def keep_rows(self, rows: Collection[int]) -> None:
        """Leave out all rows but the header, blank lines and *rows*."""
        kept = {0, *rows}
        self.rows = [row for k, row in enumerate(self.rows) if k in kept or row.blank]

    def keep_columns(self, columns: Collection[int]) -> None:
        """Leave out all columns but *columns*."""
        kept = sorted(columns)
        self.header = [self.header[k] for k in kept]
        for row in self.rows:
            if not row.blank:
                row.cells = [row.cells[k] for k in kept if k < len(row.cells)]

    def decimal(self, columns: Iterable[int], default: str = ".") -> str:
        """Decimal separator of most numbers in *columns*, or *default* if there is none."""
        cells = [self.text(row, k) for k in columns for row in range(1, len(self.rows))]
        numbers = [cell for cell in cells if text_number(cell) is not None]
        commas, points = (sum(sign in number for number in numbers) for sign in ",.")
        return default if commas == points else "," if commas > points else "."

    def data(self) -> bytes:
        """Return the bytes of the file."""
        text = "".join(self.delimiter.join(row.cells) + row.end for row in self.rows)
        try:
            return self.bom + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            letter = text[error.start]
            raise TableError(
                f"{self.source} is not in Unicode and cannot hold the letter '{letter}'; "
                "save it as CSV UTF-8 first."
            ) from error


def value(cell: str) -> str:
    """Text of a raw cell, without surrounding quotes."""
    if not cell.startswith('"'):
        return cell
    end = cell.rindex('"')
    return cell[1:end].replace('""', '"') + cell[end + 1 :]


def quoted(text: str, delimiters: str = _QUOTED_DELIMITERS) -> str:
    """Raw cell for *text*, with quotes if a reader may need them."""
    if text != text.strip() or any(letter in text for letter in f'{delimiters}"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _decoded(data: bytes, encodings: Sequence[str]) -> tuple[str, str] | None:
    for encoding in encodings:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    return None


def _cell_pattern(delimiter: str) -> re.Pattern[str]:
    rest = f"[^{delimiter}\r\n]*"
    return re.compile(f'((?:"(?:[^"]|"")*"{rest})|(?!"){rest})({delimiter}|\r\n|\r|\n|\\Z)')


def _first_row(content: str, delimiter: str) -> Row:
    row = Row([], "")
    for found in _cell_pattern(delimiter).finditer(content):
        row.cells.append(found[1])
        if found[2] != delimiter:
            break
    return row


def _rows(content: str, delimiter: str, source: str) -> list[Row]:
    """All rows of a file, including blank lines."""
    pattern = _cell_pattern(delimiter)
    rows = [Row([], "")]
    place = 0
    while found := pattern.match(content, place):
        place = found.end()
        rows[-1].cells.append(found[1])
        if found[2] == delimiter:
            continue
        rows[-1].end = found[2]
        if place == len(content):
            return rows
        rows.append(Row([], ""))
    raise TableError(
        f"Row {len(rows)} of {source} has a quote that does not end; export the gradebook again."
    )
