"""Does the pay measure how good the grading was, in classes as they are?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.experiments import Point, experiment
from peergauge.experiments.classes import OverClasses
from peergauge.experiments.paper._mechanisms import for_any_class
from peergauge.grouping import Ints
from peergauge.mechanisms import score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.randomness import derived_seed
from peergauge.results import Row
from peergauge.tables import Reports

BLOCKS = 4


@experiment(
    "e2",
    label="Measurement integrity in classes",
    source="Burrell & Schoenebeck 2022, Quantifying Measurement Integrity, real data",
    question="How well does pay measure squared error where some grade more than others?",
)
@dataclass(frozen=True)
class IntegrityInClasses(OverClasses):
    """Average pay against average squared error, after each of four blocks of assignments.

    Pay and error are divided by the number of grades behind them. Only students with a grade in
    every block count. Random mechanisms are repeated; others are run once.

    Parameters
    ----------
    bias
        How parametric mechanisms treat bias; as in E1 if left out.
    """

    repetitions: int = 50
    bias: Literal["ignore", "estimate", "correct"] = "ignore"

    def points(self) -> Sequence[Point]:
        return [Point(kind=name) for name in self.names()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        taught = self.load(point.kind, seed)
        own = self.own_seed(seed, point, repetition)
        measures = [
            measure(per="report", int64=True)
            for measure in (BinaryAUC, QuinaryAUC, KendallTau, Pearson)
        ]
        ends = ends_of_blocks(taught.reports.assignments)
        counted = present_in_every_block(taught.reports, ends)
        file = f"real-integrity_{taught.name}"
        for _, name, mechanism in self.paid_in(taught, file, for_any_class(self.bias)):
            if repetition and not mechanism.facts.random:
                continue
            draws = derived_seed(own, "draws")
            rewards = score(mechanism, taught.reports, seed=draws).among(counted)
            for block, end in enumerate(ends, start=1):
                so_far = rewards.first(end)
                for measure in measures:
                    yield Row(
                        experiment=file,
                        mechanism=name,
                        spec=mechanism.spec,
                        strategy="",
                        x=block,
                        metric=measure.published,
                        repetition=repetition,
                        seed=own,
                        value=measure.measure(so_far, taught.truth),
                    )


def ends_of_blocks(assignments: int) -> list[int]:
    """After how many assignments each block ends: four blocks of about the same size.

    >>> ends_of_blocks(14)
    [4, 8, 11, 14]
    >>> ends_of_blocks(2)
    [1, 2]
    """
    blocks = np.array_split(np.arange(assignments), min(BLOCKS, assignments))
    return [int(block[-1]) + 1 for block in blocks]


def present_in_every_block(reports: Reports, ends: Sequence[int]) -> Ints:
    """The graders who gave a grade in every block of assignments."""
    reports = reports.paid_only
    block = np.searchsorted(ends, reports.assignment, side="right")
    present = np.zeros((len(ends), reports.graders), dtype=np.bool_)
    present[block, reports.grader] = True
    return np.flatnonzero(present.all(axis=0)).astype(np.int32)
