"""Conversion of frames, and atomic reading and writing of files."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from peergauge.core.errors import TableError
from peergauge.core.files import (
    as_polars,
    check_writable,
    csv_text,
    numbered,
    read_frame,
    write_files,
    write_frame,
)

COLUMNS = {"grader": ["kim", "lee"], "grade": [7.5, 8.0]}
FRAME = pl.DataFrame(COLUMNS)
SUFFIXES = ["csv", "parquet"]

ACCEPTED: dict[str, Any] = {
    "polars": FRAME,
    "lazy polars": FRAME.lazy(),
    "pandas": pd.DataFrame(COLUMNS),
    "arrow table": pa.table(COLUMNS),
    "arrow batch": pa.RecordBatch.from_pydict(COLUMNS),
    "arrow reader": pa.table(COLUMNS).to_reader(),
    "dict": COLUMNS,
    "dict of arrays": {name: np.array(column) for name, column in COLUMNS.items()},
    "other mapping": MappingProxyType(COLUMNS),
}
REFUSED: dict[str, Any] = {
    "nothing": None,
    "path": "class.csv",
    "list": [1, 2],
    "array": np.zeros((2, 2)),
    "pandas series": pd.Series([1, 2]),
    "arrow column": pa.chunked_array([[1, 2]]),
    "ragged columns": {"grader": ["kim", "lee"], "grade": [7.5]},
}


@pytest.mark.parametrize("frame", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_every_kind_of_frame_becomes_the_same_polars_frame(frame: Any) -> None:
    assert as_polars(frame).equals(FRAME)


@pytest.mark.parametrize("frame", REFUSED.values(), ids=REFUSED.keys())
def test_values_that_are_not_frames_are_refused(frame: Any) -> None:
    with pytest.raises(TableError):
        as_polars(frame)


def test_a_refusal_names_the_type_that_was_given() -> None:
    with pytest.raises(TableError, match="but a list was given"):
        as_polars([1, 2])


def test_a_pandas_column_of_numbers_and_text_is_read_as_text() -> None:
    assert as_polars(pd.DataFrame({"grader": [7, "kim"]}))["grader"].to_list() == ["7", "kim"]


def test_a_missing_value_of_pandas_is_missing() -> None:
    assert as_polars(pd.DataFrame({"grade": [7.5, np.nan]}))["grade"].to_list() == [7.5, None]


# ------------------------------------------------------------------------------------ reading


def refusal(path: Path) -> str:
    with pytest.raises(TableError) as caught:
        read_frame(path)
    return str(caught.value)


def is_one_sentence_about(path: Path, message: str) -> bool:
    marks = [mark for mark in (". ", "\n") if mark in message]
    return str(path) in message and message.endswith(".") and not marks


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"none.{suffix}"
    message = refusal(path)
    assert "There is no file" in message
    assert is_one_sentence_about(path, message)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_empty_file_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"class.{suffix}"
    path.touch()
    message = refusal(path)
    assert "is empty" in message
    assert is_one_sentence_about(path, message)


@pytest.mark.parametrize("name", ["class.xlsx", "class", "csv"])
def test_an_unknown_suffix_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("grader,grade\nkim,7\n", encoding="utf-8")
    message = refusal(path)
    assert "should end in .csv or .parquet" in message
    assert is_one_sentence_about(path, message)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_folder_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"class.{suffix}"
    path.mkdir()
    assert is_one_sentence_about(path, refusal(path))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "content",
    [
        np.random.default_rng(1).bytes(300),
        b"PAR1" + bytes(range(200)) + b"PAR1",
        "grader,grade\nkim,7\n".encode("utf-16"),
    ],
    ids=["noise", "false parquet", "utf-16"],
)
def test_garbage_is_refused(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"class.{suffix}"
    path.write_bytes(content)
    message = refusal(path)
    assert f"cannot be read as {suffix.upper()}" in message
    assert is_one_sentence_about(path, message)


def test_a_row_with_too_many_cells_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("grader,grade\nkim,7\nlee,8,9\n", encoding="utf-8")
    assert is_one_sentence_about(path, refusal(path))


def test_empty_cells_are_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "class.CSV"
    path.write_text("grader,grade\nkim,\n,8\n", encoding="utf-8")
    assert read_frame(path).rows() == [("kim", None), (None, 8)]


def test_a_number_after_a_thousand_rows_of_another_kind_is_read(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("grade\n" + "7\n" * 1000 + "7.5\n", encoding="utf-8")
    assert float(read_frame(path)["grade"][-1]) == 7.5


# ------------------------------------------------------------------------------------ writing


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_was_written_is_read_back_and_stands_alone(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"class.{suffix}"
    assert write_frame(FRAME, path) == path
    assert read_frame(path).cast(FRAME.schema).equals(FRAME)
    assert list(tmp_path.iterdir()) == [path]


def break_down_halfway(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Let writing stop after a few bytes."""

    def write(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:4])
        raise error

    monkeypatch.setattr(Path, "write_bytes", write)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("error", [OSError(ENOSPC, "disk full"), KeyboardInterrupt()], ids=repr)
