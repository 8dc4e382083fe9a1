"""The page of a comparison: what to use, every mechanism on any two axes, and all numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from peergauge.engine.results import MANIFEST
from peergauge.lab.bench import Bench
from peergauge.lab.bench.board import (
    EXPLOIT,
    INTEGRITY,
    MAX_SAFE_RANKS,
    MEASURES,
    MIN_PAID_SHARE,
    ROBUSTNESS,
    Standing,
    plus_minus,
)
from peergauge.lab.bench.suite import BY_NAME
from peergauge.pages import render, script_safe
from peergauge.pages.bench_folder import BOARD
from peergauge.pages.charts import bundle, ends_of_errors, front_of, select
from peergauge.pages.grading_charts import INK, MAIN, QUIET, SIGNAL, plain
from peergauge.simulate import strategies

SAFE_KIND, UNSAFE_KIND, OWN_KIND = "safe", "not safe", "yours"
ROWS_PER_PAGE = 15


def page(found: Bench, folder: Path) -> str:
    """The page as HTML; *folder* has the manifest and the files that it speaks of."""
    boards = {setting: found.standings(setting) for setting in found.settings}
    shown = [one for one in MEASURES if any(_known(all_, one.name) for all_ in boards.values())]
    return render(
        "leaderboard.html",
        manifest=json.loads((folder / MANIFEST).read_text(encoding="utf-8")),
        settings=[_setting(found, setting, boards[setting]) for setting in found.settings],
        measures=shown,
        compared=len({one.spec for all_ in boards.values() for one in all_}),
        safe=f"{MAX_SAFE_RANKS:g}",
        pays=MIN_PAID_SHARE,
        board=BOARD,
        per_page=ROWS_PER_PAGE,
        spec=script_safe(any_two_axes(found, boards)),
        bundle=Markup(bundle()),
    )


def _known(standings: Sequence[Standing], measure: str) -> bool:
    return any(not math.isnan(one.get(measure)) for one in standings)


def _setting(found: Bench, setting: str, standings: Sequence[Standing]) -> dict[str, Any]:
    """What the page says of one setting."""
    suite = BY_NAME.get(setting)
    return {
        "name": setting,
        "label": found.label(setting),
        "sentence": suite.sentence
        if suite
        else "A real class, in which pay is held against the true scores.",
        "recommendations": found.recommendations(setting),
        "places": found.places(setting),
        "rows": [_row(one) for one in standings],
    }


def _row(one: Standing) -> dict[str, Any]:
    """One line of a table, and what stands behind it."""
    gains = [(strategies.make(value.strategy).label, value) for value in one.gains]
    attacks = [
        (value.kind, value.others, strategies.make(value.strategy).in_words(), value)
        for value in one.attacks
    ]
    return {
        "standing": one,
        "cells": {measure.name: plus_minus(one, measure.name) for measure in MEASURES},
        "gains": gains,
        "attacks": attacks,
    }


def any_two_axes(found: Bench, boards: dict[str, list[Standing]]) -> dict[str, Any]:
    """Every mechanism on any two measures, with their errors and the front, in any setting."""
    import altair as alt

    points = [_point(setting, one) for setting, standings in boards.items() for one in standings]
    known = [one for one in MEASURES if any(point.get(one.name) is not None for point in points)]
    names, labels = [one.name for one in known], [one.label for one in known]
    right = next((name for name in (ROBUSTNESS, EXPLOIT) if name in names), names[-1])
    setting = alt.param(
        "setting",
        value=found.settings[0],
        bind=select(
            "Setting ", list(found.settings), [found.label(name) for name in found.settings]
        ),
    )
    across = alt.param("across", value=right, bind=select("To the right ", names, labels))
    up = alt.param("up", value=INTEGRITY, bind=select("Up ", names, labels))
    front = alt.param("front", value=True, bind=alt.binding_checkbox(name="Pareto front "))
    lower = json.dumps([one.name for one in known if one.better == "lower"])
    titles = json.dumps(
        {one.name: f"{one.label} ({one.better} is better)" for one in known}, ensure_ascii=False
    )
    base = (
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
            told_x=f"({titles})[across] + ': ' + datum[across + ' told']",
            told_y=f"({titles})[up] + ': ' + datum[up + ' told']",
            # Better is to the right and up, whatever is measured.
            good_x=f"indexof({lower}, across) >= 0 ? -datum.x : datum.x",
            good_y=f"indexof({lower}, up) >= 0 ? -datum.y : datum.y",
        )
    )
    x = alt.X("x:Q").title(None)
    x = x.scale(zero=False, reverse=alt.expr(f"indexof({lower}, across) >= 0"))
    y = alt.Y("y:Q").title(None)
    y = y.scale(zero=False, reverse=alt.expr(f"indexof({lower}, up) >= 0"))
    kinds = [SAFE_KIND, UNSAFE_KIND, *([OWN_KIND] if found.own else [])]
    colour = alt.Color("kind:N").scale(domain=kinds, range=[MAIN, QUIET, SIGNAL][: len(kinds)])
    colour = colour.legend(title=None, orient="top", symbolOpacity=1, offset=24)
    shape = alt.Shape("kind:N").scale(
        domain=kinds, range=["circle", "cross", "diamond"][: len(kinds)]
    )
    told = [
        alt.Tooltip("label:N", title="mechanism"),
        alt.Tooltip("spec:N"),
        alt.Tooltip("told_y:N", title="up"),
        alt.Tooltip("told_x:N", title="right"),
        alt.Tooltip("needs:N"),
    ]
    bars = [
        base.transform_filter("isValid(datum.x_error)")
        .mark_rule(opacity=0.4)
        .encode(alt.X("left:Q"), y, alt.X2("right:Q"), color=colour),
        base.transform_filter("isValid(datum.y_error)")
        .mark_rule(opacity=0.4)
        .encode(x, alt.Y("bottom:Q"), alt.Y2("top:Q"), color=colour),
    ]
    dots = base.mark_point(size=80, filled=True, opacity=0.9).encode(
        x, y, color=colour, shape=shape, tooltip=told
    )
    edge = front_of(base, "good_x", "good_y")
    shows = alt.condition("front", alt.value(1), alt.value(0))
    line = edge.mark_line(strokeDash=[4, 3], color=QUIET).encode(
        x, y, order="good_x:Q", opacity=shows
    )
    # Of two neighbours one is labelled above and the other below; in a narrow page none is.
    numbered = edge.transform_calculate(shown="width < 520 ? '' : datum.label").transform_window(
        place="row_number()", sort=[alt.SortField("good_x")]
    )
    labels_shown = [
        numbered.transform_filter(f"datum.place % 2 == {odd}")
        .mark_text(align="left", dx=8, dy=dy, fontSize=12, color=INK)
        .encode(x, y, text="shown:N", opacity=shows)
        for odd, dy in ((1, -9), (0, 11))
    ]
    # The titles of axes cannot follow a choice, so they are drawn like everything else.
    corner = alt.Chart(alt.InlineData(values=[{}])).transform_calculate(
        up=f"'↑ ' + ({titles})[up]", across=f"({titles})[across] + ' →'"
    )
    upward = corner.mark_text(align="left", baseline="bottom", dy=-6, fontSize=13, color=INK)
    rightward = corner.mark_text(align="right", baseline="bottom", dy=-6, fontSize=13, color=INK)
    axes = [
        upward.encode(x=alt.value(0), y=alt.value(0), text="up:N"),
        rightward.encode(x=alt.value("width"), y=alt.value("height"), text="across:N"),
    ]
    layers = alt.layer(line, *bars, dots, *labels_shown, *axes)
    layers = layers.add_params(setting, up, across, front)
    return plain(layers, 430, "Every mechanism on two measures; the tables have the numbers.")


def _point(setting: str, one: Standing) -> dict[str, Any]:
    point: dict[str, Any] = {
        "setting": setting,
        "label": one.label,
        "spec": one.spec,
        "kind": OWN_KIND if one.own else SAFE_KIND if one.safe else UNSAFE_KIND,
        "needs": ", ".join(one.needs.words) or "nothing",
    }
    for measure in MEASURES:
        value = one.values.get(measure.name)
        if value is not None and math.isfinite(value.value):
            point[measure.name] = float(f"{value.value:.6g}")
            point[f"{measure.name} told"] = plus_minus(one, measure.name)
            if math.isfinite(value.error):
                point[f"{measure.name} error"] = float(f"{value.error:.3g}")
    return point
