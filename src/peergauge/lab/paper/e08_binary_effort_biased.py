"""Does pay tell active graders from passive ones if they are biased?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.simulate import BinaryEffort, Setting


@dataclass(frozen=True)
class BinaryEffortBiased(OfOneSize, MeasuredRewards):
    """Active graders average three draws, passive ones have one; all are biased."""

    def setting(self, point: Point) -> Setting:
        # Half of the class is active where the point does not say.
        effort = BinaryEffort(point.x)
        return Setting(students=self.students, assignments=self.assignments, effort=effort)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortAUC(int64=True),)


@experiment(
    "e8",
    label="Binary effort, biased",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay tell active graders from passive ones if they are biased?",
)
@dataclass(frozen=True)
class ByActiveGraders(BinaryEffortBiased):
    """10 to 90 of 100 biased graders are active; the AUC of active against passive pay."""

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in range(self.students // 10, self.students, self.students // 10)]


@experiment(
    "e8-box",
    label="Binary effort, biased, 500 semesters",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How does the AUC of active against passive pay scatter over semesters?",
)
@dataclass(frozen=True)
class OverSemesters(BinaryEffortBiased):
    """Half of 100 biased graders are active, in each of 500 semesters."""

    repetitions: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]
