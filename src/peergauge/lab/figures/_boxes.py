"""Boxes: how values scatter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import Look
from peergauge.lab.figures._grid import typeset

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HALF = 0.3
"""Half the height of a box, where boxes are one apart."""


def boxes(axis: Axes, rows: pl.DataFrame, looks: Mapping[str, Look]) -> None:
    """A lying box for each mechanism, from the top down.

    A box has the quartiles and the median, whiskers reach to the last value within 1.5 times its
    length, and what lies beyond is dotted.
    """
    from matplotlib.cbook import boxplot_stats
    from matplotlib.colors import to_rgb

    for place, (name, look) in enumerate(looks.items()):
        own = rows.filter(pl.col("mechanism") == name)["value"].drop_nans().drop_nulls()
        if own.is_empty():
            continue
        (box,) = boxplot_stats(own.to_numpy())
        colour = look.colour
        length, light = box["q3"] - box["q1"], [0.75 + part / 4 for part in to_rgb(colour)]
        axis.barh(place, length, 2 * HALF, box["q1"], color=light, ec=colour, linewidth=0.8)
        for begin, end in (("whislo", "q1"), ("q3", "whishi")):
            axis.plot([box[begin], box[end]], [place, place], color=colour, linewidth=0.8)
        axis.plot([box["med"]] * 2, [place - HALF, place + HALF], color=colour, linewidth=1.8)
        axis.plot(
            box["fliers"],
            [place] * len(box["fliers"]),
            linestyle="",
            marker=".",
            markersize=2.4,
            markeredgewidth=0,
            color=colour,
            alpha=0.6,
        )
    axis.set_yticks(range(len(looks)), [typeset(look.label) for look in looks.values()])
    axis.set_ylim(max(len(looks), 1) - 0.4, -0.6)
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)
