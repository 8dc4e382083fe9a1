"""How much the gain of a deviator varies in a real class: E5."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._real import GAIN, gains_by_class
from peergauge.lab.figures._summaries import variances

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Variance of a deviator's gain in classes with true grades",
    caption="Variance over the students of a class of the gain in rank of one who follows a "
    "strategy while all others report as they did. Bars are approximate 95 % confidence intervals: "
    "1.96 standard errors of the sample variance, from its fourth moment. Hollow where fewer "
    "than half of the students are paid at all. Classes of very different sizes are shown in ranks "
    "per 100 students.",
    section="Appendix: robustness in classes with true grades",
    order=191,
    needs=(f"{GAIN}*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """Variance of the gain by strategy and class, a panel for each mechanism."""
    mine = results.filter(pl.col("experiment").str.starts_with(GAIN))
    return gains_by_class(mine, variances, "variance of the gain", level=None)
