"""Measurement integrity in classes with true grades: E2, Kendall τ_B."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._integrity import MEASURES
from peergauge.lab.figures._real import INTEGRITY, classes, integrity_by_class

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Measurement integrity in classes with true grades",
    caption="Kendall τ_B between average pay and the average accuracy of a student's grades, after "
    "each of four blocks of assignments, for students with a grade in every block. Lines are means "
    "over repetitions of the draws of the mechanisms, bands 95 % confidence intervals (1.96 "
    "standard errors), which know nothing of the chance in who took the class. A class with one "
    "assignment has no blocks: it shows no course over time, only points, with bars of 1.96 "
    "standard errors over students drawn again.",
    section="Measurement integrity in classes with true grades",
    order=40,
    needs=(f"{INTEGRITY}*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """τ_B after each block of assignments, a panel for each class."""
    few = len(classes(results, INTEGRITY)) <= 4
    taus = {"Taus": MEASURES["Taus"]}
    return integrity_by_class(results, taus, columns=2 if few else 3, height=1.9)
