"""Can true scores be recovered from reports?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import (
    Experiment,
    Measurement,
    Point,
    experiment,
    parameters_of,
)
from peergauge.engine.results import Row
from peergauge.metrics.score_error import ScoreError
from peergauge.models import models
from peergauge.simulate import NormalBias, Setting, simulate

BIASED, UNBIASED = "true-grade-recovery", "true-grade-recovery_no-bias"
"""Names of the two kinds of classes in random streams."""

MODELS = ("mean", "pg1:bias=no", "pg1")
"""The consensus grade, and the estimation procedure without and with biases."""


@experiment(
    "e12",
    label="Recovering true scores",
    source="Burrell & Schoenebeck 2022, appendix on estimating ground truth scores",
    question="How close do the consensus and the estimation procedure come to the true scores?",
)
@dataclass(frozen=True)
class TrueGradeRecovery(Experiment):
    """One assignment of 100 submissions; the consensus grade against model PG1.

    Biased graders: without and with biases in the model. Unbiased graders: without.

    Parameters
    ----------
    students
        How many there are.
    """

    repetitions: int = 1000
    students: int = 100

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        error = ScoreError()
        for kind, deviation in ((BIASED, 1.0), (UNBIASED, 0.0)):
            own = self.own_seed(seed, point._replace(kind=kind), repetition)
            setting = Setting(students=self.students, assignments=1, bias=NormalBias(deviation))
            semester = simulate(setting, own)
            found = Measurement(self.facts.name, repetition, own, parameters_of(setting))
            for model in MODELS if deviation else MODELS[:2]:
                estimate = models.make(model).fit(semester.reports).score
                value = error.measure(estimate, semester.reports, semester.truth)
                yield found.row("", error.facts.name, value, model=model)
