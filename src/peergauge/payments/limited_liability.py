"""Pay linearly above a threshold and nothing below it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.payments import PaymentFacts, PaymentRule, payment
from peergauge.payments.shares import among_scored, finite, positive_amount

DEFAULT_BUDGET_AMOUNT = 100.0
"""Amount that is paid if neither a budget nor a threshold is given."""


@payment(
    "limited-liability",
    label="Limited liability",
    source="Innes 1990; for peer prediction Zhang & Schoenebeck 2023",
    relative=True,
    keeps_order=False,
    affine=False,
    limited_liability=True,
    exact_budget=True,
)
@dataclass(frozen=True)
class LimitedLiability(PaymentRule):
    r"""A linear rule without negative pay, whose threshold uses a budget exactly.

    .. math:: p_i = b \max(0, s_i - t)

    The threshold t is the number for which the total is the budget. It is unique and found exactly:
    the total is a piecewise linear, decreasing function of t. A steeper slope has a higher
    threshold and pays fewer graders more. A given threshold instead of a budget makes the pay of
    each grader independent of the others, and leaves the total open.

    **Risk matters.** The rule is convex: a grader who expects a score below the threshold gains by
    any report that makes the score riskier, even if its expectation falls. Graders far below the
    threshold have no incentive to work.

    Parameters
    ----------
    slope
        b: the price of one unit of the score above the threshold.
    budget
        The amount that is paid in total; 100 if no threshold is given either.
    threshold
        t, instead of a budget.
    """

    slope: float = 1.0
    budget: float | None = None
    threshold: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_amount(self.slope, "slope of pay")
        if self.budget is not None:
            positive_amount(self.budget, "budget")
        if self.threshold is not None and not np.isfinite(self.threshold):
            raise ParameterError(
                f"The threshold of scores must be finite, but is {self.threshold:g}."
            )
        if self.budget is not None and self.threshold is not None:
            raise ParameterError(
                "The threshold follows from the budget; give either a budget or a threshold."
            )

    @property
    def facts_here(self) -> PaymentFacts:
        given = self.threshold is not None
        return replace(self.facts, relative=not given, exact_budget=not given)

    def expected(self, score: Floats) -> Floats:
        finite(score, self.facts.name)
        return among_scored(score, self._rule)

    def budget_for(self, graders: int) -> float | None:  # noqa: ARG002
        if self.threshold is not None:
            return None
        return DEFAULT_BUDGET_AMOUNT if self.budget is None else self.budget

    def _rule(self, known: Floats) -> Floats:
        total = self.budget_for(len(known))
        if total is None:
            return np.asarray(self.slope * np.maximum(known - (self.threshold or 0.0), 0.0))
        above = parts_above(known, max(total / self.slope, np.finfo(np.float64).tiny))
        # The sum is the budget up to rounding errors, which this removes.
        return np.asarray(total * (above / above.sum()))


def parts_above(score: Floats, total: float) -> Floats:
    """The parts of all scores above the threshold for which these parts add up to *total*.

    >>> parts_above(np.array([1.0, 5.0, 4.0]), 3.0).tolist()
    [0.0, 2.0, 1.0]
    """
    # Measured down from the best score, so that large scores lose no digits.
    below = np.sort(score.max() - score)
    counts = np.arange(1, len(score) + 1)
    # Depth of the threshold if exactly the best 1, 2, … graders are above it.
    depth = (total + np.cumsum(below)) / counts
    # The best k are above the threshold as long as the k-th is not deeper than it.
    paid = int(np.flatnonzero(depth >= below)[-1])
    return np.asarray(np.maximum(depth[paid] - (score.max() - score), 0.0))
