"""Small classes in files that people typed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from peergauge.exports.open import interpret_class
from peergauge.exports.validate import OpenedClass

PEOPLE = (
    "Ada Example",
    "Ben Sample",
    "Chloé Müller",
    "Dan O'Neil",
    "Eva Torres",
    "Finn Berg",
    "Gia Rossi",
    "Hugo Nuñez",
)
WORKS = tuple(f"Project {place}" for place in range(1, len(PEOPLE) + 1))
AUTHORS = dict(zip(WORKS, PEOPLE, strict=True))

Row = tuple[str, str, Any]


def ring(people: Sequence[str] = PEOPLE, works: Sequence[str] = WORKS, each: int = 3) -> list[Row]:
    """Everybody grades the works of the next people; nobody grades their own."""
    return [
        (name, works[(place + step) % len(works)], (3 * place + 2 * step) % 9 + 1)
        for place, name in enumerate(people)
        for step in range(1, each + 1)
    ]


def sheet(header: str, rows: Iterable[Sequence[Any]]) -> str:
    """A CSV file."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return text.getvalue()


def form(rows: Iterable[Row], authors: Mapping[str, str] | None = None) -> str:
    """A table of reviews, with the authors of the projects if they are given."""
    if authors is None:
        return sheet("Reviewer,Project,Score", rows)
    told = [(grader, work, authors[work], score) for grader, work, score in rows]
    return sheet("Reviewer,Project,Author,Score", told)


def opened(*files: str, answers: Mapping[str, str] | None = None, **named: str) -> OpenedClass:
    """The class in some files, with the defaults of open questions."""
    with TemporaryDirectory() as folder:
        every = {f"file{place}": text for place, text in enumerate(files)} | named
        paths = []
        for name, text in every.items():
            paths.append(Path(folder) / f"{name}.csv")
            paths[-1].write_text(text, encoding="utf-8")
        return interpret_class(paths, answers=answers, scale="0..10")


def graders(room: OpenedClass) -> list[str]:
    return sorted(map(str, room.reports.grader_names or ()))


def works(room: OpenedClass) -> list[str]:
    return sorted(map(str, room.reports.submission_names or ()))


def asked(room: OpenedClass) -> dict[str, str]:
    """The defaults of the open questions by their keys."""
    return room.interpretation.defaults


def decided(room: OpenedClass, part: str = "people") -> str:
    """What was decided about a part."""
    return "\n".join(one.text for one in room.interpretation.decisions if one.part == part)


def own_rows(room: OpenedClass) -> tuple[int, ...]:
    """The rows that were left out as reviews of one's own work."""
    notes = [note for note in room.report.notes if note.text.endswith("one's own work")]
    return tuple(row for note in notes for row in note.rows)
