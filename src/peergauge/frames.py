"""Data frames and files at the edge of the tables: any frame in, whole files out."""

from __future__ import annotations

import os
from collections.abc import Mapping
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
    write_frames({Path(path): frame})
    return Path(path)


def write_frames(frames: Mapping[Path, pl.DataFrame]) -> None:
    """Write several files, by their suffixes: all of them or none.

    Each is written beside its place first and moved there when all are whole. Folders that do not
    exist yet are made, if their parents exist.
    """
    scratch: dict[Path, Path] = {}
    made: list[Path] = []
    try:
        for path, frame in frames.items():
            check_target(path)
            if not path.parent.is_dir():
                path.parent.mkdir()
                made.append(path.parent)
            scratch[path] = path.with_name(f".{path.name}.{os.getpid()}.part")
            if check_suffix(path) == ".parquet":
                frame.write_parquet(scratch[path])
            else:
                frame.write_csv(scratch[path])
        for path, whole in scratch.items():
            whole.replace(path)
    except BaseException:
        for part in scratch.values():
            part.unlink(missing_ok=True)
        for folder in made:
            if not any(folder.iterdir()):
                folder.rmdir()
        raise


def check_target(path: Path) -> None:
    """Refuse a file that could not be written, before any work is done for it."""
    check_suffix(path)
    folder = path.parent
    if not folder.is_dir() and (folder.exists() or not folder.parent.is_dir()):
        raise TableError(f"There is no folder {folder} to write {path.name} into; make it first.")
    if path.is_dir():
        raise TableError(f"{path} is a folder; give the path of a file to write.")


def check_suffix(path: Path) -> str:
    """Return the suffix of *path* if it is one that tables are read from and written to."""
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise TableError(f"{path} should end in {' or '.join(SUFFIXES)} to say what it holds.")
    return suffix
