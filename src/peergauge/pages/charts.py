"""Charts that can be explored in a page without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from peergauge.core.lazy import pl
from peergauge.lab.figures import CONCEPTS
from peergauge.lab.paper.e06_trade_off import Standing, as_in_the_paper, same_on_both_axes
from peergauge.mechanisms import mechanisms
from peergauge.simulate import strategies

MEASURES = {
    "Binary AUCs": "binary AUC",
    "Quinary AUCs": "quinary AUC",
    "Taus": "Kendall τ_B",
    "Rhos": "Pearson ρ",
}
PAPER, SAME = "as in the paper", "the same mechanism on both axes"


def bundle() -> str:
    """The scripts behind the charts, safe to stand inside a page."""
    import vl_convert

    scripts = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return scripts.replace("</script", "<\\/script")


def select(name: str, options: Sequence[str], labels: Sequence[str] | None = None) -> Any:
    """A list to choose from."""
    import altair as alt

    return alt.binding_select(options=list(options), labels=list(labels or options), name=name)


def ends_of_errors(x: str, y: str) -> dict[str, str]:
    """How far bars of errors reach from a point, to the four sides."""
    return {
        "left": f"datum.{x} - 1.96 * datum.{x}_error",
        "right": f"datum.{x} + 1.96 * datum.{x}_error",
        "bottom": f"datum.{y} - 1.96 * datum.{y}_error",
        "top": f"datum.{y} + 1.96 * datum.{y}_error",
    }


def front_of(points: Any, x: str, y: str) -> Any:
    """The points on the Pareto front: more of both is better."""
    import altair as alt

    # Going from right to left, a point is on the front if none before it is higher.
    return points.transform_window(
        highest=f"max({y})",
        sort=[alt.SortField(x, order="descending"), alt.SortField(y, order="descending")],
        frame=[None, 0],
    ).transform_filter(f"datum.{y} >= datum.highest")


def trade_off(cells: pl.DataFrame) -> dict[str, Any]:
    """Integrity against robustness, with the measure and the strategies that count to choose."""
    import altair as alt

    tempting = {one.published: one.label for one in strategies.all() if one.published}
    points = [
        _point(standing, view, tempting)
        for view, standings in ((PAPER, as_in_the_paper(cells)), (SAME, same_on_both_axes(cells)))
        for standing in standings
    ]
    tempting = {name: label for name, label in tempting.items() if f"gain {name}" in points[0]}
    view = alt.param("view", value=PAPER, bind=select("Points ", [PAPER, SAME]))
    measure = alt.param(
        "measure",
        value=next(iter(MEASURES)),
        bind=select("Integrity by ", list(MEASURES), list(MEASURES.values())),
    )
    counts = {
        name: alt.param(f"counts_{number}", value=True, bind=alt.binding_checkbox(name=f"{label} "))
        for number, (name, label) in enumerate(tempting.items())
    }
    front = alt.param("front", value=True, bind=alt.binding_checkbox(name="Pareto front "))

    weight = " + ".join(param.name for param in counts.values())
    gain = " + ".join(f"{param.name} * datum['gain {name}']" for name, param in counts.items())
    error = " + ".join(
        f"{param.name} * pow(datum['error {name}'], 2)" for name, param in counts.items()
    )
    base = (
        alt.Chart(alt.InlineData(values=points))
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
            shown="width < 520 ? '' : datum.label",
            told_integrity=_plus_minus("integrity", "integrity_error", ".3f"),
            told_robustness=_plus_minus("robustness", "robustness_error", "+.1f"),
        )
    )
    x = alt.X("robustness:Q").title("robustness: minus the mean gain in rank").scale(zero=False)
    y = alt.Y("integrity:Q").title("measurement integrity").scale(zero=False)
    colour = alt.Color("concept:N").scale(
        domain=[concept.value for concept in CONCEPTS], range=list(CONCEPTS.values())
    )
    narrow = alt.expr("width < 520 ? 2 : 6")
    colour = colour.legend(title="in theory", columns=narrow)
    shape = alt.Shape("setting:N").scale(
        domain=["as it is", "corrected", "uncorrected"], range=["circle", "square", "triangle-up"]
    )
    shape = shape.legend(title="bias", columns=narrow)
    errors = [
        base.mark_rule(opacity=0.6).encode(alt.X("left:Q"), y, alt.X2("right:Q"), color=colour),
        base.mark_rule(opacity=0.6).encode(x, alt.Y("bottom:Q"), alt.Y2("top:Q"), color=colour),
    ]
    hover = [
        alt.Tooltip("label:N", title="mechanism"),
        alt.Tooltip("setting:N", title="bias"),
        alt.Tooltip("concept:N", title="in theory"),
        alt.Tooltip("told_integrity:N", title="integrity"),
        alt.Tooltip("told_robustness:N", title="robustness"),
    ]
    dots = base.mark_point(size=90, filled=True, opacity=1).encode(
        x, y, color=colour, shape=shape, tooltip=hover
    )
    # Of two neighbours one is labelled above and the other below; in a narrow page none is.
    numbered = base.transform_window(
        place="row_number()", sort=[alt.SortField("robustness"), alt.SortField("integrity")]
    )
    names = [
        numbered.transform_filter(f"datum.place % 2 == {odd}")
        .mark_text(align="left", dx=8, dy=dy, fontSize=11)
        .encode(x, y, text="shown:N")
        for odd, dy in ((1, -7), (0, 9))
    ]
    edge = (
        front_of(base, "robustness", "integrity")
        .mark_line(strokeDash=[4, 3], color="#777777")
        .encode(
            x, y, order="robustness:Q", opacity=alt.condition("front", alt.value(1), alt.value(0))
        )
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color="#999999")
    zero = zero.encode(x="zero:Q")
    layers = alt.layer(zero, edge, *errors, dots, *names)
    layers = layers.add_params(view, measure, *counts.values(), front)
    described = layers.properties(
        width="container",
        height=430,
        description="Every mechanism by measurement integrity and robustness; cells.csv has the "
        "numbers behind it.",
    )
    described = described.configure_legend(orient="bottom", titleFontWeight="normal")
    spec: dict[str, Any] = described.to_dict()
    # Vega-Lite passes this on, though its schema does not list it: one legend below the other.
    layout = {"bottom": {"direction": "vertical", "anchor": "start", "margin": 4}}
    spec["config"]["legend"]["layout"] = layout
    return spec


def distribution_of_z(compared: pl.DataFrame) -> dict[str, Any]:
    """How the differences from the published cells are distributed, beside a standard normal."""
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


def _point(standing: Standing, view: str, tempting: Mapping[str, str]) -> dict[str, Any]:
    known = {one.published: one for one in mechanisms.all()}
    mechanism = known[standing.mechanism]
    point: dict[str, Any] = {
        "view": view,
        "label": mechanism.label,
        "setting": standing.setting or "as it is",
        "concept": mechanism.facts.equilibrium.value,
    }
    for name, value in standing.integrity.items():
        point[name], point[f"{name} error"] = value
    for name in tempting:
        if name in standing.gain:
            point[f"gain {name}"], point[f"error {name}"] = standing.gain[name]
    return point


def _plus_minus(value: str, error: str, form: str) -> str:
    plain = form.removeprefix("+")
    return f"format(datum.{value}, '{form}') + ' ± ' + format(1.96 * datum.{error}, '{plain}')"
