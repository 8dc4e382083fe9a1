"""The charts of the page: the numbers in them are those of the cells."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.pages.charts import bundle, distribution_of_z, trade_off
from tests.lab.paper.test_e06_trade_off import CELLS


def test_every_point_carries_its_numbers_and_names() -> None:
    spec = trade_off(CELLS)
    (values,) = [list(data) for data in spec["datasets"].values() if "label" in data[0]]
    views = {(point["view"], point["label"], point["setting"]) for point in values}
    assert len(views) == len(values) == 3 + 5
    mse = next(point for point in values if point["label"] == "MSE")
    assert mse["binary-auc"] == pytest.approx(0.7)
    assert mse["gain hedge"] == pytest.approx(30.0)
    labels = {point["label"] for point in values}
    assert labels == {"MSE", "MSE_P", "Φ-Div_P: TVD"}, "people read labels, not specs"


def test_one_can_choose_the_measure_the_strategies_and_the_front() -> None:
    names = {param["name"] for param in trade_off(CELLS)["params"] if "bind" in param}
    assert {"view", "measure", "front"} <= names
    # Only strategies that were run can be chosen: Hedge and Add Noise here.
    assert sum(name.startswith("counts_") for name in names) == 2


def test_the_histogram_counts_every_cell() -> None:
    compared = pl.DataFrame({"z": [0.1, 0.2, -9.0, None, 7.0]})
    spec = distribution_of_z(compared)
    bars = next(data for data in spec["datasets"].values() if "to" in data[0])
    assert sum(bar["cells"] for bar in bars) == 4
    assert bars[0]["cells"] == bars[-1]["cells"] == 1


@pytest.mark.slow
def test_the_scripts_cannot_end_the_script_that_holds_them() -> None:
    assert "</script" not in bundle()