def test_a_failure_halfway_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, error: BaseException
) -> None:
    break_down_halfway(monkeypatch, error)
    with pytest.raises(type(error)):
        write_frame(FRAME, tmp_path / f"class.{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failure_halfway_leaves_the_file_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    path = write_frame(FRAME, tmp_path / f"class.{suffix}")
    before = path.read_bytes()
    break_down_halfway(monkeypatch, OSError(ENOSPC, "disk full"))
    with pytest.raises(OSError, match="disk full") as told:
        write_frame(FRAME.head(1), path)
    assert told.value.filename == str(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_to_move_the_whole_file_leaves_the_one_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_frame(FRAME, tmp_path / "class.csv")

    def refuse(*_: object) -> Path:
        raise PermissionError("not here")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError, match="not here"):
        write_frame(FRAME.head(1), path)
    assert read_frame(path).cast(FRAME.schema).equals(FRAME)
    assert list(tmp_path.iterdir()) == [path]


def test_one_failure_among_several_files_leaves_none_of_them(tmp_path: Path) -> None:
    nested = pl.DataFrame({"grade": [[1, 2]]})
    files = {tmp_path / "new" / "a.csv": FRAME, tmp_path / "new" / "b.csv": nested}
    with pytest.raises(pl.exceptions.ComputeError, match="nested"):
        write_files(files)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_between_two_files_brings_both_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first file is already in place when the second cannot be renamed."""
    old, new, third = (tmp_path / f"{name}.csv" for name in "abc")
    write_files({old: b"old", third: b"third"})
    replace = Path.replace

    def refuse_third(one: Path, other: Path) -> Path:
        if other == third and one.suffix == ".part":
            raise PermissionError("not here")
        return replace(one, other)

    monkeypatch.setattr(Path, "replace", refuse_third)
    with pytest.raises(PermissionError, match="not here"):
        write_files({old: b"1", new: b"2", third: b"3"})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "a.csv": b"old",
        "c.csv": b"third",
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_private_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    plain, secret = tmp_path / "one" / "a.csv", tmp_path / "two" / "a.csv"
    mask = os.umask(0o022)
    try:
        write_files({plain: FRAME})
        write_files({secret: FRAME}, private=True)
        modes = [path.stat().st_mode & 0o777 for path in (plain, plain.parent, secret)]
        assert modes == [0o644, 0o755, 0o600]
        assert secret.parent.stat().st_mode & 0o777 == 0o700
        # A file that somebody made private is not opened to others by writing it again.
        plain.chmod(0o600)
        write_files({plain: FRAME.head(1)})
        assert plain.stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(mask)


def test_a_long_name_is_written(tmp_path: Path) -> None:
    path = write_frame(FRAME, tmp_path / f"{'n' * 250}.csv")
    assert path.is_file()


def test_formulas_are_guarded_in_csv_and_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"grader": ["=HYPERLINK(1)", "ann"], "grade": [-1.0, 2.5]})
    path = write_frame(frame, tmp_path / "class.csv")
    assert "'=HYPERLINK(1),-1.0" in path.read_text()
    assert read_frame(path)["grader"].to_list() == ["=HYPERLINK(1)", "ann"]
    assert csv_text(frame) == path.read_text()
    assert read_frame(write_frame(frame, tmp_path / "class.parquet")).equals(frame)


def test_a_folder_that_cannot_be_written_is_found_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_writable(tmp_path / "new", 1000)
    assert list(tmp_path.iterdir()) == []
    break_down_halfway(monkeypatch, OSError(ENOSPC, "No space left on device"))
    with pytest.raises(TableError, match=r"no space left on device; give a folder on a disk"):
        check_writable(tmp_path / "new", 1000)
    assert list(tmp_path.iterdir()) == []


def test_several_files_are_written_into_a_new_folder(tmp_path: Path) -> None:
    files = {tmp_path / "new" / "a.csv": FRAME, tmp_path / "new" / "b.parquet": FRAME.head(1)}
    write_files(files)
    assert {path: read_frame(path).height for path in files} == dict(
        zip(files, [2, 1], strict=True)
    )


@pytest.mark.parametrize("name", ["class.txt", "no/such/class.csv", "folder.csv"])
def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(TableError, match=Path(name).name):
        write_frame(FRAME, tmp_path / name)
    assert list(tmp_path.iterdir()) == [tmp_path / "folder.csv"]


def test_assignments_are_numbered_as_people_count() -> None:
    names = ["HW10", "HW2", "HW1", "hw ²", "HW2"]
    _, order = numbered(pl.DataFrame({"assignment": names}), ["assignment"])
    assert order == ("HW1", "HW2", "HW10", "hw ²")


def test_a_parquet_file_that_unpacks_to_very_much_is_refused(tmp_path: Path) -> None:
    rows, cells = tmp_path / "rows.parquet", tmp_path / "cells.parquet"
    pl.DataFrame({"grader": pl.repeat("g", 5_000_000, eager=True)}).write_parquet(rows)
    pl.DataFrame({"grader": pl.repeat("g" * 100_000, 30_000, eager=True)}).write_parquet(cells)
    assert rows.stat().st_size + cells.stat().st_size < 2**18
    with pytest.raises(TableError, match="5000000 rows of 1 cells, and at most 4194304"):
        read_frame(rows)
    with pytest.raises(TableError, match="has texts of 2861 MiB"):
        read_frame(cells)
