"""The figure of a sweep: lines with error bars, and small multiples for further parameters."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.lazy import pl
from peergauge.core.optional import needing
from peergauge.core.registry import written
from peergauge.engine.results import Scalar
from peergauge.lab.figures.grid import Margins, few_ticks, keys, lay_out, plain, whole_ticks
from peergauge.lab.figures.lines import measure_title
from peergauge.lab.figures.looks import Look, looks_of
from peergauge.lab.figures.style import paper_style
from peergauge.lab.sweep.grid import Dimension
from peergauge.metrics import metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STANDARD_ERRORS = 1.96
"""Half of the width of an error bar in standard errors: a 95 % confidence interval."""

MAX_PANELS = 36
"""Panels that fit on a page."""

PANEL_HEIGHT_INCHES = 1.9
SMALL_PANEL_HEIGHT_INCHES = 1.4
"""Height of a panel if there are at most two side by side, and otherwise."""

TICK_LETTERS_PER_PAGE = 96
"""Letters of tick labels that fit side by side into the width of a page."""

MAX_TITLE_LETTERS = 34
"""Letters that the title of a panel has room for."""


class Panel(NamedTuple):
    """One panel: a measure, the values of the parameters that are not on x, and its rows."""

    measure: str
    fixed: dict[str, Scalar]
    rows: pl.DataFrame


def draw(
    frame: pl.DataFrame,
    dimensions: Sequence[Dimension],
    measures: Sequence[str],
    *,
    x: str | None = None,
    minus: str = "",
) -> Figure:
    """Draw the table of a sweep, a line for each mechanism.

    Parameters
    ----------
    frame
        Columns with parameters, mechanism, metric, mean and standard_error.
    dimensions
        The parameters of the sweep.
    measures
        The measures to draw.
    x
        Name of the parameter on the horizontal axis.
    minus
        Label of the mechanism to which the values are differences; empty if they are none.
    """
    along = horizontal(dimensions, x)
    panels = panels_of(frame, [one for one in dimensions if one is not along], measures)
    if len(panels) > MAX_PANELS:
        raise ParameterError(
            f"The figure would have {len(panels)} panels, and a page has room for {MAX_PANELS}; "
            "draw one measure at a time, or sweep over fewer values."
        )
    by_parameters = len(panels) > len(measures)
    columns = len(panels) // len(measures) if by_parameters else 2
    columns = columns if columns <= 4 else 3
    looks = looks_of(frame["mechanism"])
    with needing("matplotlib", sentence="A figure needs Matplotlib"), paper_style():
        figure, axes = lay_out(
            len(panels),
            columns,
            height=PANEL_HEIGHT_INCHES if columns < 3 else SMALL_PANEL_HEIGHT_INCHES,
            legend=keys(looks.values()),
            xlabel=plain(along.name, MAX_TITLE_LETTERS),
            ylabel=_ylabel(measures, minus),
            share="all" if len(measures) == 1 else "none",
            margins=_margins(several=len(measures) > 1, two_lines=by_parameters),
        )
        for axis, panel in zip(axes, panels, strict=True):
            axis.set_title(_title(panel, several=len(measures) > 1))
            if minus:
                axis.axhline(0.0, color="#000000", linewidth=0.7)
            for name, look in looks.items():
                _line(axis, panel.rows.filter(pl.col("mechanism") == name), along, look)
            _ticks(axis, along, columns)
        for measure in measures:
            _align(
                [axis for axis, panel in zip(axes, panels, strict=True) if panel.measure == measure]
            )
    return figure


def horizontal(dimensions: Sequence[Dimension], x: str | None) -> Dimension:
    """The parameter on the horizontal axis."""
    if x is not None:
        by_name = {one.name: one for one in dimensions}
        if x not in by_name:
            raise UnknownNameError("parameter in this sweep called", x, by_name)
        return by_name[x]
    several = [one for one in dimensions if len(one.values) > 1] or list(dimensions)
    return next((one for one in several if one.numeric), several[0])


def panels_of(
    frame: pl.DataFrame, others: Sequence[Dimension], measures: Sequence[str]
) -> list[Panel]:
    """Divide the rows by measure, and by the parameters that are not on the horizontal axis."""
    found = []
    for measure in measures:
        for labels in product(*(one.labels for one in others)):
            fixed = dict(zip([one.name for one in others], labels, strict=True))
            rows = frame.filter(pl.col("metric") == measure)
            for name, label in fixed.items():
                rows = rows.filter(pl.col(name).eq_missing(pl.lit(label)))
            # A parameter with a single value needs no words in every title.
            shown = {one.name: fixed[one.name] for one in others if len(one.values) > 1}
            found.append(Panel(measure, shown, rows))
    return found


def _margins(several: bool, two_lines: bool) -> Margins:
    """Room around panels; titles have two lines if they name a measure and parameters."""
    if not several:
        return Margins()
    return Margins(top=0.42, across=0.5, down=0.85) if two_lines else Margins(across=0.5, down=0.7)


def _align(axes: Sequence[Axes]) -> None:
    """Give the panels of one measure the same vertical range, so that they can be compared."""
    limits = [axis.get_ylim() for axis in axes]
    for axis in axes:
        axis.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))


def _ylabel(measures: Sequence[str], minus: str) -> str:
    if len(measures) > 1:
        return f"difference to {minus}" if minus else ""
    title = metrics.label_of(measures[0])
    return f"{title} minus that of {minus}" if minus else title


def _title(panel: Panel, several: bool) -> str:
    words = [f"{name} {written(label)}" for name, label in panel.fixed.items()]
    text = plain(", ".join(words), MAX_TITLE_LETTERS)
    if not several:
        return text
    return measure_title(panel.measure) + (f"\n{text}" if text else "")


def _line(axis: Axes, rows: pl.DataFrame, along: Dimension, look: Look) -> None:
    """Draw the means of one mechanism with their error bars, where they are defined."""
    if not rows.height:
        return
    place = {label: number for number, label in enumerate(along.labels)}
    labels = rows[along.name].to_list()
    x = np.array(labels if along.numeric else [place[label] for label in labels], dtype=np.float64)
    order = np.argsort(x, kind="stable")
    mean, error = (rows[name].cast(pl.Float64).to_numpy() for name in ("mean", "standard_error"))
    axis.errorbar(
        x[order],
        mean[order],
        yerr=STANDARD_ERRORS * np.nan_to_num(error[order]),
        color=look.colour,
        linestyle=look.dash,
        marker=look.marker,
        capsize=1.5,
        elinewidth=0.7,
        capthick=0.7,
    )


def _ticks(axis: Axes, along: Dimension, columns: int) -> None:
    if not along.numeric:
        texts = [
            plain(written(label), 60 // (columns * len(along.labels)) + 4) for label in along.labels
        ]
        axis.set_xticks(range(len(texts)), texts)
        axis.set_xlim(-0.5, len(texts) - 0.5)
    elif all(isinstance(label, int) for label in along.labels):
        whole_ticks(axis)
    else:
        few_ticks(axis, 6 if columns < 3 else 4)
