"""Objects are short in a terminal, and readable and harmless in a notebook."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import peergauge
from peergauge.core.brief import brief, concise, html_frame, html_table
from peergauge.datasets import load
from peergauge.mechanisms import comparison, mechanisms
from peergauge.tables import Reports

MAX_REPR_LETTERS = 250
"""Letters that an object may take in a terminal."""


class Pair(NamedTuple):
    one: Any
    other: float = float("nan")

    def __repr__(self) -> str:
        return brief(self)


@dataclass(frozen=True)
class Settings:
    numbers: tuple[int, ...] = ()
    names: dict[str, int] = field(default_factory=dict)
    text: str = ""
    hidden: int = field(default=1, repr=False)

    __repr__ = brief


@dataclass(frozen=True)
class Exact(Settings):
    __repr__ = concise


def test_defaults_are_left_out_and_long_values_are_counted() -> None:
    assert repr(Settings()) == "Settings()"
    assert repr(Settings((1, 2), {"a": 1}, "x")) == (
        "Settings(numbers=(1, 2), names={'a': 1}, text='x')"
    )
    assert repr(Settings(tuple(range(7)))) == "Settings(numbers=<7 values>)"
    assert repr(Settings(text="y" * 500)) == f"Settings(text='{'y' * 57}…')"
    assert repr(Settings(hidden=3)) == "Settings()"
    assert repr(Pair(np.zeros((3, 4)))) == "Pair(one=<3 x 4 numbers>)"
    assert repr(Pair(pl.DataFrame({"a": [1]}), 2.0)) == (
        "Pair(one=<1 rows x 1 columns>, other=2.0)"
    )


def test_a_concise_representation_leaves_no_value_out() -> None:
    assert repr(Exact(tuple(range(9)))) == "Exact(numbers=(0, 1, 2, 3, 4, 5, 6, 7, 8))"
    assert repr(Exact(text="y" * 500)) == f"Exact(text='{'y' * 500}')"


def test_settings_that_differ_are_written_differently() -> None:
    from peergauge.engine.environment import Environment
    from peergauge.simulate import BinaryEffort, ListedScores, Setting
    from peergauge.simulate.source import SemesterSource

    settings = [
        Setting(),
        Setting(students=99),
        Setting(effort=BinaryEffort()),
        Setting(effort=BinaryEffort(active=3)),
        Setting(true_scores=ListedScores(tuple(range(10)))),
        Setting(true_scores=ListedScores(tuple(range(9)))),
    ]
    written = [repr(Environment(SemesterSource(one))) for one in settings]
    assert len(set(written)) == len(settings)


HOSTILE = "<script>alert(1)</script>"


def hostile_class() -> Reports:
    return Reports.from_frame(
        {"submission": [HOSTILE] * 3, "grader": [HOSTILE, "b&b", "c"], "grade": [1, 2, 3]}
    )


def shown_objects(folder: Path) -> dict[str, Any]:
    reports = hostile_class()
    rewards = peergauge.score("mse", reports)
    semester = peergauge.simulate(students=20, seed=1)
    file = folder / "reports.csv"
    reports.write(file)
    return {
        "reports": reports,
        "rewards": rewards,
        "truth": peergauge.Truth.from_frame({"submission": [HOSTILE], "score": [3]}),
        "payout": peergauge.pay("tournament:prizes=100+50", rewards),
        "comparison": comparison("mse", reports),
        "opened": peergauge.open_class(file, scale="0..10"),
        "semester": semester,
        "stand-in": load("fall-2019"),
        "advice": peergauge.recommend(semester.reports),
        "registry": mechanisms,
    }


def test_everything_is_short_in_a_terminal_and_safe_in_a_notebook(tmp_path: Path) -> None:
    for name, one in shown_objects(tmp_path).items():
        text, html = repr(one), one._repr_html_()
        assert len(text) < MAX_REPR_LETTERS, name
        assert "\n" not in text, name
        assert " object at 0x" not in text, name
        assert "<script" not in html, name
        assert len(re.findall("<table>", html)) == len(re.findall("</table>", html)), name
    for one in (peergauge.Setting(), semester_population(), mechanisms.make("mse").facts):
        assert len(repr(one)) < MAX_REPR_LETTERS


def semester_population() -> Any:
    return peergauge.simulate(students=50, seed=1).population


def test_a_long_table_shows_its_first_rows_and_counts_the_others() -> None:
    reports = peergauge.simulate(students=20, assignments=3, seed=1).reports
    html = reports._repr_html_()
    assert html.count("<tr>") == 1 + 10
    assert "… and 230 more rows" in html
    assert html_frame("x", pl.DataFrame({"a": [0.123456, None]})) == html_table(
        "x", ["a"], [[0.123456], [None]]
    )
    assert "<td>0.1235</td>" in html_table("x", ["a"], [[0.123456]])
