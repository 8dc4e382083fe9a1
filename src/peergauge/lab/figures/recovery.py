"""How close estimates come to the true scores: E12."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About, Look, paper_style
from peergauge.lab.figures._boxes import boxes
from peergauge.lab.figures._grid import Margins, lay_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    "true-grade-recovery_no-bias": "unbiased graders",
    "true-grade-recovery": "biased graders",
}
METHODS = {
    "Consensus-Grade": Look("consensus", "#000000", "-", "o"),
    "Procedure-NB": Look("PG1 without bias", "#0072B2", "-", "s"),
    "Procedure": Look("PG1", "#D55E00", "-", "^"),
}

ABOUT = About(
    title="Recovering true scores",
    caption="Mean squared error of estimated true scores, one value for each simulated assignment: "
    "the mean of the reports, and model PG1 without and, where there are any, with "
    "biases. Boxes have the median and the "
    "quartiles, whiskers reach to the last value within 1.5 interquartile ranges, dots lie beyond.",
    section="Appendix: estimating true scores",
    order=200,
    needs=tuple(TITLES),
)


def draw(results: pl.DataFrame) -> Figure:
    """Boxes of the error of each method, for unbiased and for biased graders."""
    with paper_style():
        figure, axes = lay_out(
            2, 2, height=1.4, xlabel="mean squared error", margins=Margins(left=1.25)
        )
        for axis, (file, title) in zip(axes, TITLES.items(), strict=True):
            boxes(axis, results.filter(pl.col("experiment") == file), METHODS)
            axis.set_title(title)
    return figure
