"""Box plots of repetitions, alone or beside lines of medians."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from peergauge.core.lazy import pl
from peergauge.lab.figures.bars import colour_keys
from peergauge.lab.figures.grid import Margins, keys, lay_out, rows_of_names, typeset, whole_ticks
from peergauge.lab.figures.lines import line
from peergauge.lab.figures.looks import Look, looks_of, strategy_looks
from peergauge.lab.figures.style import paper_style
from peergauge.lab.figures.summaries import medians

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

HALF_HEIGHT = 0.3
"""Half the height of a box; boxes are 1 apart."""

GROUP_WIDTH = 0.84
"""Width of a group of boxes side by side; groups are 1 apart."""


def boxes(axis: Axes, rows: pl.DataFrame, looks: Mapping[str, Look], by: str = "mechanism") -> None:
    """Draw a horizontal box for each look, from the top down.

    Looks are keyed by the values of the column *by*. A box reaches from the lower to the upper
    quartile, with a line at the median. Whiskers reach to the last value within 1.5 interquartile
    ranges, and values beyond are dots.
    """
    from matplotlib.cbook import boxplot_stats
    from matplotlib.colors import to_rgb

    for place, (name, look) in enumerate(looks.items()):
        own = rows.filter(pl.col(by) == name)["value"].drop_nans().drop_nulls()
        if own.is_empty():
            continue
        (box,) = boxplot_stats(own.to_numpy())
        colour = look.colour
        length, light = box["q3"] - box["q1"], [0.75 + part / 4 for part in to_rgb(colour)]
        axis.barh(place, length, 2 * HALF_HEIGHT, box["q1"], color=light, ec=colour, linewidth=0.8)
        for begin, end in (("whislo", "q1"), ("q3", "whishi")):
            axis.plot([box[begin], box[end]], [place, place], color=colour, linewidth=0.8)
        axis.plot(
            [box["med"]] * 2,
            [place - HALF_HEIGHT, place + HALF_HEIGHT],
            color=colour,
            linewidth=1.8,
        )
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
    rows_of_names(axis, [typeset(look.label) for look in looks.values()])


def boxes_in_groups(
    axis: Axes, rows: pl.DataFrame, looks: Mapping[str, Look], groups: Sequence[int], by: str
) -> None:
    """Draw upright boxes side by side: a group for each x in *groups*, in it a box for each look.

    Looks are keyed by the values of the column *by*. Boxes are as in :func:`boxes`, with values
    beyond the whiskers as small dots.
    """
    from matplotlib.cbook import boxplot_stats
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import to_rgb

    step = GROUP_WIDTH / max(len(looks), 1)
    half = 0.38 * step
    for number, (name, look) in enumerate(looks.items()):
        own = rows.filter(pl.col(by) == name)
        bodies, whiskers, medians_, dots = [], [], [], []
        for group, x in enumerate(groups):
            values = own.filter(pl.col("x") == x)["value"].drop_nans().drop_nulls()
            if values.is_empty():
                continue
            at = group + (number - (len(looks) - 1) / 2) * step
            (box,) = boxplot_stats(values.to_numpy())
            low, high = box["q1"], box["q3"]
            left, right = at - half, at + half
            bodies.append([(left, low), (right, low), (right, high), (left, high)])
            whiskers += [[(at, box["whislo"]), (at, low)], [(at, high), (at, box["whishi"])]]
            medians_.append([(left, box["med"]), (right, box["med"])])
            dots += [(at, value) for value in box["fliers"]]
        light = [0.75 + part / 4 for part in to_rgb(look.colour)]
        # Collections make much smaller files than an artist for each box.
        axis.add_collection(
            PolyCollection(bodies, facecolor=light, edgecolor=look.colour, linewidth=0.6)
        )
        axis.add_collection(LineCollection(whiskers, color=look.colour, linewidth=0.6))
        axis.add_collection(LineCollection(medians_, color=look.colour, linewidth=1.5))
        if dots:
            axis.plot(
                *zip(*dots, strict=True),
                linestyle="",
                marker=".",
                markersize=1.6,
                markeredgewidth=0,
                color=look.colour,
                alpha=0.6,
            )
    axis.set_xticks(range(len(groups)), [str(x) for x in groups])
    axis.set_xlim(-0.5, len(groups) - 0.5)
    axis.grid(visible=False, axis="x")
    axis.tick_params(axis="x", length=0)
    for edge in range(1, len(groups)):
        axis.axvline(edge - 0.5, color="#e2e2e2", linewidth=0.5)


def boxes_by_mechanism(
    rows: pl.DataFrame, groups: Sequence[int], *, xlabel: str, ylabel: str, level: float
) -> Figure:
    """Draw a panel for each mechanism, with boxes for each strategy at each x in *groups*.

    *level* is the height of a horizontal line in every panel.
    """
    mechanisms, strategies = looks_of(rows["mechanism"]), strategy_looks(rows["strategy"])
    with paper_style():
        figure, axes = lay_out(
            len(mechanisms),
            3,
            height=1.25,
            legend=colour_keys({look.label: look.colour for look in strategies.values()}),
            xlabel=xlabel,
            ylabel=ylabel,
        )
        for axis, (name, look) in zip(axes, mechanisms.items(), strict=True):
            axis.axhline(level, color="#000000", linewidth=0.7)
            own = rows.filter(pl.col("mechanism") == name)
            boxes_in_groups(axis, own, strategies, groups, "strategy")
            axis.set_title(typeset(look.label))
        if axes:
            axes[0].autoscale_view()
    return figure


class Pair(NamedTuple):
    """Rows of one group of mechanisms, for boxes and for medians along x."""

    title: str
    box: pl.DataFrame
    line: pl.DataFrame


def boxes_beside_medians(
    pairs: Sequence[Pair], *, value: str, short_value: str, xlabel: str, height: float
) -> Figure:
    """Draw a row for each pair: boxes on the left, medians with their intervals on the right.

    Parameters
    ----------
    pairs
        The groups of mechanisms.
    value, short_value
        Name of the values, below the boxes and beside the medians.
    xlabel
        Name of what varies along the medians.
    height
        Height of a row in inches.
    """
    with paper_style():
        figure, axes = lay_out(
            2 * len(pairs),
            2,
            height=height,
            share="none",
            margins=Margins(left=1.1, right=1.4, across=0.6, down=0.5),
        )
        for left, right in zip(axes[2::2], axes[3::2], strict=True):
            left.sharex(axes[0])
            right.sharex(axes[1])
            right.sharey(axes[1])
        axes[-2].set_xlabel(value)
        axes[-1].set_xlabel(xlabel)
        for pair, left, right in zip(pairs, axes[::2], axes[1::2], strict=True):
            looks = looks_of(pl.concat([pair.box["mechanism"], pair.line["mechanism"]]))
            boxes(left, pair.box, looks)
            cells = medians(pair.line)
            for name, look in looks.items():
                line(right, cells.filter(pl.col("mechanism") == name), look)
            whole_ticks(right)
            left.set_title(pair.title)
            right.set_title("medians")
            right.set_ylabel(short_value)
            right.legend(
                handles=keys(looks.values()),
                loc="center left",
                bbox_to_anchor=(1.02, 0.5),
                frameon=False,
                handlelength=2.4,
            )
    return figure
