"""Files are replaced by the command that wrote them, and by no other."""

from __future__ import annotations

import json
import os
from pathlib import Path

import polars as pl
import pytest

from peergauge.core.errors import ParameterError
from peergauge.core.replacing import (
    digests_of,
    refuse_existing,
    refuse_other_table,
    refuse_replacing,
    refuse_shared,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table, an older file, and the record of the table."""
    table = tmp_path / "table.csv"
    table.write_bytes(b"a,b\n1,2\n")
    (tmp_path / "own.csv").write_text("mine")
    record = {"peergauge": "1", "command": "read"} | {
        "written": digests_of({table: table.read_bytes()}, tmp_path)
    }
    (tmp_path / "class.json").write_text(json.dumps(record))
    return tmp_path


def refused(folder: Path, *names: str, command: str = "read", force: bool = False) -> None:
    record = folder / "class.json"
    refuse_replacing([folder / name for name in names], record, command, force=force)


def test_own_files_and_new_files_are_not_refused(folder: Path) -> None:
    refused(folder, "table.csv", "class.json", "new.csv")


def test_a_file_that_is_not_in_the_record_is_refused(folder: Path) -> None:
    with pytest.raises(ParameterError, match=r"has own\.csv, which 'peergauge read' did not write"):
        refused(folder, "table.csv", "own.csv")
    refused(folder, "own.csv", force=True)


def test_a_file_that_was_changed_is_refused(folder: Path) -> None:
    (folder / "table.csv").write_text("a,b\n1,3\n")
    with pytest.raises(ParameterError, match=r"table\.csv.* was changed since"):
        refused(folder, "table.csv")


def test_another_command_is_refused(folder: Path) -> None:
    with pytest.raises(ParameterError, match=r"table\.csv, class\.json, which 'peergauge twin'"):
        refused(folder, "table.csv", "class.json", command="twin")


NO_RECORDS = ["", "{", "[]", "7", '{"scale": "0..5"}', '{"peergauge": "1"}', "[" * 100_000]
NO_RECORDS += ['{"peergauge": 1, "written": []}']


@pytest.mark.parametrize("text", NO_RECORDS)
def test_a_file_that_is_no_record_protects_nothing_and_is_kept(folder: Path, text: str) -> None:
    (folder / "class.json").write_text(text)
    for name in ("table.csv", "class.json"):
        with pytest.raises(ParameterError, match="did not write"):
            refused(folder, name)


def test_a_link_is_never_followed(folder: Path) -> None:
    (folder / "table.csv").rename(folder / "elsewhere.csv")
    (folder / "table.csv").symlink_to(folder / "elsewhere.csv")
    with pytest.raises(ParameterError, match="did not write"):
        refused(folder, "table.csv")


def test_tables_are_recognised_by_their_columns(tmp_path: Path) -> None:
    columns = ("grader", "reward")
    own, other = tmp_path / "own.csv", tmp_path / "other.csv"
    own.write_text("assignment,grader,reward\n1,ann,2\n")
    other.write_text("submission,grader,grade\n1,ann,2\n")
    parquet = tmp_path / "own.parquet"
    pl.DataFrame({"grader": ["ann"], "reward": [1.0]}).write_parquet(parquet)
    for path in (own, parquet, tmp_path / "new.csv", None):
        refuse_other_table(path, columns, "rewards")
    (tmp_path / "no.parquet").write_text("no")
    for path in (other, tmp_path / "no.parquet", tmp_path):
        with pytest.raises(ParameterError, match="holds no rewards that this command wrote"):
            refuse_other_table(path, columns, "rewards")
    refuse_other_table(other, columns, "rewards", force=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ParameterError, match="holds no rewards"):
        refuse_other_table(tmp_path / "pipe.csv", ("reward",), "rewards")


def test_existing_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "key.csv"
    refuse_existing(path)
    path.touch()
    with pytest.raises(ParameterError, match="--force"):
        refuse_existing(path)
    refuse_existing(path, force=True)


def test_outputs_are_neither_inputs_nor_each_other(tmp_path: Path) -> None:
    source = tmp_path / "export.csv"
    source.touch()
    (tmp_path / "link.csv").hardlink_to(source)
    new = tmp_path / "new.csv"
    refuse_shared({"--out": new, "--parts": None}, [source])
    for path in (
        source,
        tmp_path / "link.csv",
        tmp_path / "." / ".." / tmp_path.name / source.name,
    ):
        with pytest.raises(ParameterError, match="is read by this command"):
            refuse_shared({"--out": path}, [source])
    with pytest.raises(ParameterError, match="for --out and for --parts"):
        refuse_shared({"--out": new, "--parts": tmp_path / "." / "new.csv"})
