"""Integrity against robustness of a sweep, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from peergauge.engine.environment import Environment
from peergauge.lab.sweep.grid import grid_of
from peergauge.lab.sweep.result import SweepResult
from peergauge.lab.sweep.trade_off import integrity_measure, trade_off
from peergauge.mechanisms import mechanisms

NAN = float("nan")


def result_of(strategic: list[float], values: list[list[list[list[float]]]]) -> SweepResult:
    """A sweep over the strategic share: points × mechanisms × measures × repetitions."""
    chosen = [mechanisms.make(name) for name in ("mse", "oa")[: len(values[0])]]
    grid = grid_of({"strategic": strategic}, Environment(), chosen, "hedge")
    return SweepResult(grid, ("tau", "rank-gain"), np.array(values))


def test_integrity_is_that_of_honest_classes_and_robustness_that_of_all() -> None:
    found = result_of(
        [0.0, 0.3],
        [
            [[[0.5, 0.7], [1.0, 3.0]], [[0.1, 0.1], [0.0, 0.0]]],
            [[[0.1, 0.1], [5.0, 9.0]], [[0.9, 0.9], [-2.0, -4.0]]],
        ],
    )
    mse, oa = trade_off(found)
    assert (mse.mechanism, mse.label) == ("mse", "MSE")
    assert mse.integrity == pytest.approx(0.6)
    assert mse.integrity_error == pytest.approx(0.1)
    # The averages over both points are 3 and 6 in the two repetitions.
    assert mse.robustness == -4.5
    assert mse.robustness_error == pytest.approx(1.5)
    assert oa.integrity == pytest.approx(0.1)
    assert oa.robustness == 1.5
    frame = found.trade_off
    assert frame.columns == list(mse._fields)
    assert frame.rows() == [tuple(mse), tuple(oa)]


def test_without_honest_classes_integrity_is_the_average_over_all() -> None:
    found = result_of([0.3, 0.6], [[[[0.5, 0.7], [1, 1]]], [[[0.1, 0.5], [3, 3]]]])
    (mse,) = trade_off(found)
    assert mse.integrity == pytest.approx(0.45)
    assert mse.robustness == -2.0
    assert mse.robustness_error == 0.0


def test_only_repetitions_that_every_point_has_count() -> None:
    found = result_of([0.0, 0.3], [[[[0.5, 0.7], [1.0, 3.0]]], [[[0.5, 0.5], [5.0, NAN]]]])
    (mse,) = trade_off(found)
    assert mse.robustness == -3.0
    # The standard error of one value is unknown, which is not zero.
    assert mse.robustness_error is None
    assert found.trade_off["robustness_error"].to_list() == [None]


def test_mechanisms_without_values_are_left_out() -> None:
    values = [[[[0.5, 0.7], [1.0, 3.0]], [[NAN, NAN], [1.0, 2.0]]]]
    assert [one.mechanism for one in trade_off(result_of([0.0], values))] == ["mse"]


def test_without_both_kinds_of_measures_there_is_no_trade_off() -> None:
    grid = grid_of({"graders": [2]}, Environment(), [mechanisms.make("mse")])
    found = SweepResult(grid, ("tau",), np.ones((1, 1, 1, 2)))
    assert trade_off(found) == []
    assert found.trade_off.height == 0
    assert found.trade_off.columns[0] == "mechanism"


def test_no_gain_is_zero_and_not_minus_zero() -> None:
    (mse,) = trade_off(result_of([0.0], [[[[0.5, 0.7], [0.0, 0.0]]]]))
    assert math.copysign(1.0, mse.robustness) == 1.0


def test_integrity_is_measured_by_the_first_measure_of_which_more_is_better() -> None:
    assert integrity_measure(["rank-gain", "tau", "binary-auc"]) == "tau"
    assert integrity_measure(["rank-gain"]) is None
