"""What spot checks do to integrity and to the gain from lying together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.beyond.spot_checks import FILE, LIES, SHARES
from peergauge.lab.figures import About
from peergauge.lab.figures._grid import Margins, typeset
from peergauge.lab.figures._integrity import MEASURES
from peergauge.lab.figures._lines import panels_of_lines
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Spot checks",
    caption="How pay goes with squared error, and how many ranks one grader gains on average by "
    "joining those who lie, against the share of submissions whose true score staff found out and "
    "the mechanism was told; below zero the lie does not pay. Bands are 95 % confidence intervals "
    "of the means over simulated semesters (1.96 standard errors).",
    section="Beyond the paper",
    order=340,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Two panels of integrity, one for each lie, and a line for each mechanism."""
    cells = means(results.filter(pl.col("experiment") == FILE))
    panels = [
        (typeset(MEASURES[name]), cells.filter(pl.col("metric") == name))
        for name in ("Binary AUCs", "Taus")
    ]
    panels += [
        (lie.words, cells.filter(pl.col("strategy") == name, pl.col("metric") == "rank gain"))
        for name, lie in LIES.items()
    ]
    figure = panels_of_lines(
        panels,
        "mechanism",
        xlabel="% of submissions checked",
        columns=3,
        height=1.6,
        share="none",
        margins=Margins(across=0.42, down=0.62),
    )
    for axis, (_, own) in zip(figure.axes, panels, strict=True):
        # As many of the small shares as of the large ones.
        axis.set_xscale("symlog", linthresh=1, linscale=0.4)
        axis.set_xticks(SHARES, [str(share) for share in SHARES])
        axis.minorticks_off()
        if (own["metric"] == "rank gain").any():
            axis.axhline(0.0, color="#000000", linewidth=0.7)
    return figure
