"""The command that sweeps: what people type, what it writes, what it refuses."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import peergauge
from peergauge.cli.sweep import over_of
from peergauge.core.errors import ParameterError
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


def test_values_are_lists_ranges_and_words() -> None:
    assert over_of(["graders=2..4,8"]) == {"graders": [2, 3, 4, 8]}
    assert over_of(["students=20..100:40"]) == {"students": [20, 60, 100]}
    assert over_of(["strategic=0..0.3:0.1"]) == {"strategic": [0.0, 0.1, 0.2, 0.3]}
    assert over_of(["bias.deviation=-1..0:0.5"]) == {"bias.deviation": [-1.0, -0.5, 0.0]}
    assert over_of(["scale=0..10, 1..5"]) == {"scale": ["0..10", "1..5"]}
    assert over_of(["strategy=hedge+noise:deviation=2"]) == {
        "strategy": ["hedge", "noise:deviation=2"]
    }
    assert over_of(["effort.active=none,3"]) == {"effort.active": ["none", 3]}


@pytest.mark.parametrize(
    "text", ["graders", "=3", "graders=", "graders=4..2", "graders=2..8:0", "graders=0..1:0.0001"]
)
def test_values_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"NAME=VALUES|A range is"):
        over_of([text])


def test_a_parameter_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="given twice"):
        over_of(["graders=2", "graders=3"])
