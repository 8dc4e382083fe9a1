"""Labels: answers without an order or a distance, in place of a scale of grades."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Never, Self

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ScaleError, TableError
from peergauge.core.lazy import pl
from peergauge.core.text import as_counted
from peergauge.tables.scale import Scale

LABEL_SEPARATOR = "|"
"""Character between two labels in the text of all labels."""


@dataclass(frozen=True, init=False, repr=False)
class Labels(Scale):
    """The labels that can be given: names without an order or a distance.

    Reports with labels hold the index of each label, counted from 0, in their column ``grade``.
    The order in which labels are listed means nothing: mechanisms that accept labels pay the same
    in every order, and all others refuse them.

    >>> animals = Labels("cat", "dog", "bird")
    >>> animals, animals.levels, animals.ordered
    (Labels('cat|dog|bird'), 3, False)
    >>> animals.level_of("dog")
    1
    """

    names: tuple[str, ...] = ()

    ordered: ClassVar[bool] = False
    column: ClassVar[str] = "label"

    def __init__(self, *names: object):
        texts = tuple(map(str, names))
        if len(texts) < 2 or len(set(texts)) < len(texts):
            raise ScaleError(
                f"Labels are at least two different names, but {list(texts)} were given; list "
                "each label once."
            )
        wrong = [text for text in texts if not text.strip() or LABEL_SEPARATOR in text]
        if wrong:
            raise ScaleError(
                f"A label is a word without '{LABEL_SEPARATOR}' that is not empty, but "
                f"{wrong[0]!r} was given; rename it."
            )
        object.__setattr__(self, "names", texts)
        super().__init__(0.0, len(texts) - 1.0, 1.0)

    @classmethod
    def parse(cls, text: str | Scale) -> Self:
        """Parse labels that are separated by ``|``; labels are returned unchanged.

        >>> Labels.parse("spam|ham").names
        ('spam', 'ham')
        """
        if isinstance(text, cls):
            return text
        return cls(*(one.strip() for one in str(text).split(LABEL_SEPARATOR)))

    @classmethod
    def among(cls, values: Iterable[object]) -> Self:
        """The different labels among *values*, in natural order.

        >>> Labels.among(["b", "a", "b"])
        Labels('a|b')
        """
        found = sorted({str(value) for value in values}, key=as_counted)
        if len(found) < 2:
            raise ScaleError(
                f"Only the label {found} occurs; name all labels that can be given, as in "
                "labels=Labels('no', 'yes')."
            )
        return cls(*found)

    def level_of(self, name: object) -> int:
        """Index of a label, counted from 0."""
        if str(name) not in self.names:
            raise ScaleError(f"'{name}' is not one of the labels {self}.")
        return self.names.index(str(name))

    def read(self, table: pl.DataFrame, column: str, where: Callable[[int], str]) -> Floats:
        """Indices of the labels in a column, NaN for empty cells; an error names the row."""
        place = {name: number for number, name in enumerate(self.names)}
        texts = label_texts(table[column])
        unknown = [row for row, text in enumerate(texts) if text is not None and text not in place]
        if unknown:
            raise TableError(
                f"{where(unknown[0])} has the label '{texts[unknown[0]]}', which is not one of "
                f"{self} ({len(unknown)} such rows in all); correct it, or name all labels."
            )
        return np.array([np.nan if text is None else place[text] for text in texts])

    def written(self, grade: Floats) -> list[str | None]:
        """The label of each index; None for NaN."""
        return [None if np.isnan(one) else self.names[round(one)] for one in grade.tolist()]

    def error(self, grade: Floats, score: Floats) -> Floats:
        """1 for each wrong label, 0 for each right one; NaN where the true label is unknown."""
        unknown = np.isnan(grade) | np.isnan(score)
        return np.where(unknown, np.nan, np.asarray(grade != score, dtype=np.float64))

    def numbers_needed(self, what: str) -> Never:
        """Raise an error: *what* computes with grades, and labels are no numbers."""
        raise ScaleError(
            f"{what} computes with numbers, but these reports are labels ({self}), which have no "
            "order and no distance; use a mechanism that accepts labels, or give grades on a scale."
        )

    def __str__(self) -> str:
        return LABEL_SEPARATOR.join(self.names)

    def __repr__(self) -> str:
        return f"Labels('{self}')"


def label_texts(column: pl.Series) -> list[str | None]:
    """The labels of a column as text; whole numbers have no decimal point.

    >>> label_texts(pl.Series([1.0, None, 2.0])), label_texts(pl.Series([True, False]))
    (['1', None, '2'], ['true', 'false'])
    """
    if column.dtype.is_float():
        known = column.fill_nan(None)
        whole = known.drop_nulls()
        column = known.cast(pl.Int64) if (whole == whole.round()).all() else known
    return [None if one is None else one.strip() for one in column.cast(pl.String).to_list()]
