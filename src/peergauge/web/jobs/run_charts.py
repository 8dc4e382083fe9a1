"""Charts of the laboratory, as specifications of Vega-Lite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from markupsafe import Markup

from peergauge.core.registry import written
from peergauge.engine.results import Scalar
from peergauge.lab.sweep.grid import STRATEGIC, in_words
from peergauge.lab.sweep.trade_off import TradeOff, integrity_measure
from peergauge.web.drawing import FRONT_COLOUR, POINT_COLOUR, on_page
from peergauge.web.jobs.run_results import MeasuredRow, RunResults

STANDARD_ERRORS = 1.96
"""Half of the width of an error bar in standard errors: a 95 % confidence interval."""

CHART_WIDTH, ROW_HEIGHT = 560, 22

LINE_COLOURS = "tableau10"
"""Scheme of the colours of lines, which have enough contrast on light and on dark pages."""

STRATEGIC_TITLE = "share of graders who follow the strategy"
"""Title of the axis of the strategic share."""

PANEL_WIDTH, PANEL_HEIGHT, PANELS_ABREAST = 250, 190, 2

AVERAGED = (
    " Robustness is the average over all points, and integrity that over the points at which "
    "nobody follows a strategy, if there are any."
)
"""What a trade-off of several points is."""


class Chart(NamedTuple):
    """A chart on the page."""

    name: str
    title: str
    caption: str
    svg: Markup
    rows: list[MeasuredRow]
    """The numbers of a chart of one measure; empty for the trade-off."""


def charts_of(found: RunResults) -> list[Chart]:
    """The trade-off, if it was measured, and a chart of each measure."""
    measures = list(dict.fromkeys(row.metric for row in found.rows))
    own = {
        f"measure-{number}": [row for row in found.rows if row.metric == metric]
        for number, metric in enumerate(measures, 1)
    }
    return [
        Chart(name, title, caption, on_page(spec), own.get(name, []))
        for name, (title, caption, spec) in specs_of(found).items()
    ]


def specs_of(results: RunResults) -> dict[str, tuple[str, str, dict[str, Any]]]:
    """Title, caption and Vega-Lite specification of every chart, by name."""
    rows, found = results.rows, {}
    if results.trade_off:
        measure = integrity_measure(dict.fromkeys(row.metric for row in rows))
        label = next(row.measure for row in rows if row.metric == measure)
        averaged = any(row.point for row in rows)
        found["trade-off"] = (
            "Integrity against robustness",
            "Higher is more accurate, and further right is harder to game. Bars are 95 % "
            "confidence intervals; the dashed line joins mechanisms that no other one beats on "
            f"both axes.{AVERAGED if averaged else ''}",
            _trade_off(results.trade_off, label),
        )
    for number, metric in enumerate(dict.fromkeys(row.metric for row in rows), 1):
        own = [row for row in rows if row.metric == metric and row.mean is not None]
        if own:
            varied = bool(own[0].point)
            found[f"measure-{number}"] = (
                own[0].measure,
                "Means with 95 % confidence intervals.",
                _lines(own) if varied else _means(own),
            )
    return found


def _means(rows: Sequence[MeasuredRow]) -> dict[str, Any]:
    """One measure: the mean of each mechanism with its interval."""
    values = [{"label": row.label, **_interval(row)} for row in rows]
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


def _lines(rows: Sequence[MeasuredRow]) -> dict[str, Any]:
    """One measure along a parameter: a line for each mechanism, a panel for all other values."""
    axis = _horizontal(rows)
    numeric = _is_numeric(rows, axis)
    values = [
        {
            "label": row.label,
            "x": row.point[axis] if numeric else written(row.point[axis]),
            "panel": in_words({name: one for name, one in row.point.items() if name != axis}),
            **_interval(row),
        }
        for row in rows
    ]
    title = STRATEGIC_TITLE if axis == STRATEGIC else axis
    x: dict[str, Any] = {"field": "x", "title": title, "sort": None}
    x |= (
        {"type": "quantitative", "scale": {"zero": False}}
        if numeric
        else {"type": "nominal", "axis": {"labelAngle": 0}}
    )
    # Mechanisms differ by shape as well, for readers who cannot tell the colours apart.
    labels = list(dict.fromkeys(row.label for row in rows))
    mechanism = {"field": "label", "type": "nominal", "title": None, "sort": None}
    legend = {"orient": "bottom", "columns": 4, "labelLimit": 0}
    # One legend shows colours and shapes, because both scales list the same labels.
    shape = {**mechanism, "scale": {"domain": labels}, "legend": legend}
    colour = {**shape, "scale": {"domain": labels, "scheme": LINE_COLOURS}}
    # Without an order there is nothing that a line could follow, so intervals stand side by side.
    aside = {} if numeric else {"xOffset": mechanism}
    y = _axis("mean", rows[0].measure)
    lines = [{"mark": {"type": "line", "strokeWidth": 2}, "encoding": {"y": y}}]
    panels = list(dict.fromkeys(one["panel"] for one in values))
    single = len(panels) == 1
    drawn = {
        "width": CHART_WIDTH if single else PANEL_WIDTH,
        "height": 2 * PANEL_HEIGHT if single else PANEL_HEIGHT,
        "encoding": {"x": x, "color": colour},
        "layer": [
            *(lines if numeric else []),
            {
                "mark": {"type": "rule", "opacity": 0.6},
                "encoding": {**aside, "y": _axis("low"), "y2": {"field": "high"}},
            },
            {
                "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
                "encoding": {**aside, "y": y, "shape": shape},
            },
        ],
    }  # fmt: skip
    described = {
        "description": f"{rows[0].measure} of each mechanism by {title}.",
        "data": {"values": values},
    }
    if single:
        return {**described, **drawn}
    panel = {"field": "panel", "type": "nominal", "title": None, "sort": panels}
    return {**described, "facet": panel, "columns": PANELS_ABREAST, "spec": drawn}


def _horizontal(rows: Sequence[MeasuredRow]) -> str:
    """The parameter on the horizontal axis: the first one whose values are numbers, if any."""
    names = list(rows[0].point)
    return next((name for name in names if _is_numeric(rows, name)), names[0])


def _is_numeric(rows: Sequence[MeasuredRow], name: str) -> bool:
    values: list[Scalar] = [row.point[name] for row in rows]
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)


def _interval(row: MeasuredRow) -> dict[str, Any]:
    """The mean of a row with its 95 % confidence interval."""
    mean, error = row.mean or 0.0, row.standard_error or 0.0
    low, high = mean - STANDARD_ERRORS * error, mean + STANDARD_ERRORS * error
    return {"mean": row.mean, "low": low, "high": high}


def _trade_off(points: Sequence[TradeOff], integrity: str) -> dict[str, Any]:
    """Integrity against robustness, with the Pareto front."""
    values = [
        {
            "label": one.label,
            "x": one.robustness,
            "y": one.integrity,
            "left": one.robustness - STANDARD_ERRORS * (one.robustness_error or 0.0),
            "right": one.robustness + STANDARD_ERRORS * (one.robustness_error or 0.0),
            "bottom": one.integrity - STANDARD_ERRORS * (one.integrity_error or 0.0),
            "top": one.integrity + STANDARD_ERRORS * (one.integrity_error or 0.0),
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
