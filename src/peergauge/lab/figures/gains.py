"""What a deviator gains as more graders are strategic: E3, the best mechanisms."""

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
    title="Gain of a deviator",
    caption="How many ranks one truthful grader gains on average by joining those who already "
    "follow a strategy, against how many they are; below zero the deviation does not pay. Bands "
    "are 95 % confidence intervals of the means over simulated semesters (1.96 standard errors); "
    "the parametric mechanisms correct reports for the estimated biases.",
    section="Robustness, simulated",
    order=50,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, a panel for each mechanism."""
    own = results.filter(pl.col("experiment") == FILE, pl.col("mechanism").is_in(BODY))
    return of_strategies(means(own), MEAN)
