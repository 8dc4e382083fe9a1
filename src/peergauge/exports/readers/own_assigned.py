"""The assigned reviews of a class as peergauge writes them."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.assigned import ASSIGNED_COLUMNS
from peergauge.exports.formats.columns import listed
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers.own_tables import header_of, meaningful, strict_table
from peergauge.exports.records import Export, Note, State, table


@reader(
    "own-assigned",
    label="assigned reviews of a class (CSV, Parquet)",
    source="peergauge read and simulate",
    platform="peergauge",
    suffixes=(".csv", ".parquet"),
    rank=-1,
)
@dataclass(frozen=True)
class OwnAssigned(Reader):
    """The file ``assigned.csv`` of a class: every review that was assigned, done or not.

    It has the columns assignment, submission, grader and state, which is ``done``, ``assigned``
    (and not done) or ``declined``. The submission is empty if it is only known that
    the grader was assigned a review. The grades are in ``reports.csv``. An assignment that the file
    does not mention is one of which nobody knows what was assigned.
    """

    def recognises(self, file: Opened) -> bool:
        header = header_of(file)
        if not set(header) >= set(ASSIGNED_COLUMNS):
            return False
        # A table with grades, too, is one of reviews.
        return not (extra := _extra(header)) or not meaningful(extra, strict_table(file))

    def instead(self, file: Opened) -> str:  # noqa: ARG002
        return "lists assigned reviews without grades; add the reports.csv of the class"

    def read(self, file: Opened) -> Export:
        # The first line is enough to refuse another table, however large it is.
        if not set(header := header_of(file)) >= set(ASSIGNED_COLUMNS):
            raise TableError(
                f"{file.name} should have the columns {', '.join(ASSIGNED_COLUMNS)}, but has "
                f"{listed(header) or 'no columns'}."
            )
        found = strict_table(file)
        notes: tuple[Note, ...] = ()
        if extra := _extra(found.header):
            columns = "the column" if len(extra) == 1 else "the columns"
            text = f"Nothing is made of {columns} {listed(extra)}."
            notes = (Note("missed", text, (), file.name),)
        rows = (
            found.frame.select(list(ASSIGNED_COLUMNS))
            .with_columns(
                pl.col("assignment").fill_null(""),
                row=found.rows,
                source=pl.lit(file.name),
            )
            .filter(~pl.all_horizontal(pl.col("submission", "grader", "state").is_null()))
        )
        states = [state.value for state in State]
        unnamed = pl.col("submission").is_null() & (pl.col("state") == State.DONE.value)
        for wrong, what in (
            (pl.col("grader").is_null(), "no grader"),
            (~pl.col("state").is_in(states).fill_null(False), "no known state"),
            (unnamed, "no submission, but is done"),
        ):
            if (bad := rows.filter(wrong)).height:
                raise TableError(
                    f"Row {bad['row'][0]} of {file.name} has {what}; name the grader, the "
                    f"submission of a review that is done, and a state: {', '.join(states)}."
                )
        return Export(
            reviews=table("reviews", _counting_all(rows)),
            assigned_in=frozenset(rows["assignment"].unique()),
            notes=notes,
            exact=True,
        )


def _extra(header: tuple[str, ...]) -> list[str]:
    return [name for name in header if name not in ASSIGNED_COLUMNS]


def _counting_all(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows, of which those without a submission count all open reviews of their grader.

    In the file they stand beside the reviews that are named, and in an export they include them.
    """
    place = ["assignment", "grader"]
    unnamed = pl.col("submission").is_null()
    named = rows.filter(~unnamed & (pl.col("state") == State.ASSIGNED.value))
    counting = rows.filter(unnamed).select(place).unique()
    again = named.join(counting, on=place, how="semi", maintain_order="left")
    return pl.concat([rows, again.with_columns(submission=pl.lit(None, dtype=pl.String))])
