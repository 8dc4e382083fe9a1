"""Truthful reporting against one strategy: which of the two grows, and from where?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import MECHANISMS, OverStrategies
from peergauge.lab.learning import TRUTHFUL
from peergauge.lab.learning.classes import Lessons
from peergauge.lab.learning.phase import LEAD
from peergauge.mechanisms import Mechanism

ENOUGH = 10
"""How many students should stand for the rarer of the two strategies in a class."""


@experiment(
    "learn-two",
    label="Truthful against one strategy",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="How many must follow a strategy for it to pay more than truthful reporting?",
    beyond=True,
)
@dataclass(frozen=True)
class TwoStrategies(OverStrategies):
    """From one student to all but one follow a strategy; the others are truthful.

    The gain is the mean rank of those who follow it less that of the truthful ones, in ranks of a
    hundred. Where few follow one of the two, they are drawn several times, so that ten students
    stand for it in every class. The same classes are taken for all shares, strategies and
    mechanisms.
    """

    repetitions: int = 60

    def points(self) -> Sequence[Point]:
        return [Point(strategy=one) for one in self.others]

    def followers(self) -> list[int]:
        """How many follow the strategy."""
        inner = (round(part * self.students) for part in np.linspace(0.1, 0.9, 9))
        twentieth = round(self.students / 20)
        ends = (1, twentieth, self.students - twentieth, self.students - 1)
        return sorted({*ends, *inner} - {0, self.students})

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = derived_seed(seed, self.facts.name, repetition)
        lessons = Lessons(self.setting(), (TRUTHFUL, point.strategy), own, 1, self.cost)
        found = self.measurement(repetition, own, **parameters_of(self.setting()))
        for mechanism in self.paying(MECHANISMS):
            for followers in self.followers():
                lead = self.gain(lessons, mechanism, followers)
                yield found.row(mechanism, LEAD, lead, strategy=point.strategy, followers=followers)

    def gain(self, lessons: Lessons, mechanism: Mechanism, followers: int) -> float:
        """What so many followers gain on the truthful ones, in ranks of a hundred."""
        counts = np.array([self.students - followers, followers])
        times = -(-ENOUGH // int(counts.min()))
        worth = np.array([lessons.worth(mechanism, counts, 0, time) for time in range(times)])
        gains = 100 * (worth[:, 1] - worth[:, 0])
        known = gains[~np.isnan(gains)]
        return float(known.mean()) if len(known) else float("nan")
