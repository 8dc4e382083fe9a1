"""How well pay ranks graders by effort, as the number of assignments grows: E9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._lines import panels_of_lines
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"ce-bias-all": "biased graders", "ce-no_bias-all": "unbiased graders"}

ABOUT = About(
    title="Ranking by effort",
    caption="Kendall τ_B between pay and effort against the number of assignments, for biased and "
    "unbiased graders; the parametric mechanisms estimate and correct biases in both. Lines are "
    "means over simulated semesters, bands 95 % confidence intervals (1.96 standard errors).",
    section="Appendix: effort as quality",
    order=120,
    needs=tuple(TITLES),
)


def draw(results: pl.DataFrame) -> Figure:
    """τ_B of pay with effort against the number of assignments, a line for each mechanism."""
    panels = [
        (title, means(results.filter(pl.col("experiment") == file)))
        for file, title in TITLES.items()
    ]
    return panels_of_lines(
        panels, "mechanism", xlabel="assignments", ylabel="Kendall τ_B with effort", height=2.9
    )
