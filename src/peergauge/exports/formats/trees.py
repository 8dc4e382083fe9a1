"""Reading JSON and XML of unknown origin safely, as plain values.

Numbers may be text and ids may be numbers, keys may be missing and lists empty; XML may hold
entities that expand without end. Values that are not understood become null, with a note.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias
from xml.parsers import expat

from peergauge.core.errors import TableError
from peergauge.core.text import composed
from peergauge.exports.formats.opening import MAX_TREE_BYTES, Opened, number
from peergauge.exports.records import Note, rows_of

Item: TypeAlias = dict[str, Any]
Row: TypeAlias = dict[str, Any]

MAX_XML_DEPTH = 64
"""Largest depth of nested XML elements."""

MAX_ID_NUMBER = 10**400
"""Numbers of this size are no ids."""

MAX_TAG_BYTES = 2**20
"""Longest tag with its attributes, or comment, in bytes."""

MAX_TEXT_LETTERS = 10_000
"""Letters of the text of an element that are kept."""

MAX_XML_NODES = 5_000_000
"""Largest number of elements of one XML file that are kept."""


# --------------------------------------------------------------------------------------- values


def text_of(value: Any) -> str | None:
    """A value as text that can be written to a table; None if there is none.

    >>> text_of("  Ada "), text_of(""), text_of({}), text_of(7.0)
    ('Ada', None, None, '7')
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        value = int(value) if value.is_integer() else value
    if isinstance(value, int) and abs(value) >= MAX_ID_NUMBER:
        return None
    # A lone surrogate cannot be written as UTF-8.
    text = str(value).replace("\x00", "")
    if not text.isascii():
        text = composed(text.encode("utf-8", "replace").decode("utf-8"))
    return text.strip() or None


def id_of(value: Any) -> str | None:
    """The id of a person or a thing: 7, 7.0, "7" and "7.0" are the same; None if there is none.

    >>> {id_of(7), id_of(7.0), id_of("7"), id_of(" 7.0 ")}, id_of("007"), id_of(None)
    ({'7'}, '007', None)
    """
    text = text_of(value)
    if text is None or ".0" not in text:
        return text
    return re.sub(r"^(-?\d+)\.0+$", r"\1", text)


