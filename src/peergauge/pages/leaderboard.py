"""The page of a comparison: recommendations, a chart of any two measures, and all numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from peergauge.advice.measures import (
    BY_TYPE,
    GAINS,
    INTEGRITY,
    MAX_WITHSTOOD_RANKS,
    MEASURES,
    NOT_ATTACKED,
    ROBUSTNESS,
    WITHSTOOD,
    WORST_SETTING,
    Measure,
    in_numbers,
)
from peergauge.advice.rule import MIN_PAID_SHARE, TYPE_WORDS, strategy_in_words
from peergauge.advice.standing import Standing
from peergauge.engine.results import read_manifest
from peergauge.lab.bench import Bench
from peergauge.lab.bench.suite import BY_NAME
from peergauge.pages import render, script_safe
from peergauge.pages.bench_folder import BOARD_FILE
from peergauge.pages.charts import MIN_LABEL_WIDTH, bundle, ends_of_errors, front_of, select
from peergauge.pages.grading_charts import INK, MAIN, QUIET, SIGNAL, plain
from peergauge.simulate import strategies

OWN_KIND = "yours"
KINDS = {
    WITHSTOOD: "withstood every search",
    GAINS: "an attack gains",
    NOT_ATTACKED: "not attacked in every way",
}
"""Kinds of mechanisms in the legend of the chart, by the verdict of the searches."""

TYPE_LABELS = {name: words.rsplit(" ", 1)[0] for name, words in TYPE_WORDS.items()}
"""Types of graders in words."""

KIND_COLOURS = [MAIN, QUIET, QUIET, SIGNAL]
KIND_SYMBOLS = ["circle", "cross", "triangle-up", "diamond"]
"""Colours and symbols of the kinds, the user's own last."""

ROWS_PER_PAGE = 15
"""Rows of a table that are shown at a time."""

CHART_HEIGHT = 430
"""Height of the chart in pixels."""


def page(found: Bench, folder: Path) -> str:
    """Render the page as HTML; *folder* contains the manifest and the files that the page links."""
    boards = {setting: found.standings(setting) for setting in found.settings}
    shown = [one for one in MEASURES if any(_known(all_, one.name) for all_ in boards.values())]
    return render(
        "leaderboard.html",
        manifest=read_manifest(folder),
        settings=[_setting(found, setting, boards[setting]) for setting in found.settings],
        measures=shown,
        compared=len({one.spec for all_ in boards.values() for one in all_}),
        withstood=f"{MAX_WITHSTOOD_RANKS:g}",
        pays=MIN_PAID_SHARE,
        board=BOARD_FILE,
        per_page=ROWS_PER_PAGE,
        spec=script_safe(any_two_axes(found, boards)),
        bundle=Markup(bundle()),
    )


def _known(standings: Sequence[Standing], measure: str) -> bool:
    """Whether any mechanism has a value of the measure."""
    return any(not math.isnan(one.get(measure)) for one in standings)


def _setting(found: Bench, setting: str, standings: Sequence[Standing]) -> dict[str, Any]:
    """The data of one setting for the template."""
    suite = BY_NAME.get(setting)
    return {
        "name": setting,
        "label": found.label(setting),
        "sentence": suite.sentence
        if suite
        else "A real class, in which pay is compared with errors from the true scores.",
        "recommendations": found.recommendations(setting),
        "places": found.places(setting),
        "rows": [_row(one) for one in standings],
    }


def _row(one: Standing) -> dict[str, Any]:
    """One row of a table, with the gains and attacks that it unfolds."""
    gains = [(strategies.make(value.strategy).label, value) for value in one.gains]
    attacks = [
        (
            value.kind,
            value.others,
            TYPE_LABELS.get(value.type, ""),
            strategy_in_words(value.strategy),
            value,
        )
        for value in one.attacks
    ]
    return {
        "standing": one,
        "cells": {measure.name: _cell(one, measure.name) for measure in MEASURES},
        "gains": gains,
        "attacks": attacks,
    }


def _cell(one: Standing, measure: str) -> str:
    """A cell of a table; the setting behind a value over several settings is named."""
    value = one.values.get(measure)
    if value is None or not value.where:
        return one.cell(measure)
    return f"{one.cell(measure)} ({Bench.label(value.where)})"


