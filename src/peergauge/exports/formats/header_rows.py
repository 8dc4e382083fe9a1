"""Finding the header of a table: below titles, in two rows with merged cells, or Qualtrics' three.

Spreadsheets often have a group in the first header row and its parts in the second::

    Reviewer, Project 1,        , Project 2,
            , Clarity  , Quality, Clarity  , Quality

A merged cell is filled to the right, and both names are joined, as in ``Project 1 / Clarity``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import multimode
from typing import NamedTuple

JOINED_BY = " / "
"""What stands between the names of two header rows."""

QUALTRICS_COLUMNS = {
    "startdate": "StartDate",
    "enddate": "EndDate",
    "status": "Status",
    "responsetype": "Status",
    "ipaddress": "IPAddress",
    "progress": "Progress",
    "duration(inseconds)": "Duration (in seconds)",
    "finished": "Finished",
    "recordeddate": "RecordedDate",
    "responseid": "ResponseId",
    "recipientlastname": "RecipientLastName",
    "recipientfirstname": "RecipientFirstName",
    "recipientemail": "RecipientEmail",
    "externalreference": "ExternalReference",
    "externaldatareference": "ExternalReference",
    "locationlatitude": "LocationLatitude",
    "locationlongitude": "LocationLongitude",
    "distributionchannel": "DistributionChannel",
    "userlanguage": "UserLanguage",
}
"""The columns that Qualtrics adds to every survey, as its two header rows write them."""

SURVEY_COLUMNS = (
    *dict.fromkeys(QUALTRICS_COLUMNS.values()),
    *("Respondent ID", "Collector ID", "Start Date", "End Date", "IP Address", "Custom Data 1"),
)
"""The columns that Qualtrics and SurveyMonkey add to every survey."""

MIN_QUALTRICS_COLUMNS = 3
"""Columns of Qualtrics in both header rows that make a table its export."""


class Row(NamedTuple):
    """A row at the top of a file, and the position in the text where it begins."""

    cells: Sequence[str | None]
    begin: int = 0

    @property
    def filled(self) -> list[str]:
        """The cells that are not empty."""
        return [cell for cell in self.cells if cell and cell.strip()]


class HeaderRows(NamedTuple):
    """The rows that form the header of a table."""

    first: int
    """The place of the first of them."""

    last: int
    """The place of the last of them; the cells of the table follow."""

    names: tuple[str, ...]
    """The name of each column, without outer spaces."""

    groups: tuple[str, ...] = ()
    """The group of each column in a header of two rows; empty if it has none."""

    short: tuple[str, ...] = ()
    """The short name of each column, if the header also has question texts."""


def header_rows_of(rows: Sequence[Row]) -> HeaderRows | None:
    """The header of a table among its first rows; None if no row has two cells.

    >>> header_rows_of([Row(["", "P1", "", "P2", ""]), Row(["Who", "Style", "Depth", "Style",
    ... "Depth"]), Row(["ada", "3", "4", "5", "4"])]).names
    ('Who', 'P1 / Style', 'P1 / Depth', 'P2 / Style', 'P2 / Depth')
    """
    place = header_of(rows)
    if place is None:
        return None
    if (found := _qualtrics(rows, place)) is not None:
        return found
    for top in (place, place - 1):
        if top < 0 or top + 1 >= len(rows):
            continue
        if (found := _in_two_rows(rows, top, is_title=top < place)) is not None:
            return found
    return HeaderRows(place, place, tuple(map(_name, rows[place].cells)))


def header_of(rows: Sequence[Row]) -> int | None:
    """The position of the header: the first row that is as wide as the table.

    Titles above the header fill fewer cells, or have fewer cells.

    >>> header_of([Row(["Essays, 2026"]), Row([]), Row(["who", "what"]), Row(["ada", "e1"])])
    2
    """
    filled = [len(row.filled) for row in rows]
    widest = max(filled, default=0)
    if widest < 2:
        return None
    first = next(place for place, cells in enumerate(filled) if cells >= max(2, widest / 2))
    first = _below_letterhead(rows, first)
    usual = max(multimode(len(row.cells) for row in rows if len(row.cells) > 1))
    if len(rows[first].cells) >= usual:
        return first
    # A title may have commas, and a data row may have too many; but a header has no numbers.
    named = (
        place
        for place, row in enumerate(rows[first:], first)
        if len(row.cells) >= usual and not any(map(is_numeric, row.filled))
    )
    return next(named, first)


def _below_letterhead(rows: Sequence[Row], first: int) -> int:
    """The header below a letterhead: after an empty row, and wider than every row above it."""
    filled = [len(row.filled) for row in rows]
    for place in range(first + 2, len(rows) - 1):
        if (
            not filled[place - 1]
            and filled[place] > max(filled[:place])
            and filled[place] > 2
            and filled[place + 1] > 1
            and not any(map(is_numeric, rows[place].filled))
        ):
            return place
    return first


_NUMERIC = re.compile(
    r"[-+−]?(?=[.,]?\d)(?:\d+|\d{1,3}(?:[.,'\s\u00a0\u202f]\d{3})+)?(?:[.,]\d+)?(?:[eE][-+]?\d{1,3})?\s*%?"
)


def is_numeric(cell: str | None) -> bool:
    """Whether a cell is a number, as people write it.

    >>> is_numeric("7,5"), is_numeric(" 85 % "), is_numeric("8/10"), is_numeric("2.3.2026")
    (True, True, False, False)
    """
    if cell is None or not any(letter.isdigit() for letter in cell[:40]):
        return False
    return _NUMERIC.fullmatch(cell.strip()) is not None


def _begins_with_number(cell: str) -> bool:
    """Whether a cell may be a grade: a number, perhaps with a maximum or a word."""
    return re.match(r"\s*[-+−]?[.,]?\d", cell) is not None


def _name(cell: str | None) -> str:
    """A cell of the header as a name."""
    return (cell or "").strip().strip("\ufeff")


def _qualtrics(rows: Sequence[Row], place: int) -> HeaderRows | None:
    """The header of a survey of Qualtrics: names, question texts and import ids.

    The row of import ids may have been deleted.
    """
    marked = [
        number
        for number in range(place + 1, min(place + 4, len(rows)))
        if (filled := rows[number].filled) and all('"ImportId"' in cell for cell in filled)
    ]
    if marked:
        last = marked[0]
        names, texts = rows[place].cells, rows[last - 1].cells
        if last - 1 == place:
            texts = names
    else:
        if place + 1 >= len(rows):
            return None
        last = place + 1
        names, texts = rows[place].cells, rows[last].cells
        added = [
            one
            for one, other in zip(names, texts, strict=False)
            if _plain(one) in QUALTRICS_COLUMNS
            and QUALTRICS_COLUMNS[_plain(one)] == QUALTRICS_COLUMNS.get(_plain(other))
        ]
        if len(added) < MIN_QUALTRICS_COLUMNS:
            return None
    short = tuple(map(_name, names))
    asked = [" ".join(_name(cell).split()) for cell in texts]
    asked += [""] * (len(short) - len(asked))
    told = []
    for name, text in zip(short, asked, strict=False):
        if _plain(name) in QUALTRICS_COLUMNS:
            told.append(QUALTRICS_COLUMNS[_plain(name)])
        elif not text or text == name:
            told.append(name)
        elif asked.count(text) > 1:
            told.append(f"{name} {text}")  # a loop asks the same question several times
        else:
            told.append(text)
    return HeaderRows(place, last, tuple(told), short=short)


def _plain(cell: str | None) -> str:
    return "".join((cell or "").split()).strip("\ufeff").casefold()


def _in_two_rows(rows: Sequence[Row], place: int, *, is_title: bool) -> HeaderRows | None:
    """A header of two rows, with groups in the first; None if the second is not part of it.

    A row above a row that would do as a header has to be needed: its groups tell columns of the
    same name apart.
    """
    low = [_name(cell) for cell in rows[place + 1].cells]
    top = [_name(cell) for cell in rows[place].cells]
    if any(top[len(low) :]):
        return None
    top = (top + [""] * len(low))[: len(low)]
    if len([cell for cell in low if cell]) < 2 or any(map(is_numeric, low)):
        return None
    named = [column for column, cell in enumerate(top) if cell]
    if len(named) < 2:
        return None
    if any(_plain(cell) in RESPONSE_HEADERS for cell in low):
        return _questions_and_answers(place, top, low)
    groups, group = [], ""
    for column, cell in enumerate(top):
        group = cell or group
        groups.append(group if low[column] or cell else "")
    merged = [column for column in range(named[0], len(low)) if low[column] and not top[column]]
    again = [c for c in named if c and top[c] == top[c - 1] and low[c] and low[c - 1]]
    if not merged and not again:
        return None
    below = [row.cells for row in rows[place + 2 :]]
    if not _is_text_above_numbers(low, below) and not _repeats(groups, low, below):
        return None
    inside = [name for name, group in zip(low, groups, strict=True) if name and group]
    if is_title and len(set(inside)) == len(inside):
        return None
    names = tuple(
        JOINED_BY.join(filter(None, (group, name))) for group, name in zip(groups, low, strict=True)
    )
    both = tuple(group if name else "" for group, name in zip(groups, low, strict=True))
    return HeaderRows(place, place + 1, names, groups=both)


RESPONSE_HEADERS = ("response", "open-endedresponse", "openendedresponse", "responses")
"""Cells of the second header row of SurveyMonkey where a question has one answer."""


def _questions_and_answers(place: int, top: Sequence[str], low: Sequence[str]) -> HeaderRows:
    """The header of a survey of SurveyMonkey: questions, and their rows or choices."""
    names, groups, question = [], [], ""
    for asked, answer in zip(top, low, strict=True):
        question = asked or (question if answer else "")
        plain = "" if _plain(answer) in RESPONSE_HEADERS else answer
        names.append(JOINED_BY.join(filter(None, (question, plain))))
        groups.append(question if plain else "")
    return HeaderRows(place, place + 1, tuple(names), groups=tuple(groups), short=tuple(top))


def _is_text_above_numbers(header: Sequence[str], below: Sequence[Sequence[str | None]]) -> bool:
    """Whether at least two columns, and half of those with grades, have text above grades."""
    text = graded = 0
    for column, name in enumerate(header):
        cells = [row[column] or "" for row in below if column < len(row)]
        cells = [cell for cell in cells if cell.strip()]
        if cells and 2 * sum(map(_begins_with_number, cells)) > len(cells):
            graded += 1
            text += bool(name) and not _begins_with_number(name)
    return text >= 2 and 2 * text >= graded


def _repeats(
    groups: Sequence[str], header: Sequence[str], below: Sequence[Sequence[str | None]]
) -> bool:
    """Whether two groups have the same parts, which do not occur again in their columns."""
    parts: dict[str, list[str]] = {}
    for column, (group, name) in enumerate(zip(groups, header, strict=True)):
        if group and name:
            parts.setdefault(group, []).append(name)
            if any(column < len(row) and (row[column] or "").strip() == name for row in below):
                return False
    several = [tuple(names) for names in parts.values() if len(names) > 1]
    return len(several) > len(set(several))
