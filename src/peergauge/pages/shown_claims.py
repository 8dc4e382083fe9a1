"""Claims of a page: the numbers that it shows, and which value of the audit each of them is.

A *claim* is a place (table, row, columns) and the text that a reader sees there. A page marks its
claims with four attributes:

- ``data-table`` on a table names a table of
  :class:`~peergauge.classroom.grade.recomputed.AuditedNumbers`.
- ``data-column`` on a cell of its head names the column that the cells below show; several names,
  with spaces between, if these show several numbers.
- ``data-key`` on a body or row is the number of the row in the audit; by default rows are counted.
  On a table it is the row of another table that all rows belong to.
- ``data-claim`` on any other element names a table, a row and columns, with spaces between.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import NamedTuple

CELL_TAGS = ("td", "th")
ROW_TAGS = ("tr", "thead", "tbody", "tfoot")
UNREAD_TAGS = ("script", "style", "title")

SENTENCES = "sentences"
"""Where numbers are that are in no table."""

NUMBER_PATTERN = re.compile(r"(?<![\w.])[+−-]?\d+(?:\.\d+)?(?:\s*%)?")
"""A number as pages show it: with a sign, a decimal point and a percent sign if it has them."""


class Claim(NamedTuple):
    """What a page shows at one place."""

    table: str
    key: str
    columns: tuple[str, ...]
    text: str


class ShownNumber(NamedTuple):
    """A number as it is shown, with the largest error that rounding explains."""

    value: float
    error: float


def shown_numbers(text: str) -> list[ShownNumber]:
    """The numbers in a text, in their order.

    >>> shown_numbers("−1.50 to 12 %")
    [ShownNumber(value=-1.5, error=0.005), ShownNumber(value=0.12, error=0.005)]
    """
    found = []
    for token in NUMBER_PATTERN.findall(text):
        digits = token.replace("−", "-").rstrip("%").strip()
        unit = 0.01 if token.endswith("%") else 1.0
        decimals = len(digits.partition(".")[2])
        value, error = float(digits) * unit, 0.5 * 10.0**-decimals * unit
        found.append(ShownNumber(round(value, 15), error))
    return found


class ReadPage(NamedTuple):
    """What a page shows.

    Parameters
    ----------
    claims
        All claims, in their order.
    unclaimed
        How many numbers are outside of claims, by the table that they are in, or
        :data:`SENTENCES`.
    paragraphs
        The texts of paragraphs outside of tables that have no claim.
    """

    claims: list[Claim]
    unclaimed: dict[str, int]
    paragraphs: list[str]


def read_page(page: str) -> ReadPage:
    """The claims of a page, and how many numbers are not among them."""
    parser = _ClaimParser()
    parser.feed(page)
    parser.close()
    return ReadPage(parser.claims, parser.unclaimed, parser.paragraphs)


def claims_of(page: str) -> list[Claim]:
    """All claims of a page, in their order."""
    return read_page(page).claims


@dataclass
class _OpenTable:
    """A table whose end was not reached so far."""

    name: str
    key: str
    label: str = ""
    columns: list[tuple[str, ...]] = field(default_factory=list)
    group_key: str = ""
    row_key: str = ""
    row: int = -1
    position: int = 0
    in_head: bool = False
    cell: tuple[str, ...] = ()
    text: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        """The row of the audit that the current row shows."""
        if self.row_key or self.group_key:
            return self.row_key or self.group_key
        return f"{self.key}.{self.row}" if self.key else str(self.row)


@dataclass
class _OpenClaim:
    """An element with a claim whose end was not reached so far."""

    tag: str
    claim: list[str]
    depth: int = 1
    text: list[str] = field(default_factory=list)


class _ClaimParser(HTMLParser):
    """Collects claims; the ends of cells and rows may be missing, as HTML allows."""

    def __init__(self) -> None:
        super().__init__()
        self.claims: list[Claim] = []
        self.unclaimed: dict[str, int] = {}
        self.paragraphs: list[str] = []
        self._paragraph: list[str] | None = None
        self._tables: list[_OpenTable] = []
        self._open: list[_OpenClaim] = []
        self._unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = {name: value or "" for name, value in attrs}
        if tag in UNREAD_TAGS:
            self._unread += 1
        if tag == "p":
            self._end_paragraph()
            self._paragraph = []
        if "data-claim" in known:
            self._paragraph = None
        if tag in (*CELL_TAGS, *ROW_TAGS):
            self._end_cell()
        for one in self._open:
            one.depth += one.tag == tag
        if tag == "table":
            name = known.get("data-table", "")
            label = name or known.get("id", "").removesuffix("-table") or "other"
            self._tables.append(_OpenTable(name, known.get("data-key", ""), label))
        elif self._tables:
            self._enter(self._tables[-1], tag, known)
        if "data-claim" in known:
            self._open.append(_OpenClaim(tag, known["data-claim"].split()))

    def _enter(self, table: _OpenTable, tag: str, known: dict[str, str]) -> None:
        """Begin a part of a table."""
        if tag in ("thead", "tbody", "tfoot"):
            table.in_head = tag == "thead"
            table.group_key = known.get("data-key", "")
            table.row_key = ""
        elif tag == "tr":
            table.row_key, table.position = known.get("data-key", ""), 0
            table.row += not table.in_head
        elif tag in CELL_TAGS:
            text = known.get("colspan", "1")
            span = int(text) if text.isdecimal() and len(text) < 5 else 1
            if table.in_head:
                names = tuple(known.get("data-column", "").split())
                table.columns += [names] + [()] * (span - 1)
            elif span == 1 and table.position < len(table.columns) and "data-claim" not in known:
                table.cell, table.text = table.columns[table.position], []
            table.position += span

    def handle_data(self, data: str) -> None:
        if self._unread:
            return
        table = self._tables[-1] if self._tables else None
        if table and table.cell:
            table.text.append(data)
        for one in self._open:
            one.text.append(data)
        claimed = any(len(one.claim) > 2 for one in self._open)
        if not claimed and not (table and table.cell and table.name):
            where = f"the table '{table.label}'" if table else SENTENCES
            if self._paragraph is not None and not table:
                self._paragraph.append(data)
            count = len(NUMBER_PATTERN.findall(data))
            if count:
                self.unclaimed[where] = self.unclaimed.get(where, 0) + count

    def handle_endtag(self, tag: str) -> None:
        if tag in UNREAD_TAGS:
            self._unread = max(self._unread - 1, 0)
        if tag in (*CELL_TAGS, *ROW_TAGS, "table"):
            self._end_cell(tag == "table")
        if tag == "table" and self._tables:
            self._tables.pop()
        if tag == "p":
            self._end_paragraph()
        for one in self._open:
            one.depth -= one.tag == tag
        self._end_claims(lambda one: one.depth <= 0)

    def _end_paragraph(self) -> None:
        """End the current paragraph, if there is one without claims."""
        if self._paragraph:
            self.paragraphs.append(_plain("".join(self._paragraph)))
        self._paragraph = None

    def _end_cell(self, end_of_table: bool = False) -> None:
        """End the current cell, and claims that are cells."""
        self._end_claims(lambda one: one.tag in CELL_TAGS)
        if self._tables and self._tables[-1].cell:
            table = self._tables[-1]
            if table.name:
                text = _plain("".join(table.text))
                self.claims.append(Claim(table.name, table.place, table.cell, text))
            table.cell = ()
        if end_of_table and self._tables:
            self._tables[-1].cell = ()

    def _end_claims(self, ended: Callable[[_OpenClaim], bool]) -> None:
        for one in [one for one in self._open if ended(one)]:
            self._open.remove(one)
            if len(one.claim) > 2:
                table, key, *columns = one.claim
                text = _plain("".join(one.text))
                self.claims.append(Claim(table, key, tuple(columns), text))

    def close(self) -> None:
        super().close()
        self._end_cell()
        self._end_claims(lambda _: True)


def _plain(text: str) -> str:
    """A text with single spaces."""
    return " ".join(text.split())
