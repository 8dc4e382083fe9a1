"""What agreeing on a cheap signal gains, and what it does to integrity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.beyond.cheap_signals import CORRELATIONS, FILE, JOINING
from peergauge.lab.figures import About
from peergauge.lab.figures._grid import Margins
from peergauge.lab.figures._lines import panels_of_lines
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Cheap signals",
    caption="Above, how many ranks one grader gains on average by joining those who grade by what "
    "is seen at a glance, and below, how pay goes with squared error (binary AUC), against how "
    "many do so; by how the cheap quality correlates with the true score. Bands are 95 % "
    "confidence intervals of the means over simulated semesters (1.96 standard errors). Φ-Div and "
    "two of Φ-Div_P are left out.",
    section="Beyond the paper",
    order=341,
    needs=(FILE,),
)
LEFT_OUT = r"^Phi-DIV: |^Phi-DIV_P: (TVD|CHI_SQUARED)$"


def draw(results: pl.DataFrame) -> Figure:
    """A panel for each correlation, of gains and of integrity, with a line for each mechanism."""
    shown = ~pl.col("mechanism").str.contains(LEFT_OUT)
    cells = means(results.filter(pl.col("experiment") == FILE, shown))
    panels = [
        (
            f"{title}, correlation {kind}",
            cells.filter(pl.col("strategy") == kind, pl.col("metric") == metric),
        )
        for metric, title in ((JOINING, "ranks gained"), ("Binary AUCs", "integrity"))
        for kind in CORRELATIONS
    ]
    figure = panels_of_lines(
        panels,
        "mechanism",
        xlabel="graders on the cheap signal",
        columns=3,
        height=1.8,
        share="none",
        margins=Margins(across=0.42, down=0.62),
    )
    for axis in figure.axes[: len(CORRELATIONS)]:
        axis.axhline(0.0, color="#000000", linewidth=0.7)
    return figure
