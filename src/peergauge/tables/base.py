"""Base class and helper functions of the read-only tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.arrays import Floats
from peergauge.core.brief import MAX_PREVIEW_ROWS, html_frame
from peergauge.core.errors import TableError
from peergauge.core.files import Name, Names, write_frame
from peergauge.core.lazy import pl
from peergauge.core.optional import needing
from peergauge.core.registry import redefinitions

if TYPE_CHECKING:
    import pandas as pd


Array = TypeVar("Array", bound=np.ndarray[Any, Any])


Result = TypeVar("Result")


def frozen(array: Array) -> Array:
    """Make *array* read-only and return it.

    Examples
    --------
    >>> frozen(np.arange(3)).flags.writeable
    False
    """
    array.setflags(write=False)
    return array


def kept(given: ArrayLike, dtype: type[Any]) -> NDArray[Any]:
    """Convert *given* to a read-only column; it is copied if other code could change it.

    Examples
    --------
    >>> column = np.arange(3.0)
    >>> kept(column, np.float64) is column, kept([1, 2], np.float64)
    (False, array([1., 2.]))
    """
    array = np.ascontiguousarray(given, dtype=dtype)
    if array.flags.writeable and (array is given or array.base is not None):
        array = array.copy()
    return frozen(array)


FLOAT64 = np.dtype(np.float64)


def is_kept(given: Any) -> bool:
    """Whether *given* is a read-only column of floats, with which nothing remains to be done."""
    if type(given) is not np.ndarray or given.dtype is not FLOAT64:
        return False
    flags = given.flags
    return bool(flags.c_contiguous and not flags.writeable)


def real_numbers(given: Any, what: str) -> Floats:
    """Convert *given* to an array of floats, or raise one sentence that says what it is.

    Lists, arrays and series of whole numbers, truth values and floats of any precision are taken;
    None, a missing value of a frame and a masked value become NaN. Text is refused, even if it
    looks like numbers.

    Parameters
    ----------
    given
        The numbers.
    what
        The noun for them in the message, such as "Parts".

    Examples
    --------
    >>> real_numbers([1, True, None], "Parts")
    array([ 1.,  1., nan])
    """
    if type(given) is np.ndarray and given.dtype == np.float64:
        return given
    if isinstance(given, np.ma.MaskedArray):
        return np.where(np.ma.getmaskarray(given), np.nan, real_numbers(np.asarray(given), what))
    _refuse_shuffled(given, what)
    try:
        array = np.asarray(given)
        if array.dtype == object:
            array = _of_objects(given, array)
        if array.dtype.kind not in "biuf":
            raise TypeError("text" if array.dtype.kind in "US" else f"type {array.dtype}")
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
        raise TableError(
            f"{what} should be numbers, NaN where there is none, but a {type(given).__name__} was "
            f"given that cannot be read as numbers ({reason})."
        ) from error


def _of_objects(given: Any, array: NDArray[Any]) -> Floats:
    """Floats from Python objects, of which None and a frame's missing value become NaN."""
    if hasattr(given, "to_numpy") and hasattr(given, "isna"):
        # The missing value of pandas is no number and no None.
        array = array.copy()
        array[np.asarray(given.isna())] = None
    if any(isinstance(one, str | bytes | complex) for one in array.ravel()):
        raise TypeError("text")
    return array.astype(np.float64)


def _refuse_shuffled(given: Any, what: str) -> None:
    """Raise an error for a pandas series whose index says that its rows are in another order."""
    index: Any = getattr(given, "index", None)
    if callable(index) or getattr(index, "dtype", None) is None:
        return
    if index.dtype.kind in "iu" and not index.is_monotonic_increasing:
        raise TableError(
            f"{what} are taken row by row, but the index of the {type(given).__name__} is not in "
            "ascending order; call sort_index(), or to_numpy() if the rows are in order."
        )


