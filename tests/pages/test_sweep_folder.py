"""The folder of a sweep: its tables, and the same figure for the same numbers."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path

import polars as pl
import pytest

import peergauge
from peergauge.core import optional
from peergauge.lab.sweep import SweepResult
from peergauge.pages import sweep_folder


def small(*specs: str) -> SweepResult:
    where = peergauge.Setting(students=12, assignments=2)
    return peergauge.sweep(
        {"graders": [2, 4]}, mechanisms=specs, measures="tau", where=where, repetitions=2
    )


def test_tables_and_figure_are_written(tmp_path: Path) -> None:
    found = small("mse", "oa")
    written = sweep_folder.write(found, tmp_path / "one")
    names = [path.name for path in written.files]
    assert names == ["sweep.csv", "differences.csv", "sweep.svg", "sweep.png"]
    assert pl.read_csv(tmp_path / "one/sweep.csv").columns == found.frame.columns
    sweep_folder.write(found, tmp_path / "two")
    assert (tmp_path / "one/sweep.svg").read_bytes() == (tmp_path / "two/sweep.svg").read_bytes()


def test_a_figure_without_room_is_named_and_not_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Path.write_bytes

    def refuse(path: Path, data: bytes) -> int:
        if b"<svg" in data:
            write(path, data[:100])
            raise OSError(ENOSPC, os.strerror(ENOSPC))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(OSError, match="No space left") as told:
        sweep_folder.write(small("mse"), tmp_path)
    assert told.value.filename == str(tmp_path / "sweep.svg")
    assert [path.name for path in tmp_path.iterdir()] == ["sweep.csv"]


def test_one_mechanism_has_no_differences(tmp_path: Path) -> None:
    written = sweep_folder.write(small("mse"), tmp_path)
    assert "differences.csv" not in [path.name for path in written.files]


def test_tables_are_written_without_matplotlib(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_folder, "installed", lambda _: False)
    assert optional.installed("matplotlib")
    written = sweep_folder.write(small("mse", "oa"), tmp_path)
    assert [path.name for path in written.files] == ["sweep.csv", "differences.csv"]
    assert written.no_figure.startswith("Matplotlib is not installed")
