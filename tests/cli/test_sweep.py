"""The command that sweeps: what people type, what it writes, what it refuses."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import peergauge
from tests.cli.test_cli import refusal, run


@pytest.mark.slow
def test_the_command_has_the_numbers_of_the_function(tmp_path: Path) -> None:
    out = tmp_path / "swept"
    swept = ("--over", "graders=2..3", "--over", "students=12", "-m", "mse", "-m", "oa")
    few = ("--measure", "tau", "--repetitions", "3", "--workers", "1")
    words = ("sweep", *swept, *few, "-o", str(out))
    done = run(*words)
    assert done.returncode == 0, done.stderr
    names = [Path(line).name for line in done.stdout.splitlines() if line.startswith(str(out))]
    assert names == ["sweep.csv", "differences.csv", "sweep.svg", "sweep.png"]
    assert "standard error" in done.stdout
    found = peergauge.sweep(
        {"graders": [2, 3], "students": 12},
        mechanisms=["mse", "oa"],
        measures="tau",
        repetitions=3,
    )
    assert pl.read_csv(out / "sweep.csv").equals(found.frame)
    # The same again goes on where it was, which is at the end.
    assert run(*words).stdout == done.stdout


@pytest.mark.slow
def test_mistakes_are_one_sentence(tmp_path: Path) -> None:
    out = tmp_path / "swept"
    rest = ("-m", "mse", "--measure", "tau", "-o", str(out))
    assert "did you mean 'graders'" in refusal("sweep", "--over", "gradres=2..4", *rest)
    assert "graders=200 is impossible" in refusal("sweep", "--over", "graders=200", *rest)
    assert not out.exists()
