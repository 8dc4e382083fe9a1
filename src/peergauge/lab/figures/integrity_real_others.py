"""Measurement integrity in classes with true grades: E2, the other measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._integrity import MEASURES
from peergauge.lab.figures._real import INTEGRITY, classes, integrity_by_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Measurement integrity in classes with true grades, other measures",
    caption="Three more measures of how well average pay tells who graded accurately, after each "
    "of four blocks of assignments; a row for each class. Lines are means over repetitions of the "
    "draws of the mechanisms, bands 95 % confidence intervals (1.96 standard errors). A class with "
    "one assignment has no blocks, only points, with bars of 1.96 standard errors over students "
    "drawn again.",
    section="Appendix: integrity in classes with true grades",
    order=150,
    needs=(f"{INTEGRITY}*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """Three measures after each block of assignments, a row of panels for each class."""
    others = {metric: title for metric, title in MEASURES.items() if metric != "Taus"}
    few = len(classes(results, INTEGRITY)) <= 4
    return integrity_by_class(results, others, columns=len(others), height=1.5 if few else 1.1)
