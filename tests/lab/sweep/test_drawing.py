"""Figures of sweeps: error bars, small multiples, nothing cut off or covered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.container import ErrorbarContainer

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.engine.environment import Environment
from peergauge.lab.sweep.grid import grid_of
from peergauge.lab.sweep.result import SweepResult
from peergauge.mechanisms import mechanisms
from peergauge.simulate import BinaryEffort, ContinuousEffort
from tests.lab.figures.test_layout import check

pytestmark = pytest.mark.slow


def made(over: dict[str, Any], *measures: str, specs: tuple[str, ...] = ("mse", "oa")) -> Any:
    """A result with values that nobody computed."""
    chosen = [mechanisms.make(spec) for spec in specs]
    grid = grid_of(over, Environment(), chosen)
    named = measures or ("tau",)
    rng = np.random.default_rng(1)
    return SweepResult(grid, named, rng.random((len(grid), len(specs), len(named), 3)))


@pytest.mark.parametrize(
    ("over", "measures", "panels"),
    [
        ({"graders": [2, 3, 4]}, ["tau"], 1),
        ({"graders": [2, 3, 4]}, ["tau", "pearson", "binary-auc", "quinary-auc"], 4),
        ({"graders": [2, 3, 4], "students": [20, 40]}, ["tau"], 2),
        ({"graders": [2, 3, 4], "students": [20, 40, 60]}, ["tau", "pearson"], 6),
        ({"graders": [2, 3], "students": range(10, 80, 10)}, ["tau"], 7),
        ({"graders": [2, 3], "students": [20]}, ["tau"], 1),
        ({"graders": [4]}, ["tau"], 1),
        ({"effort": [BinaryEffort(), ContinuousEffort(500.0, 499.0)]}, ["tau", "pearson"], 2),
        ({"participation.known": [True, False], "bias.deviation": [0, 0.5, 1]}, ["tau"], 2),
    ],
)
def test_every_sweep_is_drawn(over: dict[str, Any], measures: list[str], panels: int) -> None:
    figure = made(over, *measures).plot()
    assert len(figure.axes) == panels
    check(figure)


def test_error_bars_are_95_percent_confidence_intervals() -> None:
    result = made({"graders": [2, 4]})
    (axis,) = result.plot().axes
    bars = [one for one in axis.containers if isinstance(one, ErrorbarContainer)]
    assert len(bars) == 2
    (segments,) = bars[0][2]
    rows = result.frame.rows(named=True)
    for segment, row in zip(segments.get_segments(), (rows[0], rows[2]), strict=True):
        reach = 1.96 * row["standard_error"]
        np.testing.assert_allclose(segment[:, 1], [row["mean"] - reach, row["mean"] + reach])
        assert segment[0, 0] == row["graders"]


def test_differences_have_no_line_for_the_mechanism_that_they_are_to() -> None:
    figure = made({"graders": [2, 4]}, specs=("mse", "oa", "pts")).plot(differences_to="mse")
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 2
    check(figure)


def test_panels_of_one_measure_have_the_same_range() -> None:
    figure = made({"graders": [2, 3], "students": [20, 40]}, "tau", "pearson").plot()
    limits = [axis.get_ylim() for axis in figure.axes]
    assert limits[0] == limits[1]
    assert limits[2] == limits[3]


def test_a_parameter_and_a_measure_can_be_chosen() -> None:
    result = made({"graders": [2, 3], "students": [20, 40, 60]}, "tau", "pearson")
    figure = result.plot("tau", x="students")
    assert [axis.get_title() for axis in figure.axes] == ["graders 2", "graders 3"]
    with pytest.raises(UnknownNameError, match="'grader'"):
        result.plot(x="grader")
    with pytest.raises(UnknownNameError, match="'binary-auc'"):
        result.plot("binary-auc")


def test_undefined_values_leave_gaps() -> None:
    result = made({"graders": [2, 3, 4]})
    values = result.values.copy()
    values[1] = np.nan
    check(SweepResult(result.grid, result.measures, values).plot())
    values[:] = np.nan
    SweepResult(result.grid, result.measures, values).plot()


def test_too_many_panels_are_refused() -> None:
    with pytest.raises(ParameterError, match="would have 40 panels"):
        made({"graders": [2, 3], "students": range(10, 50)}).plot(x="graders")
