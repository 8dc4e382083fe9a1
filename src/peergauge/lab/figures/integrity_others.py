"""Measurement integrity as the number of assignments grows: E1, the remaining mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._integrity import BODY, FILE, of_measures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Measurement integrity, the other mechanisms",
    caption="The same four measures for the mechanisms that fall behind output agreement, which "
    "is shown for comparison. Lines are means over simulated semesters, bands 95 % confidence "
    "intervals (1.96 standard errors).",
    section="Appendix: measurement integrity, simulated",
    order=140,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Four measures against the number of assignments, a line for each remaining mechanism."""
    body = pl.col("mechanism").is_in(BODY) & (pl.col("mechanism") != "OA: 0")
    return of_measures(results.filter(~body))
