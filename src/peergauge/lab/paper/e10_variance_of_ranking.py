"""How much of a ranking is luck?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Class, Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.paper.mechanisms import OA, PHI_DIV, PTS
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import score
from peergauge.metrics.tau_variance import TauVariance
from peergauge.simulate import Setting

TVD, KL, _, _ = PHI_DIV
FILES = {
    "ce-bias-variance_of_ranking_quality-nonparam": ("dmi", OA, KL, TVD, PTS),
    "ce-bias-variance_of_ranking_quality-param": ("mse", "mse-p", "phi-div-p:divergence=h2"),
}


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
        graded = [Class(setting, own, repeat) for repeat in range(self.repeats)]
        measure = TauVariance(int64=True)
        for paid in self.paid(FILES):
            rewards = []
            for taught in graded:
                semester = taught.suited_to(paid.mechanism)
                draws = derived_seed(own, "repeat", taught.repeat)
                repeat = score(paid.mechanism, semester.reports, seed=draws)
                rewards.append((repeat, semester.truth))
            yield paid.row(measure.published, measure.measure(rewards), repetition, own)
