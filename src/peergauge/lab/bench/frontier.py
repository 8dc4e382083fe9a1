"""The frontier figure: all mechanisms between two measures, with error bars and a Pareto front."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from peergauge.advice.measures import (
    BY_MEASURE,
    BY_TYPE,
    GAINS,
    MAX_WITHSTOOD_RANKS,
    NOT_ATTACKED,
    SEARCHED_COLUMNS,
    WITHSTOOD,
    WORST_SETTING,
)
from peergauge.advice.standing import Standing
from peergauge.core.arrays import Floats
from peergauge.core.errors import UnknownNameError
from peergauge.core.files import write_bytes
from peergauge.lab.bench.board import YARDSTICK, pareto_front
from peergauge.lab.figures.grid import typeset
from peergauge.lab.figures.labels import place_labels
from peergauge.lab.figures.showing import bytes_of, showing
from peergauge.lab.figures.style import paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIGURE_FORMATS = ("svg", "png", "pdf")
FIGURE_INCHES = (6.5, 4.2)
"""Width and height of the figure."""

CONFIDENCE_ERRORS = 1.96
"""Standard errors on either side of a value that make a 95 % confidence interval."""

MAX_LABELS = 16
"""Number of mechanisms with a label: those on the front, MSE, the user's own, and the best."""

LOOKS = {
    WITHSTOOD: ("#1b6ca8", "o", "withstood every search"),
    GAINS: ("#8a8a8a", "X", "an attack gains"),
    NOT_ATTACKED: ("#8a8a8a", "^", "not attacked in every way"),
}
"""Colour, marker and name of mechanisms by the verdict of the searches."""

OWN_COLOUR = "#c4472b"


def frontier_figure(
    found: Sequence[Standing], up: str = WORST_SETTING, across: str = BY_TYPE
) -> Figure:
    """Draw all mechanisms between two measures; better values are to the right and up.

    Bars are 95 % confidence intervals. The dashed line is the Pareto front, and a dotted line marks
    three ranks on axes of rank gains.

    Parameters
    ----------
    found
        The mechanisms in one setting.
    up, across
        Names of the measures of both axes.
    """
    from matplotlib.figure import Figure

    for name in (up, across):
        if name not in BY_MEASURE:
            raise UnknownNameError("measure", name, BY_MEASURE)
    shown = [one for one in found if np.isfinite([one.get(across), one.get(up)]).all()]
    points = np.array([(one.get(across), one.get(up)) for one in shown]).reshape(-1, 2)
    errors = np.array([_reach(one, across, up) for one in shown]).reshape(-1, 2)
    front = pareto_front([(one.good(across), one.good(up)) for one in shown])
    with paper_style():
        figure = Figure(FIGURE_INCHES, layout="constrained")
        axis = figure.add_subplot()
        _draw_markers(axis, shown, points, errors)
        for name, line in ((across, axis.axvline), (up, axis.axhline)):
            if name in SEARCHED_COLUMNS:
                line(MAX_WITHSTOOD_RANKS, color="#444444", linestyle=":", linewidth=0.8)
        axis.margins(x=0.08, y=0.08)
        axis.autoscale_view()
        axis.set_xlim(axis.get_xlim())
        axis.set_ylim(axis.get_ylim())
        if BY_MEASURE[across].better == "lower":
            axis.invert_xaxis()
        if BY_MEASURE[up].better == "lower":
            axis.invert_yaxis()
        axis.set_xlabel(_title(across))
        axis.set_ylabel(_title(up))
        if shown:
            axis.legend(loc="lower left", frameon=False)
        # The layout must be final before labels find their places.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        lines = _draw_front(axis, points[front])
        labelled = _labelled(shown, front, up)
        place_labels(
            axis,
            points[labelled],
            [typeset(shown[i].label) for i in labelled],
            _boxes(axis, points, errors),
            lines,
            size=7.0,
        )
        _drop_collisions(axis)
    return showing(figure)


