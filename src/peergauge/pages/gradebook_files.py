"""Gradebooks as bytes, to be written together with all other files of a graded class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.tables import gradebook_marks
from peergauge.classroom.gradebooks import (
    PERSON_COLUMNS,
    Marks,
    Written,
    gradebooks,
    read_marks,
    write,
)
from peergauge.core.lazy import pl

if TYPE_CHECKING:
    from peergauge.pages.grade_folder import GradebookRequest

FACTOR_DIGITS = 6
"""Digits after the point of the factors between our marks and those of a platform."""


@dataclass(frozen=True)
class GradebookFiles:
    """Gradebooks of a class.

    Parameters
    ----------
    content
        The bytes of each file.
    about
        By the name of each file: the spec of its kind, for each title the factor by which the
        platform's marks are larger than ours, and how many people are recognised in it.
    marks
        Our marks in columns; empty without gradebooks.
    written
        What is written in each gradebook.
    """

    content: dict[Path, bytes] = field(default_factory=dict)
    about: dict[str, dict[str, Any]] = field(default_factory=dict)
    marks: dict[str, list[Any]] = field(default_factory=dict)
    written: tuple[Written, ...] = ()


def gradebook_files(
    graded: GradedClass, to: Sequence[GradebookRequest], folder: Path
) -> GradebookFiles:
    """Fill in all requested gradebooks, without writing into the folder."""
    return filled_gradebooks(gradebook_marks(graded), to, folder) if to else GradebookFiles()


def filled_gradebooks(marks: Marks, to: Sequence[GradebookRequest], folder: Path) -> GradebookFiles:
    """Gradebooks with some marks, as they would be in a folder."""
    columns = table_columns(marks.frame)
    content: dict[Path, bytes] = {}
    about: dict[str, dict[str, Any]] = {}
    written = []
    for request in to:
        name = gradebook_name(request)
        with TemporaryDirectory() as scratch:
            book = write(marks, request.kind, Path(scratch) / name, request.into)
            paths = (book.path, *book.more_paths)
            for path in paths:
                content[folder / path.name] = path.read_bytes()
                factors = _factors(path, request.kind, columns)
                people = len(list(recognised(read_marks(path, request.kind), columns)))
                about[path.name] = {"kind": request.kind, "factors": factors, "people": people}
        there, *more = (folder / path.name for path in paths)
        written.append(replace(book, path=there, more_paths=tuple(more)))
    return GradebookFiles(content, about, columns, tuple(written))


def gradebook_name(request: GradebookRequest) -> str:
    """The name of the file of a gradebook."""
    suffix = gradebooks.make(request.kind).facts.suffix
    return f"gradebook-{request.kind.partition(':')[0]}{suffix}"


def table_columns(table: pl.DataFrame) -> dict[str, list[Any]]:
    """Columns of a table for the audit, without explanations; NaN becomes None."""
    kept = table.drop("why", strict=False).with_columns(pl.selectors.float().fill_nan(None))
    return kept.to_dict(as_series=False)


def recognised(book: Marks, marks: Mapping[str, Sequence[Any]]) -> Iterator[tuple[int, int]]:
    """Rows of a gradebook and of our marks that belong to the same person."""
    number = {
        str(value).casefold(): row
        for name in PERSON_COLUMNS
        if name in marks and name != "section"
        for row, value in enumerate(marks[name])
        if value is not None
    }
    for place, known in enumerate(book.people()):
        texts = (known[name].casefold() for name in PERSON_COLUMNS if name in known)
        row = next((number[text] for text in texts if text in number), None)
        if row is not None:
            yield place, row


def _factors(path: Path, kind: str, marks: Mapping[str, Sequence[Any]]) -> dict[str, float]:
    """Factors by which the marks of a file are larger than ours: 4 for 100 instead of 25."""
    book = read_marks(path, kind)
    pairs = list(recognised(book, marks))
    found = {}
    for title in book.titles:
        if title in marks:
            both = [(book.of(title)[place], marks[title][row]) for place, row in pairs]
            ratios = [shown / ours for shown, ours in both if shown is not None and ours]
            if ratios:
                found[title] = round(float(median(ratios)), FACTOR_DIGITS)
    return found
