"""Any table that says who gave which grade to what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.data.columns import Column, ColumnMap, Part, listed
from peergauge.data.headers import ROLE_VALUES
from peergauge.data.opening import Opened, RawTable
from peergauge.data.readers import Reader, reader
from peergauge.data.readers._cells import ROW, Cells
from peergauge.data.records import Export, Role, State, table
from peergauge.errors import TableError

if TYPE_CHECKING:
    import polars as pl

STATES: dict[str, str] = {
    **dict.fromkeys(("done", "completed", "complete", "submitted", "finished", "graded"), "done"),
    **dict.fromkeys(("assigned", "pending", "open", "incomplete", "not started"), "assigned"),
    **dict.fromkeys(("declined", "refused", "rejected"), "declined"),
}


@reader(
    "table",
    label="any table of grades (CSV, TSV, XLSX)",
    source="headers in English, German, French, Spanish and Italian, or a column map",
    platform="any",
    suffixes=(".csv", ".tsv", ".txt", ".xlsx"),
    rank=100,
)
@dataclass(frozen=True)
class TableReader(Reader):
    """Any table with a header, by a map that says which column is what.

    A row may hold a review, a review of several criteria, or all reviews of a submission: in pairs
    of columns (a grade and who gave it), or with a column for each grader.

    Parameters
    ----------
    columns
        A column map, or the TOML file that it is in; guessed if there is none.
    sheet
        The sheet of a workbook; by default the first that the map fits.
    """

    columns: str | ColumnMap | None = None
    sheet: str | None = None

    def recognises(self, file: Opened) -> bool:
        # Lists of numbers in brackets have commas too.
        return file.json is None and file.table is not None

    def read(self, file: Opened) -> Export:
        found, columns = self.mapped(file)
        cells = Cells(file, found)
        cells.note("read", "; ".join(columns_told(columns)) + ".")
        cells.note_unused(one.name for one in columns.columns if one.part is not Part.UNUSED)
        frame = _who_and_what(cells, columns)
        reviews = _reviews(cells, columns, frame)
        truth = _truth(cells, columns, frame)
        authors = frame.filter(frame["author"].is_not_null())
        return Export(
            reviews=reviews,
            submissions=authors.select("assignment", "submission", "author").unique(
                maintain_order=True
            ),
            truth=truth,
            notes=tuple(cells.notes),
        )

    def mapped(self, file: Opened) -> tuple[RawTable, ColumnMap]:
        """The table to read and its column map."""
        sheets = file.sheets
        if not sheets:
            raise TableError(f"{file.name} is not a table; give a CSV file or a workbook.")
        if self.sheet is not None:
            if self.sheet not in sheets:
                raise TableError(
                    f"{file.name} has no table on a sheet '{self.sheet}', only on "
                    f"{listed(sheets)}; name one of these."
                )
            sheets = {self.sheet: sheets[self.sheet]}
        given = ColumnMap.read(self.columns) if isinstance(self.columns, str) else self.columns
        if given is not None:
            wanted = {one.name for one in given.columns if one.part is not Part.UNUSED}
            fits = [one for one in sheets.values() if wanted <= set(one.frame.columns)]
            chosen = fits[0] if fits else next(iter(sheets.values()))
            columns = given.fitting(chosen, file.name)
            _refuse_missing(columns, chosen, file, "the column map lists")
            return chosen, columns
        for one in sheets.values():
            columns = ColumnMap.guess(one)
            if not columns.missing:
                return one, columns
        first = next(iter(sheets.values()))
        _refuse_missing(ColumnMap.guess(first), first, file, "its headers name")
        raise AssertionError("a map without gaps was passed over")


def columns_told(columns: ColumnMap, most: int = 12) -> list[str]:
    """What the first used columns are."""
    used = [one.describe() for one in columns.columns if one.part is not Part.UNUSED]
    return used[:most] + ([f"and {len(used) - most} more"] if len(used) > most else [])


def _refuse_missing(columns: ColumnMap, found: RawTable, file: Opened, whose: str) -> None:
    if columns.missing:
        raise TableError(
            f"{file.name} has the columns {listed(found.frame.columns)}, and {whose} no "
            f"{' and no '.join(columns.missing)}; write a column map that says which column is "
            "which, and read the file with 'table:columns=map.toml'."
        )


def _who_and_what(cells: Cells, columns: ColumnMap) -> pl.DataFrame:
    """The rows of the file with the columns that all of their grades share."""
    import polars as pl

    def cell(part: Part) -> pl.Expr:
        name = columns.name_of(part)
        return pl.lit(None, dtype=pl.String) if name is None else pl.col(name)

    graders = columns.of(Part.GRADER)
    signed = not graders or any(one.by for one in columns.columns)
    grader = pl.lit(None, dtype=pl.String) if signed else pl.col(graders[0].name)
    frame = cells.frame.select(
        ROW,
        cell(Part.ASSIGNMENT).fill_null(columns.assignment).alias("assignment"),
        pl.coalesce(cell(Part.SUBMISSION), cell(Part.AUTHOR)).alias("submission"),
        cell(Part.AUTHOR).alias("author"),
        grader.alias("grader"),
        cell(Part.CRITERION).fill_null("").alias("criterion"),
        cell(Part.ROLE).alias("role"),
        cell(Part.STATE).alias("state"),
        cell(Part.WEIGHT).alias("weight"),
        *(pl.col(one.name).alias(_key(one)) for one in columns.of(Part.GRADE, Part.TRUTH)),
        *(pl.col(one.by).alias(_key(one, "by")) for one in columns.of(Part.GRADE) if one.by),
    )
    return cells.without(frame, "submission", "submission")


def _key(column: Column, what: str = "cell") -> str:
    """What a column of the file is called among those of ours."""
    return f"{what}: {column.name}"


def _reviews(cells: Cells, columns: ColumnMap, frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each review and criterion."""
    import polars as pl

    grades = columns.of(Part.GRADE)
    if not grades:
        return table("reviews")
    shared = [ROW, "assignment", "submission", "grader", "criterion", "role", "state", "weight"]
    if pairs := [one for one in grades if one.by]:
        long = pl.concat(
            frame.select(
                *(name for name in shared if name != "grader"),
                pl.col(_key(one, "by")).alias("grader"),
                pl.lit(_key(one)).alias("column"),
                pl.col(_key(one)).alias("cell"),
            )
            for one in pairs
        ).select(*shared, "column", "cell")
        # Most submissions have fewer graders than there are columns for.
        long = long.filter(pl.col("grader").is_not_null() | pl.col("cell").is_not_null())
        review = [ROW, "column"]
    else:
        long = frame.unpivot(
            [_key(one) for one in grades],
            index=shared,
            variable_name="column",
            value_name="cell",
        )
        review = [ROW]
    facts = pl.DataFrame(
        {
            "column": [_key(one) for one in grades],
            "named": [one.criterion or None for one in grades],
            "by": [one.grader or None for one in grades],
            "lowest": [one.lowest for one in grades],
            "highest": [one.highest for one in grades],
        },
        schema_overrides={
            "named": pl.String,
            "by": pl.String,
            "lowest": pl.Float64,
            "highest": pl.Float64,
        },
    )
    long = long.join(facts, on="column", how="left", maintain_order="left").with_columns(
        pl.coalesce("named", "criterion").alias("criterion"),
        pl.coalesce("by", "grader").alias("grader"),
    )
    if any(one.grader for one in grades):
        long = long.filter(pl.col("cell").is_not_null())
    if len(grades) > 1:
        long = long.sort(ROW, maintain_order=True)
    long = cells.without(long, "grader", "grader")
    long = cells.with_numbers(long, "cell", "score")
    long = cells.with_numbers(long, "weight", "weighs", "weight")
    role = next((one.role for one in columns.columns if one.role), Role.PEER.value)
    roles = {said: meant.value for said, meant in ROLE_VALUES.items()}
    long = _meant(cells, long, "role", roles, role)
    long = _meant(cells, long, "state", STATES, State.DONE.value)
    if columns.name_of(Part.STATE) is None and long["cell"].null_count():
        # Somebody is listed as a grader who has given no grade at all.
        undone = pl.col("cell").is_null().all().over(review)
        long = long.with_columns(
            pl.when(undone).then(pl.lit(State.ASSIGNED.value)).otherwise("state").alias("state")
        )
    return table(
        "reviews",
        long.select(
            "assignment",
            "submission",
            "grader",
            "role",
            "criterion",
            "score",
            "lowest",
            "highest",
            "state",
            pl.col("weighs").alias("weight"),
            pl.col(ROW).alias("row"),
            pl.lit(cells.file.name).alias("source"),
        ),
    )


