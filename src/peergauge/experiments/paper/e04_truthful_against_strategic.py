"""Are truthful graders paid more than strategic ones?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peergauge.experiments import MeasuredRewards, Point, experiment
from peergauge.experiments.paper._mechanisms import body
from peergauge.metrics import RewardMetric
from peergauge.metrics.strategic_auc import StrategicAUC
from peergauge.simulate import Setting, strategies


@experiment(
    "e4",
    label="Truthful against strategic pay",
    source="Burrell & Schoenebeck 2022, appendix, Robustness Against Strategic Reporting",
    question="Does pay tell truthful graders from strategic ones?",
)
@dataclass(frozen=True)
class TruthfulAgainstStrategic(MeasuredRewards):
    """10 to 90 of 100 graders follow one strategy; the AUC of truthful against strategic pay.

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
        steps = range(self.students // 10, self.students, self.students // 10)
        names = [name for name in strategies.classes() if name != "truthful"]
        return [Point(x, name) for name in names for x in steps]

    def setting(self, point: Point) -> Setting:
        return Setting(
            students=self.students,
            assignments=self.assignments,
            strategies={point.strategy: point.x or 0},
        )

    def files(self, point: Point) -> Mapping[str, Sequence[str]]:
        return {"truthful_vs_strategic_payments-ce-bias": body("correct")}

    def measures(self) -> Sequence[RewardMetric]:
        return (StrategicAUC(int64=True),)
