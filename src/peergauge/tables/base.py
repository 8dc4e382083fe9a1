"""Read-only tables: what Reports, Truth and Rewards have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.arrays import Floats
from peergauge.core.files import Name, Names, write_frame
from peergauge.core.lazy import pl
from peergauge.core.optional import needing

if TYPE_CHECKING:
    import pandas as pd


Array = TypeVar("Array", bound=np.ndarray[Any, Any])


Result = TypeVar("Result")


def frozen(array: Array) -> Array:
    """Make *array* read-only and return it."""
    array.setflags(write=False)
    return array


def kept(given: ArrayLike, dtype: type[Any]) -> NDArray[Any]:
    """*given* as a read-only column of our own: a copy, unless nobody could change it anyway."""
    array = np.ascontiguousarray(given, dtype=dtype)
    if array.flags.writeable and (array is given or array.base is not None):
        array = array.copy()
    return frozen(array)


class Table(ABC):
    """Read-only columns: equal if all columns are, small when sent, written as any frame."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Write the table as a Polars frame, under the names that it came with."""

    def to_pandas(self) -> pd.DataFrame:
        """Write the table as a pandas frame."""
        with needing("pandas", "pyarrow"):
            return self.to_polars().to_pandas()

    def to_arrow(self) -> Any:
        """Write the table as an Arrow table."""
        with needing("pyarrow"):
            return self.to_polars().to_arrow()

    def write(self, path: Path | str) -> Path:
        """Write a CSV or Parquet file, by the suffix of *path*: the whole file or nothing."""
        return write_frame(self.to_polars(), path)

    def derived(self, key: Hashable, make: Callable[[], Result], of: Any = None) -> Result:
        """What *make* makes of this table, made once: several mechanisms share one estimate.

        It must depend on the table, *key* and *of* alone, and is made again when *of* is another
        object. It is not sent along, and reports with other grades begin without it.
        """
        return made_once(self.__dict__.setdefault("_derived", {}), key, make, of)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        mine, theirs = self.__getstate__(), other.__getstate__()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # What was derived from the columns is not worth sending.
        return {field.name: self.__dict__[field.name] for field in fields(cast(Any, self))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                frozen(value)
        self.__dict__.update(state)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and bool(one == other)


def made_once(
    kept_here: dict[Hashable, Any], key: Hashable, make: Callable[[], Result], of: Any
) -> Result:
    """What is kept under *key*, if it was made of the same thing; otherwise what *make* makes."""
    if (found := kept_here.get(key)) is None or found[0] is not of:
        found = kept_here[key] = of, make()
    made: Result = found[1]
    return made


def named(number: NDArray[Any], names: Names | None) -> list[Name | None]:
    """The names behind numbers; the numbers themselves if there are none; None for -1."""
    if names is None:
        names = range(int(number.max(initial=-1)) + 1)  # type: ignore[assignment]
    return [None if i < 0 else names[i] for i in number.tolist()]  # type: ignore[index]


def tidy(values: Floats) -> list[float] | list[int]:
    """Whole numbers as integers, so that a file of 7s does not say 7.0."""
    whole = np.isfinite(values).all() and (values == np.rint(values)).all()
    plain: list[float] | list[int] = (values.astype(np.int64) if whole else values).tolist()
    return plain


def all_names(count: int, names: Names | None) -> list[Name]:
    """Every name in order; the numbers themselves if there are none."""
    return list(range(count)) if names is None else list(names)


def number_by_name(count: int, names: Names | None) -> dict[Name, int]:
    """The number of each name."""
    return {name: number for number, name in enumerate(all_names(count, names))}


def unless_numbers(names: Names) -> Names | None:
    """None where the names are just 0, 1, 2, …: then the numbers name themselves."""
    return None if names == tuple(range(len(names))) else names
