"""Guessing the columns of a table from its text."""

from __future__ import annotations

from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.opening import read_table
from peergauge.exports.questions import Dialogue


def guessed(text: str, **answers: str) -> tuple[ColumnMap, list[str]]:
    """The columns of a table, and the keys of the questions about it."""
    table = read_table(text, "table")
    assert table is not None
    talk = Dialogue({key.replace("_", " "): value for key, value in answers.items()})
    return guess_columns(table, talk), [one.key for one in talk.asked]


def grades(text: str) -> tuple[Column, ...]:
    columns, asked = guessed(text)
    assert asked == []
    assert columns.missing == ()
    return columns.of(Part.GRADE)
