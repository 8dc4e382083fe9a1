"""A table of reviews that is filtered step by step, with a note for every review left out."""

from __future__ import annotations

from typing import Any

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.records import Note

REVIEW_KEY = ("assignment", "submission", "grader")
"""The columns that identify a review."""


class Sieve:
    """A table of reviews that is filtered step by step, with a note for every row left out.

    Parameters
    ----------
    rows
        The table of reviews, with an ``id`` for each row.
    """

    def __init__(self, rows: pl.DataFrame):
        self.rows = rows
        self.notes: list[Note] = []
        self.averaged: frozenset[int] = frozenset()
        """The ids of rows whose score is the mean of several."""
        self.averaged_comments: pl.DataFrame | None = None
        """The numbers of the comments of reviews whose mean is kept."""
        self.rounds: dict[str, str] = {}
        """The assignments that rounds of repeated reviews became, by their new names."""

    def take(self, which: pl.Expr, why: str) -> pl.DataFrame:
        """Take rows out and return them, with a note."""
        taken = self.rows.filter(which)
        if taken.height:
            self.rows = self.rows.filter(~which)
            self.note_rows("read", why, taken)
        return taken

    def note(self, which: pl.Expr, why: str) -> None:
        """Add a note about rows that are kept."""
        if (kept := self.rows.filter(which)).height:
            self.note_rows("read", why, kept)

    def drop(self, which: pl.Expr, why: str) -> None:
        """Leave rows out, with a note."""
        self.drop_rows(self.rows.filter(which), why)

    def drop_in(self, others: pl.DataFrame, key: tuple[str, ...], why: str) -> None:
        """Leave out the rows whose *key* occurs in another table, with a note."""
        gone = self.rows.join(others.select(key).unique(), on=list(key), how="semi")
        self.drop_rows(gone, why)

    def drop_rows(self, gone: pl.DataFrame, why: str, kind: str = "dropped") -> None:
        """Leave out some of the rows, with a note."""
        if gone.height:
            self.rows = self.rows.join(gone.select("id"), on="id", how="anti")
            self.note_rows(kind, why, gone)

    def note_rows(self, kind: Any, why: str, rows: pl.DataFrame) -> None:
        """Add a note about some rows, one for each file."""
        for source, group in rows.group_by("source", maintain_order=True):
            by_criterion = (group["criterion"] != "").any()
            # A review with criteria has a row for each of them.
            reviews = group.unique([*REVIEW_KEY, "row"]) if by_criterion else group
            known = reviews["row"].drop_nulls()
            text = f"{counted(reviews.height, 'review')}: {why}"
            self.notes.append(Note(kind, text, tuple(known.sort().to_list()), str(source[0])))


def rows_told(rows: pl.DataFrame, most: int = 8) -> str:
    """The row numbers of some reviews for a sentence, such as "rows 3, 14 and 2 more".

    Empty if the rows have no numbers.
    """
    known = rows["row"].drop_nulls().unique().sort().to_list()
    if not known:
        return ""
    shown = ", ".join(map(str, known[:most]))
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return f"{'row' if len(known) == 1 else 'rows'} {shown}{more}"
