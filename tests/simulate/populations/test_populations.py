"""Populations of a user's own, by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from peergauge.cli import app
from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.plugins import forget_plugins, load_plugins
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.sweep import sweep
from peergauge.simulate import ContinuousEffort
from peergauge.simulate.populations import populations
from peergauge.tables import Truth

SLEEPY = '''"""A population of one's own."""

from dataclasses import dataclass

from peergauge.simulate import ContinuousEffort, Setting
from peergauge.simulate.populations import Population, population


@population("NAME", label="Sleepy graders")
@dataclass(frozen=True)
class Sleepy(Population):
    """Graders make little effort."""

    highest: float = 0.5

    def setting(self):
        return RETURNED
'''
SMALL = "Setting(students=20, assignments=2, effort=ContinuousEffort(highest=self.highest))"


def written(folder: Path, name: str = "sleepy", returned: str = SMALL) -> Path:
    """A file with a population."""
    path = folder / "sleepy_population.py"
    path.write_text(SLEEPY.replace("NAME", name).replace("RETURNED", returned), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    yield
    forget_plugins()


def test_a_population_is_a_setting_by_its_spec(tmp_path: Path) -> None:
    load_plugins(written(tmp_path))
    found = suite_setting("sleepy:highest=0.25")
    assert found.name == "sleepy:highest=0.25"
    assert found.label == "Sleepy graders (highest 0.25)"
    assert found.sentence == "Graders make little effort."
    assert found.setting.effort == ContinuousEffort(highest=0.25)
    for one in (found.integrity_class(1), found.deviation_class(1)):
        assert len(one.semester().population) == 20
    with pytest.raises(UnknownNameError, match="did you mean 'sleepy'"):
        suite_setting("slepy")
    with pytest.raises(UnknownNameError, match="highest"):
        suite_setting("sleepy:lowest=1")


def test_the_name_of_a_setting_of_the_suite_is_refused(tmp_path: Path) -> None:
    load_plugins(written(tmp_path, "paper"))
    with pytest.raises(ParameterError, match="'paper' has the name of a setting of the suite"):
        suite_setting("paper")


def test_something_else_than_a_setting_is_refused(tmp_path: Path) -> None:
    load_plugins(written(tmp_path, returned="{'students': 20}"))
    with pytest.raises(ParameterError, match="should return a Setting, but returns a dict"):
        suite_setting("sleepy")


def test_a_population_is_no_more_once_its_file_is_forgotten(tmp_path: Path) -> None:
    load_plugins(written(tmp_path))
    assert "sleepy" in populations
    forget_plugins()
    with pytest.raises(UnknownNameError, match="'sleepy'"):
        suite_setting("sleepy")


def test_commands_take_populations(tmp_path: Path) -> None:
    file, out = str(written(tmp_path)), tmp_path / "class"
    words = ["simulate", "--plugin", file, "--setting", "sleepy", "--out", str(out)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert len(Truth.read(out / "truth.csv").score) == 40
    again = CliRunner().invoke(app, [*words, "--force"])
    assert again.exit_code == 0, again.output
    swept = tmp_path / "swept"
    words = ["sweep", "--plugin", file, "--setting", "sleepy", "--over", "graders=2..3"]
    words += ["-m", "mse", "--measure", "binary-auc", "--repetitions", "2", "--out", str(swept)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output


@pytest.mark.slow
def test_workers_know_populations(tmp_path: Path) -> None:
    load_plugins(written(tmp_path))
    where = suite_setting("sleepy").environment
    one, two = (
        sweep({"graders": [2, 3]}, mechanisms=["mse"], where=where, repetitions=2, workers=count)
        for count in (1, 2)
    )
    assert one.frame.equals(two.frame)
