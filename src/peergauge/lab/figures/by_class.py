"""Real classes: a panel, a row of panels, or a point for each class.

Cells have the columns class, mechanism, strategy, metric, x, low, middle and high.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.lab.figures.grid import (
    Margins,
    few_ticks,
    keys,
    lay_out,
    plain,
    root_scale,
    typeset,
    whole_ticks,
)
from peergauge.lab.figures.lines import line, measure_title
from peergauge.lab.figures.looks import Look, class_looks, looks_of, strategy_looks
from peergauge.lab.figures.style import paper_style
from peergauge.metrics import metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_LARGE_CLASSES = 4
"""Number of classes up to which their panels are large."""


def classes_in(rows: pl.DataFrame) -> list[str]:
    """Names of the classes that have rows, in the order of the results."""
    return rows["class"].unique(maintain_order=True).to_list()


def lines_by_class(
    cells: pl.DataFrame, last: pl.DataFrame, measures: Sequence[str], *, xlabel: str, note: str
) -> Figure:
    """Draw a panel for each class and measure, with a line for each mechanism along x.

    A class with a single x shows a point for each mechanism, side by side. If all classes are like
    that, mechanisms stand one below the other.

    Parameters
    ----------
    cells
        Means at every x.
    last
        Means at the last x of each class, with the intervals that points have.
    measures
        Names of the measures.
    xlabel
        Name of x.
    note
        Text below the figure if no class has more than one x.
    """
    names = classes_in(cells)
    if not cells.filter(pl.col("x") > 1).height:
        return _dots(last, names, measures, note)
    looks, several = looks_of(cells["mechanism"]), len(measures) > 1
    few = len(names) <= MAX_LARGE_CLASSES
    with paper_style():
        figure, axes = lay_out(
            len(names) * len(measures),
            len(measures) if several else (2 if few else 3),
            height=(1.5 if few else 1.1) if several else 1.9,
            share="columns" if several else "all",
            legend=keys(looks.values()),
            xlabel=xlabel,
            ylabel="" if several else metrics.label_of(measures[0]),
            margins=Margins(across=0.42, down=0.14) if several else None,
        )
        for axis, (name, metric) in zip(axes, product(names, measures), strict=True):
            if not several:
                axis.axhline(0.0, color="#000000", linewidth=0.7)
                axis.set_title(plain(name))
            _draw_class(axis, _part(cells, name, metric), _part(last, name, metric), looks)
            whole_ticks(axis)
        if several:
            for axis, metric in zip(axes, measures, strict=False):
                axis.set_title(measure_title(metric))
            for axis, name in zip(axes[:: len(measures)], names, strict=True):
                axis.set_ylabel(plain(name, 20))
    return figure


def _part(cells: pl.DataFrame, name: str, metric: str) -> pl.DataFrame:
    return cells.filter(pl.col("class") == name, pl.col("metric") == metric)


def _draw_class(
    axis: Axes, cells: pl.DataFrame, last: pl.DataFrame, looks: Mapping[str, Look]
) -> None:
    """Draw the mechanisms of one class: lines, or points side by side if it has a single x."""
    if cells["x"].max() != 1:
        for mechanism, look in looks.items():
            own = cells.filter(pl.col("mechanism") == mechanism)
            if own.height:
                line(axis, own, look)
        return
    for number, (mechanism, look) in enumerate(looks.items()):
        if ends := _interval(last, mechanism):
            at = 1 + 0.06 * (number - (len(looks) - 1) / 2)
            axis.vlines(at, ends[0], ends[2], color=look.colour, linewidth=0.9)
            axis.plot(at, ends[1], linestyle="", marker=look.marker, color=look.colour)


def _interval(cells: pl.DataFrame, mechanism: str) -> tuple[float, float, float] | None:
    """Low, middle and high of one mechanism, if it has a middle."""
    own = cells.filter(pl.col("mechanism") == mechanism)
    if not own.height or own["middle"][0] is None or np.isnan(own["middle"][0]):
        return None
    low, middle, high = (own[end].cast(pl.Float64)[0] for end in ("low", "middle", "high"))
    return (middle if low is None else low), middle, (middle if high is None else high)


def _dots(cells: pl.DataFrame, names: Sequence[str], measures: Sequence[str], note: str) -> Figure:
    """Draw mechanisms one below the other, in a panel for each class and measure."""
    looks, several = looks_of(cells["mechanism"]), len(measures) > 1
    columns = len(measures) if several else min(3, max(1, len(names)))
    panels = list(product(names, measures))
    with paper_style():
        figure, axes = lay_out(
            len(panels),
            columns,
            height=0.13 * len(looks) + 0.1,
            share="none",
            margins=Margins(left=0.92, across=0.16, down=0.3, bottom=0.62),
        )
        for number, (axis, (name, metric)) in enumerate(zip(axes, panels, strict=True)):
            _draw_dots(axis, _part(cells, name, metric), metric, looks)
            first, last = number % columns == 0, number + columns >= len(panels)
            labels = [typeset(look.label) if first else "" for look in looks.values()]
            axis.set_yticks(range(len(looks)), labels)
            if first or not several:
                axis.set_title(plain(name), loc="left")
            axis.tick_params(labelbottom=last)
            axis.set_xlabel(measure_title(metric) if last else "")
        for column in range(columns):
            _share_limits(axes[column::columns] if several else axes)
        where = (0.5, 0.06 / figure.get_figheight())
        figure.text(*where, note, ha="center", va="bottom", fontsize=7.5)
    return figure


def _draw_dots(axis: Axes, cells: pl.DataFrame, metric: str, looks: Mapping[str, Look]) -> None:
    """Draw a point with its interval for each mechanism, and a line at the value of pure chance."""
    facts = metrics.make(metric).facts
    axis.axvline((facts.lowest + facts.highest) / 2, color="#000000", linewidth=0.7)
    for place, (mechanism, look) in enumerate(looks.items()):
        if ends := _interval(cells, mechanism):
            axis.hlines(place, ends[0], ends[2], color=look.colour, linewidth=0.9)
            axis.plot(ends[1], place, linestyle="", marker=look.marker, color=look.colour)
    axis.set_ylim(len(looks) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)


def _share_limits(axes: Sequence[Axes]) -> None:
    """Give panels the same limits of x."""
    low, high = np.array([axis.get_xlim() for axis in axes]).T
    for axis in axes:
        axis.set_xlim(low.min(), high.max())
        few_ticks(axis)


def points_by_class(
    cells: pl.DataFrame,
    xlabel: str,
    *,
    level: float | None,
    legend_title: str = "",
    roots: bool = False,
) -> Figure:
    """Draw a panel for each mechanism: for each strategy, a point with its interval per class.

    Points are hollow where fewer than half of the repetitions have a value (``n`` out of
    ``tried``). With *roots*, x has a square-root scale, which is for variances.
    """
    if roots:
        legend_title = "; ".join(filter(None, [legend_title, "variances have a square-root scale"]))
    looks = class_looks(classes_in(cells))
    mechanisms, strategies = looks_of(cells["mechanism"]), strategy_looks(cells["strategy"])
    with paper_style():
        figure, axes = lay_out(
            len(mechanisms),
            3,
            height=max(1.2, len(strategies) * (0.14 + 0.05 * len(looks))),
            legend=keys(looks.values(), dashes=False, write=plain),
            legend_title=legend_title,
            xlabel=xlabel,
            margins=Margins(left=1.3, across=0.22),
        )
        for axis, (mechanism, look) in zip(axes, mechanisms.items(), strict=True):
            if level is not None:
                axis.axvline(level, color="#000000", linewidth=0.7)
            own = cells.filter(pl.col("mechanism") == mechanism)
            _draw_points(axis, own, looks, list(strategies))
            axis.set_title(typeset(look.label))
        if axes:
            labels = [one.label for one in strategies.values()]
            axes[0].set_yticks(range(len(strategies)), labels)
            axes[0].set_ylim(len(strategies) - 0.5, -0.5)
        for axis in axes:
            few_ticks(axis)
            axis.grid(visible=False, axis="y")
            axis.tick_params(axis="y", length=0)
            for edge in range(1, len(strategies)):
                axis.axhline(edge - 0.5, color="#e2e2e2", linewidth=0.5)
        if roots:
            root_scale(axes, "x")
    return figure


def _draw_points(
    axis: Axes, cells: pl.DataFrame, looks: Mapping[str, Look], strategies: Sequence[str]
) -> None:
    """Draw the points of one mechanism: a row for each strategy, and in it one for each class."""
    row_of = {strategy: row for row, strategy in enumerate(strategies)}
    step = 0.7 / max(len(looks), 1)
    for number, (name, look) in enumerate(looks.items()):
        own = cells.filter(pl.col("class") == name)
        place = own["strategy"].replace_strict(row_of, return_dtype=pl.Float64).to_numpy()
        place = place + (number - (len(looks) - 1) / 2) * step
        low, middle, high = (
            own[end].cast(pl.Float64).to_numpy() for end in ("low", "middle", "high")
        )
        axis.hlines(place, low, high, color=look.colour, linewidth=0.9)
        hollow = (2 * own["n"] < own["tried"]).to_numpy()
        for which, face in ((~hollow, look.colour), (hollow, "#ffffff")):
            if which.any():
                axis.plot(
                    middle[which],
                    place[which],
                    linestyle="",
                    marker=look.marker,
                    color=look.colour,
                    markerfacecolor=face,
                    markersize=2.8,
                )
