"""Charts of a graded class: axes and points are chosen by what can be seen."""

from __future__ import annotations

import numpy as np

from peergauge.pages.grading_charts import (
    CHART_HEIGHT,
    MAX_CHART_POINTS,
    SMALL_CHART_HEIGHT,
    distribution,
    graders,
    leniency_range,
    thinned,
)
from peergauge.tables import Scale


def test_a_histogram_counts_every_grade_on_the_scale_once() -> None:
    score = np.array([0.0, 0.4, 0.5, 10.0, np.nan])
    chart = distribution(score, Scale())
    (bars,) = chart["datasets"].values()
    # 20 bars on 0..10 are half a point wide; the last one contains its upper end.
    assert [bar["submissions"] for bar in bars] == [2, 1, *[0] * 17, 1]
    assert (bars[0]["from"], bars[-1]["to"]) == (0.0, 10.0)
    assert chart["height"] == CHART_HEIGHT
    small = distribution(score, Scale(), small=True)
    assert small["height"] == SMALL_CHART_HEIGHT
    assert small["encoding"]["y"]["title"] is None


def test_a_legend_explains_only_colours_that_are_there() -> None:
    row = {"bias": 0.0, "low": -1.0, "high": 1.0, "error": 1.0, "flagged": "not flagged"}
    plain, mixed = (
        graders(rows, 0.9)["layer"][2]["encoding"]["color"]["legend"]
        for rows in ([row], [row, {**row, "flagged": "flagged"}])
    )
    assert plain is None
    assert mixed is not None


def test_one_wide_interval_does_not_widen_the_axis() -> None:
    rows = [{"bias": bias, "low": bias - 1.0, "high": bias + 1.0} for bias in (-2.0, 0.0, 3.0)]
    assert leniency_range(rows) == (-4.0, 5.0)
    assert leniency_range([*rows, {"bias": 0.0, "low": -50.0, "high": 90.0}]) == (-4.0, 5.0)


def test_charts_of_large_classes_are_thinned() -> None:
    rows = [{"place": place} for place in range(3 * MAX_CHART_POINTS)]
    few = thinned(rows)
    assert len(few) == MAX_CHART_POINTS
    assert (few[0], few[-1]) == (rows[0], rows[-1])
    assert thinned(rows[:MAX_CHART_POINTS]) == rows[:MAX_CHART_POINTS]
