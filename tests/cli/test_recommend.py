"""The command that recommends a mechanism."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from peergauge.advice import recommend
from peergauge.cli import app
from peergauge.core.errors import ParameterError
from peergauge.simulate import Setting, simulate


def run(*words: str) -> str:
    done = CliRunner().invoke(app, ["recommend", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_numbers_describe_a_class() -> None:
    printed = run("--students", "100", "--assignments", "10", "--reviews", "4")
    expected = recommend(students=100, assignments=10, reviews=4)
    assert printed.splitlines()[: len(expected.why)] == list(expected.why)
    assert "What it leaves open:" in printed
    for sentence in expected.leaves_open:
        assert f"- {sentence}" in printed


def test_an_export_describes_a_class_and_options_complete_it(tmp_path: Path) -> None:
    reports = simulate(Setting(students=60, assignments=4), 1).reports
    file = reports.write(tmp_path / "reports.csv")
    words = (str(file), "--scale", "0..10", "--accept-defaults", "--slope-sd", "0.2", "--json")
    found = json.loads(run(*words))
    expected = recommend(reports, slope_sd=0.2)
    assert found["mechanism"] == expected.mechanism
    assert found["setting"] == expected.setting.name
    assert any("standard deviation of slopes 0.20" in one for one in found["differences"])


def test_a_class_unlike_all_measured_ones_gets_no_recommendation() -> None:
    found = json.loads(
        run("--students", "9", "--assignments", "99", "--reviews", "1", "--scale", "1..2", "--json")
    )
    assert (found["mechanism"], found["near"]) == (None, False)
    assert "Nothing that was measured is near this class" in found["why"][0]


def test_what_is_missing_is_said() -> None:
    with pytest.raises(ParameterError, match="assignments and reviews are missing"):
        run("--students", "30")
    with pytest.raises(ParameterError, match="need the files of a class"):
        run("--students", "30", "--accept-defaults")
