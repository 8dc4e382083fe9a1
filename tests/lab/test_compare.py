"""Comparisons of mechanisms in one call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import peergauge
from peergauge.core.errors import NeedsTruthError, ParameterError
from peergauge.core.randomness import derived_seed
from peergauge.lab.paper.classes import PAPER
from peergauge.simulate.source import SemesterSource

SMALL = peergauge.Setting(students=20, assignments=3)


def test_values_are_means_over_the_semesters_of_the_seed() -> None:
    table = peergauge.compare(["mse"], SMALL, measures=["tau"], semesters=4, seed=7)
    values = []
    for number in range(4):
        own = derived_seed(7, "compare", number)
        semester = peergauge.simulate(SMALL, own)
        rewards = peergauge.score("mse", semester.reports, seed=own)
        values.append(peergauge.measure("tau", rewards, semester.truth))
    (row,) = table.rows(named=True)
    assert row["value"] == pytest.approx(np.mean(values))
    assert row["standard_error"] == pytest.approx(np.std(values, ddof=1) / 2)
    assert row["n"] == 4


def test_the_best_by_the_first_measure_comes_first() -> None:
    table = peergauge.compare(["oa", "mse-p", "mse"], semesters=4)
    first = table.filter(pl.col("metric") == "binary-auc")["value"].to_list()
    assert first == sorted(first, reverse=True)
    # MSE_P measures best and OA worst by far in the paper's setting (0.96 against 0.77).
    assert table["mechanism"][0] == "mse-p"
    assert table["mechanism"][-1] == "oa"


def test_a_class_that_cannot_have_clusters_leaves_the_mechanism_without_a_value() -> None:
    source = SemesterSource(peergauge.Setting(students=49, assignments=13), PAPER["spring-2019"])
    table = peergauge.compare(["dmi", "mse"], source, measures=["tau"], semesters=2)
    assert table["mechanism"].to_list() == ["mse", "dmi"]
    assert table["n"].to_list() == [2, 0]


def test_a_real_class_has_bootstrap_errors_over_its_students(tmp_path: Path) -> None:
    semester = peergauge.simulate(students=40, assignments=4, seed=3)
    semester.reports.write(tmp_path / "reports.csv")
    semester.truth.write(tmp_path / "truth.csv")
    opened = peergauge.open_class(tmp_path, scale="0..10")
    table = peergauge.compare(["mse"], opened, measures=["tau"])
    (row,) = table.rows(named=True)
    rewards = peergauge.score("mse", semester.reports)
    assert row["value"] == pytest.approx(
        peergauge.measure("tau:per=report", rewards, semester.truth)
    )
    assert row["n"] == 40
    # The asymptotic error of τ with 40 students is about 2/3/√40 = 0.1 at most.
    assert 0.02 < row["standard_error"] < 0.15


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="at least one mechanism"):
        peergauge.compare([])
    with pytest.raises(ParameterError, match="two semesters"):
        peergauge.compare(["mse"], semesters=1)
    with pytest.raises(ParameterError, match="'rank-gain' is not one of rewards"):
        peergauge.compare(["mse"], measures=["rank-gain"])
    peergauge.simulate(students=12, seed=1).reports.write(tmp_path / "reports.csv")
    with pytest.raises(NeedsTruthError, match="no true scores"):
        peergauge.compare(["mse"], peergauge.open_class(tmp_path, scale="0..10"))
