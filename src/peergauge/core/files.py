"""Conversion of data frames, and reading and writing of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.core.optional import needing
from peergauge.core.text import as_counted

Name: TypeAlias = str | int
Names: TypeAlias = tuple[Name, ...]

TABLE_SUFFIXES = (".csv", ".parquet")


def as_polars(frame: Any) -> pl.DataFrame:
    """Convert a Polars, pandas or Arrow frame, or a mapping of columns, to a Polars frame."""
    try:
        if isinstance(frame, pl.DataFrame):
            return frame
        if isinstance(frame, pl.LazyFrame):
            return frame.collect()
        if isinstance(frame, Mapping):
            return pl.DataFrame(dict(frame), strict=False)
        if hasattr(frame, "columns") and hasattr(frame, "to_dict"):
            with needing("pandas", "pyarrow"):
                return _from_pandas(frame)
        # An Arrow table or stream of batches has a schema; a single Arrow column has none.
        if hasattr(frame, "schema") and hasattr(frame, "__arrow_c_stream__"):
            return pl.DataFrame(frame)
    except (pl.exceptions.PolarsError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"The frame cannot be read as a table: {reason}.") from error
    raise TableError(
        f"A table is read from a Polars, pandas or Arrow frame or a mapping of columns, "
        f"but a {type(frame).__name__} was given."
    )


def _from_pandas(frame: Any) -> pl.DataFrame:
    """Convert a pandas frame; a column of mixed types becomes text."""
    columns = {}
    for name in frame.columns:
        try:
            columns[str(name)] = pl.from_pandas(frame[name])
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            missing = frame[name].isna()
            columns[str(name)] = pl.Series(
                [
                    None if gone else str(value)
                    for value, gone in zip(frame[name], missing, strict=True)
                ]
            )
    return pl.DataFrame(columns)


def read_frame(path: Path | str) -> pl.DataFrame:
    """Read a CSV, TSV or Parquet file; empty cells are missing values.

    A column of a CSV file is converted to whole numbers if every cell is a whole number without
    leading zeros. Otherwise it stays text, so that 7 and 007 are two names.
    """
    path = Path(path)
    suffix = ".tsv" if path.suffix.lower() == ".tsv" else check_suffix(path)
    if not path.is_file():
        raise TableError(f"There is no file {path}; give the path of a CSV or Parquet file.")
    if path.stat().st_size == 0:
        raise TableError(f"{path} is empty; a table with named columns is needed.")
    try:
        if suffix == ".parquet":
            return pl.read_parquet(path)
        with path.open("rb") as file:
            if b"\0" in file.read(4096):
                raise TableError(f"{path} cannot be read as CSV: it is not text in UTF-8.")
        separator = "\t" if suffix == ".tsv" else ","
        text = pl.read_csv(path, infer_schema=False, separator=separator)
        return text.with_columns(
            pl.col(name).cast(pl.Int64) for name in text.columns if _whole(text[name])
        )
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{path} cannot be read as {suffix[1:].upper()}: {reason}.") from error


def _whole(column: pl.Series) -> bool:
    """Whether every cell is a whole number without leading zeros."""
    return bool(column.str.contains(r"^(0|-?[1-9][0-9]{0,17})$").all())


def write_frame(frame: pl.DataFrame, path: Path | str) -> Path:
    """Write *frame* atomically as CSV or Parquet, depending on the suffix of *path*."""
    write_files({Path(path): frame})
    return Path(path)


def write_files(files: Mapping[Path, pl.DataFrame | bytes]) -> None:
    """Write several files, all or none: tables depending on their suffixes, and bytes unchanged.

    Each file is first written to a temporary name in its folder, and renamed when all are complete.
    Missing folders are created if their parents exist.
    """
    scratch: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, content in files.items():
            check_place(path)
            if not path.parent.is_dir():
                path.parent.mkdir()
                made.append(path.parent)
            data = as_bytes(content, path)
            scratch[path] = path.with_name(f".{path.name}.{os.getpid()}.part")
            _write(data, scratch[path], path)
        for path, whole in scratch.items():
            whole.replace(path)
    except BaseException:
        for part in scratch.values():
            part.unlink(missing_ok=True)
        for folder in reversed(made):
            if not any(folder.iterdir()):
                folder.rmdir()
        raise


def write_bytes(data: bytes, path: Path) -> None:
    """Write *data* to a file atomically."""
    write_files({path: data})


def as_bytes(content: pl.DataFrame | bytes, path: Path) -> bytes:
    """The bytes of a file: tables depending on the suffix of *path*, and bytes unchanged."""
    return content if isinstance(content, bytes) else _packed(content, path)


def _packed(frame: pl.DataFrame, path: Path) -> bytes:
    # Polars writes to memory, because its own message for a full disk is not readable.
    data = BytesIO()
    if check_suffix(path) == ".parquet":
        frame.write_parquet(data)
    else:
        frame.write_csv(data)
    return data.getvalue()


def _write(data: bytes, scratch: Path, path: Path) -> None:
    try:
        scratch.write_bytes(data)
    except OSError as error:
        # The error of a failed write does not contain the name of the file.
        error.filename = str(path)
        raise


def check_target(path: Path) -> None:
    """Raise an error if a table cannot be written to *path*, before any computation."""
    check_suffix(path)
    check_place(path)


def check_place(path: Path) -> None:
    """Raise an error if no file can be written to *path*."""
    folder = path.parent
    if not folder.is_dir() and (folder.exists() or not folder.parent.is_dir()):
        raise TableError(f"There is no folder {folder} to write {path.name} into; make it first.")
    if path.is_dir():
        raise TableError(f"{path} is a folder; give the path of a file to write.")


def check_suffix(path: Path) -> str:
    """Return the suffix of *path*, or raise an error if tables cannot have it."""
    suffix = path.suffix.lower()
    if suffix not in TABLE_SUFFIXES:
        raise TableError(
            f"{path} should end in {' or '.join(TABLE_SUFFIXES)} to say what it holds."
        )
    return suffix


def readable(
    frame: Any, what: str, needed: Sequence[str], source: str, may_miss: Sequence[str] = ()
) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """Check that *frame* has the needed columns, without missing values."""
    table = as_polars(frame)
    name = source or f"The table of {what}"
    for column in needed:
        if column not in table.columns:
            found = ", ".join(table.columns) or "none"
            raise TableError(
                f"{name} has no column '{column}'; columns {', '.join(needed)} are needed, "
                f"and it has {found}."
            )
    if table.height == 0:
        raise TableError(f"{name} has no rows; at least one is needed.")

    def where(row: int) -> str:
        # In a file rows are counted from 1, and the header is row 1.
        return f"Row {row + 2} of {source}" if source else f"Row {row} of the {what}"

    for column in needed:
        if column not in may_miss and table[column].null_count():
            row = int(np.argmax(table[column].is_null().to_numpy()))
            raise TableError(f"{where(row)} has no {column}; fill it in or drop the row.")
    return table, where


def numbered(table: pl.DataFrame, columns: list[str]) -> tuple[Ints, Names]:
    """Number the distinct values of *columns* in order; return the names in the last column.

    Assignments are sorted in natural order, A2 before A10, because they follow each other in time.
    Numbers are sorted by value even if they are text, so the result does not depend on how a table
    was read.
    """
    key = table.select(columns)
    distinct = key.unique()
    order = []
    for column in columns:
        place = pl.col(column)
        if distinct[column].dtype == pl.String:
            if _whole(distinct[column]):
                place = place.cast(pl.Int64)
            elif column == "assignment":
                counted = sorted(distinct[column].unique(), key=as_counted)
                places = {name: number for number, name in enumerate(counted)}
                place = place.replace_strict(places, return_dtype=pl.Int64)
        order.append(place)
    distinct = distinct.sort(order).with_row_index("__number")
    # A left join keeps the order of the left rows.
    number = key.join(distinct, on=columns, how="left", maintain_order="left")["__number"]
    return number.to_numpy().astype(np.int32), tuple(distinct[columns[-1]].to_list())


def numbers(table: pl.DataFrame, column: str, where: Callable[[int], str]) -> Floats:
    """Convert a column to numbers, with NaN for empty cells; an error names the row."""
    series = table[column]
    number = series.cast(pl.Float64, strict=False)
    unread = number.is_null() & series.is_not_null()
    if unread.any():
        row = int(np.argmax(unread.to_numpy()))
        raise TableError(f"{where(row)} has {column} '{series[row]}', which is not a number.")
    return number.to_numpy().astype(np.float64)
