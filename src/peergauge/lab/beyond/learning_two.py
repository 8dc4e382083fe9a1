"""Lead of one strategy over truthful reporting, by the number of its followers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import MECHANISMS, OverStrategies
from peergauge.lab.learning import TRUTHFUL
from peergauge.lab.learning.classes import StrategyTrials
from peergauge.lab.learning.phase import LEAD_METRIC
from peergauge.mechanisms import Mechanism
from peergauge.metrics.statistics import mean_with_error

MIN_STUDENTS_PER_STRATEGY = 10
"""Followers of the rarer strategy over which a lead is averaged in each class."""


@experiment(
    "learn-two",
    label="Truthful against one strategy",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="How many students must follow a strategy until it pays more than truthful reporting?",
    beyond=True,
)
@dataclass(frozen=True)
class TwoStrategies(OverStrategies):
    """One student to all but one follow a strategy; the others are truthful.

    The lead is the mean rank of the followers minus that of truthful graders, out of 100. If fewer
    than ten students follow one of the two strategies, followers are drawn several times, so that
    ten students are averaged in every class. All shares, strategies and mechanisms use the same
    classes.
    """

    repetitions: int = 60

    def points(self) -> Sequence[Point]:
        return [Point(strategy=one) for one in self.others]

    def followers(self) -> list[int]:
        """Numbers of followers of the strategy."""
        inner = (round(part * self.students) for part in np.linspace(0.1, 0.9, 9))
        twentieth = round(self.students / 20)
        ends = (1, twentieth, self.students - twentieth, self.students - 1)
        return sorted({*ends, *inner} - {0, self.students})

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = derived_seed(seed, self.facts.name, repetition)
        trials = StrategyTrials(self.setting(), (TRUTHFUL, point.strategy), own, 1, self.cost)
        found = self.measurement(repetition, own, **parameters_of(self.setting()))
        for mechanism in self.paying(MECHANISMS):
            for followers in self.followers():
                lead = self.lead(trials, mechanism, followers)
                yield found.row(
                    mechanism, LEAD_METRIC, lead, strategy=point.strategy, followers=followers
                )

    def lead(self, trials: StrategyTrials, mechanism: Mechanism, followers: int) -> float:
        """Mean lead of so many followers over truthful graders, in ranks out of 100."""
        counts = np.array([self.students - followers, followers])
        times = -(-MIN_STUDENTS_PER_STRATEGY // int(counts.min()))
        fitness = np.array([trials.fitness(mechanism, counts, 0, time) for time in range(times)])
        return mean_with_error(100 * (fitness[:, 1] - fitness[:, 0])).mean
