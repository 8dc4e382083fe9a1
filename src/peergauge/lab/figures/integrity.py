"""Measurement integrity as the number of assignments grows: E1, the best mechanisms."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._integrity import BODY, FILE, of_measures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Measurement integrity",
    caption="Four measures of how well pay tells who graded accurately, against the number of "
    "assignments: the baselines MSE, MSE_P and OA, and the two mechanisms that by and large do not "
    "fall below OA. Lines are means over simulated semesters, bands 95 % confidence intervals "
    "(1.96 standard errors); graders are biased, and MSE_P and Φ-Div_P ignore it here, as in the "
    "published file.",
    section="Measurement integrity, simulated",
    order=30,
    needs=(FILE,),
)


def draw(results: pl.DataFrame, mechanisms: Collection[str] | None = BODY) -> Figure:
    """Four measures against the number of assignments, a line for each of *mechanisms*, or all."""
    chosen = pl.lit(True) if mechanisms is None else pl.col("mechanism").is_in(list(mechanisms))
    return of_measures(results.filter(chosen))
