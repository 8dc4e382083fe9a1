"""Results of sweeps: hand-worked tables, paired differences, and manners in notebooks."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import UnknownNameError
from peergauge.engine.environment import Environment
from peergauge.lab.sweep.grid import grid_of
from peergauge.lab.sweep.result import SweepResult
from peergauge.mechanisms import mechanisms

NAN = float("nan")


@pytest.fixture
def result() -> SweepResult:
    """Two points, two mechanisms, one measure and three repetitions, by hand."""
    chosen = [mechanisms.make("mse"), mechanisms.make("oa")]
    grid = grid_of({"graders": [2, 4]}, Environment(), chosen)
    values = np.array([[[[1.0, 2.0, 3.0]], [[0.0, 2.0, 4.0]]], [[[2.0, 4.0, 6.0]], [[NAN, 5, 7]]]])
    return SweepResult(grid, ("tau",), values)


def test_the_frame_has_means_standard_errors_and_numbers_of_repetitions(
    result: SweepResult,
) -> None:
    frame = result.frame
    assert frame["graders"].to_list() == [2, 2, 4, 4]
    assert frame["mechanism"].to_list() == ["mse", "oa"] * 2
    assert frame["label"].to_list() == ["MSE", "OA"] * 2
    assert frame["mean"].to_list() == [2.0, 2.0, 4.0, 6.0]
    # The deviations are 1, 2, 2 and √2; the last mean is one of two values.
    np.testing.assert_allclose(frame["standard_error"], [3**-0.5, 2 * 3**-0.5, 2 * 3**-0.5, 1.0])
    assert frame["n"].to_list() == [3, 3, 3, 2]


def test_differences_are_paired(result: SweepResult) -> None:
    found = result.differences()
    assert found["against"].to_list() == ["mse", "mse"]
    # -1, 0 and 1 at the first point; 1 and 1 at the second, where one is undefined.
    assert found["mean"].to_list() == [0.0, 1.0]
    np.testing.assert_allclose(found["standard_error"], [3**-0.5, 0.0], atol=1e-15)
    assert found["n"].to_list() == [3, 2]
    assert result.differences("oa")["mean"].to_list() == [0.0, -1.0]
    with pytest.raises(UnknownNameError, match="no mechanism in this sweep called 'mse-p'"):
        result.differences("mse-p")


def test_changes_along_a_parameter_are_paired(result: SweepResult) -> None:
    found = result.changes("graders")
    assert found["against"].to_list() == [2, 2]
    # MSE changes by 1, 2 and 3, OA by 3 and 3.
    assert found["mean"].to_list() == [2.0, 3.0]
    assert found["n"].to_list() == [3, 2]
    assert result.changes(against=4)["mean"].to_list() == [-2.0, -3.0]
    with pytest.raises(UnknownNameError, match="'graders'"):
        result.changes("grader")
    with pytest.raises(UnknownNameError, match="'3'"):
        result.changes(against=3)


def test_repetitions_lists_every_defined_value(result: SweepResult) -> None:
    rows = result.repetitions
    assert rows.height == 11
    assert rows.row(0) == (0, 2, "mse", "tau", 0, 1.0)
    assert rows["value"].sum() == 6 + 6 + 12 + 12


def test_a_notebook_shows_a_summary_and_a_table(result: SweepResult) -> None:
    assert repr(result) == (
        "<SweepResult: graders (2 values); 2 mechanisms, 1 measure, 3 repetitions>"
    )
    html = result._repr_html_()
    assert html.startswith("<p>Sweep: graders (2 values)")
    assert "standard_error" in html


def test_pandas_users_get_the_same_table(result: SweepResult) -> None:
    assert result.to_pandas()["mean"].tolist() == result.to_polars()["mean"].to_list()
