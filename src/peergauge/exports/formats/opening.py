"""Opening files of unknown origin safely: any encoding, any delimiter.

A file is refused in one sentence if it is too large, if it is not what it says, or if unpacking it
would take more than it should.
"""

from __future__ import annotations

import csv
import json
import math
import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO, StringIO
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.files import refuse_long_texts
from peergauge.core.formulas import unguarded_frame
from peergauge.core.inputs import opened_input, read_whole, regular_size
from peergauge.core.lazy import pl
from peergauge.core.optional import needing
from peergauge.core.text import composed, path_text
from peergauge.exports.formats.header_rows import HeaderRows, Row, header_rows_of
from peergauge.exports.questions import Dialogue

MAX_TABLE_BYTES = 2**30
"""Largest table in bytes: a gigabyte holds about twenty million reviews."""

MAX_TREE_BYTES = 2**28
"""Largest JSON or XML file in bytes: it takes many times as much memory."""

HEAD_BYTES = 2**16
"""Bytes at the beginning of a file that are used to recognise its format."""

CELL_DELIMITERS = ",;\t|"

HEADER_SEARCH_ROWS = 30
"""Rows among which the header is searched: only titles stand above it."""

FILE_KINDS = {
    rb"%PDF-": "a PDF file",
    rb"\xd0\xcf\x11\xe0": "a workbook of the old kind (.xls)",
    rb"\x89PNG|\xff\xd8\xff|GIF8": "a picture",
    rb"(?i)<(!doctype\s+html|html|head|body|table|meta|style|div)\b": "a web page (HTML)",
    rb"<\?xml|<!--": "XML",
    rb'\{\s*["}]|\[\s*[\[\]{"\d-]': "JSON",
}
"""First bytes of files that are not tables, and what these files are."""

MAX_TABLE_COLUMNS = 2**14
"""Largest number of columns of a table: that of a sheet of a workbook."""

MAX_HEADER_LETTERS = 2**20
"""Longest header of a table."""

CONTROL_BYTES = bytes(byte for byte in range(32) if byte < 9 or byte > 13)
"""Bytes that text does not hold."""

BAD_ZIP = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    ValueError,
    EOFError,
    OverflowError,
    zlib.error,
)

ENCODING_MARKS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


class Remark(NamedTuple):
    """Something about some rows of a table that its reader notes."""

    kind: Literal["read", "repaired", "dropped", "missed"]
    text: str
    rows: tuple[int, ...] = ()


class RawTable(NamedTuple):
    """A table as it is in a file: every cell is text without outer spaces, or null if empty."""

    frame: pl.DataFrame
    """The cells under the names of the header; empty and repeated names are numbered."""

    header: tuple[str, ...]
    """The names in the header as they are in the file, without outer spaces."""

    delimiter: str

    first: int = 2
    """The row number in the file of the first row below the header."""

    titles: tuple[str, ...] = ()
    """The cells above the header."""

    groups: tuple[str, ...] = ()
    """The group of each column in a header of two rows; empty if the header has one row."""

    short: tuple[str, ...] = ()
    """The short name of each column in a survey of Qualtrics; empty otherwise."""

    remarks: tuple[Remark, ...] = ()
    """What was noticed and left out when the table was tidied."""

    @property
    def rows(self) -> pl.Series:
        """The row number in the file of each row: the header is row 1.

        Line breaks inside cells are not counted.
        """
        return pl.int_range(self.first, self.first + self.frame.height, eager=True).alias("row")


