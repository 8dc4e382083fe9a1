"""Are truthful graders paid more than strategic ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.strategic import StrategicClasses
from peergauge.metrics import RewardMetric
from peergauge.metrics.strategic_auc import StrategicAUC
from peergauge.simulate.strategies import tempting


@experiment(
    "e4",
    label="Truthful against strategic pay",
    source="Burrell & Schoenebeck 2022, appendix, Robustness Against Strategic Reporting",
    question="Does pay tell truthful graders from strategic ones?",
)
@dataclass(frozen=True)
class TruthfulAgainstStrategic(StrategicClasses, MeasuredRewards):
    """10 to 90 of 100 graders follow one strategy; the AUC of truthful against strategic pay."""

    def points(self) -> Sequence[Point]:
        return self.by_tenths(tempting(), 1, 9)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (StrategicAUC(int64=True),)