def score_of(value: Any) -> float | None:
    """A finite number, also if it is written as text; None if it is not a number.

    >>> score_of(7), score_of("7,5"), score_of(float("nan")), score_of(True)
    (7.0, 7.5, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = number(value) if isinstance(value, str) else float(value)
    except OverflowError:
        return None
    return found if found is not None and math.isfinite(found) else None


def flag_of(value: Any) -> bool | None:
    """Yes or no, also if it is written as text or as a number; None if it is neither.

    >>> flag_of("True"), flag_of(0), flag_of("no"), flag_of("perhaps"), flag_of(None)
    (True, False, False, None, None)
    """
    said = str(value).strip().lower() if isinstance(value, str | bool | int | float) else ""
    return {
        **dict.fromkeys(("true", "yes", "1", "1.0", "t", "y"), True),
        **dict.fromkeys(("false", "no", "0", "0.0", "f", "n"), False),
    }.get(said)


def plain_of(markup: str | None) -> str | None:
    """The text of a piece of HTML, on one line; None if there is none.

    >>> plain_of("<p>Clear &amp; <b>short</b></p>")
    'Clear & short'
    """
    if markup is None:
        return None
    return " ".join(html.unescape(re.sub(r"<[^<>]*>", " ", markup)).split()) or None


def titles(names: Sequence[str | None], ids: Sequence[str | None]) -> list[str]:
    """Distinct names for several criteria: a repeated name has its id appended.

    >>> titles(["Ideas", "Style", "Ideas", None], ["a", "b", "c", "d"])
    ['Ideas', 'Style', 'Ideas (c)', 'd']
    """
    found: list[str] = []
    taken: set[str] = set()
    for place, (name, own) in enumerate(zip(names, ids, strict=True), 1):
        title = name or own or f"criterion {place}"
        if title in taken and own:
            title = f"{title} ({own})"
        if title in taken:
            title = f"{title} ({place})"
        while title in taken:
            title += "'"
        taken.add(title)
        found.append(title)
    return found


# ---------------------------------------------------------------------------------------- notes


@dataclass
class Notes:
    """Collects notes while a file is read, each with the rows that it concerns.

    Parameters
    ----------
    source
        The file.
    """

    source: str
    found: dict[tuple[Literal["read", "repaired", "dropped", "missed"], str], list[int]] = field(
        default_factory=dict
    )

    def add(
        self,
        kind: Literal["read", "repaired", "dropped", "missed"],
        text: str,
        row: int | None = None,
    ) -> None:
        """Add a note for one row or for the whole file."""
        rows = self.found.setdefault((kind, text), [])
        if row is not None:
            rows.append(row)

    def score(self, value: Any, what: str, row: int) -> float | None:
        """Parse a number; a value that is not a number is left empty, and noted."""
        found = score_of(value)
        if found is None and value is not None and value != "":
            self.add("repaired", f"{what} is not a number and is left empty.", row)
        return found

    def id(self, value: Any, what: str, row: int) -> str | None:
        """Parse an id; a missing id is left empty, and noted."""
        found = id_of(value)
        if found is None:
            self.add("missed", f"{what} is not given.", row)
        return found

    def weight(self, value: Any, row: int) -> float:
        """Parse a weight; 1 if there is none."""
        found = self.score(value, "A weight", row)
        return 1.0 if found is None else found

    def all(self) -> tuple[Note, ...]:
        """All notes in order."""
        return tuple(
            Note(kind, text, rows_of(rows), self.source)
            for (kind, text), rows in self.found.items()
        )


# ----------------------------------------------------------------------------------------- JSON


def json_of(file: Opened, what: str) -> Any:
    """The value of a JSON file, or a refusal."""
    found = file.json
    if found is None:
        raise TableError(
            f"{file.name} should be JSON with {what}, but is not valid JSON or is nested too "
            "deep; export it again."
        )
    return found


def items_of(value: Any, what: str, notes: Notes) -> Iterator[tuple[int, Item]]:
    """Iterate over the objects of a list, numbered from 1; other values are dropped, and noted."""
    for place, item in enumerate(value if isinstance(value, list) else [], 1):
        if isinstance(item, dict):
            yield place, item
        else:
            notes.add("dropped", f"{what} should be an object, but is not.", place)


def list_of(holder: Any, *keys: str) -> list[Any] | None:
    """The list itself, or the list under the first of *keys* that has one; None if none has."""
    if isinstance(holder, list):
        return holder
    if isinstance(holder, dict):
        for key in keys:
            if isinstance(holder.get(key), list):
                return list(holder[key])
    return None


def first_item(value: Any) -> Item:
    """The first object of a list; an empty object if there is none."""
    if isinstance(value, list):
        return next((item for item in value if isinstance(item, dict)), {})
    return {}


def need(items: Iterable[Item], key: str, meaning: str, what: str, file: Opened) -> None:
    """Refuse a list in which no object has a required key."""
    first: Item | None = None
    for item in items:
        if key in item:
            return
        first = item if first is None else first
    if first is not None:
        raise TableError(
            f"{file.name} should give {meaning} of each {what} in '{key}', but the first has only "
            f"{quoted_names(first)}."
        )


def quoted_names(keys: Iterable[Any], most: int = 8) -> str:
    """A few names in quotes, for a message."""
    listed = [f"'{' '.join((text_of(str(key)[:40]) or '').split())}'" for key in keys]
    if not listed:
        return "nothing"
    return ", ".join(listed[:most]) + (" and others" if len(listed) > most else "")


# ------------------------------------------------------------------------------------------ XML


class Readable(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Read at most *size* bytes; none at the end."""


