"""Opening files that people send: any encoding, any delimiter, and nothing that harms.

A file is refused in one sentence if it is too large, if it is not what it says, or if unpacking it
would take more than it should.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from peergauge.errors import TableError

if TYPE_CHECKING:
    import polars as pl

LARGEST = 2**30
"""Bytes that a table may have: a gigabyte is some twenty million reviews."""

LARGEST_TREE = 2**28
"""Bytes that a JSON or XML file may have: it takes many times as much in memory."""

HEAD = 2**16
"""How much of a file is looked at to tell what it is."""

DELIMITERS = ",;\t|"

BOMS = {
    b"\xef\xbb\xbf": "utf-8-sig",
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


class RawTable(NamedTuple):
    """A table as it stands in a file: every cell is text, stripped, null where empty."""

    frame: pl.DataFrame
    """Column names are those of the header, stripped; empty and repeated ones are numbered."""

    header: tuple[str, ...]
    """The header as it stands, stripped."""

    delimiter: str

    @property
    def rows(self) -> pl.Series:
        """The row of the file of each row here: the header is row 1.

        Line breaks inside cells are not counted.
        """
        import polars as pl

        return pl.int_range(2, self.frame.height + 2, eager=True).alias("row")


@dataclass(frozen=True)
class Opened:
    """A file that a reader may look at in whatever way suits it; each is made once.

    Parameters
    ----------
    path
        Where it is.
    """

    path: Path

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return str(self.path)

    @property
    def suffix(self) -> str:
        """Its ending, in small letters."""
        return self.path.suffix.lower()

    @cached_property
    def size(self) -> int:
        """How many bytes it has."""
        try:
            return self.path.stat().st_size
        except OSError as error:
            raise TableError(f"{self.name} cannot be opened: {error.strerror}.") from error

    @cached_property
    def head(self) -> bytes:
        """Its beginning."""
        with self.stream() as file:
            return file.read(HEAD)

    @contextmanager
    def stream(self) -> Iterator[IO[bytes]]:
        """Its bytes, to be read as one goes."""
        try:
            with self.path.open("rb") as file:
                yield file
        except OSError as error:
            raise TableError(f"{self.name} cannot be read: {error.strerror}.") from error

    def read(self, most: int = LARGEST) -> bytes:
        """All of it, unless it is too large."""
        if self.size > most:
            raise TableError(
                f"{self.name} has {self.size / 2**20:.0f} MiB, and at most {most / 2**20:.0f} are "
                "read; export fewer assignments at a time."
            )
        with self.stream() as file:
            return file.read(most + 1)

    @cached_property
    def encoding(self) -> str:
        """How its text is written: by its byte order mark, as UTF-8, or as Windows has it."""
        for mark, name in BOMS.items():
            if self.head.startswith(mark):
                return name
        if b"\x00" in self.head[:200]:
            # Without a mark, text of two bytes a letter shows by its zeros.
            evens, odds = self.head[0:200:2].count(0), self.head[1:200:2].count(0)
            if max(evens, odds) > 40:
                return "utf-16-be" if evens > odds else "utf-16-le"
        try:
            # A letter may be cut off at the end of the head.
            self.head[: len(self.head) - 4 if len(self.head) == HEAD else None].decode("utf-8")
        except UnicodeDecodeError:
            return "cp1252"
        return "utf-8"

    @cached_property
    def text(self) -> str:
        """Its text; what cannot be decoded is marked, and zero bytes are taken out."""
        return self.read().decode(self.encoding, errors="replace").replace("\x00", "")

    @cached_property
    def looks_binary(self) -> bool:
        """Whether it is no text at all."""
        if self.encoding.startswith(("utf-16", "utf-32")):
            return False
        odd = sum(byte < 9 or 13 < byte < 32 for byte in self.head)
        return odd > max(8, len(self.head) / 20)

    @cached_property
    def json(self) -> Any:
        """What it holds, if it is JSON; None if it is not.

        Lists that follow each other, as pages that were put together do, are one list.
        """
        begin = self.head[:400].decode(self.encoding, errors="replace").lstrip("\ufeff\0 \t\r\n")
        if self.looks_binary or not begin.startswith(("{", "[")):
            return None
        if self.size > LARGEST_TREE:
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
        """What it holds, if it is a table of text; None if it is not."""
        if self.looks_binary or not self.head.strip():
            return None
        return read_table(self.text.removeprefix("\ufeff"), self.name)


def _json_of(text: str) -> Any:
    """One value, or several lists in a row as one."""
    decoder = json.JSONDecoder()
    pages = []
    place = 0
    while (found := re.compile(r"[\s,]*").match(text, place)) and found.end() < len(text):
        value, place = decoder.raw_decode(text, found.end())
        pages.append(value)
        if len(pages) > 1 and not all(isinstance(page, list) for page in pages[-2:]):
            raise ValueError("Several values in a row are no JSON.")
    if not pages:
        raise ValueError("There is no value.")
    return pages[0] if len(pages) == 1 else [item for page in pages for item in page]


def read_table(text: str, name: str) -> RawTable | None:
    """A table of text with a header, its delimiter told from the header; None if there is none."""
    import polars as pl

    lines = text.lstrip("\r\n")
    first = lines.partition("\n")[0]
    delimiter = max(DELIMITERS, key=lambda mark: _outside_quotes(first, mark))
    if not _outside_quotes(first, delimiter):
        return None
    try:
        raw = pl.read_csv(
            lines.encode(),
            separator=delimiter,
            has_header=False,
            infer_schema=False,
            truncate_ragged_lines=True,
            quote_char='"',
        )
    except (pl.exceptions.PolarsError, OverflowError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise TableError(f"{name} cannot be read as a table: {reason}.") from error
    header = tuple((cell or "").strip().strip("\ufeff") for cell in raw.row(0))
    names = _distinct(header)
    frame = raw.slice(1).rename(dict(zip(raw.columns, names, strict=True)))
    stripped = pl.all().str.strip_chars()
    frame = frame.with_columns(stripped).with_columns(
        pl.when(pl.all() != "").then(pl.all())  # empty cells are no cells
    )
    return RawTable(frame, header, delimiter)


def _outside_quotes(line: str, mark: str) -> int:
    return re.sub(r'"[^"]*"', "", line).count(mark)


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Names that are all different: empty and repeated ones are numbered."""
    found: dict[str, int] = {}
    result = []
    taken = set(names)
    for place, name in enumerate(names, 1):
        own = name or f"column {place}"
        found[own] = found.get(own, 0) + 1
        if found[own] > 1:
            number = found[own]
            while f"{own} ({number})" in taken:
                number += 1
            own = f"{own} ({number})"
        result.append(own)
    return result


def number(text: str | None) -> float | None:
    """A number as people write it: 7, 7.5, 7,5, 1 234,5, 85 %; None if it is none.

    >>> number("7,5"), number(" 85 % "), number("1.234,5"), number("n/a")
    (7.5, 85.0, 1234.5, None)
    """
    if text is None:
        return None
    bare = re.sub(r"[\s\u00a0\u202f'%]", "", text).replace("−", "-")
    if re.fullmatch(r"[+-]?\d{1,3}(\.\d{3})+,\d+", bare):
        bare = bare.replace(".", "")
    elif re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+\.\d+", bare):
        bare = bare.replace(",", "")
    bare = bare.replace(",", ".")
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", bare):
        return None
    return float(bare)
