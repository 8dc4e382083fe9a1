"""Data frames and files at the edge of the tables: any frame in, whole files out."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from peergauge.errors import TableError

if TYPE_CHECKING:
    import polars as pl

SUFFIXES = (".csv", ".parquet")


def as_polars(frame: Any) -> pl.DataFrame:
    """Take a Polars, pandas or Arrow frame, or a mapping of columns, as a Polars frame."""
    import polars as pl

    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if isinstance(frame, dict):
        return pl.DataFrame(frame, strict=False)
    if type(frame).__module__.partition(".")[0] == "pandas":
        converted: pl.DataFrame = pl.from_pandas(frame)
        return converted
    if hasattr(frame, "__arrow_c_stream__"):
        return pl.DataFrame(frame)
    raise TableError(
        f"A table is read from a Polars, pandas or Arrow frame or a mapping of columns, "
        f"but a {type(frame).__name__} was given."
    )


def read_frame(path: Path | str) -> pl.DataFrame:
    """Read a CSV or Parquet file whole; cells that are empty are missing values."""
    import polars as pl

    path = Path(path)
    suffix = check_suffix(path)
    if not path.is_file():
        raise TableError(f"There is no file {path}; give the path of a CSV or Parquet file.")
    if path.stat().st_size == 0:
        raise TableError(f"{path} is empty; a header row with the names of the columns is needed.")
    try:
        if suffix == ".parquet":
            return pl.read_parquet(path)
        return pl.read_csv(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{path} cannot be read as {suffix[1:].upper()}: {reason}.") from error


def write_frame(frame: pl.DataFrame, path: Path | str) -> Path:
    """Write *frame* as CSV or Parquet, by the suffix of *path*: the whole file or nothing."""
    path = Path(path)
    suffix = check_suffix(path)
    if not path.parent.is_dir():
        raise TableError(f"There is no folder {path.parent} to write {path.name} into.")
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    os.close(handle)
    try:
        if suffix == ".parquet":
            frame.write_parquet(scratch)
        else:
            frame.write_csv(scratch)
        mask = os.umask(0)
        os.umask(mask)
        Path(scratch).chmod(0o666 & ~mask)
        Path(scratch).replace(path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise
    return path


def check_suffix(path: Path) -> str:
    """Return the suffix of *path* if it is one that tables are read from and written to."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TableError(f"{path} should end in {' or '.join(SUFFIXES)} to say what it holds.")
    return suffix