@dataclass(slots=True)
class Node:
    """An XML element that was requested: its id, its texts, and the requested elements in it."""

    tag: str
    id: str | None
    fields: dict[str, str]
    parts: list[Node]

    def inside(self, *tags: str) -> Iterator[Node]:
        """The elements with these tags directly inside this one, in order."""
        return (part for part in self.parts if part.tag in tags)


class _Sieve:
    """Keeps the wanted elements while a parser walks over a file."""

    def __init__(
        self,
        name: str,
        wanted: Callable[[str], bool],
        fields: frozenset[str],
        long_fields: frozenset[str],
    ):
        self.name, self.wanted = name, wanted
        self.fields, self.long_fields = fields | long_fields, long_fields
        self.root = Node("", None, {}, [])
        self.nodes = [self.root]
        self.tags: list[str] = []
        self.pieces: list[str] = []
        self.kept = self.letters = 0

    def refuse(self, *_: Any) -> None:
        raise TableError(
            f"{self.name} declares a document type, which no export does; it is not read, for "
            "safety."
        )

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.tags.append(tag)
        if len(self.tags) > MAX_XML_DEPTH:
            raise TableError(
                f"{self.name} nests more than {MAX_XML_DEPTH} elements, which no export does; it "
                "is not read."
            )
        self.pieces.clear()
        self.letters = 0
        if self.wanted(tag):
            self.kept += 1
            if self.kept > MAX_XML_NODES:
                raise TableError(
                    f"{self.name} has more than {MAX_XML_NODES} records; back up fewer assignments "
                    "at once."
                )
            node = Node(tag, id_of(attributes.get("id")), {}, [])
            self.nodes[-1].parts.append(node)
            self.nodes.append(node)

    def text(self, more: str) -> None:
        tag = self.tags[-1]
        if tag in self.long_fields:
            self.pieces.append(more)
        elif self.letters < MAX_TEXT_LETTERS and tag in self.fields:
            self.pieces.append(more[: MAX_TEXT_LETTERS - self.letters])
            self.letters += len(more)

    def end(self, tag: str) -> None:
        self.tags.pop()
        if self.wanted(tag):
            node = self.nodes.pop()
            if tag in self.fields and not node.fields and not node.parts:
                # An element that is named like the one around it, such as <scale> in <scale>.
                node.fields[tag] = "".join(self.pieces)
        elif tag in self.fields and self.tags and self.nodes[-1].tag == self.tags[-1]:
            self.nodes[-1].fields[tag] = "".join(self.pieces)
        self.pieces.clear()


def read_xml(
    stream: Readable,
    name: str,
    wanted: Callable[[str], bool],
    fields: frozenset[str],
    most: int = MAX_TREE_BYTES,
    long_fields: frozenset[str] = frozenset(),
) -> list[Node]:
    """Read the XML elements whose tag is *wanted*, with the texts of their *fields*.

    The texts of *long_fields* are kept whole; of others, the first letters are enough.

    Document types and entities are refused, so that nothing is fetched and nothing expands. Depth,
    tags, size and the number of elements are bounded.
    """
    sieve = _Sieve(name, wanted, fields, long_fields)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = sieve.refuse
    parser.EntityDeclHandler = sieve.refuse
    parser.StartElementHandler = sieve.start
    parser.CharacterDataHandler = sieve.text
    parser.EndElementHandler = sieve.end
    fed = 0
    try:
        while chunk := stream.read(2**16):
            fed += len(chunk)
            if fed > most:
                raise TableError(
                    f"{name} has more than {most / 2**20:.0f} MiB of XML; back up fewer "
                    "assignments at once."
                )
            parser.Parse(chunk)
            if fed - parser.CurrentByteIndex > MAX_TAG_BYTES:
                raise TableError(f"{name} has a tag that does not end; it is not read.")
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        raise TableError(
            f"{name} is not valid XML: {reason} in line {error.lineno}; export it again."
        ) from error
    except (LookupError, ValueError) as error:
        raise TableError(
            f"{name} is XML in an encoding that is not known here; save it as UTF-8."
        ) from error
    return sieve.root.parts
