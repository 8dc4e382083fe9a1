"""What a deviator gains in a real class: E5, the remaining mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._integrity import BODY
from peergauge.lab.figures._real import GAIN, gains_by_class
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Gain of a deviator in classes with true grades, the other mechanisms",
    caption="Mean gain in rank of a student who follows a strategy while all others report as they "
    "did, for the mechanisms that are not shown in the body of the paper. Points are means over "
    "the students of a class, bars 95 % confidence intervals (1.96 standard errors); "
    "hollow where fewer than half of the students are paid at all. Classes of very different sizes "
    "are shown in ranks per 100 students.",
    section="Appendix: robustness in classes with true grades",
    order=190,
    needs=(f"{GAIN}*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean gain by strategy and class, a panel for each mechanism."""
    mine = pl.col("experiment").str.starts_with(GAIN) & ~pl.col("mechanism").is_in(BODY)
    return gains_by_class(results.filter(mine), means, "mean gain in rank", level=0.0)
