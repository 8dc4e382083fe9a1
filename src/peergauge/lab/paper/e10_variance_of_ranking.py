"""How much of a ranking is luck?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.paper.roster import OA, PHI_DIV, PTS
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import score
from peergauge.metrics.tau_variance import TauVariance
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

TVD, KL, _, _ = PHI_DIV
ROSTER = ("dmi", OA, KL, TVD, PTS, "mse", "mse-p", "phi-div-p:divergence=h2")


@experiment(
    "e10",
    label="Variance of ranking quality",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How much does τ_B with effort vary when the same class is graded anew?",
)
@dataclass(frozen=True)
class VarianceOfRanking(OfOneSize):
    """50 classes of 100 students and 10 assignments, each graded anew 50 times.

    Graders and submissions stay; who grades whom, what they see and what a random mechanism draws
    differ. The value of a class is the variance of τ_B over its repeats.

    Parameters
    ----------
    repeats
        How often each class is graded.
    """

    repetitions: int = 50
    repeats: int = 50

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(students=self.students, assignments=self.assignments)
        source, measure = SemesterSource(setting), TauVariance(int64=True)
        repeated = [source.draw(own, repeat) for repeat in range(self.repeats)]
        found = self.measurement(repetition, own, **parameters_of(setting), repeats=self.repeats)
        for mechanism in self.paying(ROSTER):
            rewards = []
            for simulated in repeated:
                semester = simulated.semester(mechanism.facts.design)
                draws = derived_seed(own, "repeat", simulated.repeat)
                paid = score(mechanism, semester.reports, seed=draws)
                rewards.append((paid, semester.truth))
            yield found.row(mechanism, measure.facts.name, measure.measure(rewards))
