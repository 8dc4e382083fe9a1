"""What a deviator gains where reports are not corrected for bias: E3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._gains import MEAN, UNCORRECTED, of_strategies
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Gain of a deviator without correction for bias",
    caption="Mean gain in rank of one grader who joins the strategic ones, under the parametric "
    "mechanisms when they estimate biases but do not subtract them from the reports. Bands are "
    "95 % confidence intervals of the means over simulated semesters (1.96 standard errors).",
    section="Appendix: robustness, simulated",
    order=161,
    needs=(UNCORRECTED,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, a panel for each mechanism."""
    return of_strategies(means(results.filter(pl.col("experiment") == UNCORRECTED)), MEAN)
