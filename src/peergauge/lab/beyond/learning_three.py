"""Leads of three strategies over the class, in every mixture of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import MECHANISMS, OverStrategies
from peergauge.lab.learning import head_counts
from peergauge.lab.learning.basins import SHARE_METRIC
from peergauge.lab.learning.classes import StrategyTrials

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
        trials = StrategyTrials(self.setting(), self.every, own, 1, self.cost)
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
