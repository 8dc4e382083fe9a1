"""What a deviator gains as more graders are strategic: E3, the remaining mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._gains import FILE, MEAN, of_strategies
from peergauge.lab.figures._integrity import BODY
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Gain of a deviator, the other mechanisms",
    caption="Mean gain in rank of one grader who joins the strategic ones, for the mechanisms "
    "that are not shown in the body of the paper. Bands are 95 % confidence intervals of the means "
    "over simulated semesters (1.96 standard errors). Several strategies change nothing under "
    "DMI, which only looks at whether a grade is above or below the prior mean.",
    section="Appendix: robustness, simulated",
    order=160,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, a panel for each mechanism."""
    own = results.filter(pl.col("experiment") == FILE, ~pl.col("mechanism").is_in(BODY))
    return of_strategies(means(own), MEAN)
