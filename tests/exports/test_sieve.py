"""The sieve: rows that are left out are noted with their numbers."""

from __future__ import annotations

import polars as pl

from peergauge.exports.records import table
from peergauge.exports.sieve import Sieve, rows_told


def sieve() -> Sieve:
    rows = [{"submission": "s", "grader": f"g{n}", "score": n, "row": n + 2} for n in range(12)]
    return Sieve(table("reviews", rows).with_row_index("id"))


def test_dropped_rows_are_noted_once() -> None:
    found = sieve()
    found.drop(pl.col("score") > 9, "too high")
    found.drop(pl.col("score") > 9, "too high")
    assert found.rows.height == 10
    assert [(note.kind, note.text, note.rows) for note in found.notes] == [
        ("dropped", "2 reviews: too high", (12, 13))
    ]


def test_taken_rows_are_returned() -> None:
    found = sieve()
    taken = found.take(pl.col("grader") == "g3", "by staff")
    assert taken["score"].to_list() == [3]
    assert found.rows.height == 11


def test_a_note_may_be_about_rows_that_are_kept() -> None:
    found = sieve()
    found.note(pl.col("score") == 0, "kept")
    assert found.rows.height == 12
    assert found.notes[0].rows == (2,)


def test_few_rows_are_listed_and_many_are_counted() -> None:
    rows = sieve().rows
    assert rows_told(rows.head(1)) == "row 2"
    assert rows_told(rows) == "rows 2, 3, 4, 5, 6, 7, 8, 9 and 4 more"
    assert rows_told(rows.with_columns(row=pl.lit(None, dtype=pl.Int64))) == ""
