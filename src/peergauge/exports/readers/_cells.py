"""Helpers for readers of tables: finding columns, reading numbers, adding notes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import listed
from peergauge.exports.formats.opening import Opened, RawTable, number
from peergauge.exports.records import Note, rows_of

ROW = "\0row"
"""The column of row numbers; no file has it, since zero bytes are removed from files."""


class Cells:
    """The cells of a table with their row numbers, and notes about them.

    Parameters
    ----------
    file
        The file that the table is in.
    table
        The table; by default the first of the file.
    """

    def __init__(self, file: Opened, table: RawTable | None = None):
        found = file.table if table is None else table
        if found is None:
            raise TableError(f"{file.name} is not a table; give a CSV file or a workbook.")
        self.file, self.table = file, found
        self.notes: list[Note] = []
        self._folded: dict[str, str] = {}
        for name in found.frame.columns:
            self._folded.setdefault(" ".join(name.casefold().replace("_", " ").split()), name)
        if found.titles:
            self.note("read", f"The header stands below {listed(found.titles, 3)}.")
        for remark in found.remarks:
            self.note(remark.kind, remark.text, remark.rows)

    @property
    def frame(self) -> pl.DataFrame:
        """The cells with their row numbers; empty rows are left out."""
        frame = self.table.frame.with_columns(self.table.rows.alias(ROW))
        return frame.filter(~pl.all_horizontal(pl.exclude(ROW).is_null()))

    def find(self, *names: str) -> str | None:
        """The column with one of these names in any case; None if there is none."""
        return next((self._folded[name] for name in names if name in self._folded), None)

    def need(self, *names: str) -> str:
        """The column with one of these names; refused if there is none."""
        if (found := self.find(*names)) is None:
            raise TableError(
                f"{self.file.name} has no column '{names[0]}', only "
                f"{listed(self.table.frame.columns)}; export it again with that column."
            )
        return found

    def note(
        self,
        kind: Literal["read", "repaired", "dropped", "missed"],
        text: str,
        rows: Iterable[int] = (),
    ) -> None:
        """Add a note about the file."""
        self.notes.append(Note(kind, text, rows_of(rows), self.file.name))

    def note_unused(self, used: Iterable[str | None]) -> None:
        """Add a note that lists the unused columns, if there are any."""
        known = set(used)
        if unused := [name for name in self.table.frame.columns if name not in known]:
            self.note("missed", f"Nothing is made of {_columns(unused)}.")

    def with_numbers(
        self, frame: pl.DataFrame, column: str, into: str, what: str = "score"
    ) -> pl.DataFrame:
        """Read a column of *frame* as numbers; other cells become null, and are noted."""
        quick = pl.col(column).cast(pl.Float64, strict=False)
        frame = frame.with_columns(pl.when(quick.is_finite()).then(quick).alias(into))
        left = pl.col(into).is_null() & pl.col(column).is_not_null()
        odd = frame.filter(left)
        if not odd.height:
            return frame
        texts = odd[column].unique(maintain_order=True)
        values = pl.Series([number(text) for text in texts], dtype=pl.Float64)
        # Older versions of Polars look up all rows, also those that are not replaced.
        found = pl.col(column).replace_strict(texts, values, default=None, return_dtype=pl.Float64)
        frame = frame.with_columns(pl.when(left).then(found).otherwise(pl.col(into)).alias(into))
        if (bad := frame.filter(left)).height:
            shown = bad[column].unique(maintain_order=True).head(4).to_list()
            self.note("repaired", f"No number for a {what}: {listed(shown, 3)}.", bad[ROW])
        return frame

    def without(self, frame: pl.DataFrame, column: str, what: str) -> pl.DataFrame:
        """Leave out rows without a value in *column*, and note them."""
        if (gone := frame.filter(pl.col(column).is_null())).height:
            self.note("dropped", f"No {what} is given.", gone[ROW])
            frame = frame.filter(pl.col(column).is_not_null())
        return frame

    def numeric(self, column: str) -> bool:
        """Whether most cells of a column are numbers."""
        cells = self.table.frame[column].drop_nulls().head(200).to_list()
        return 2 * sum(number(cell) is not None for cell in cells) > len(cells)


def _columns(names: list[str]) -> str:
    return ("the column " if len(names) == 1 else "the columns ") + listed(names)


def headers(file: Opened) -> set[str]:
    """The headers of a table in lower case, with spaces; empty if it is not a table."""
    if file.table is None:
        return set()
    return {" ".join(name.casefold().replace("_", " ").split()) for name in file.table.header}
