"""Charts of the laboratory, as specifications of Vega-Lite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from peergauge.web.drawing import FRONT_COLOUR, POINT_COLOUR, on_page
from peergauge.web.jobs.run_results import MeasuredRow, TradeOff, integrity_measure, trade_off

STANDARD_ERRORS = 1.96
"""Half of the width of an error bar in standard errors: a 95 % confidence interval."""

CHART_WIDTH, ROW_HEIGHT = 560, 22


class Chart(NamedTuple):
    """A chart on the page."""

    name: str
    title: str
    caption: str
    svg: Markup
    rows: list[MeasuredRow]
    """The numbers of a chart of one measure; empty for the trade-off."""


def charts_of(rows: Sequence[MeasuredRow]) -> list[Chart]:
    """The trade-off, if it was measured, and a chart of each measure."""
    measures = list(dict.fromkeys(row.metric for row in rows))
    own = {
        f"measure-{number}": [row for row in rows if row.metric == metric]
        for number, metric in enumerate(measures, 1)
    }
    return [
        Chart(name, title, caption, on_page(spec), own.get(name, []))
        for name, (title, caption, spec) in specs_of(rows).items()
    ]


def specs_of(rows: Sequence[MeasuredRow]) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Title, caption and Vega-Lite specification of every chart, by name."""
    found = {}
    points = trade_off(rows)
    if points:
        measure = integrity_measure(dict.fromkeys(row.metric for row in rows))
        label = next(row.measure for row in rows if row.metric == measure)
        found["trade-off"] = (
            "Integrity against robustness",
            "Higher is more accurate, and further right is harder to game. Bars are 95 % "
            "confidence intervals; the dashed line joins mechanisms that no other one beats on "
            "both axes.",
            _trade_off(points, label),
        )
    for number, metric in enumerate(dict.fromkeys(row.metric for row in rows), 1):
        own = [row for row in rows if row.metric == metric and row.mean is not None]
        if own:
            found[f"measure-{number}"] = (
                own[0].measure,
                "Means with 95 % confidence intervals.",
                _means(own),
            )
    return found


def _means(rows: Sequence[MeasuredRow]) -> dict[str, Any]:
    """One measure: the mean of each mechanism with its interval."""
    values = [
        {
            "label": row.label,
            "mean": row.mean,
            "low": (row.mean or 0.0) - STANDARD_ERRORS * (row.standard_error or 0.0),
            "high": (row.mean or 0.0) + STANDARD_ERRORS * (row.standard_error or 0.0),
        }
        for row in rows
    ]
    y = {"field": "label", "type": "nominal", "sort": None, "title": None}
    zero_free = {"zero": False}
    bars = {"field": "low", "type": "quantitative", "title": rows[0].measure, "scale": zero_free}
    return {
        "description": f"{rows[0].measure} of each mechanism.",
        "width": CHART_WIDTH,
        "height": {"step": ROW_HEIGHT},
        "data": {"values": values},
        "layer": [
            {
                "mark": {"type": "rule", "strokeWidth": 2, "color": POINT_COLOUR},
                "encoding": {"y": y, "x": bars, "x2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 70, "color": POINT_COLOUR,
                         "opacity": 1},
                "encoding": {"y": y, "x": {"field": "mean", "type": "quantitative"}},
            },
        ],
    }  # fmt: skip


def _trade_off(points: Sequence[TradeOff], integrity: str) -> dict[str, Any]:
    """Integrity against robustness, with the Pareto front."""
    values = [
        {
            "label": one.label,
            "x": one.robustness,
            "y": one.integrity,
            "left": one.robustness - STANDARD_ERRORS * one.robustness_error,
            "right": one.robustness + STANDARD_ERRORS * one.robustness_error,
            "bottom": one.integrity - STANDARD_ERRORS * one.integrity_error,
            "top": one.integrity + STANDARD_ERRORS * one.integrity_error,
        }
        for one in points
    ]
    front = [one for one in values if not any(_beats(other, one) for other in values)]
    x = _axis("x", "robustness (minus the mean rank gain)")
    y = _axis("y", f"integrity ({integrity})")
    bar = {"type": "rule", "color": POINT_COLOUR, "opacity": 0.6}
    return {
        "description": "Every mechanism by measurement integrity and robustness.",
        "width": CHART_WIDTH,
        "height": 340,
        "data": {"values": values},
        "layer": [
            {
                "data": {"values": front},
                "mark": {"type": "line", "strokeDash": [4, 3], "color": FRONT_COLOUR},
                "encoding": {"x": x, "y": y, "order": {"field": "x"}},
            },
            {"mark": bar, "encoding": {"x": _axis("left"), "x2": {"field": "right"}, "y": y}},
            {"mark": bar, "encoding": {"x": x, "y": _axis("bottom"), "y2": {"field": "top"}}},
            {
                "mark": {"type": "point", "filled": True, "size": 70, "color": POINT_COLOUR,
                         "opacity": 1},
                "encoding": {"x": x, "y": y},
            },
            {
                "mark": {"type": "text", "align": "left", "dx": 8, "dy": -7, "fontSize": 11.5},
                "encoding": {"x": x, "y": y, "text": {"field": "label"}},
            },
        ],
    }  # fmt: skip


def _axis(field: str, title: str | None = None) -> dict[str, Any]:
    axis = {"field": field, "type": "quantitative", "scale": {"zero": False}}
    return axis if title is None else {**axis, "title": title}


def _beats(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether a point is at least as good on both axes and better on one."""
    pairs = [(one[name], other[name]) for name in ("x", "y")]
    return all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)
