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
from peergauge.lab.paper.roster import for_any_class
from peergauge.mechanisms import Mechanism, score
from peergauge.metrics import AccuracyMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.tables import Reports, Rewards, Truth

BLOCKS = 4

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

    After the last block, every repetition also measures a bootstrap sample of the students who
    count (``resampled``). The standard deviation of these values is the standard error that is due
    to the size of the class, which repeating the draws of a mechanism does not show.

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
        found = self.measurement(repetition, own, **{"class": taught.name})
        for chosen, mechanism in self.paying_in(taught, for_any_class(self.bias)):
            random = mechanism.facts.random
            pay = partial(_pay, mechanism, taught.reports, counted, draws)
            # A mechanism that is not random pays once for all repetitions.
            rewards = pay() if random else taught.reports.derived((mechanism, "counted"), pay)
            measured = range(len(ends)) if random or not repetition else []
            for block in measured:
                so_far = paid_so_far(rewards, ends[block])
                for measure in MEASURES:
                    value = measure.measure(so_far, taught.truth)
                    name = measure.facts.name
                    yield found.row(chosen, name, value, block=block + 1, resampled=False)
            so_far = paid_so_far(rewards, ends[-1])
            for measure in MEASURES:
                value = resampled(measure, so_far, taught.truth, stream(own, "students"))
                name = measure.facts.name
                yield found.row(chosen, name, value, block=len(ends), resampled=True)


def _pay(mechanism: Mechanism, reports: Reports, counted: Ints, seed: int) -> Rewards:
    return score(mechanism, reports, seed=seed).among(counted)


def paid_so_far(rewards: Rewards, end: int) -> Rewards:
    """What the first assignments paid, without those to whom they paid nothing."""
    so_far = rewards.first(end)
    paid = ~np.isnan(so_far.total)
    return so_far if paid.all() else so_far.among(np.flatnonzero(paid))


def resampled(
    measure: AccuracyMetric, rewards: Rewards, truth: Truth, rng: np.random.Generator
) -> float:
    """Measure a bootstrap sample: as many students, drawn with replacement (Efron 1979)."""
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
