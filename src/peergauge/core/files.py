"""Conversion of data frames, and reading and writing of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from errno import ENOSPC
from io import BytesIO
from pathlib import Path
from shutil import disk_usage
from typing import Any, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.claims import (
    PRIVATE_FOLDER_MODE,
    PUBLIC_FOLDER_MODE,
    RENAMING,
    WRITING,
    Claim,
    beside,
    claim_for,
)
from peergauge.core.errors import TableError
from peergauge.core.formulas import guarded_frame, unguarded_frame
from peergauge.core.inputs import read_input, regular_size
from peergauge.core.lazy import pl
from peergauge.core.optional import needing
from peergauge.core.text import as_counted, composed

Name: TypeAlias = str | int
Names: TypeAlias = tuple[Name, ...]

TABLE_SUFFIXES = (".csv", ".parquet")

MAX_TRIAL_BYTES = 2**23
"""Bytes that are written to try whether a disk has space for them."""

PRIVATE_FILE_MODE, PUBLIC_FILE_MODE = 0o600, 0o666
"""Permissions of files, like those of folders."""


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
    if not path.exists():
        raise TableError(f"There is no file {path}; give the path of a CSV or Parquet file.")
    if regular_size(path) == 0:
        raise TableError(f"{path} is empty; a table with named columns is needed.")
    try:
        if suffix == ".parquet":
            raw = read_input(path, advice="write fewer assignments at a time")
            return composed_frame(bounded_parquet(raw, str(path)))
        raw = read_input(path, advice="give it as Parquet, or in parts")
        if b"\0" in raw[:4096]:
            raise TableError(f"{path} cannot be read as CSV: it is not text in UTF-8.")
        separator = "\t" if suffix == ".tsv" else ","
        table = pl.read_csv(raw, infer_schema=False, separator=separator)
        text = composed_frame(unguarded_frame(table))
        return text.with_columns(
            pl.col(name).cast(pl.Int64) for name in text.columns if _whole(text[name])
        )
    except (
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
        OSError,
        UnicodeDecodeError,
    ) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TableError(f"{path} cannot be read as {suffix[1:].upper()}: {reason}.") from error


MAX_CELLS_PER_BYTE = 200
"""Cells that a byte of a Parquet file may stand for: equal cells take hardly any room."""

MIN_BOUND_CELLS, MAX_FRAME_CELLS = 2**22, 2**28
"""Cells that any Parquet file may have, and those that no file may have."""

MAX_TEXT_BYTES = 2**31
"""Bytes of all texts of a Parquet file together: one long text may stand in every row."""


def bounded_parquet(raw: bytes, name: str) -> pl.DataFrame:
    """The table of a Parquet file, unless it takes much more memory than its size tells."""
    rows = pl.scan_parquet(BytesIO(raw)).select(pl.len()).collect().item()
    width = len(pl.read_parquet_schema(BytesIO(raw)))
    most = min(MAX_FRAME_CELLS, max(MIN_BOUND_CELLS, MAX_CELLS_PER_BYTE * len(raw)))
    if rows * width > most:
        raise TableError(
            f"{name} has {rows} rows of {width} cells, and at most {most} cells are read from a "
            "file of its size; write fewer assignments at a time."
        )
    frame = pl.read_parquet(BytesIO(raw))
    refuse_long_texts(frame, name)
    return frame


def refuse_long_texts(frame: pl.DataFrame, name: str) -> None:
    """Raise an error if the texts of a table of a file take too much memory."""
    sizes = frame.select(pl.col(pl.String).str.len_bytes().sum())
    texts = sum(sizes.row(0)) if sizes.width else 0
    if texts > MAX_TEXT_BYTES:
        raise TableError(
            f"{name} has texts of {texts / 2**20:.0f} MiB, and at most "
            f"{MAX_TEXT_BYTES / 2**20:.0f} are read; leave out the columns that are not needed."
        )


def composed_frame(frame: pl.DataFrame) -> pl.DataFrame:
    """A table in whose names and texts every letter is composed, so that é is one letter."""
    return frame.rename(composed, strict=False).with_columns(pl.col(pl.String).str.normalize("NFC"))


def _whole(column: pl.Series) -> bool:
    """Whether every cell is a whole number without leading zeros."""
    return bool(column.str.contains(r"^(0|-?[1-9][0-9]{0,17})$").all())


def write_frame(frame: pl.DataFrame, path: Path | str, *, private: bool = False) -> Path:
    """Write *frame* atomically as CSV or Parquet, depending on the suffix of *path*."""
    write_files({Path(path): frame}, private=private)
    return Path(path)


def write_files(
    files: Mapping[Path, pl.DataFrame | bytes],
    *,
    private: bool | Collection[Path] = False,
    removed: Collection[Path] = (),
) -> None:
    """Write several files, all or none: tables depending on their suffixes, and bytes unchanged.

    Each file is first written to a temporary name in its folder, and renamed when all are complete.
    If that fails, files that were there before come back. Missing folders are created if their
    parents exist.

    Parameters
    ----------
    private
        Whether only the user may read the files, and open the folders that are created; or the
        files of which this holds.
    removed
        Files of the same folders that would contradict the new ones, to be removed with them.
    """
    hidden = set(files if private is True else private or ())
    made: list[Path] = []
    try:
        for path in files:
            check_place(path)
            if not path.parent.is_dir():
                mode = PRIVATE_FOLDER_MODE if path in hidden else PUBLIC_FOLDER_MODE
                path.parent.mkdir(mode=mode)
                made.append(path.parent)
        with claim_for(files) as claim:
            _replace(files, hidden, claim, removed)
    except BaseException:
        for folder in reversed(made):
            if not any(folder.iterdir()):
                folder.rmdir()
        raise


def _replace(
    files: Mapping[Path, pl.DataFrame | bytes],
    hidden: Collection[Path],
    claim: Claim,
    removed: Collection[Path],
) -> None:
    """Write all files beside their targets, and then replace the targets."""
    scratch: dict[Path, Path] = {}
    renamed: dict[Path, Path | None] = {}
    try:
        claim.note(WRITING, files)
        for path, content in files.items():
            data = as_bytes(content, path)
            scratch[path] = beside(path, "part")
            _write(data, scratch[path], path, private=path in hidden)
        claim.note(RENAMING, files)
        for path in removed:
            renamed[path] = _set_aside(path)
            path.unlink(missing_ok=True)
        for path, whole in scratch.items():
            renamed[path] = _set_aside(path)
            whole.replace(path)
    except BaseException:
        for path, old in reversed(renamed.items()):
            _bring_back(path, old, moved=path not in scratch or not scratch[path].exists())
        for part in scratch.values():
            # The first error says more than one about a file that was never written.
            with suppress(OSError):
                part.unlink(missing_ok=True)
        claim.note()
        raise
    for old in renamed.values():
        if old is not None:
            old.unlink(missing_ok=True)
    claim.note()


def write_bytes(data: bytes, path: Path, *, private: bool = False) -> None:
    """Write *data* to a file atomically."""
    write_files({path: data}, private=private)


def remove_unfinished(folder: Path) -> None:
    """Remove temporary files of killed commands from a folder that this command has claimed."""
    for path in folder.rglob(".*.part"):
        path.unlink(missing_ok=True)


def as_bytes(content: pl.DataFrame | bytes, path: Path) -> bytes:
    """The bytes of a file: tables depending on the suffix of *path*, and bytes unchanged.

    In CSV files, an apostrophe before texts such as ``=1`` keeps spreadsheets from evaluating them;
    all readers of this package take it away.
    """
    return content if isinstance(content, bytes) else _packed(content, path)


def csv_text(frame: pl.DataFrame) -> str:
    """A table as the text of a CSV file, for standard output."""
    return _packed(frame, Path("table.csv")).decode()


def _packed(frame: pl.DataFrame, path: Path) -> bytes:
    # Polars writes to memory, because its own message for a full disk is not readable.
    data = BytesIO()
    if check_suffix(path) == ".parquet":
        frame.write_parquet(data)
    else:
        guarded_frame(frame).write_csv(data)
    return data.getvalue()


def _set_aside(path: Path) -> Path | None:
    """A second name for a file that is about to be replaced; None if there is none."""
    if not path.exists():
        return None
    old = beside(path, "old")
    old.unlink(missing_ok=True)
    try:
        old.hardlink_to(path)
    except OSError:
        # Some file systems have no second names.
        path.rename(old)
    return old


def _bring_back(path: Path, old: Path | None, *, moved: bool) -> None:
    """Undo the renaming of a new file to *path*; *old* is the one that was there before."""
    if old is None:
        if moved:
            path.unlink(missing_ok=True)
    elif moved or not path.exists():
        old.replace(path)
    else:
        old.unlink(missing_ok=True)


def _write(data: bytes, scratch: Path, path: Path, *, private: bool) -> None:
    try:
        # A file of an earlier process with the same number, or a link that somebody put there.
        scratch.unlink(missing_ok=True)
        mode = PRIVATE_FILE_MODE if private else PUBLIC_FILE_MODE
        if path.is_file():
            # A file that its owner made private stays private.
            mode &= path.stat().st_mode | PRIVATE_FILE_MODE
        os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
        scratch.write_bytes(data)
    except OSError as error:
        # The error of a failed write does not contain the name of the file.
        error.filename = str(path)
        raise


def check_writable(folder: Path, needed_bytes: int = 0) -> None:
    """Raise an error if no files can be written into a folder that exists or can be created.

    Parameters
    ----------
    needed_bytes
        Free space that the files will need.
    """
    there = folder if folder.is_dir() else folder.parent
    trial = beside(there / "trial", "part")
    try:
        # The free space that a disk reports may be more than a quota allows.
        _write(bytes(min(needed_bytes, MAX_TRIAL_BYTES)), trial, folder, private=True)
        if disk_usage(there).free < needed_bytes:
            raise OSError(ENOSPC, os.strerror(ENOSPC))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise TableError(
            f"Nothing can be written into {there}: {reason}; give a folder on a disk with "
            f"at least {max(1, needed_bytes // 2**20)} MB of free space, in which you may create "
            "files."
        ) from error
    finally:
        with suppress(OSError):
            trial.unlink(missing_ok=True)


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
    if path.exists() and not path.is_file():
        raise TableError(
            f"{path} is a pipe or a device, which a file would replace; give the path of a file."
        )


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