def any_two_axes(found: Bench, boards: dict[str, list[Standing]]) -> dict[str, Any]:
    """A chart of all mechanisms by any two measures, with error bars and Pareto front."""
    import altair as alt

    points = [_point(setting, one) for setting, standings in boards.items() for one in standings]
    known = [one for one in MEASURES if any(point.get(one.name) is not None for point in points)]
    base = _placed(points, known)
    layers = alt.layer(
        _front_line(base, known),
        *_error_bars(base, known, own=bool(found.own)),
        _dots(base, known, own=bool(found.own)),
        *_front_labels(base, known),
        *_axis_titles(known),
    ).add_params(*_choices(found, known))
    return plain(
        layers, CHART_HEIGHT, "All mechanisms by two measures; the tables contain the numbers."
    )


def _choices(found: Bench, known: Sequence[Measure]) -> list[Any]:
    """The parameters that a reader chooses: setting, both measures, and the front."""
    import altair as alt

    names, labels = [one.name for one in known], [one.label for one in known]
    up = next(name for name in (WORST_SETTING, INTEGRITY, *names) if name in names)
    across = next((name for name in (BY_TYPE, ROBUSTNESS) if name in names), names[-1])
    settings = select("Setting ", found.settings, [found.label(name) for name in found.settings])
    return [
        alt.param("setting", value=found.settings[0], bind=settings),
        alt.param("up", value=up, bind=select("Up ", names, labels)),
        alt.param("across", value=across, bind=select("To the right ", names, labels)),
        alt.param("front", value=True, bind=alt.binding_checkbox(name="Pareto front ")),
    ]


def _lower_is_better(known: Sequence[Measure], axis: str) -> str:
    """An expression for whether lower values of the measure on an axis are better."""
    lower = json.dumps([one.name for one in known if one.better == "lower"])
    return f"indexof({lower}, {axis}) >= 0"


def _titles(known: Sequence[Measure]) -> str:
    """The titles of all measures, as an object in an expression."""
    titles = {one.name: f"{one.label} ({one.better} is better)" for one in known}
    return f"({json.dumps(titles, ensure_ascii=False)})"


def _placed(points: list[dict[str, Any]], known: Sequence[Measure]) -> Any:
    """A chart of the points of the chosen setting, placed by the chosen measures."""
    import altair as alt

    titles = _titles(known)
    return (
        alt.Chart(alt.InlineData(values=points))
        .transform_filter("datum.setting == setting")
        .transform_calculate(
            x="datum[across]",
            y="datum[up]",
            x_error="datum[across + ' error']",
            y_error="datum[up + ' error']",
        )
        .transform_filter("isValid(datum.x) && isValid(datum.y)")
        .transform_calculate(
            **ends_of_errors("x", "y"),
            text_x=f"{titles}[across] + ': ' + datum[across + ' text']",
            text_y=f"{titles}[up] + ': ' + datum[up + ' text']",
            # Better is to the right and up for all measures.
            good_x=f"{_lower_is_better(known, 'across')} ? -datum.x : datum.x",
            good_y=f"{_lower_is_better(known, 'up')} ? -datum.y : datum.y",
        )
    )


def _axes(known: Sequence[Measure]) -> tuple[Any, Any]:
    """Both axes, reversed if lower is better."""
    import altair as alt

    x = alt.X("x:Q").title(None)
    y = alt.Y("y:Q").title(None)
    return (
        x.scale(zero=False, reverse=alt.expr(_lower_is_better(known, "across"))),
        y.scale(zero=False, reverse=alt.expr(_lower_is_better(known, "up"))),
    )


def _kinds(own: bool) -> list[str]:
    """The kinds of mechanisms in the legend."""
    return [*KINDS.values(), *([OWN_KIND] if own else [])]


def _colour(own: bool) -> Any:
    """The colour of a mechanism, by its kind."""
    import altair as alt

    kinds = _kinds(own)
    colour = alt.Color("kind:N").scale(domain=kinds, range=KIND_COLOURS[: len(kinds)])
    return colour.legend(title=None, orient="top", symbolOpacity=1, offset=24)


def _error_bars(base: Any, known: Sequence[Measure], *, own: bool) -> list[Any]:
    """Horizontal and vertical error bars."""
    import altair as alt

    x, y = _axes(known)
    return [
        base.transform_filter("isValid(datum.x_error)")
        .mark_rule(opacity=0.4)
        .encode(alt.X("left:Q"), y, alt.X2("right:Q"), color=_colour(own)),
        base.transform_filter("isValid(datum.y_error)")
        .mark_rule(opacity=0.4)
        .encode(x, alt.Y("bottom:Q"), alt.Y2("top:Q"), color=_colour(own)),
    ]


