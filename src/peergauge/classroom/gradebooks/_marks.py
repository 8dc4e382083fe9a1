"""Marks: a table with one row for each person and one column for each title."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from peergauge.core.errors import TableError
from peergauge.core.files import as_polars, numbers, readable
from peergauge.core.lazy import pl

PERSON_COLUMNS = ("person", "name", "email", "sis", "lms", "login", "section")
"""Columns about people; every other column contains marks."""

UNIQUE_COLUMNS = ("person", "email", "sis", "lms", "login")


@dataclass(frozen=True, eq=False)
class Marks:
    """The marks of each person, with the ids by which platforms know them.

    Parameters
    ----------
    frame
        Table with a row for each person: ``person`` (the name in our tables) and any of ``name``,
        ``email``, ``sis`` (SIS id, ID number or OrgDefinedId), ``lms`` (the platform's own id),
        ``login`` and ``section``. Every other column contains marks, and its name is their title. A
        missing mark stays missing.
    highest
        Highest possible mark by title, if known.
    source
        Name of the file from which the frame was read, for error messages.

    >>> Marks.from_frame({"person": ["ada", "ben"], "Essay": [8.5, None]}, {"Essay": 10})
    <Marks: 2 people, Essay>
    """

    frame: pl.DataFrame
    highest: Mapping[str, float] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        table, where = readable(self.frame, "marks", ["person"], self.source, may_miss=("person",))
        known = [name for name in PERSON_COLUMNS if name in table.columns]
        titles = [name for name in table.columns if name not in PERSON_COLUMNS]
        name = self.source or "The table of marks"
        if not titles:
            raise TableError(
                f"{name} has no column of marks; add one under its title, beside "
                f"{', '.join(known)}."
            )
        columns = [_text(table[column]) for column in known]
        _check_people(columns, where)
        for title in titles:
            if title.strip() != title or not title or _control_character(title, allowed=""):
                raise TableError(
                    f"{name} has the title {title!r}; a title is one line of text "
                    "without spaces around it."
                )
            mark = numbers(table, title, where)
            if np.isinf(mark).any():
                row = int(np.argmax(np.isinf(mark)))
                raise TableError(f"{where(row)} has an infinite mark for {title}; correct it.")
            columns.append(pl.Series(title, mark).fill_nan(None))
        _check_highest(self.highest, titles)
        object.__setattr__(self, "frame", pl.DataFrame(columns))
        object.__setattr__(self, "highest", {t: float(x) for t, x in self.highest.items()})

    @classmethod
    def from_frame(
        cls, frame: Any, highest: Mapping[str, float] | None = None, *, source: str = ""
    ) -> Marks:
        """Create marks from a Polars, pandas or Arrow frame, or a mapping of columns."""
        return cls(as_polars(frame), highest or {}, source)

    @property
    def titles(self) -> tuple[str, ...]:
        """Titles of the marks."""
        return tuple(name for name in self.frame.columns if name not in PERSON_COLUMNS)

    @property
    def known(self) -> tuple[str, ...]:
        """Columns about people that are present, ``person`` first."""
        return tuple(name for name in self.frame.columns if name in PERSON_COLUMNS)

    def people(self) -> list[dict[str, str]]:
        """Known details of each person, without missing values."""
        rows = self.frame.select(self.known).to_dicts()
        return [{key: text for key, text in row.items() if text is not None} for row in rows]

    def with_people(self, people: Sequence[Mapping[str, str]]) -> Marks:
        """The same marks with other details about the people, in the same order."""
        found = {key for known in people for key in known}
        keys = [key for key in PERSON_COLUMNS if key in found]
        columns = {key: [known.get(key) for known in people] for key in keys}
        frame = pl.DataFrame(columns, schema=dict.fromkeys(keys, pl.String))
        marks = pl.concat([frame, self.frame.select(self.titles)], how="horizontal")
        return Marks(marks, self.highest, self.source)

    def of(self, title: str) -> list[float | None]:
        """The marks under one title, in the order of people."""
        return self.frame[title].to_list()

    def some(self, titles: Sequence[str], people: Sequence[int]) -> Marks:
        """The marks of some people under some titles."""
        frame = self.frame.select(*self.known, *titles)[list(people)]
        return Marks(frame, {t: x for t, x in self.highest.items() if t in titles}, self.source)

    def with_column(self, title: str, marks: Sequence[float | None], highest: float) -> Marks:
        """The same marks with others under one title."""
        frame = self.frame.with_columns(pl.Series(title, marks, dtype=pl.Float64))
        return Marks(frame, {**self.highest, title: highest}, self.source)

    def __len__(self) -> int:
        return self.frame.height

    def __repr__(self) -> str:
        people = "1 person" if len(self) == 1 else f"{len(self)} people"
        return f"<Marks: {people}, {', '.join(self.titles)}>"


def _check_people(columns: Sequence[pl.Series], where: Callable[[int], str]) -> None:
    """Raise an error for missing, duplicate or unprintable names of people."""
    for column in columns:
        for row, text in enumerate(column):
            if text is None and column.name == "person":
                raise TableError(f"{where(row)} has no person; fill it in or drop the row.")
            if text and (code := _control_character(text)):
                raise TableError(
                    f"{where(row)} has the control character {code} in its {column.name}, "
                    "which no gradebook can hold; remove it."
                )
        same = column.str.to_lowercase() if column.name == "email" else column
        again = same.is_not_null() & ~same.is_first_distinct()
        if column.name in UNIQUE_COLUMNS and again.any():
            row = int(np.argmax(again.to_numpy()))
            raise TableError(
                f"{where(row)} has {column.name} {column[row]} again; each belongs to one person."
            )


def _check_highest(highest: Mapping[str, float], titles: Sequence[str]) -> None:
    for title, mark in highest.items():
        if title not in titles:
            raise TableError(
                f"The highest mark is given for '{title}', but the marks are for "
                f"{', '.join(titles)}."
            )
        if not (np.isfinite(mark) and mark > 0):
            raise TableError(f"The highest mark for {title} should be above 0, but is {mark}.")


def _text(column: pl.Series) -> pl.Series:
    """Convert a column to text; blank cells are missing, and 7.0 becomes 7 because it is an id."""
    if column.dtype.is_nested():
        raise TableError(f"The column '{column.name}' should hold one text for each person.")
    if column.dtype.is_float():
        column = column.fill_nan(None)
        if (column.is_finite() & (column == column.round())).all():
            column = column.cast(pl.Int64)
    text = column.cast(pl.String)
    blank = text.str.strip_chars() == ""
    return text.to_frame().select(pl.when(~blank).then(pl.col(text.name))).to_series()


def _control_character(text: str, allowed: str = "\t\n\r") -> str:
    """The first control character in a text, as its Unicode code point."""
    for one in text:
        if one not in allowed and (unicodedata.category(one) == "Cc" or one in "\ufffe\uffff"):
            return f"U+{ord(one):04X}"
    return ""
