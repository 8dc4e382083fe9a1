"""Gradebooks: files of marks that platforms import, one kind in each file of this folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from peergauge.classroom.gradebooks._base import (
    Gradebook,
    GradebookFacts,
    Written,
    gradebook,
    gradebooks,
)
from peergauge.classroom.gradebooks._marks import PERSON_COLUMNS, Marks
from peergauge.classroom.gradebooks._matching import identified
from peergauge.classroom.gradebooks._platform import Platform
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.core.errors import ParameterError, TableError

__all__ = [
    "PERSON_COLUMNS",
    "Gradebook",
    "GradebookFacts",
    "Marks",
    "Sheet",
    "Written",
    "check_match",
    "gradebook",
    "gradebooks",
    "read_marks",
    "refuse_without_maximum",
    "write",
]


def write(
    marks: Any, kind: str | Gradebook, path: Path | str, into: Path | str | None = None
) -> Written:
    """Write marks atomically as a gradebook.

    Parameters
    ----------
    marks
        :class:`Marks`, or a frame that can be converted to marks.
    kind
        Kind of gradebook, such as ``canvas`` or ``moodle``.
    path
        The file to write.
    into
        The platform's own export; the written file is a copy of it in which only the marks differ.
    """
    book = gradebooks.make(kind)
    path = Path(path)
    _check_fills(book, into)
    if path.suffix.lower() != book.facts.suffix:
        raise TableError(f"{path} should end in {book.facts.suffix} to say what it holds.")
    if path.is_dir():
        raise TableError(f"{path} is a folder; give the path of a file to write.")
    if not path.parent.is_dir():
        raise TableError(
            f"There is no folder {path.parent} to write {path.name} into; make it first."
        )
    table = marks if isinstance(marks, Marks) else Marks.from_frame(marks)
    if isinstance(book, Platform):
        table = table.with_people(_identified(table.people()))
    return book.write(table, path, None if into is None else Path(into))


def _identified(people: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """People with the names and addresses that their identifiers are, unless others have these."""
    more = [identified(known) for known in people]
    taken = Counter(known["email"].casefold() for known in more if "email" in known)
    return [
        new if taken.get(new.get("email", "").casefold(), 0) < 2 else old
        for old, new in zip(people, more, strict=True)
    ]


def refuse_without_maximum(
    marks: Marks, kind: str | Gradebook, into: Path | str | None = None
) -> None:
    """Raise an error if a platform must be told what marks are out of, and is not."""
    book = gradebooks.make(kind)
    if not isinstance(book, Platform):
        return
    unknown = book.without_maximum(marks, None if into is None else Path(into))
    if unknown:
        raise ParameterError(
            f"{book.label} makes a new column for '{unknown[0]}' and must know what the marks "
            f"are out of; give the highest possible mark: --to {book.facts.name}:points=10."
        )


def check_match(
    people: Sequence[Mapping[str, str]], kind: str | Gradebook, into: Path | str
) -> None:
    """Raise an error if fewer than half of some people are in a platform's export.

    Check this before marks are computed. A person has a ``person`` and any of the columns about
    people of :class:`Marks`.
    """
    book = gradebooks.make(kind)
    _check_fills(book, into)
    if isinstance(book, Platform):
        book.check_match([dict(known) for known in people], Path(into))


def _check_fills(book: Gradebook, into: Path | str | None) -> None:
    if into is not None and not book.facts.fills:
        raise ParameterError(
            f"The gradebook '{book}' is always a new file and cannot fill {into}; "
            "leave out the file."
        )


def read_marks(path: Path | str, kind: str | Gradebook) -> Marks:
    """Read the marks of a gradebook.

    Platforms do not know the identifiers of our tables, so ``person`` is the most reliable id in
    the file.
    """
    return gradebooks.make(kind).read(Path(path))
