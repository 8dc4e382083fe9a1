"""What the followers of a strategy gain on truthful graders, from one of them to all but one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._gains import of_strategies
from peergauge.lab.figures._learning import SECTION, published
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "mixtures-of-two"

ABOUT = About(
    title="Followers of a strategy against truthful graders",
    caption="Mean rank of those who follow a strategy less that of the truthful graders in the "
    "same class, in ranks of a hundred, against how many follow it. Above zero, a class that "
    "learns takes the strategy up. Bands are 95 % confidence intervals over simulated semesters "
    "(1.96 standard errors).",
    section=SECTION,
    order=311,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of followers, a panel for each mechanism."""
    own = results.filter(pl.col("experiment") == FILE)
    names = {spec: published(spec) for spec in own["strategy"].unique()}
    called = own.with_columns(pl.col("strategy").replace(names))
    return of_strategies(means(called), "gain on truthful graders, in ranks of 100")
