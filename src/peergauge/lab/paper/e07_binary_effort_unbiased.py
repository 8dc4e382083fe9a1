"""Does pay tell active graders from passive ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.roster import body, novel, novel_as_published
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.simulate import BinaryEffort, NormalBias, Setting


@dataclass(frozen=True)
class BinaryEffortUnbiased(OfOneSize, MeasuredRewards):
    """Active graders average three draws, passive ones have one; nobody is biased."""

    def setting(self, point: Point) -> Setting:
        active = self.students // 2 if point.x is None else point.x
        return Setting(
            students=self.students,
            assignments=self.assignments,
            effort=BinaryEffort(active),
            bias=NormalBias(0),
        )

    def roster(self) -> Sequence[str]:
        return body("ignore")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortAUC(int64=True),)


@experiment(
    "e7",
    label="Binary effort, unbiased",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay tell active graders from passive ones, however many there are?",
)
@dataclass(frozen=True)
class ByActiveGraders(BinaryEffortUnbiased):
    """10 to 90 of 100 unbiased graders are active; the AUC of active against passive pay."""

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in range(self.students // 10, self.students, self.students // 10)]

    def roster(self) -> Sequence[str]:
        return (*super().roster(), *novel("ignore"), *novel_as_published("ignore"))


@experiment(
    "e7-box",
    label="Binary effort, unbiased, 500 semesters",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How does the AUC of active against passive pay scatter over semesters?",
)
@dataclass(frozen=True)
class OverSemesters(BinaryEffortUnbiased):
    """Half of 100 unbiased graders are active, in each of 500 semesters."""

    repetitions: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]
