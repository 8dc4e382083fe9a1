"""The way out: files of marks that platforms import, one kind in each file of this folder."""

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
from peergauge.classroom.gradebooks._marks import PEOPLE, Marks
from peergauge.core.errors import ParameterError, TableError

__all__ = [
    "PEOPLE",
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
    """Write marks as a gradebook: the whole file or nothing.

    Parameters
    ----------
    marks
        :class:`Marks`, or a frame of them.
    kind
        Which gradebook, such as ``canvas`` or ``moodle``.
    path
        The file to write.
    into
        The platform's own export; what is written is a copy of it in which only the marks differ.
    """
    book = gradebooks.make(kind)
    path = Path(path)
    if into is not None and not book.facts.fills:
        raise ParameterError(
            f"The gradebook '{book}' is always written anew and cannot fill {into}; "
            "leave the file away."
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

    Platforms do not know what our tables call people, so ``person`` is the surest id that the file
    has of them.
    """
    return gradebooks.make(kind).read(Path(path))