def _truth(cells: Cells, columns: ColumnMap, frame: pl.DataFrame) -> pl.DataFrame:
    """A row for each submission and criterion that staff have scored."""
    import polars as pl

    found = [table("truth")]
    for one in columns.of(Part.TRUTH):
        scored = cells.with_numbers(frame, _key(one), "score", "true score")
        found.append(
            table(
                "truth",
                scored.filter(pl.col("score").is_not_null())
                .select(
                    "assignment",
                    "submission",
                    pl.lit(one.criterion).alias("criterion"),
                    "score",
                    pl.lit(one.highest, dtype=pl.Float64).alias("highest"),
                )
                .unique(maintain_order=True),
            )
        )
    return pl.concat(found)


def _meant(
    cells: Cells, frame: pl.DataFrame, column: str, known: Mapping[str, str], default: str
) -> pl.DataFrame:
    """What a word in a column means; one that is not known is noted and taken as the default."""
    import polars as pl

    said = frame[column].drop_nulls().unique()
    if not len(said):
        return frame.with_columns(pl.lit(default).alias(column))
    if strange := sorted(word for word in said if word.casefold() not in known):
        rows = frame.filter(pl.col(column).is_in(strange))[ROW]
        cells.note("repaired", f"The {column} {listed(strange, 3)} is taken as {default}.", rows)
    meanings = {word: known.get(word.casefold(), default) for word in said}
    return frame.with_columns(
        pl.col(column).replace_strict(meanings, default=default, return_dtype=pl.String)
    )
