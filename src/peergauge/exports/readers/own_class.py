"""The authors and the scale of a class as peergauge writes them."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.errors import ScaleError, TableError
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import json_of, quoted_names, text_of
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._cells import Cells, headers
from peergauge.exports.readers.own_tables import header_of
from peergauge.exports.records import Export, table
from peergauge.tables import Scale

AUTHORS = {"assignment", "submission", "author"}
ABOUT = {"peergauge", "scale"}


@reader(
    "own-class",
    label="authors and scale of a class (CSV, JSON)",
    source="peergauge read, simulate and twin",
    platform="peergauge",
    holds="people",
    suffixes=(".csv", ".json"),
)
@dataclass(frozen=True)
class OwnClass(Reader):
    """The two files of a class that hold no grades: ``authors.csv`` and ``class.json``.

    Together with ``reports.csv`` and ``truth.csv``, which the reader ``own-tables`` reads, they
    restore the class that was written. From ``class.json`` only the scale is used.
    """

    def recognises(self, file: Opened) -> bool:
        if isinstance(file.json, dict):
            return "peergauge" in file.json
        if set(header_of(file)) == AUTHORS:
            return True
        # A table with graders and grades is a table of reviews.
        found = file.table
        return found is not None and headers(file) >= AUTHORS and guess_columns(found).is_roster

    def read(self, file: Opened) -> Export:
        if file.json is None and file.table is not None:
            cells = Cells(file)
            frame = cells.frame.rename({cells.need(name): name for name in sorted(AUTHORS)})
            cells.note_unused(AUTHORS)
            authors = cells.without(frame, "submission", "submission").select(sorted(AUTHORS))
            exact = set(header_of(file)) == AUTHORS
            return Export(
                submissions=table("submissions", authors), notes=tuple(cells.notes), exact=exact
            )
        found = json_of(file, "what is known about a class")
        if not isinstance(found, dict) or not found.keys() >= ABOUT:
            has = quoted_names(found) if isinstance(found, dict) else "a list"
            raise TableError(f"{file.name} should describe a class with 'scale', but has {has}.")
        scale = text_of(found["scale"]) or ""
        try:
            return Export(scale=str(Scale.parse(scale)), exact=True)
        except ScaleError as error:
            raise TableError(
                f"{file.name} should state the scale in 'scale', as in '0..10', but has '{scale}'."
            ) from error
