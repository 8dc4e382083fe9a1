"""What a deviator gains under the novel mechanisms: E3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._gains import MEAN, NOVEL, of_strategies
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Gain of a deviator, novel mechanisms",
    caption="Mean gain in rank of one grader who joins the strategic ones, under the mechanisms "
    "that the paper proposes. Bands are 95 % confidence intervals of the means over simulated "
    "semesters (1.96 standard errors). CORR cannot pay a grader whose reports are all alike, so "
    "there is no gain to show for the two strategies that always report the same.",
    section="Appendix: novel mechanisms",
    order=162,
    needs=(NOVEL,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, a panel for each mechanism."""
    return of_strategies(means(results.filter(pl.col("experiment") == NOVEL)), MEAN)
