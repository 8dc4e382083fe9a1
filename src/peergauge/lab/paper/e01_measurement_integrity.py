"""Does the pay measure how good the grading was?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.roster import body, parametric
from peergauge.lab.paper.sizes import UpToSomeAssignments
from peergauge.metrics import RewardMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.simulate import Setting


@experiment(
    "e1",
    label="Measurement integrity",
    source="Burrell & Schoenebeck 2022, Quantifying Measurement Integrity",
    question="How well does pay measure squared error, as the number of assignments grows?",
)
@dataclass(frozen=True)
class MeasurementIntegrity(UpToSomeAssignments, MeasuredRewards):
    """500 students grade 1 to 15 assignments; four measures of pay against squared error."""

    repetitions: int = 50
    students: int = 500

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in self.numbers()]

    def setting(self, point: Point) -> Setting:
        return Setting(students=self.students, assignments=point.x or 1)

    def roster(self) -> Sequence[str]:
        return (*body("ignore"), "mse-p:bias=estimate", *parametric("correct"))

    def measures(self) -> Sequence[RewardMetric]:
        return (
            BinaryAUC(int64=True),
            QuinaryAUC(int64=True),
            KendallTau(int64=True),
            Pearson(int64=True),
        )