@dataclass(frozen=True)
class Opened:
    """A file with several views of its content, each computed once: bytes, text, JSON, tables.

    Parameters
    ----------
    path
        Where it is.
    dialogue
        Takes questions about the file, and gives answers.
    has_company
        Whether other files of the class are given with it.
    """

    path: Path
    dialogue: Dialogue = field(default_factory=Dialogue, compare=False, repr=False)
    has_company: bool = field(default=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the file in messages."""
        return path_text(self.path)

    @property
    def suffix(self) -> str:
        """The suffix of the file name, in lower case."""
        return self.path.suffix.lower()

    @cached_property
    def size(self) -> int:
        """The size in bytes; what is not a regular file is refused."""
        return regular_size(self.path)

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file."""
        with self.stream() as file:
            return file.read(HEAD_BYTES)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """The file as a stream of bytes."""
        _ = self.size  # what is read later must have the size of what was recognised
        with opened_input(self.path) as file:
            yield file

    def read(self, most: int = MAX_TABLE_BYTES) -> bytes:
        """All bytes of the file; a file of more than *most* bytes is refused."""
        advice = "export fewer assignments at a time"
        return read_whole(self.stream(), self.size, self.name, most, advice)

    @cached_property
    def encoding(self) -> str:
        """The encoding of the text: by the byte order mark, or else UTF-8 or Windows-1252."""
        for mark, name in ENCODING_MARKS.items():
            if self.head.startswith(mark):
                return name
        if b"\x00" in self.head[:200]:
            # UTF-16 without a byte order mark has many zero bytes.
            evens, odds = self.head[0:200:2].count(0), self.head[1:200:2].count(0)
            if max(evens, odds) > 40:
                return "utf-16-be" if evens > odds else "utf-16-le"
        try:
            # A letter may be cut off at the end of the head.
            self.head[: len(self.head) - 4 if len(self.head) == HEAD_BYTES else None].decode(
                "utf-8"
            )
        except UnicodeDecodeError:
            return "cp1252"
        return "utf-8"

    @cached_property
    def text(self) -> str:
        """The decoded text; undecodable bytes are marked, and zero bytes are removed.

        Letters are composed, so that two spellings of é are one person.
        """
        raw = self.read()
        text = raw.decode(self.encoding, errors="replace")
        if self.encoding == "utf-8" and (marked := text.count("\ufffd")):
            # The first letter outside ASCII may come late in a long file.
            foreign = len(raw) - sum(map(len, re.findall(rb"[\x00-\x7f]+", raw)))
            if 2 * marked > foreign:
                text = raw.decode("cp1252", errors="replace")
        return composed(text.replace("\x00", ""))

    @cached_property
    def looks_binary(self) -> bool:
        """Whether the file holds many control bytes, so that it is not text."""
        if self.encoding.startswith(("utf-16", "utf-32")):
            return False
        odd = len(self.head) - len(self.head.translate(None, CONTROL_BYTES))
        return odd > max(8, len(self.head) / 20)

    @cached_property
    def kind(self) -> str | None:
        """What the file is instead of a table, by its first bytes; None if unknown."""
        begin = self.head[:400]
        text = begin.decode(self.encoding, errors="replace").lstrip("\ufeff\0 \t\r\n").encode()
        for mark, kind in FILE_KINDS.items():
            if re.match(mark, begin) or re.match(mark, text):
                return kind
        return None

    @cached_property
    def json(self) -> Any:
        """The value of a JSON file; None if it is not JSON.

        Several lists in a row, such as concatenated pages of an API, are joined to one list, and
        several objects in a row become a list.
        """
        begin = self.head[:400].decode(self.encoding, errors="replace").lstrip("\ufeff\0 \t\r\n")
        if self.looks_binary or not begin.startswith(("{", "[")):
            return None
        if self.size > MAX_TREE_BYTES:
            raise TableError(
                f"{self.name} has {self.size / 2**20:.0f} MiB, too much for JSON; export fewer "
                "assignments at a time."
            )
        try:
            return _json_of(self.text.removeprefix("\ufeff"))
        except (ValueError, RecursionError):
            return None

    @cached_property
    def table(self) -> RawTable | None:
        """The first table of a text file, workbook or Parquet file; None if there is none."""
        return next(iter(self.sheets.values()), None)

    @cached_property
    def sheets(self) -> dict[str, RawTable]:
        """The tables by the names of their sheets; a text or Parquet file has one, named ""."""
        if is_workbook(self):
            return self._workbook.tables
        if is_parquet(self):
            return {"": read_parquet(self)}
        if self.kind or self.looks_binary or not self.head.strip():
            return {}
        found = read_table(self.text.removeprefix("\ufeff"), self.name)
        return {} if found is None else {"": found}

    @cached_property
    def _workbook(self) -> Workbook:
        return read_workbook(self)

    @property
    def hidden_sheets(self) -> frozenset[str]:
        """The names of hidden sheets of a workbook."""
        return self._workbook.hidden if is_workbook(self) else frozenset()

    @property
    def empty_sheets(self) -> dict[str, str]:
        """The sheets of a workbook without a table, and why they have none."""
        return self._workbook.empty if is_workbook(self) else {}

    @cached_property
    def tidy_sheets(self) -> dict[str, RawTable]:
        """The tables without rows that are no data, by the names of their sheets.

        A second table below the first one of a sheet has a name of its own. See
        :mod:`peergauge.exports.formats.tidying`.
        """
        from peergauge.exports.formats.tidying import tidied

        found = {}
        for name, table in self.sheets.items():
            about = f"{self.name}, sheet '{name}'" if name else self.name
            for part, one in tidied(table, self.dialogue, about).items():
                found[" ".join(filter(None, (name, part)))] = one
        return found


def _json_of(text: str) -> Any:
    """One value, or several lists or objects in a row as one list."""
    try:
        return _decoded(text, json.JSONDecoder())
    except json.JSONDecodeError:
        raise
    except ValueError:
        # Python refuses integers with many thousand digits, which do no harm here.
        return _decoded(text, json.JSONDecoder(parse_int=_whole))


def _whole(digits: str) -> float:
    return int(digits) if len(digits) < 4000 else math.inf


def _decoded(text: str, decoder: json.JSONDecoder) -> Any:
    pages = []
    place = 0
    while (found := re.compile(r"[\s,]*").match(text, place)) and found.end() < len(text):
        value, place = decoder.raw_decode(text, found.end())
        pages.append(value)
        kinds = {type(page) for page in pages[-2:]}
        if len(pages) > 1 and kinds not in ({list}, {dict}):
            raise json.JSONDecodeError("Several values in a row are no JSON", text, place)
    if not pages:
        raise json.JSONDecodeError("There is no value", text, 0)
    if len(pages) > 1 and isinstance(pages[0], list):
        return [item for page in pages for item in page]
    return pages[0] if len(pages) == 1 else pages


def read_table(text: str, name: str) -> RawTable | None:
    """Read a table of text with a header; None if there is none.

    The delimiter is the one that splits most rows into as many cells as the header, which may have
    titles and empty lines above it.
    """
    if "\r" in text and "\n" not in re.sub(r'"[^"]*"', "", text[:HEAD_BYTES]):
        # Old computers end lines so; cells in quotes may have other line breaks.
        text = text.replace("\r", "\n")
    text = _unwrapped(text)
    if _too_wide(text.lstrip("\n"), name):
        return None
    found = [
        (rows, header, delimiter)
        for delimiter in CELL_DELIMITERS
        if (header := header_rows_of(rows := _first_rows(text, delimiter))) is not None
    ]
    if not found:
        return _one_column(text)
    rows, header, delimiter = max(found, key=lambda one: _fit(*one[:2]))
    begin = rows[header.last].begin
    if _too_wide(text[begin:], name):
        return None
    try:
        raw = pl.read_csv(
            text[begin:].encode(),
            separator=delimiter,
            has_header=False,
            infer_schema=False,
            truncate_ragged_lines=True,
            quote_char='"',
        )
    except (pl.exceptions.PolarsError, OverflowError) as error:
        reason = "a cell in quotes is never closed" if text.count('"') % 2 else _reason(error)
        raise TableError(f"{name} cannot be read as a table: {reason}; save it again.") from error
    if not raw.height:
        return None
    raw = unguarded_frame(raw)
    return as_table(raw, delimiter, above=[row.cells for row in rows], header=header)


_WRAPPED_LINE = re.compile(r'"(?:[^"\n]|"")*[,;\t](?:[^"\n]|"")*"')


def _unwrapped(text: str) -> str:
    """The text without quotes around whole lines, which a table has that was saved twice."""
    lines = text[:HEAD_BYTES].splitlines()[:HEADER_SEARCH_ROWS]
    some = [line for line in lines if line.strip()]
    if len(some) < 2 or not all(_WRAPPED_LINE.fullmatch(line.strip()) for line in some[:-1]):
        return text
    return "\n".join(
        line.strip()[1:-1].replace('""', '"') if line.strip().startswith('"') else line
        for line in text.splitlines()
    )


def _first_rows(text: str, delimiter: str) -> list[Row]:
    """The first rows of a text; a cell in quotes may hold line breaks."""
    head = text[:HEAD_BYTES]
    lines = StringIO(head, newline="\n")
    read: list[str] = []

    def next_lines() -> Iterator[str]:
        for line in lines:
            read.append(line)
            # The csv module refuses a stray carriage return.
            yield line.rstrip("\r\n").replace("\r", " ") + "\n"

    rows: list[Row] = []
    begin = 0
    try:
        for cells in csv.reader(next_lines(), delimiter=delimiter):
            rows.append(Row(cells, begin))
            begin += sum(map(len, read))
            read.clear()
            if len(rows) == HEADER_SEARCH_ROWS:
                break
    except csv.Error:
        pass  # a cell is longer than the csv module allows
    if len(rows) > 1 and len(rows) < HEADER_SEARCH_ROWS and len(text) > HEAD_BYTES:
        rows.pop()  # the last row is cut off
    return rows


def _fit(rows: Sequence[Row], header: HeaderRows) -> tuple[int, int, int]:
    """How well a delimiter fits: rows as wide as the header, its height, its width."""
    width = len(rows[header.last].cells)
    alike = sum(len(row.cells) == width for row in rows[header.first :])
    return alike, -header.first, width


def _one_column(text: str) -> RawTable | None:
    """Lines of text as a table of one column."""
    lines = text.strip("\r\n").splitlines()
    if not lines:
        return None
    return as_table(pl.DataFrame({"line": lines}), "")


def as_table(
    raw: pl.DataFrame,
    delimiter: str,
    *,
    above: Sequence[Sequence[str | None]] = (),
    header: HeaderRows | None = None,
) -> RawTable:
    """Make a table of rows of text, the first of which is the last row of the header.

    *above* has the rows from the top of the file on, and *header* says which form the header.
    """
    names = tuple((cell or "").strip().strip("\ufeff") for cell in raw.row(0))
    if header is None:
        header = HeaderRows(0, 0, names)
    elif header.last > header.first:
        # The first rows of the file may be cut off, but not those of the table.
        names = (header.names + names[len(header.names) :])[: raw.width]
    frame = raw.slice(1).rename(dict(zip(raw.columns, _distinct(names), strict=True)))
    frame = frame.with_columns(pl.all().str.strip_chars()).with_columns(
        pl.when(pl.all() != "").then(pl.all())  # empty cells are null
    )
    titles = tuple(cell.strip() for row in above[: header.first] for cell in Row(row).filled)
    return RawTable(frame, names, delimiter, header.last + 2, titles, header.groups, header.short)


PARQUET_MARK = b"PAR1"
"""The bytes that a Parquet file begins with."""

MAX_PARQUET_CELLS = 2**27
"""Cells that a Parquet file may have: few bytes can stand for very many equal cells."""


def is_parquet(file: Opened) -> bool:
    """Whether a file is a Parquet file, by its first bytes."""
    return file.head.startswith(PARQUET_MARK)


def read_parquet(file: Opened) -> RawTable:
    """The table of a Parquet file with every cell as text, as it would stand in a CSV file.

    Whole numbers that are stored as floating point, as pandas does where a cell is missing, are
    written as whole numbers, so that grader 7 does not become 7.0.
    """
    raw = file.read()
    try:
        rows = pl.scan_parquet(BytesIO(raw)).select(pl.len()).collect().item()
        width = len(pl.read_parquet_schema(BytesIO(raw)))
        # A column of one repeated value takes hardly any room, whatever its length.
        most = min(MAX_PARQUET_CELLS, max(2**22, MAX_UNPACKED_RATIO * len(raw)))
        if rows * width > most:
            raise TableError(
                f"{file.name} has {rows} rows of {width} cells, and at most {most} cells are read "
                "from a file of its size; write fewer assignments at a time."
            )
        frame = pl.read_parquet(BytesIO(raw))
        refuse_long_texts(frame, file.name)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise TableError(
            f"{file.name} cannot be read as Parquet ({_reason(error)}); write it again."
        ) from error
    columns = [_as_text(frame[name], file.name) for name in frame.columns]
    names = pl.DataFrame(
        [pl.Series(str(k), [composed(name)]) for k, name in enumerate(frame.columns)]
    )
    cells = pl.DataFrame([one.alias(str(k)) for k, one in enumerate(columns)])
    return as_table(pl.concat([names, cells]), "")


def _as_text(column: pl.Series, source: str) -> pl.Series:
    """The cells of a column as a CSV file would have them; lists and the like are refused."""
    if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
        raise TableError(
            f"{source} has {column.dtype} in the column '{column.name}', but a cell should be a "
            "number or text; write the column as text."
        )
    if column.dtype.is_float():
        column = column.fill_nan(None)
        whole = column.drop_nulls()
        if ((whole == whole.round()) & (whole.abs() < 2**53)).all():
            column = column.cast(pl.Int64)
    return column.cast(pl.String).str.normalize("NFC")


WORKBOOK_SUFFIXES = (".xlsx", ".xlsm", ".xlsb", ".ods")
"""Suffixes of workbooks that are read: each is a ZIP file."""

OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of workbooks from before 2007 and of workbooks with a password."""

MAX_UNPACKED_BYTES = 2**30
"""Largest size of an unpacked workbook in bytes."""

MAX_SHEET_CELLS = 2**25
"""Largest number of cells of a sheet up to the last one, filled or not."""

MAX_UNPACKED_RATIO = 200
"""Largest ratio of unpacked to packed size; text has a ratio of about ten."""


def is_workbook(file: Opened) -> bool:
    """Whether a file is a workbook, by its content."""
    if file.head.startswith(OLD_OR_LOCKED):
        raise TableError(
            f"{file.name} is a workbook with a password, or one from before 2007; save it as XLSX "
            "without a password, or as CSV."
        )
    if not file.head.startswith(b"PK"):
        return False
    try:
        with file.stream() as stream, zipfile.ZipFile(stream) as packed:
            members = set(packed.namelist())
    except BAD_ZIP:
        return file.suffix in WORKBOOK_SUFFIXES
    return any(name.startswith("xl/workbook") for name in members) or (
        "content.xml" in members and file.suffix == ".ods"
    )


class Workbook(NamedTuple):
    """The sheets of a workbook."""

    tables: dict[str, RawTable]
    """The tables by the names of their sheets."""

    hidden: frozenset[str]
    """The names of hidden sheets."""

    empty: dict[str, str]
    """The names of sheets without a table, and why they have none."""


def read_workbook(file: Opened) -> Workbook:
    """Read the tables of a workbook by sheet.

    Needs fastexcel. A workbook that would be very large when unpacked is refused.
    """
    raw = file.read()
    check_workbook(raw, file.name)
    with needing(
        "fastexcel",
        sentence=f"{file.name} is a workbook, and reading it needs fastexcel",
        otherwise="save the sheet as CSV",
    ):
        import fastexcel
    try:
        book = fastexcel.read_excel(raw)
        loaded = {
            name: book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
            for name in book.sheet_names
        }
        hidden = frozenset(name for name, one in loaded.items() if one.visible != "visible")
        sheets = {name: one.to_polars() for name, one in loaded.items()}
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError, ValueError) as error:
        raise TableError(
            f"{file.name} cannot be read as a workbook ({_reason(error)}); save the sheet as CSV."
        ) from error
    found, empty = {}, {}
    for name, sheet in sheets.items():
        text = sheet.select(pl.all().cast(pl.String).str.normalize("NFC"))
        rows = text.head(HEADER_SEARCH_ROWS).rows()
        if (header := header_rows_of([Row(row) for row in rows])) is not None:
            found[name] = as_table(text.slice(header.last), "", above=rows, header=header)
        else:
            empty[name] = "it holds text and no table" if text.height else "it is empty"
    return Workbook(found, hidden, empty)


def check_workbook(raw: bytes, name: str) -> None:
    """Refuse a workbook that is damaged or locked, or that would take too much memory.

    The unpacked size of each member is measured, not taken from its header. A sheet is held in
    memory from its first cell to its last, even if few cells are filled.
    """
    most = min(MAX_UNPACKED_BYTES, max(2**26, MAX_UNPACKED_RATIO * len(raw)))

    def refuse_above_most(unpacked: int) -> None:
        if unpacked > most:
            raise TableError(
                f"{name} would take {unpacked / 2**20:.0f} MiB when unpacked, too much for the "
                f"{len(raw) / 2**20:.1f} MiB that it has; save the sheet as CSV."
            )

    try:
        with zipfile.ZipFile(BytesIO(raw)) as packed:
            refuse_above_most(sum(member.file_size for member in packed.infolist()))
            unpacked = 0
            for member in packed.infolist():
                member.file_size = 2 * MAX_UNPACKED_BYTES  # read to the end in any case
                sheet = _Extent()  # any member may be a sheet
                with packed.open(member) as stream:
                    while chunk := stream.read(2**20):
                        unpacked += len(chunk)
                        refuse_above_most(unpacked)
                        if sheet.grown(chunk) > MAX_SHEET_CELLS:
                            raise TableError(
                                f"{name} has a sheet of {sheet.rows} rows and {sheet.columns} "
                                "columns, nearly all of them empty; copy the cells that are "
                                "filled to a new sheet."
                            )
    except BAD_ZIP as error:
        raise TableError(
            f"{name} is a damaged workbook; save it again, without a password, or save it as CSV."
        ) from error


class _Extent:
    """The extent of a sheet, by the addresses of its cells and rows."""

    def __init__(self) -> None:
        self.rows = self.columns = 1
        self.rest = b""

    def grown(self, chunk: bytes) -> int:
        """Update the extent, and return the number of cells up to the last, filled or not."""
        content = self.rest + chunk
        # An address may be cut off at the end of a chunk.
        self.rest = content[-64:]
        if found := _ADDRESS.findall(content):
            columns, rows = map(set, zip(*found, strict=True))
            self.rows = max(self.rows, *map(int, rows))
            self.columns = max(self.columns, *map(_column_number, columns))
        return self.rows * self.columns


_ADDRESS = re.compile(rb"r\s*+=\s*+[\"']\s*+([A-Za-z]{0,9}+)[A-Za-z]*+(\d{1,20}+)")


def _column_number(letters: bytes) -> int:
    """The number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - 64
    return number


def _reason(error: BaseException) -> str:
    """The first line of an error message, shortened: it may quote cells of any length."""
    return str(error).partition("\n")[0][:200].rstrip(".")


def _first_line(text: str) -> str:
    """The first line of a table; a cell in quotes may hold line breaks."""
    found = re.match(r'(?:[^"\n]+|"[^"]*")*+', text[:MAX_HEADER_LETTERS])
    return found.group() if found else ""


def _outside_quotes(line: str, mark: str) -> int:
    return re.sub(r'"[^"]*"', "", line).count(mark)


def _too_wide(text: str, name: str) -> bool:
    """Whether the text is too wide and not a table, such as JSON; a wide table is refused."""
    first = _first_line(text)
    columns = max(_outside_quotes(first, mark) for mark in CELL_DELIMITERS)
    if len(first) < MAX_HEADER_LETTERS and columns < MAX_TABLE_COLUMNS:
        return False
    if not first.lstrip().startswith(("{", "[", "<")):
        raise TableError(
            f"{name} has a first line of more than {MAX_TABLE_COLUMNS} columns or "
            f"{MAX_HEADER_LETTERS} letters, too wide for a table; give each review a row of its "
            "own."
        )
    return True


def _distinct(names: tuple[str, ...]) -> list[str]:
    """The same names made distinct: empty and repeated names are numbered."""
    found: dict[str, int] = {}
    result = []
    taken = set(names)
    for place, name in enumerate(names, 1):
        # Polars would read * and ^…$ as patterns.
        pattern = name == "*" or (name.startswith("^") and name.endswith("$"))
        own = f"column {place}" if pattern or not name else name
        found[own] = found.get(own, 0) + 1
        if found[own] > 1:
            number = found[own]
            while f"{own} ({number})" in taken:
                number += 1
            own = f"{own} ({number})"
        result.append(own)
    return result


_PLAIN = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def number(text: str | None) -> float | None:
    """Parse a number as people write it: 7, 7.5, 7,5, 1 234,5, 85 %; None if it is not one.

    >>> number("7,5"), number(" 85 % "), number("1.234,5"), number("n/a")
    (7.5, 85.0, 1234.5, None)
    """
    if text is None:
        return None
    if _PLAIN.fullmatch(text):
        return float(text)
    bare = re.sub(r"[\s\u00a0\u202f'%]", "", text).replace("−", "-")
    if re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+,\d+", bare):
        bare = bare.replace(".", "")
    elif re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+\.\d+", bare):
        bare = bare.replace(",", "")
    bare = bare.replace(",", ".")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", bare):
        return None
    value = float(bare)
    return value if math.isfinite(value) else None
