"""Does pay still rank effort when some are strategic?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from peergauge.experiments import MeasuredRewards, Point, experiment
from peergauge.experiments.paper._mechanisms import body
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_tau import EffortTau
from peergauge.simulate import Setting, strategies


@experiment(
    "e11",
    label="Ranking with strategic graders",
    source="Burrell & Schoenebeck 2022, appendix, Integrity in the Presence of Strategic Agents",
    question="Does pay still rank graders by effort when some of them are strategic?",
)
@dataclass(frozen=True)
class StrategicRanking(MeasuredRewards):
    """0 to 100 of 100 graders follow one informed strategy; τ_B of pay with effort.

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
        steps = range(0, self.students + 1, self.students // 10)
        informed = [
            name
            for name, cls in strategies.classes().items()
            if cls.facts.informed and name != "truthful"
        ]
        return [Point(x, name) for name in informed for x in steps]

    def setting(self, point: Point) -> Setting:
        return Setting(
            students=self.students,
            assignments=self.assignments,
            strategies={point.strategy: point.x or 0},
        )

    def files(self, point: Point) -> Mapping[str, Sequence[str]]:
        return {"strategic-ce-bias": body("correct")}

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)
