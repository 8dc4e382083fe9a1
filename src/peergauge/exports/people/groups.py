"""Several people in one cell: 'Ada; Ben; Chloé', against one person as 'Lovelace, Ada'."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from peergauge.exports.people.names import (
    address_in,
    cleaned,
    kind_of,
    names_nobody,
    spelling_keys,
    swapped,
)

MAX_NAME_WORDS = 6
MAX_NAME_LETTERS = 60

_STRONG = re.compile(r"\s*(?:[;|\n\r\t•·‣▪]|\s/\s|\s\+\s)\s*")
_JOINING = re.compile(r"\s*&\s*|,?\s+(?:and|und|et)\s+", re.IGNORECASE)
_TIGHT = re.compile(r"\s*[/+]\s*")
_COMMA = re.compile(r"\s*,\s*")
MAY_BE_SEVERAL = re.compile(r"[,;&|\n\r\t/+•·‣▪]|\s(?:and|und|et)\s", re.IGNORECASE)
"""What stands between the names of several people, or of one."""

_SUFFIX = re.compile(
    r"(jr|sr|i{2,3}|iv|ph\.?d|m\.?d|msc|bsc|ba|ma|mba|esq)\.?", flags=re.IGNORECASE
)
_LEADING = re.compile(r"^\s*(?:\d+[.)]|[-*•])\s+")


@dataclass(frozen=True)
class Members:
    """The cells of a column that name several people.

    Parameters
    ----------
    people
        The people by the cell, for the cells that certainly or probably name several.
    doubtful
        The same for cells that may name one person as 'Last, First'.
    """

    people: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    doubtful: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def members_in(cells: Iterable[str], known: Collection[str]) -> Members:
    """Find the cells of a column that name several people.

    Semicolons, line breaks, '&' and the like separate people. A comma does so if a cell has several
    of them, if both sides are people whom the files also name alone, or if other cells are such
    lists; otherwise it separates the last name from the first. Cells with one comma beside cells
    without any are in doubt.

    Parameters
    ----------
    known
        Spelling keys of the people whom the files name alone.
    """
    every = list(dict.fromkeys(cells))
    sure: dict[str, tuple[str, ...]] = {}
    commas: dict[str, tuple[str, ...]] = {}
    for cell in every:
        if len(cell) > MAX_NAME_LETTERS * 12 or _is_known(cell, known):
            continue
        if people := _separated(cell, known):
            sure[cell] = people
        elif "," in cell and _one_comma(cell):
            commas[cell] = _pieces(_COMMA.split(cleaned(cell)))
    lists = {
        cell: people
        for cell, people in commas.items()
        if all(_is_known(one, known) for one in people) and not _is_known(swapped(cell), known)
    }
    reversed_names = [cell for cell in commas if _is_known(swapped(cell), known)]
    rest = [cell for cell in commas if cell not in lists and cell not in reversed_names]
    sure.update(lists)
    if not rest:
        return Members(sure)
    single = [cell for cell in every if cell not in commas and cell not in sure]
    by_comma = [cell for cell in sure if "," in cell and not re.search(r"[;|\n\r\t]", cell)]
    if by_comma and not reversed_names:
        sure.update((cell, commas[cell]) for cell in rest)
        return Members(sure)
    # Members are written as other cells write people: with or without a last name.
    alone = [cell for cell in single if len(cell.split()) == 1 and kind_of(cell) == "name"]
    full = len(single) - len(alone)
    doubtful = {
        cell: commas[cell]
        for cell in rest
        if not reversed_names
        and (all(len(one.split()) > 1 for one in commas[cell]) or len(alone) > full)
    }
    return Members(sure, doubtful)


def _is_known(text: str, known: Collection[str]) -> bool:
    return any(key in known for key in spelling_keys(text))


def _one_comma(cell: str) -> bool:
    pieces = _COMMA.split(cleaned(cell).strip(" ,"))
    return len(pieces) == 2 and bool(_pieces(pieces)) and not _SUFFIX.fullmatch(pieces[1])


def _separated(cell: str, known: Collection[str]) -> tuple[str, ...]:
    """The people in a cell with separators that stand between people; empty if there are none."""
    if "@" in cell:
        addresses = [one for one in re.split(r"[\s,;|/&]+", cell.strip()) if one]
        if len(addresses) > 1 and all(address_in(one) for one in addresses):
            return tuple(dict.fromkeys(addresses))
        if address_in(cell):
            return ()
    pieces = [one for one in _STRONG.split(cell.strip()) if one]
    if len(pieces) > 1:
        joined = [part for one in pieces for part in _JOINING.split(one) if part]
        if all(one.count(",") == 1 and _one_comma(one) for one in joined):
            # Semicolons between people leave the comma to the two parts of a name.
            both = [part for one in joined for part in _COMMA.split(one)]
            if not all(_is_known(part, known) for part in both):
                return _pieces([cleaned(one) for one in joined])
        return _pieces([part for one in joined for part in _COMMA.split(one) if part])
    pieces = [one for one in _JOINING.split(cleaned(cell)) if one]
    if len(pieces) > 1:
        if all(one.count(",") == 1 and _is_known(swapped(one), known) for one in pieces):
            return _pieces(pieces)
        return _pieces([part for one in pieces for part in _COMMA.split(one) if part])
    pieces = _TIGHT.split(cleaned(cell))
    if len(pieces) > 1 and all(kind_of(one) == "name" and len(one) > 1 for one in pieces):
        return _pieces(pieces)
    pieces = _COMMA.split(cleaned(cell).strip(" ,"))
    if len(pieces) > 2 and not any(_SUFFIX.fullmatch(one) for one in pieces):
        if len(pieces) % 2 == 0:
            pairs = [", ".join(pieces[at : at + 2]) for at in range(0, len(pieces), 2)]
            if all(_is_known(swapped(one), known) for one in pairs):
                return _pieces(pairs)
        return _pieces(pieces)
    return ()


def _pieces(pieces: Iterable[str]) -> tuple[str, ...]:
    """The pieces of a cell, if each can be a person; otherwise none."""
    found = [_LEADING.sub("", cleaned(one)) for one in pieces]
    found = [one for one in found if one and not names_nobody(one)]
    for one in found:
        letters = sum(letter.isalnum() for letter in one)
        if not letters or len(one) > MAX_NAME_LETTERS or len(one.split()) > MAX_NAME_WORDS:
            return ()
    alike = {spelling_keys(one)[0]: one for one in reversed(found)}
    return tuple(reversed(alike.values())) if len(alike) > 1 else ()
