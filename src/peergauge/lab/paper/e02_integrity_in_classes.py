"""Does the pay measure how good the grading was, in classes as they are?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from peergauge.core.arrays import Ints
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.paper.classes import OverClasses
from peergauge.lab.paper.mechanisms import for_any_class
from peergauge.mechanisms import Mechanism, score
from peergauge.metrics import AccuracyMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.tables import Reports, Rewards, Truth

BLOCKS = 4

AGAIN = ", students drawn again"
"""What is added to the name of a measure where the students are drawn again."""

MEASURES: tuple[AccuracyMetric, ...] = tuple(
    measure(per="report", int64=True) for measure in (BinaryAUC, QuinaryAUC, KendallTau, Pearson)
)


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
    every block count, and of them those who were paid so far: a grade whose pairings all lack
    penalty tasks is not paid, and no pay is not a pay of 0. Random mechanisms are repeated; others
    are run once. A class of fewer than four assignments has as many blocks as assignments.

    After the last block, every repetition also measures as many students, drawn again from those
    who count: the deviation of these values is the error that a class of so few leaves, which
    repeating the draws of a mechanism does not show.

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
        draws = derived_seed(own, "draws")
        ends = ends_of_blocks(taught.reports)
        counted = present_in_every_block(taught.reports, ends)
        file = f"real-integrity_{taught.name}"
        for paid in self.paid_in(taught, file, for_any_class(self.bias)):
            random = paid.mechanism.facts.random
            pay = partial(_pay, paid.mechanism, taught.reports, counted, draws)
            # What is not random is paid once for all repetitions.
            rewards = pay() if random else taught.reports.derived((paid.mechanism, "counted"), pay)
            for block, end in enumerate(ends, start=1):
                last = block == len(ends)
                if repetition and not random and not last:
                    continue
                so_far = paid_so_far(rewards, end)
                for measure in MEASURES:
                    found = {}
                    if random or not repetition:
                        found[measure.published] = measure.measure(so_far, taught.truth)
                    if last:
                        drawn = stream(own, "students")
                        found[measure.published + AGAIN] = drawn_again(
                            measure, so_far, taught.truth, drawn
                        )
                    for metric, value in found.items():
                        yield paid.row(metric, value, repetition, own, x=block)


def _pay(mechanism: Mechanism, reports: Reports, counted: Ints, seed: int) -> Rewards:
    return score(mechanism, reports, seed=seed).among(counted)


def paid_so_far(rewards: Rewards, end: int) -> Rewards:
    """What the first assignments paid, without those to whom they paid nothing."""
    so_far = rewards.first(end)
    paid = ~np.isnan(so_far.total)
    return so_far if paid.all() else so_far.among(np.flatnonzero(paid))


def drawn_again(
    measure: AccuracyMetric, rewards: Rewards, truth: Truth, rng: np.random.Generator
) -> float:
    """Measure as many students, drawn from these with replacement (Efron 1979)."""
    pay, error = measure.known(rewards, truth)
    if not len(pay):
        return float("nan")
    drawn = rng.integers(len(pay), size=len(pay))
    return measure.compare(pay[drawn], error[drawn])


def ends_of_blocks(reports: Reports) -> list[int]:
    """After how many assignments each block ends: four of about the same size, of what is paid."""
    there = np.unique(reports.paid_only.assignment)
    blocks = np.array_split(there, min(BLOCKS, len(there)))
    return [int(block[-1]) + 1 for block in blocks]


def present_in_every_block(reports: Reports, ends: Sequence[int]) -> Ints:
    """The graders who gave a grade in every block of assignments."""
    reports = reports.paid_only
    block = np.searchsorted(ends, reports.assignment, side="right")
    present = np.zeros((len(ends), reports.graders), dtype=np.bool_)
    present[block, reports.grader] = True
    return np.flatnonzero(present.all(axis=0)).astype(np.int32)
