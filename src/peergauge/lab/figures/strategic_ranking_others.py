"""How well pay ranks graders by effort when some are strategic: E11, the remaining mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._strategic import BEST, FILE, by_strategy

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Ranking among strategic graders, the other mechanisms",
    caption="Kendall τ_B between pay and effort, for all mechanisms that the paper does not show, "
    "as more graders follow a strategy that depends on what they saw. Lines are means over "
    "simulated semesters, bands 95 % confidence intervals (1.96 standard errors).",
    section="Appendix: integrity among strategic graders",
    order=131,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """τ_B of pay with effort against the number of strategic graders, for each strategy."""
    return by_strategy(results.filter(~pl.col("mechanism").is_in(BEST)))
