"""Comments in columns of a table, and the numbers of the reviews that they belong to."""

from __future__ import annotations

from collections.abc import Callable

from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import COMMENT_PARTS, Column, ColumnMap, Part
from peergauge.exports.formats.plain_text import plain_texts
from peergauge.exports.readers._cells import ROW, Cells
from peergauge.exports.records import table

PRIVATE_NOTE = (
    'Only staff may read the comments in {}; if authors may, write is = "comment" for the column '
    "in a column map."
)


def with_comments(
    cells: Cells, columns: ColumnMap, long: pl.DataFrame, key: Callable[[Column], str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Add the column ``comments`` to the cells with grades, and return the table of comments.

    Parameters
    ----------
    long
        One row for each cell with a grade: its row in the file, its ``column`` and its
        ``criterion``.
    key
        The name of a column of grades in *long*.
    """
    given = [one for one in columns.of(*COMMENT_PARTS) if one.name in cells.table.frame.columns]
    if not given:
        return long.with_columns(comments=pl.lit(None, dtype=pl.Int64)), table("comments")
    private = [f"'{one.name}'" for one in given if one.part is Part.PRIVATE_COMMENT]
    if private:
        cells.note("read", PRIVATE_NOTE.format(", ".join(private)))
    by_row = columns.name_of(Part.CRITERION)
    label = pl.lit("") if by_row is None else pl.col(by_row).fill_null("")
    texts = pl.concat(
        cells.frame.select(
            ROW,
            group=pl.lit(_group(one)),
            criterion=pl.lit(one.criterion) if one.criterion else label,
            text=plain_texts(cells.frame[one.name]),
            visible=pl.lit(one.part is Part.COMMENT),
        ).drop_nulls("text")
        for one in given
    )
    groups = {key(one): _group(one) for one in columns.of(Part.GRADE)}
    group = pl.col("column").replace_strict(groups, return_dtype=pl.String)
    numbers = texts.select(ROW, "group").unique(maintain_order=True).with_row_index("comments")
    numbers = numbers.with_columns(pl.col("comments").cast(pl.Int64))
    comments = texts.join(numbers, on=[ROW, "group"], how="left", maintain_order="left")
    linked = long.with_columns(group=group).join(
        numbers, on=[ROW, "group"], how="left", maintain_order="left"
    )
    return linked.drop("group"), table(
        "comments", comments.select("criterion", "text", "visible", review="comments")
    )


def _group(column: Column) -> str:
    """What identifies a review among those of its row."""
    return "\0".join((column.by, column.of, column.grader, column.submission))