def _drop_collisions(axis: Axes) -> None:
    """Remove labels that found no free place; those on the front come first and stay."""
    kept: list[Any] = []
    for text in list(axis.texts):
        box = text.get_window_extent()
        if any(box.overlaps(other) for other in kept):
            text.remove()
        else:
            kept.append(box)


def write_frontier(
    found: Sequence[Standing], folder: Path, up: str = WORST_SETTING, across: str = BY_TYPE
) -> list[Path]:
    """Write the figure as ``frontier.svg``, ``.png`` and ``.pdf``."""
    drawn = frontier_figure(found, up, across)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"frontier.{suffix}" for suffix in FIGURE_FORMATS]
    # Without a date, the same numbers give the same file.
    without_date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    with paper_style():
        for path in paths:
            suffix = path.suffix.removeprefix(".")
            write_bytes(bytes_of(drawn, suffix, metadata=without_date.get(suffix)), path)
    return paths


def _title(name: str) -> str:
    about = BY_MEASURE[name]
    unit = ", ranks out of 100" if name in SEARCHED_COLUMNS else ""
    return f"{about.label.lower()}{unit} ({about.better} is better)"


def _reach(one: Standing, across: str, up: str) -> tuple[float, float]:
    """Half the lengths of both error bars."""
    error = np.nan_to_num([one.values[across].error, one.values[up].error])
    x, y = CONFIDENCE_ERRORS * error
    return float(x), float(y)


def _draw_markers(axis: Axes, shown: Sequence[Standing], points: Floats, errors: Floats) -> None:
    """Draw a marker with error bars for each mechanism, and the entries of the legend."""
    for verdict, (colour, marker, name) in LOOKS.items():
        of = [i for i, one in enumerate(shown) if one.verdict == verdict and not one.own]
        _draw_group(axis, points[of], errors[of], colour, marker, name)
    own = [i for i, one in enumerate(shown) if one.own]
    _draw_group(axis, points[own], errors[own], OWN_COLOUR, "D", "yours")


def _draw_group(
    axis: Axes, points: Floats, errors: Floats, colour: str, marker: str, name: str
) -> None:
    if len(points):
        axis.errorbar(
            points[:, 0], points[:, 1], errors[:, 1], errors[:, 0], linestyle="", marker=marker,
            color=colour, markersize=4.2, elinewidth=0.7, label=name, zorder=3,
        )  # fmt: skip


def _draw_front(axis: Axes, front: Floats) -> list[Floats]:
    """Draw the Pareto front, and return it as a line."""
    if len(front) < 2:
        return []
    ordered = front[np.argsort(front[:, 0])]
    axis.plot(*ordered.T, color="#8a8a8a", linestyle=(0, (4, 3)), linewidth=0.9, zorder=2)
    return [ordered]


def _labelled(shown: Sequence[Standing], front: Collection[int], up: str) -> list[int]:
    """Numbers of the mechanisms that have a label."""
    wanted = [
        *front,
        *(i for i, one in enumerate(shown) if one.own or one.spec == YARDSTICK),
        *sorted(range(len(shown)), key=lambda i: -shown[i].good(up)),
    ]
    return list(dict.fromkeys(wanted))[: max(MAX_LABELS, len(front))]


def _boxes(axis: Axes, points: Floats, errors: Floats) -> Floats:
    """Boxes of all markers and error bars, as left, bottom, right and top on the page."""
    none = np.zeros(len(points))
    # On a reversed axis, the larger value is to the left or below.
    x = -errors[:, 0] if axis.xaxis_inverted() else errors[:, 0]
    y = -errors[:, 1] if axis.yaxis_inverted() else errors[:, 1]
    reach = [np.column_stack(pair) for pair in ((x, none), (none, y), (none, none))]
    return np.vstack([np.hstack([points - one, points + one]) for one in reach])