class Table(ABC):
    """Base class of tables with read-only columns.

    Tables are equal if all columns are equal. Pickles contain the columns only.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> isinstance(reports, Table), reports.to_polars().shape
    (True, (36, 4))
    >>> reports == peergauge.simulate(students=6, assignments=2, graders=3, seed=2).reports
    False
    """

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Return the table as a Polars frame with its original names."""

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas frame."""
        with needing("pandas", "pyarrow"):
            return self.to_polars().to_pandas()

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table."""
        with needing("pyarrow"):
            return self.to_polars().to_arrow()

    def write(self, path: Path | str) -> Path:
        """Write a CSV or Parquet file atomically, depending on the suffix of *path*."""
        return write_frame(self.to_polars(), path)

    def preview(self) -> tuple[pl.DataFrame, int]:
        """The first rows of the table, and the number of all rows."""
        frame = self.to_polars()
        return frame.head(MAX_PREVIEW_ROWS), frame.height

    def _repr_html_(self) -> str:
        frame, rows = self.preview()
        return html_frame(repr(self).strip("<>"), frame, rows)

    def derived(self, key: Hashable, make: Callable[[], Result], of: Any = None) -> Result:
        """Return the cached result of *make* for this table, such as a shared estimate.

        The result must depend only on the table, *key* and *of*; it is computed again if *of* is
        another object. The cache is not pickled, and not copied to reports with other grades. It is
        emptied if a plug-in is redefined, because keys need not say which version they belong to.
        """
        return made_once(cache_in(self.__dict__, "_derived"), key, make, of)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        mine, theirs = self.__getstate__(), other.__getstate__()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # Cached results are not pickled.
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


def cache_in(attributes: dict[str, Any], name: str) -> dict[Hashable, Any]:
    """The cache of this name among the attributes of a table, emptied if it is outdated."""
    cache: dict[Hashable, Any] = attributes.setdefault(name, {})
    now = redefinitions()
    if cache.setdefault(redefinitions, now) != now:
        cache.clear()
        cache[redefinitions] = now
    return cache


def made_once(
    kept_here: dict[Hashable, Any], key: Hashable, make: Callable[[], Result], of: Any
) -> Result:
    """Return the entry *key* of a cache if it was made for the same *of*; otherwise make it."""
    if (found := kept_here.get(key)) is None or found[0] is not of:
        found = kept_here[key] = of, make()
    made: Result = found[1]
    return made


def named(number: NDArray[Any], names: Names | None) -> list[Name | None]:
    """Names for numbers; the numbers themselves if there are no names; None for -1.

    Examples
    --------
    >>> named(np.array([1, -1, 0]), ("ann", "bob"))
    ['bob', None, 'ann']
    """
    if names is None:
        names = range(int(number.max(initial=-1)) + 1)  # type: ignore[assignment]
    return [None if i < 0 else names[i] for i in number.tolist()]  # type: ignore[index]


def tidy(values: Floats) -> list[float] | list[int]:
    """Convert values to integers if all are whole, so that files contain 7 and not 7.0.

    Examples
    --------
    >>> tidy(np.array([7.0, 8.0])), tidy(np.array([7.0, 8.5]))
    ([7, 8], [7.0, 8.5])
    """
    whole = np.isfinite(values).all() and (values == np.rint(values)).all()
    plain: list[float] | list[int] = (values.astype(np.int64) if whole else values).tolist()
    return plain


def all_names(count: int, names: Names | None) -> list[Name]:
    """All names in order; the numbers themselves if there are no names."""
    return list(range(count)) if names is None else list(names)


def number_by_name(count: int, names: Names | None) -> dict[Name, int]:
    """Mapping from names to numbers."""
    return {name: number for number, name in enumerate(all_names(count, names))}


def unless_numbers(names: Names) -> Names | None:
    """Return the names, or None if they are 0, 1, 2, … and thus equal to the numbers."""
    return None if names == tuple(range(len(names))) else names
