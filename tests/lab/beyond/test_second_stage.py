"""Payments as a second stage, as an experiment."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from peergauge.core.errors import ParameterError
from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.second_stage import (
    RULES,
    Line,
    RaisedEffort,
    SecondStageOfPay,
    line_of,
)
from peergauge.mechanisms import score
from peergauge.simulate import ContinuousEffort, Setting, simulate

SMALL = SecondStageOfPay(
    mechanisms=("mse", "oa"), students=20, assignments=2, deviators=2, repetitions=1
)


def test_every_rule_pays_one_to_the_average_grader() -> None:
    total = score("mse", simulate(Setting(students=20), 3).reports).total
    for name, make in RULES.items():
        if name != "linear":
            assert make(Line(2.0, 1.0), 20).expected(total).mean() == pytest.approx(1), name


def test_linear_pay_has_a_mean_of_one_over_classes() -> None:
    rule = RULES["linear"](line_of("mse", 20, 3), 20)
    means = [
        rule.expected(score("mse", simulate(Setting(20, 3), seed).reports).total).mean()
        for seed in range(20)
    ]
    # Those are the classes from which the line was computed.
    assert np.mean(means) == pytest.approx(1)


def test_more_effort_changes_the_reports_of_one_grader_only() -> None:
    semester = simulate(Setting(students=20, assignments=3), 5)
    effort = RaisedEffort(ContinuousEffort(), 4, 2.0)
    harder = simulate(Setting(students=20, assignments=3, effort=effort), 5)
    assert harder.population.effort[4] == semester.population.effort[4] + 2
    changed = semester.reports.grade != harder.reports.grade
    assert set(semester.reports.grader[changed].tolist()) == {4}


def test_every_rule_and_measure_has_its_rows() -> None:
    rows = to_frame(SMALL.run(Point(), 0, 1))
    assert set(rows["payment"]) == set(RULES)
    own = rows.filter(pl.col("mechanism") == "mse", pl.col("strategy") == "")
    wide = own.pivot("metric", index="payment", values="value")
    auc = dict(zip(wide["payment"], wide["binary-auc"], strict=True))
    # Rules that keep the order of scores measure graders as well as the scores do.
    assert auc["linear"] == auc["budget"] == auc["lottery, ten prizes"]
    drawn = dict(zip(wide["payment"], wide["drawn-binary-auc"], strict=True))
    assert drawn["linear"] == auc["linear"]
    assert (wide.filter(pl.col("payment") != "linear")["negative-pay"] == 0).all()
    gains = rows.filter(pl.col("metric") == "pay-gain")
    assert gains.height == 2 * len(RULES) * len(SMALL.tried())


def test_what_cannot_be_tried_is_refused() -> None:
    with pytest.raises(ParameterError, match="At least one deviator"):
        SecondStageOfPay(deviators=0)
    with pytest.raises(ParameterError, match="positive rise"):
        SecondStageOfPay(raise_by=0)
