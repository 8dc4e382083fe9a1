"""Can true scores be recovered from reports?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.engine.experiment import Experiment, Point, experiment
from peergauge.engine.results import Row
from peergauge.metrics.score_error import ScoreError
from peergauge.models.pg1 import PG1
from peergauge.simulate import NormalBias, Setting, simulate

BIASED, UNBIASED = "true-grade-recovery", "true-grade-recovery_no-bias"


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
        for file, deviation in ((BIASED, 1.0), (UNBIASED, 0.0)):
            own = self.own_seed(seed, point._replace(kind=file), repetition)
            setting = Setting(students=self.students, assignments=1, bias=NormalBias(deviation))
            semester = simulate(setting, own)
            reports = semester.reports
            total = np.bincount(reports.submission, reports.grade, minlength=reports.submissions)
            estimates = {
                "Consensus-Grade": ("mean", total / np.diff(reports.submission_bounds)),
                "Procedure-NB": ("pg1:bias=no", PG1(bias=False).fit(reports).score),
            }
            if file == BIASED:
                estimates["Procedure"] = ("pg1", PG1().fit(reports).score)
            for method, (spec, estimate) in estimates.items():
                value = error.measure(estimate, reports, semester.truth)
                yield Row(file, method, spec, "", None, error.published, repetition, own, value)
