"""Truthful reporting against one strategy: which way a class moves, and where it rests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.lab.figures import About, looks_of, paper_style, shortened
from peergauge.lab.figures._grid import Margins, lay_out, plain, typeset
from peergauge.lab.figures._learning import AWAY, SECTION, TOWARDS, UNSURE
from peergauge.lab.learning.phase import SURE, PhaseLine, lines_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILE = "mixtures-of-two"
ARROW = 6
"""Along how many shares a stretch must reach to have an arrow of its own."""

ABOUT = About(
    title="Phase lines of two strategies",
    caption="Some students follow a strategy, all others are truthful. Blue: truthful graders rank "
    "higher, so that a class that learns moves left; orange: followers do, and it moves right; "
    "grey: the difference is within 1.96 standard errors of nothing. Filled dots are mixtures to "
    "which a class comes back, hollow ones the edge of the basin of truthful reporting.",
    section=SECTION,
    order=310,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """A line for each strategy, in a panel for each mechanism."""
    from matplotlib.lines import Line2D

    own = results.filter(pl.col("experiment") == FILE)
    specs = own["strategy"].unique(maintain_order=True).to_list()
    looks = looks_of(own["mechanism"])
    words = {"towards truthful": TOWARDS, "away from it": AWAY, "not known": UNSURE}
    legend = [Line2D([], [], color=hue, linewidth=3, label=word) for word, hue in words.items()]
    legend += [
        Line2D([], [], color="#000000", linestyle="", marker="o", mfc=face, label=word)
        for word, face in (("stable mix", "#000000"), ("edge of a basin", "#ffffff"))
    ]
    with paper_style():
        figure, axes = lay_out(
            len(looks),
            3,
            height=max(0.5, 0.19 * len(specs)),
            legend=legend,
            xlabel="% who follow the strategy",
            margins=Margins(left=0.95),
        )
        for axis, (name, look) in zip(axes, looks.items(), strict=True):
            lines = lines_of(own.filter(pl.col("mechanism") == name))
            for spec, one in lines.items():
                _draw(axis, specs.index(spec), one)
            axis.set_title(typeset(look.label))
            axis.set_yticks(range(len(specs)), [plain(shortened(spec, 13)) for spec in specs])
            axis.set_xlim(-3, 103)
            axis.set_ylim(max(len(specs), 1) - 0.4, -0.6)
            axis.grid(visible=False, axis="y")
            axis.tick_params(axis="y", length=0)
    return figure


def _draw(axis: Axes, row: int, line: PhaseLine) -> None:
    """One line: a stretch around every share that was tried, and the rest points."""
    share, mean = 100 * line.share, line.mean
    known = np.abs(mean) > SURE * line.error
    signs = np.where(known, np.sign(mean), 0).astype(int)
    edges = np.r_[0, (share[1:] + share[:-1]) / 2, 100]
    starts = np.flatnonzero(np.r_[True, np.diff(signs) != 0])
    ends = np.r_[starts[1:], len(signs)]
    for begin, end in zip(starts.tolist(), ends.tolist(), strict=True):
        sign = signs[begin]
        hue = {-1: TOWARDS, 0: UNSURE, 1: AWAY}[int(sign)]
        axis.plot(
            [edges[begin], edges[end]], [row, row], color=hue, linewidth=3.2, solid_capstyle="butt"
        )
        if sign and end - begin >= ARROW:
            axis.plot(
                (edges[begin] + edges[end]) / 2,
                row,
                color=hue,
                marker=">" if sign > 0 else "<",
                markersize=6.5,
            )
    for rest in line.rest_points:
        axis.plot(
            100 * rest.share,
            row,
            color="#000000",
            marker="o",
            markersize=4,
            markerfacecolor="#000000" if rest.stable else "#ffffff",
            zorder=3,
        )
