"""Does pay still rank effort when some are strategic?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.strategic import StrategicClasses
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_tau import EffortTau
from peergauge.simulate import strategies
from peergauge.simulate.strategies import tempting


@experiment(
    "e11",
    label="Ranking with strategic graders",
    source="Burrell & Schoenebeck 2022, appendix, Integrity in the Presence of Strategic Agents",
    question="Does pay still rank graders by effort when some of them are strategic?",
)
@dataclass(frozen=True)
class StrategicRanking(StrategicClasses, MeasuredRewards):
    """0 to 100 of 100 graders follow one informed strategy; τ_B of pay with effort."""

    def points(self) -> Sequence[Point]:
        informed = [name for name in tempting() if strategies.make(name).facts.informed]
        return self.by_tenths(informed, 0, 10)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)
