"""Three strategies: which way a class that learns moves, from every mixture of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.lab.figures import About, looks_of, paper_style, shortened
from peergauge.lab.figures._grid import Margins, lay_out, plain, typeset
from peergauge.lab.figures._learning import AWAY, SECTION, TOWARDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "mixtures-of-three"
HELD, LEAD = "share", "lead in ranks of 100"
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
LONGEST_ARROW = 0.11
"""Where edges are one long."""

ABOUT = About(
    title="Three strategies",
    caption="Each place in a triangle is a mixture of three strategies: at a corner all students "
    "follow one of them. Arrows show which way the replicator dynamic moves a class from there, "
    "and their area how fast. Blue ones lead to more truthful reporting, orange ones to less. "
    "Means over simulated semesters.",
    section=SECTION,
    order=320,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """A triangle of arrows for each mechanism."""
    from matplotlib.lines import Line2D

    own = results.filter(pl.col("experiment") == FILE)
    specs = own["strategy"].unique(maintain_order=True).to_list()
    looks = looks_of(own["mechanism"])
    hues = {"more truthful": TOWARDS, "less truthful": AWAY}
    legend = [
        Line2D([], [], color=hue, linestyle="", marker=">", label=word)
        for word, hue in hues.items()
    ]
    with paper_style():
        figure, axes = lay_out(
            len(looks), 3, height=1.85, legend=legend, margins=Margins(left=0.2, bottom=0.2)
        )
        for axis, (name, look) in zip(axes, looks.items(), strict=True):
            axis.set_title(typeset(look.label))
            axis.set_axis_off()
            axis.set_aspect("equal")
            axis.set_xlim(-0.2, 1.2)
            axis.set_ylim(-0.12, 1.0)
            axis.plot(*CORNERS[[0, 1, 2, 0]].T, color="#999999", linewidth=0.6)
            for corner, spec, side in zip(CORNERS, specs, ("top", "top", "bottom"), strict=False):
                away = -0.03 if side == "top" else 0.03
                label = plain(shortened(spec, 12))
                axis.text(corner[0], corner[1] + away, label, ha="center", va=side, fontsize=6.5)
            at, towards, more = flow(own.filter(pl.col("mechanism") == name), specs)
            colour = np.where(more, TOWARDS, AWAY).tolist()
            if len(at):
                axis.quiver(
                    *at.T,
                    *towards.T,
                    color=colour,
                    angles="xy",
                    scale_units="xy",
                    scale=1,
                    width=0.011,
                    headwidth=3.5,
                    headlength=3.5,
                    headaxislength=3.2,
                    minlength=0.3,
                )
    return figure


def flow(rows: pl.DataFrame, specs: list[str]) -> tuple[Floats, Floats, Floats]:
    """Where arrows begin, how far they reach, and whether truthful reporting, the first, grows."""
    mean = rows.group_by("x", "strategy", "metric").agg(pl.col("value").mean())
    wide = [
        mean.filter(pl.col("metric") == metric)
        .pivot("strategy", index="x", values="value")
        .sort("x")
        .select(specs)
        .to_numpy()
        for metric in (HELD, LEAD)
    ]
    share, lead = wide
    whole = np.isfinite(share).all(axis=1) & np.isfinite(lead).all(axis=1)
    share, lead = share[whole], lead[whole]
    # The speed of the replicator dynamic; its sum is zero but for rounding.
    speed = share * (lead - (share * lead).sum(axis=1, keepdims=True))
    motion = speed @ CORNERS[: len(specs)]
    length = np.hypot(*motion.T)
    top = float(length.max(initial=0.0)) or 1.0
    scale = LONGEST_ARROW / np.sqrt(np.maximum(length, 1e-12) * top)
    return share @ CORNERS[: len(specs)], motion * scale[:, None], speed[:, 0] > 0
