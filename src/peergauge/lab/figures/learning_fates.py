"""Where classes that learn end up, from anywhere and from near truthful reporting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About, looks_of, paper_style
from peergauge.lab.figures._grid import Margins, lay_out, plain, typeset
from peergauge.lab.figures._learning import SECTION, colours, keys_of
from peergauge.lab.learning.basins import ANYWHERE, basins

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STARTS = {ANYWHERE: "from anywhere", "near truthful": "from near truthful"}
UNAWARE = "learning-unaware_"

ABOUT = About(
    title="Where classes that learn end up",
    caption="Share of starting mixtures from which a class ends up with at least four fifths of "
    "its students following one strategy, in a mix that stays, or still moving, after 60 "
    "generations. Left, mixtures are drawn evenly from all there are; right, nine in ten students "
    "begin truthful. Unaware classes lack Fix Bias, for which students must know their own bias. "
    "A share p of n starts has a standard error of √(p (1 − p) / n).",
    section=SECTION,
    order=300,
    needs=("learning*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """Stacked bars, one for each mechanism, in a panel for each dynamic and kind of start."""
    found = [one for one in basins(results) if one.start in STARTS]
    looks = looks_of(one.mechanism for one in found)
    colour = colours(fate for one in found for fate in one.fates)
    panels = list(dict.fromkeys((one.experiment, start) for one in found for start in STARTS))
    place = {name: row for row, name in enumerate(looks)}
    with paper_style():
        figure, axes = lay_out(
            len(panels),
            len(STARTS),
            height=max(0.6, 0.15 * len(looks)),
            legend=keys_of(colour),
            xlabel="share of starts in %",
            share="all",
            margins=Margins(left=1.15, right=0.2, across=0.3),
        )
        for axis, (experiment, start) in zip(axes, panels, strict=True):
            for one in found:
                if (one.experiment, one.start) == (experiment, start):
                    shares, left = one.shares(), 0.0
                    for fate in (fate for fate in colour if fate in shares):
                        width = 100 * shares[fate]
                        axis.barh(
                            place[one.mechanism],
                            width,
                            0.75,
                            left,
                            color=colour[fate],
                            edgecolor="#777777",
                            linewidth=0.3,
                        )
                        left += width
            dynamic = experiment.partition("_")[2]
            who = "unaware, " if experiment.startswith(UNAWARE) else ""
            axis.set_title(f"{plain(dynamic, 20)}, {who}{STARTS[start]}")
            axis.set_yticks(range(len(looks)), [typeset(look.label) for look in looks.values()])
            axis.set_xlim(0, 100)
            axis.set_ylim(max(len(looks), 1) - 0.4, -0.6)
            axis.grid(visible=False, axis="y")
            axis.tick_params(axis="y", length=0)
    return figure
