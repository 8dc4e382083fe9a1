"""The one loop that measures a deviation: pay before and after, and the deviator's rank in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.mechanisms import Mechanism, score
from peergauge.metrics.rank_gain import RankGain
from peergauge.tables import Reports

Pay: TypeAlias = Callable[[Reports], Floats]
"""Pays a class: one number for each grader, NaN for graders who cannot be paid."""


class Deviation(NamedTuple):
    """Reports of a class before and after one or several graders change their strategy.

    Deviators of one deviation are measured one by one, as if the others had not deviated. That is
    exact for a single deviator. For several it is an approximation, which is close if no two of
    them grade the same submission, and saves one payment for each of them. Deviators who deviate
    *together*, such as a circle of friends, are measured as they are, and the deviators may be some
    of them.
    """

    before: Reports
    after: Reports
    deviators: tuple[int, ...]
    together: bool = False


class DeviationGain(NamedTuple):
    """Pay of all graders before and after one grader deviates."""

    deviator: int
    before: Floats
    after: Floats

    def ranks(self, measure: RankGain) -> float:
        """Ranks that the deviator gains; NaN if the deviator is not paid."""
        return measure.between(self.before, self.after, self.deviator)

    @property
    def pay(self) -> float:
        """Pay that the deviator gains."""
        with np.errstate(invalid="ignore"):
            return float(self.after[self.deviator] - self.before[self.deviator])


def pay_per_report(mechanism: Mechanism, reports: Reports, *, seed: int) -> Floats:
    """Mean pay of each grader per report, NaN for graders who cannot be paid."""
    return score(mechanism, reports, seed=seed).per_report


def deviation_gains(
    deviations: Iterable[Deviation], pay: Pay, *, paid: tuple[Reports, Floats] | None = None
) -> Iterator[DeviationGain]:
    """Measure every deviator of every deviation.

    Reports that several deviations start from are paid once, and a deviation that changes no grade
    is not paid again. *paid* are reports that have been paid already, with their pay.
    """
    for before, after, deviators, together in deviations:
        if paid is None or paid[0] is not before:
            paid = before, pay(before)
        pay_before = paid[1]
        pay_after = pay_before if _same_grades(before, after) else pay(after)
        for deviator in deviators:
            alone = pay_after
            if len(deviators) > 1 and not together:
                alone = pay_after.copy()
                others = [one for one in deviators if one != deviator]
                alone[others] = pay_before[others]
            yield DeviationGain(deviator, pay_before, alone)


def _same_grades(before: Reports, after: Reports) -> bool:
    """Whether a deviation changes no grade, compared once for all mechanisms that pay it."""
    return before.derived(
        "same grades",
        lambda: len(before) == len(after) and np.array_equal(before.grade, after.grade),
        of=after,
    )
