"""Marks as a CSV table, for people and for other programs."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from pathlib import Path

from peergauge.classroom.gradebooks._base import Gradebook, Written, gradebook
from peergauge.classroom.gradebooks._marks import PERSON_COLUMNS, Marks
from peergauge.classroom.gradebooks._platform import mark_text, safe
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.classroom.gradebooks.cells import text_number
from peergauge.core.errors import TableError
from peergauge.core.files import write_bytes
from peergauge.core.formulas import guarded, unguarded
from peergauge.core.lazy import pl


@gradebook("csv", label="CSV", source="–", keeps=PERSON_COLUMNS)
@dataclass(frozen=True)
class CommaSeparated(Gradebook):
    """A CSV table with one row for each person: their details, then their marks.

    The file is UTF-8 with a byte order mark, which Excel needs to show accents correctly.
    """

    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        columns = [marks.of(title) for title in marks.titles]
        people = marks.people()
        rows = [
            [*marks.known, *map(guarded, marks.titles)],
            *(
                [*safe(known, *marks.known), *(mark_text(column[k]) for column in columns)]
                for k, known in enumerate(people)
            ),
        ]
        write_bytes(Sheet.new(rows, bom=codecs.BOM_UTF8).data(), path)
        return Written(path, tuple(known["person"] for known in people))

    def read(self, path: Path) -> Marks:
        sheet = Sheet.read(path, PERSON_COLUMNS)
        rows = [row for row in range(1, len(sheet.rows)) if not sheet.rows[row].blank]
        return table_of(
            [unguarded(name) for name in sheet.header],
            [[unguarded(sheet.text(row, k)) for k in range(len(sheet.header))] for row in rows],
            str(path),
        )


def table_of(header: list[str], rows: list[list[str]], source: str) -> Marks:
    """Create marks from the cells of a table."""
    if again := next((name for name in header if name and header.count(name) > 1), None):
        raise TableError(f"{source} has two columns '{again}'; rename one.")
    columns: dict[str, list[str | float | None]] = {}
    for k, name in enumerate(header):
        cells = [row[k] for row in rows]
        if not any((name, *cells)):
            continue
        if name in PERSON_COLUMNS:
            columns[name] = [*cells]
            continue
        columns[name] = [text_number(cell) for cell in cells]
        for number, cell in enumerate(cells):
            if cell.strip() and columns[name][number] is None:
                raise TableError(
                    f"Row {number + 2} of {source} has '{cell}' under '{name}', which is not a "
                    "number; correct it or leave it empty."
                )
    kinds = {name: pl.String if name in PERSON_COLUMNS else pl.Float64 for name in columns}
    return Marks(pl.DataFrame(columns, schema_overrides=kinds), source=source)
