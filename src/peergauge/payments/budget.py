"""Divide a budget in proportion to scores."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.payments import PaymentFacts, PaymentRule, payment
from peergauge.payments.shares import among_scored, finite, positive_amount, shares_above


@payment(
    "budget",
    label="Budget",
    source="textbook (proportional division)",
    relative=True,
    keeps_order=True,
    affine=False,
    limited_liability=True,
    exact_budget=True,
)
@dataclass(frozen=True)
class Budget(PaymentRule):
    r"""A share of a budget, in proportion to the part of the score above a floor.

    .. math:: p_i = B \frac{\max(0, s_i - f)}{\sum_j \max(0, s_j - f)}

    The floor f is the lowest score of the class, or a number that is given. Without a given floor
    the whole budget is paid, in equal shares if all scores are equal. With a given floor, a score
    below it earns nothing, and nothing is paid if no score is above it, so that the total never
    exceeds the budget.

    Given the scores of the others, pay is a concave function of the own score. In a class of n
    graders the curvature is about 1/n of the slope, so that the rule is nearly affine in a large
    class and risk hardly matters. Because the floor is the lowest score, one very low score makes
    the shares of all others nearly equal; give a floor where that can happen.

    Parameters
    ----------
    total
        B: the amount that is divided.
    floor
        f: the score that earns nothing; ``none`` for the lowest score of the class.
    """

    total: float = 100.0
    floor: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_amount(self.total, "budget")
        if self.floor is not None and not np.isfinite(self.floor):
            raise ParameterError(f"The floor of scores must be finite, but is {self.floor:g}.")

    @property
    def facts_here(self) -> PaymentFacts:
        if self.floor is None:
            return self.facts
        return replace(self.facts, keeps_order=False, exact_budget=False)

    def expected(self, score: Floats) -> Floats:
        finite(score, self.facts.name)
        return among_scored(score, lambda known: self.total * shares_above(known, self.floor))

    def budget_for(self, graders: int) -> float | None:  # noqa: ARG002
        return self.total if self.floor is None else None
