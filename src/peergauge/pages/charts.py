"""Interactive charts that work in a page without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from peergauge.core.cache import cached_text
from peergauge.core.lazy import pl
from peergauge.lab.figures import CONCEPTS
from peergauge.lab.figures.tradeoff import ADDED_MARK
from peergauge.lab.paper.e06_trade_off import (
    ADDED_MECHANISMS,
    Standing,
    as_in_the_paper,
    same_on_both_axes,
)
from peergauge.mechanisms import mechanisms
from peergauge.simulate import strategies
from peergauge.simulate.strategies import tempting

METRIC_LABELS = {
    "binary-auc": "binary AUC",
    "quinary-auc": "quinary AUC",
    "tau": "Kendall τ_B",
    "pearson": "Pearson ρ",
}
"""The measures of integrity that a reader can choose."""

PAPER_VIEW, SAME_VIEW = "as in the paper", "the same mechanism on both axes"
DEFAULT_SETTING = "as in the paper"
"""The treatment of bias of points that have no other."""

MIN_LABEL_WIDTH = 520
"""Width of a plot, in pixels, below which there is little room for labels and legends."""


def bundle() -> str:
    """The scripts behind the charts, safe to stand inside a page."""
    from importlib.metadata import version

    # Bundling takes a second, and gives the same scripts for the same version.
    scripts = cached_text(f"charts-{version('vl-convert-python')}.js", _bundled)
    return scripts.replace("</script", "<\\/script")


def _bundled() -> str:
    import vl_convert

    scripts: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return scripts


def select(name: str, options: Sequence[str], labels: Sequence[str] | None = None) -> Any:
    """A drop-down list."""
    import altair as alt

    return alt.binding_select(options=list(options), labels=list(labels or options), name=name)


def ends_of_errors(x: str, y: str) -> dict[str, str]:
    """The ends of the 95 % error bars of a point, on all four sides."""
    return {
        "left": f"datum.{x} - 1.96 * datum.{x}_error",
        "right": f"datum.{x} + 1.96 * datum.{x}_error",
        "bottom": f"datum.{y} - 1.96 * datum.{y}_error",
        "top": f"datum.{y} + 1.96 * datum.{y}_error",
    }


def front_of(points: Any, x: str, y: str) -> Any:
    """The points on the Pareto front: more of both is better."""
    import altair as alt

    # From right to left, a point is on the front if no point before it is higher.
    return points.transform_window(
        highest=f"max({y})",
        sort=[alt.SortField(x, order="descending"), alt.SortField(y, order="descending")],
        frame=[None, 0],
    ).transform_filter(f"datum.{y} >= datum.highest")


def trade_off(cells: pl.DataFrame) -> dict[str, Any]:
    """Integrity against robustness, with a choice of the measure and of the strategies."""
    import altair as alt

    points = _points(cells)
    counts = {
        name: alt.param(
            f"counts_{number}",
            value=True,
            bind=alt.binding_checkbox(name=f"{strategies.make(name).label} "),
        )
        for number, name in enumerate(name for name in tempting() if f"gain {name}" in points[0])
    }
    view = alt.param("view", value=PAPER_VIEW, bind=select("Points ", [PAPER_VIEW, SAME_VIEW]))
    measure = alt.param(
        "measure",
        value=next(iter(METRIC_LABELS)),
        bind=select("Integrity by ", list(METRIC_LABELS), list(METRIC_LABELS.values())),
    )
    front = alt.param("front", value=True, bind=alt.binding_checkbox(name="Pareto front "))
    layers = alt.layer(*_layers(_placed(points, counts)))
    described = layers.add_params(view, measure, *counts.values(), front).properties(
        width="container",
        height=460,
        description="Every mechanism by measurement integrity and robustness; means.csv has the "
        "numbers.",
    )
    described = described.configure_legend(
        orient="bottom",
        titleFontWeight="normal",
        labelFontSize=12,
        titleFontSize=12,
        symbolOpacity=1,
    ).configure_axis(labelFontSize=12, titleFontSize=12)
    spec: dict[str, Any] = described.to_dict()
    # Vega-Lite passes this on, though its schema does not list it: one legend below the other.
    layout = {"bottom": {"direction": "vertical", "anchor": "start", "margin": 4}}
    spec["config"]["legend"]["layout"] = layout
    return spec


def _points(cells: pl.DataFrame) -> list[dict[str, Any]]:
    """All points of both views."""
    views = {PAPER_VIEW: as_in_the_paper(cells), SAME_VIEW: same_on_both_axes(cells)}
    return [_point(one, view) for view, standings in views.items() for one in standings]


def _point(standing: Standing, view: str) -> dict[str, Any]:
    """The names and numbers of one mechanism, by measure and by strategy."""
    mechanism = mechanisms.make(standing.mechanism)
    point: dict[str, Any] = {
        "view": view,
        "label": mechanism.label + ADDED_MARK * (standing.mechanism in ADDED_MECHANISMS),
        "setting": standing.setting or DEFAULT_SETTING,
        "concept": mechanism.facts.equilibrium.value,
    }
    for name, value in standing.integrity.items():
        point[name], point[f"{name} error"] = value
    for name, value in standing.gain.items():
        point[f"gain {name}"], point[f"error {name}"] = value
    return point


def _placed(points: Sequence[Mapping[str, Any]], counts: Mapping[str, Any]) -> Any:
    """The points where the reader's choices place them, with the ends of their error bars.

    *counts* has, for each strategy, the check box that says whether it counts.
    """
    import altair as alt

    weight = " + ".join(param.name for param in counts.values())
    gain = " + ".join(f"{param.name} * datum['gain {name}']" for name, param in counts.items())
    error = " + ".join(
        f"{param.name} * pow(datum['error {name}'], 2)" for name, param in counts.items()
    )
    return (
        alt.Chart(alt.InlineData(values=list(points)))
        .transform_filter("datum.view == view")
        .transform_calculate(
            robustness=f"({weight}) > 0 ? -({gain}) / ({weight}) : null",
            robustness_error=f"({weight}) > 0 ? sqrt({error}) / ({weight}) : null",
            integrity="datum[measure]",
            integrity_error="datum[measure + ' error']",
        )
        .transform_filter("isValid(datum.robustness) && isValid(datum.integrity)")
        .transform_calculate(
            **ends_of_errors("robustness", "integrity"),
            shown_integrity=_plus_minus("integrity", "integrity_error", ".3f"),
            shown_robustness=_plus_minus("robustness", "robustness_error", "+.1f"),
        )
        .transform_calculate(told=_sentence())
    )


def _sentence() -> str:
    """The names and numbers of a point in words, as an expression of Vega."""
    parts = {
        "integrity": "datum.shown_integrity",
        "robustness": "datum.shown_robustness",
        "equilibrium concept": "datum.concept",
        "treatment of bias": "datum.setting",
    }
    return " + ".join(["datum.label", *(f"', {name} ' + {value}" for name, value in parts.items())])


def _layers(base: Any) -> list[Any]:
    """What is drawn, from the back to the front: zero, Pareto front, error bars, dots, labels."""
    import altair as alt

    x = alt.X("robustness:Q").title("robustness (minus the mean rank gain)")
    y = alt.Y("integrity:Q").title("measurement integrity").scale(zero=False)
    x = x.scale(zero=False).axis(tickCount=8)
    colour = _colour()
    bars = base.mark_rule(opacity=0.6)
    edge = front_of(base, "robustness", "integrity").mark_line(strokeDash=[4, 3], color="#777777")
    shown = alt.condition("front", alt.value(1), alt.value(0))
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color="#999999")
    return [
        zero.encode(x="zero:Q"),
        edge.encode(x, y, order="robustness:Q", opacity=shown),
        bars.encode(alt.X("left:Q"), y, alt.X2("right:Q"), color=colour),
        bars.encode(x, alt.Y("bottom:Q"), alt.Y2("top:Q"), color=colour),
        base.mark_point(size=90, filled=True, opacity=1).encode(
            x, y, color=colour, shape=_shape(), tooltip=_tooltip(), description="told:N"
        ),
        # The page moves labels to where they cover nothing.
        base.mark_text(
            align="left",
            dx=8,
            fontSize=alt.expr(f"width < {MIN_LABEL_WIDTH} ? 10.5 : 11.5"),
            aria=False,
        ).encode(x, y, text="label:N"),
    ]


def _colour() -> Any:
    """The colour of a point: its equilibrium concept."""
    import altair as alt

    colour = alt.Color("concept:N").scale(
        domain=[concept.value for concept in CONCEPTS], range=list(CONCEPTS.values())
    )
    return colour.legend(title="equilibrium concept", columns=_legend_columns())


def _shape() -> Any:
    """The shape of a point: its treatment of bias."""
    import altair as alt

    shape = alt.Shape("setting:N").scale(
        domain=[DEFAULT_SETTING, "corrected", "uncorrected"],
        range=["circle", "square", "triangle-up"],
    )
    return shape.legend(title="treatment of bias", columns=_legend_columns())


def _legend_columns() -> Any:
    import altair as alt

    return alt.expr(f"width < {MIN_LABEL_WIDTH} ? 1 : 6")


def _tooltip() -> list[Any]:
    import altair as alt

    titles = {
        "label": "mechanism",
        "setting": "treatment of bias",
        "concept": "equilibrium concept",
        "shown_integrity": "integrity",
        "shown_robustness": "robustness",
    }
    return [alt.Tooltip(f"{name}:N", title=title) for name, title in titles.items()]


def _plus_minus(value: str, error: str, form: str) -> str:
    """A number and half its 95 % interval as text, as an expression of Vega."""
    plain = form.removeprefix("+")
    return f"format(datum.{value}, '{form}') + ' ± ' + format(1.96 * datum.{error}, '{plain}')"


def distribution_of_z(compared: pl.DataFrame) -> dict[str, Any]:
    """Histogram of z over the published cells, beside the standard normal density."""
    import altair as alt
    import numpy as np

    z = compared["z"].drop_nulls().to_numpy()
    edges = np.arange(-5, 5.01, 0.5)
    counts, _ = np.histogram(np.clip(z, -4.99, 4.99), edges)
    bars = [
        {"from": float(a), "to": float(b), "cells": int(n)}
        for a, b, n in zip(edges, edges[1:], counts, strict=False)
    ]
    grid = np.linspace(-5, 5, 101)
    density = len(z) * 0.5 * np.exp(-(grid**2) / 2) / np.sqrt(2 * np.pi)
    curve = [{"z": float(a), "cells": float(b)} for a, b in zip(grid, density, strict=True)]
    histogram = (
        alt.Chart(alt.InlineData(values=bars))
        .mark_bar(color="#0072B2", opacity=0.7)
        .encode(
            alt.X("from:Q").bin("binned").title("z"),
            alt.X2("to:Q"),
            alt.Y("cells:Q").title("published cells"),
        )
    )
    normal = (
        alt.Chart(alt.InlineData(values=curve))
        .mark_line(color="#D55E00")
        .encode(x="z:Q", y="cells:Q")
    )
    described = alt.layer(histogram, normal).properties(
        width="container",
        height=220,
        description="Histogram of z over the published cells and the standard normal density.",
    )
    spec: dict[str, Any] = described.to_dict()
    return spec
