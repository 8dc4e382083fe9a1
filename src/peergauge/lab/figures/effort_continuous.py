"""How well pay ranks biased graders by effort, and how much of that is luck: E9 and E10."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About, looks_of, paper_style
from peergauge.lab.figures._boxes import boxes
from peergauge.lab.figures._grid import Margins, lay_out, typeset

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TAUS = "ce-bias-all-box"
VARIANCES = {
    "ce-bias-variance_of_ranking_quality-nonparam": "non-parametric",
    "ce-bias-variance_of_ranking_quality-param": "best-performing",
}

ABOUT = About(
    title="Continuous effort, biased graders",
    caption="Left: Kendall τ_B between pay and effort over simulated semesters. Right: its "
    "variance when the same graders and submissions are graded anew many times, over classes. "
    "Boxes have the median and the quartiles, whiskers reach to the last value within 1.5 "
    "interquartile ranges, dots lie beyond.",
    section="Appendix: effort as quality",
    order=110,
    needs=(TAUS, *VARIANCES),
)


def draw(results: pl.DataFrame) -> Figure:
    """Boxes of τ_B and of its variance, for two groups of mechanisms."""
    with paper_style():
        figure, axes = lay_out(
            2 * len(VARIANCES),
            2,
            height=1.3,
            share="none",
            margins=Margins(left=1.0, right=0.2, across=0.35, down=0.5),
        )
        for panel, first in zip(axes[2:], axes, strict=False):
            panel.sharex(first)
        axes[-2].set_xlabel(typeset("Kendall τ_B with effort"))
        axes[-1].set_xlabel(typeset("variance of τ_B"))
        axes[1].locator_params(axis="x", nbins=5)
        for row, (file, title) in enumerate(VARIANCES.items()):
            left, right = axes[2 * row : 2 * row + 2]
            variance = results.filter(pl.col("experiment") == file)
            looks = looks_of(variance["mechanism"])
            own = pl.col("mechanism").is_in(list(looks))
            boxes(left, results.filter(pl.col("experiment") == TAUS, own), looks)
            boxes(right, variance, looks)
            right.set_yticklabels([])
            left.set_title(f"{title}, over semesters")
            right.set_title(f"{title}, graded anew")
    return figure
