"""Does pay rank graders as their effort does?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.sizes import OfOneSize, UpToSomeAssignments
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_tau import EffortTau
from peergauge.simulate import NormalBias, Setting

BIASED, UNBIASED = "ce-bias-all", "ce-no_bias-all"
"""Names of the two kinds of classes in random streams."""


@experiment(
    "e9",
    label="Continuous effort",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay rank graders as their effort does, as the number of assignments grows?",
)
@dataclass(frozen=True)
class ContinuousEffort(UpToSomeAssignments, MeasuredRewards):
    """100 students grade 1 to 15 assignments, biased and unbiased; τ_B of pay with effort.

    Biases are estimated and corrected also where there are none, as in the published files.
    """

    def points(self) -> Sequence[Point]:
        return [Point(x, kind=kind) for kind in (BIASED, UNBIASED) for x in self.numbers()]

    def setting(self, point: Point) -> Setting:
        deviation = 1.0 if point.kind == BIASED else 0.0
        return Setting(students=self.students, assignments=point.x or 1, bias=NormalBias(deviation))

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)


@experiment(
    "e9-box",
    label="Continuous effort, 500 semesters",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How does τ_B of pay with effort scatter over semesters?",
)
@dataclass(frozen=True)
class OverSemesters(OfOneSize, MeasuredRewards):
    """100 biased students grade 10 assignments, in each of 500 semesters."""

    repetitions: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]

    def setting(self, point: Point) -> Setting:
        return Setting(students=self.students, assignments=self.assignments)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)
