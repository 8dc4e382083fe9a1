"""Leads of three strategies over the class, in every mixture of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import LEARNING_SECTION, MECHANISMS, OverStrategies
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins, lay_out, typeset
from peergauge.lab.figures.looks import looks_of
from peergauge.lab.figures.phase import arrow_keys, arrows, triangle
from peergauge.lab.figures.style import paper_style
from peergauge.lab.learning import head_counts
from peergauge.lab.learning.basins import SHARE_METRIC
from peergauge.lab.learning.classes import StrategyTrials
from peergauge.lab.paper.selections import Selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LEAD_METRIC = "lead-over-class"
"""Measure: mean rank of the followers of a strategy minus that of the class, out of 100."""


@experiment(
    "learn-three",
    label="Three strategies",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="Which of three strategies grows, in every mixture of them?",
    beyond=True,
)
@dataclass(frozen=True)
class ThreeStrategies(OverStrategies):
    """All mixtures of truthful reporting and two strategies, in steps; Hedge and Prior by default.

    The lead of a strategy is the mean rank of its followers minus that of the class, out of 100.
    Every strategy has at least one follower. All mixtures and mechanisms use the same classes.

    Parameters
    ----------
    steps
        Number of steps between two corners of the triangle of mixtures.
    """

    repetitions: int = 40
    steps: int = 8

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.others) != 2:
            raise ParameterError(
                f"Two strategies besides truthful reporting are needed, not {len(self.others)}."
            )

    def usual(self) -> tuple[str, ...]:
        return "hedge", "prior"

    def points(self) -> Sequence[Point]:
        return [Point()]

    def mixtures(self) -> list[Floats]:
        """All mixtures whose shares are multiples of a step."""
        steps = range(self.steps + 1)
        return [
            np.array([self.steps - i - j, i, j]) / self.steps
            for i in steps
            for j in steps
            if i + j <= self.steps
        ]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = derived_seed(seed, self.facts.name, repetition)
        trials = StrategyTrials(self.setting(), self.chosen(self.every), own, 1, self.cost)
        found = self.measurement(repetition, own, **parameters_of(self.setting()))
        for mechanism in self.paying(MECHANISMS):
            for number, mixture in enumerate(self.mixtures()):
                counts = head_counts(mixture, self.students)
                share = counts / self.students
                fitness = trials.fitness(mechanism, counts, 0, number)
                known = np.where(np.isnan(fitness), 0.5, fitness)
                lead = 100 * (known - share @ known)
                for metric, values in ((SHARE_METRIC, share), (LEAD_METRIC, lead)):
                    for strategy, value in zip(self.every, values.tolist(), strict=True):
                        yield found.row(mechanism, metric, value, strategy=strategy, mixture=number)


MIXTURE_ROWS = Selection("learn-three", x="mixture")


@figure(
    "learning_three",
    title="Three strategies",
    caption="Each place in a triangle is a mixture of three strategies: at a corner all students "
    "follow one of them. Arrows show in which direction the replicator dynamic moves a class from "
    "there, and their area shows how fast. Blue arrows lead to more truthful reporting, orange "
    "ones to less. The arrows are computed from means over simulated semesters.",
    section=LEARNING_SECTION,
    order=320,
    needs=(MIXTURE_ROWS,),
)
def learning_three(results: pl.DataFrame) -> Figure:
    """A triangle of arrows for each mechanism."""
    rows = MIXTURE_ROWS.rows(results)
    specs = rows["strategy"].unique(maintain_order=True).to_list()
    looks = looks_of(rows["mechanism"])
    with paper_style():
        drawn, axes = lay_out(
            len(looks), 3, height=1.85, legend=arrow_keys(), margins=Margins(left=0.2, bottom=0.2)
        )
        for axis, (mechanism, look) in zip(axes, looks.items(), strict=True):
            axis.set_title(typeset(look.label))
            triangle(axis, specs)
            own = rows.filter(pl.col("mechanism") == mechanism)
            arrows(
                axis,
                *(mean_by_mixture(own, metric, specs) for metric in (SHARE_METRIC, LEAD_METRIC)),
            )
    return drawn


def mean_by_mixture(rows: pl.DataFrame, metric: str, specs: Sequence[str]) -> Floats:
    """The mean of a measure over repetitions: mixtures × strategies."""
    mean = rows.filter(pl.col("metric") == metric).group_by("x", "strategy")
    wide = mean.agg(pl.col("value").mean()).pivot("strategy", index="x", values="value")
    return wide.sort("x").select(specs).to_numpy()
