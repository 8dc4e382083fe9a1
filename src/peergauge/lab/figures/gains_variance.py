"""How much the gain of a deviator varies: E3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._gains import FILE, of_strategies
from peergauge.lab.figures._summaries import variances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Variance of a deviator's gain",
    caption="Variance over simulated semesters of the gain in rank of one grader who joins the "
    "strategic ones. Bands are approximate 95 % confidence intervals: 1.96 standard errors of the "
    "sample variance, from its fourth moment.",
    section="Appendix: robustness, simulated",
    order=170,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Variance of the gain against the number of strategic graders, for each mechanism."""
    cells = variances(results.filter(pl.col("experiment") == FILE))
    return of_strategies(cells, "variance of the gain in rank", columns=4, level=None)