def _dots(base: Any, known: Sequence[Measure], *, own: bool) -> Any:
    """A symbol for each mechanism, with its numbers and needs as a tooltip."""
    import altair as alt

    kinds = _kinds(own)
    symbols = KIND_SYMBOLS[: len(kinds)]
    shape = alt.Shape("kind:N").scale(domain=kinds, range=symbols)
    tooltip = [
        alt.Tooltip("label:N", title="mechanism"),
        alt.Tooltip("spec:N"),
        alt.Tooltip("text_y:N", title="up"),
        alt.Tooltip("text_x:N", title="right"),
        alt.Tooltip("needs:N"),
    ]
    dots = base.mark_point(size=80, filled=True, opacity=0.9)
    return dots.encode(*_axes(known), color=_colour(own), shape=shape, tooltip=tooltip)


def _shown_with_front() -> Any:
    """An opacity of 1 if the reader wants to see the front, and else 0."""
    import altair as alt

    return alt.condition("front", alt.value(1), alt.value(0))


def _front_line(base: Any, known: Sequence[Measure]) -> Any:
    """A dashed line through the Pareto front."""
    line = front_of(base, "good_x", "good_y").mark_line(strokeDash=[4, 3], color=QUIET)
    return line.encode(*_axes(known), order="good_x:Q", opacity=_shown_with_front())


def _front_labels(base: Any, known: Sequence[Measure]) -> list[Any]:
    """The labels of the mechanisms on the front, above and below in turns; none if narrow."""
    import altair as alt

    numbered = (
        front_of(base, "good_x", "good_y")
        .transform_calculate(shown=f"width < {MIN_LABEL_WIDTH} ? '' : datum.label")
        .transform_window(place="row_number()", sort=[alt.SortField("good_x")])
    )
    return [
        numbered.transform_filter(f"datum.place % 2 == {odd}")
        .mark_text(align="left", dx=8, dy=dy, fontSize=12, color=INK)
        .encode(*_axes(known), text="shown:N", opacity=_shown_with_front())
        for odd, dy in ((1, -9), (0, 11))
    ]


def _axis_titles(known: Sequence[Measure]) -> list[Any]:
    """The titles of both axes, as marks, because titles of axes cannot follow a parameter."""
    import altair as alt

    corner = alt.Chart(alt.InlineData(values=[{}])).transform_calculate(
        up=f"'↑ ' + {_titles(known)}[up]", across=f"{_titles(known)}[across] + ' →'"
    )
    upward = corner.mark_text(align="left", baseline="bottom", dy=-6, fontSize=13, color=INK)
    rightward = corner.mark_text(align="right", baseline="bottom", dy=-6, fontSize=13, color=INK)
    return [
        upward.encode(x=alt.value(0), y=alt.value(0), text="up:N"),
        rightward.encode(x=alt.value("width"), y=alt.value("height"), text="across:N"),
    ]


def _point(setting: str, one: Standing) -> dict[str, Any]:
    """The data of one mechanism in one setting for the chart."""
    point: dict[str, Any] = {
        "setting": setting,
        "label": one.label,
        "spec": one.spec,
        "kind": OWN_KIND if one.own else KINDS[one.verdict],
        "needs": ", ".join(one.needs.words) or "nothing",
    }
    for measure in MEASURES:
        value = one.values.get(measure.name)
        if value is not None and math.isfinite(value.value):
            point[measure.name] = float(f"{value.value:.6g}")
            point[f"{measure.name} text"] = _text(one, measure.name)
            if math.isfinite(value.error):
                point[f"{measure.name} error"] = float(f"{value.error:.3g}")
    return point


def _text(one: Standing, measure: str) -> str:
    """The number of a measure for a tooltip, with the setting or the attackers behind it."""
    value = one.values[measure]
    behind = [
        Bench.label(value.where) if value.where else "",
        TYPE_LABELS.get(value.type, ""),
        f"with {value.others} others" if value.others else "",
    ]
    known = ", ".join(word for word in behind if word)
    return f"{in_numbers(measure, value)} ({known})" if known else in_numbers(measure, value)
