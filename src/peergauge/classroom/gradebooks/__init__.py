"""Gradebooks: files of marks that platforms import, one kind in each file of this folder."""

from __future__ import annotations

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
from peergauge.core.errors import ParameterError, TableError

__all__ = [
    "PERSON_COLUMNS",
    "Gradebook",
    "GradebookFacts",
    "Marks",
    "Written",
    "gradebook",
    "gradebooks",
    "read_marks",
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
    if into is not None and not book.facts.fills:
        raise ParameterError(
            f"The gradebook '{book}' is always a new file and cannot fill {into}; "
            "leave out the file."
        )
    if path.suffix.lower() != book.facts.suffix:
        raise TableError(f"{path} should end in {book.facts.suffix} to say what it holds.")
    if path.is_dir():
        raise TableError(f"{path} is a folder; give the path of a file to write.")
    if not path.parent.is_dir():
        raise TableError(
            f"There is no folder {path.parent} to write {path.name} into; make it first."
        )
    table = marks if isinstance(marks, Marks) else Marks.from_frame(marks)
    return book.write(table, path, None if into is None else Path(into))


def read_marks(path: Path | str, kind: str | Gradebook) -> Marks:
    """Read the marks of a gradebook.

    Platforms do not know the identifiers of our tables, so ``person`` is the most reliable id in
    the file.
    """
    return gradebooks.make(kind).read(Path(path))
