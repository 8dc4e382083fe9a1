"""Integrity against robustness in classes with true grades: E6."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.results import cells
from peergauge.lab.figures import About
from peergauge.lab.figures._real import unit_of
from peergauge.lab.figures._tradeoff import Estimate, Standing, draw_standings
from peergauge.lab.paper.e06_trade_off import BINARY_AUC, CLASS_GAINS, CLASS_INTEGRITY, in_classes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Integrity against robustness in classes with true grades",
    caption="Where every mechanism stands in classes with true grades: upwards the mean binary AUC "
    "over all blocks of assignments, to the right minus the mean gain in rank over all strategies, "
    "coloured by what is proven of truthful reporting. Points are averages over the classes, "
    "error bars reach from the lowest to the highest class. Classes of very different sizes are "
    "shown in ranks per 100 students.",
    section="Introduction",
    order=20,
    needs=(f"{CLASS_INTEGRITY}*", f"{CLASS_GAINS}*"),
)


def standings(results: pl.DataFrame) -> list[Standing]:
    """Every mechanism on the classes that have both of its numbers."""
    found: dict[str, list[tuple[float, float]]] = {}
    for standings in in_classes(cells(results), unit_of(results).metric).values():
        for one in standings:
            both = one.robustness().mean, one.integrity[BINARY_AUC].mean
            found.setdefault(one.mechanism, []).append(both)
    return [
        Standing(name, "", *map(_range, zip(*both, strict=True))) for name, both in found.items()
    ]


def _range(values: Sequence[float]) -> Estimate:
    return Estimate(fmean(values), min(values), max(values))


def draw(results: pl.DataFrame) -> Figure:
    """Averages over the classes, with their range."""
    return draw_standings(
        {"": standings(results)},
        integrity="measurement integrity: mean binary AUC",
        robustness=f"robustness: minus the mean gain in {unit_of(results).label}",
        height=4.2,
    )
