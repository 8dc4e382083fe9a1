"""Does pay tell active graders from passive ones if they are biased?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peergauge.experiments import MeasuredRewards, Point, experiment
from peergauge.experiments.paper._mechanisms import body
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.simulate import BinaryEffort, Setting


@experiment(
    "e8",
    label="Binary effort, biased",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay tell active graders from passive ones if they are biased?",
)
@dataclass(frozen=True)
class BinaryEffortBiased(MeasuredRewards):
    """10 to 90 of 100 biased graders are active; the AUC of active against passive pay.

    Parameters
    ----------
    students
        How many there are.
    assignments
        How many each semester has.
    """

    students: int = 100
    assignments: int = 10

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in range(self.students // 10, self.students, self.students // 10)]

    def setting(self, point: Point) -> Setting:
        return Setting(
            students=self.students, assignments=self.assignments, effort=BinaryEffort(point.x)
        )

    def files(self, point: Point) -> Mapping[str, Sequence[str]]:
        return {"be-bias-all": body("correct")}

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortAUC(int64=True),)
