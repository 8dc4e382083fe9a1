"""Measured rows in files, and those that are shipped."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from peergauge.advice.measures import Value
from peergauge.advice.profile import ClassProfile
from peergauge.advice.rows import MeasuredRows, MeasuredSetting, read_rows, shipped_rows
from peergauge.advice.standing import EVERY_SETTING
from peergauge.core.errors import TableError
from peergauge.mechanisms import mechanisms
from tests.advice.test_standing import board


def made() -> MeasuredRows:
    """Two settings with a row each, and a measure that is not shipped."""
    rows = board(
        ("paper", "mse", "binary-auc", Value(0.9, 0.01, 9)),
        ("paper", "mse", "tau", Value(0.7, 0.01, 9)),
        ("paper", "oa", "mse-difference", Value(-0.2, 0.01, 9)),
        ("small", "oa", "mse-difference", Value(-0.1, 0.02, 9)),
    )
    settings = (
        MeasuredSetting("paper", "The paper's", "As it is.", ClassProfile(100, 10, 4)),
        MeasuredSetting("small", "Small", "Few.", ClassProfile(30, 3, 3), "estimated", False),
    )
    return MeasuredRows(rows, settings, "1.2.3", 77, "quick")


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    before = made()
    before.write(tmp_path)
    after = read_rows(tmp_path)
    assert (after.settings, after.version, after.seed, after.size) == (
        before.settings, "1.2.3", 77, "quick",
    )  # fmt: skip
    kept = before.board.filter(pl.col("measure") != "tau")
    assert_frame_equal(after.board, kept)
    assert after.source == "the leaderboard of peergauge 1.2.3 (seed 77, quick size)"


def test_differences_are_those_of_the_chosen_settings() -> None:
    found = made().differences(["small"])
    assert {spec: list(by) for spec, by in found.items()} == {"oa": ["small"]}
    assert found["oa"]["small"].value == -0.1
    assert found["oa"]["small"].where == "small"


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"measured\.parquet is missing"):
        read_rows(tmp_path)


def test_the_shipped_rows_are_complete() -> None:
    rows = shipped_rows()
    names = [one.name for one in rows.settings]
    assert names[0] == "paper"
    assert set(rows.board["setting"]) == {*names, EVERY_SETTING}
    # Every row belongs to a mechanism that exists and is written as its spec.
    for spec in rows.board["mechanism"].unique():
        assert mechanisms.make(spec).spec == spec
    for name in names:
        there = {one.spec: one for one in rows.standings(name)}
        assert there["mse"].get("mse-difference") == 0.0
        assert 0.5 < there["mse"].get("binary-auc") < 1.0
    # MSE is what a class can always return to, so that attacks on it were searched for.
    first = {one.spec: one for one in rows.standings("paper")}
    assert first["mse"].get("alone") > 3.0
    assert any(one.honest for one in rows.settings)
    assert rows.seed > 0
