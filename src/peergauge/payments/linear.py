"""Pay a fixed amount plus a price for each unit of the score."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.payments import PaymentFacts, PaymentRule, payment
from peergauge.payments.shares import among_scored, finite, positive_amount


@payment(
    "linear",
    label="Linear",
    source="textbook; for peer prediction Zhang & Schoenebeck 2023",
    relative=False,
    keeps_order=True,
    affine=True,
    limited_liability=False,
    exact_budget=False,
)
@dataclass(frozen=True)
class Linear(PaymentRule):
    r"""A base amount plus a slope times the score, clipped to a range if one is given.

    .. math:: p_i = \min(h, \max(l, a + b s_i))

    Without clipping, pay is an affine function of the score. Risk then does not matter: a report
    that maximises the expected score maximises the expected pay, whatever the others do. Pay may be
    negative, and the total is not known before. Clipping bounds the pay, but graders whose scores
    are beyond the bounds have no incentive left, and graders near a bound prefer risk (at the
    lower bound) or avoid it (at the upper bound).

    Parameters
    ----------
    slope
        b: the price of one unit of the score.
    base
        a: pay for a score of zero.
    lowest, highest
        l and h: the bounds of pay; infinite for no bound.
    """

    slope: float = 1.0
    base: float = 0.0
    lowest: float = -np.inf
    highest: float = np.inf

    def __post_init__(self) -> None:
        super().__post_init__()
        positive_amount(self.slope, "slope of linear pay")
        if not np.isfinite(self.base):
            raise ParameterError(f"The base of linear pay must be finite, but is {self.base:g}.")
        if not self.lowest < self.highest:
            raise ParameterError(
                f"The lowest pay must be below the highest, but {self.lowest:g} and "
                f"{self.highest:g} were given."
            )

    @property
    def facts_here(self) -> PaymentFacts:
        clipped = np.isfinite(self.lowest) or np.isfinite(self.highest)
        return replace(
            self.facts,
            keeps_order=not clipped,
            affine=not clipped,
            limited_liability=self.lowest >= 0,
        )

    def expected(self, score: Floats) -> Floats:
        if not (np.isfinite(self.lowest) and np.isfinite(self.highest)):
            finite(score, self.facts.name)

        def rule(known: Floats) -> Floats:
            # A product beyond the largest number is beyond any bound.
            with np.errstate(over="ignore"):
                paid = np.clip(self.base + self.slope * known, self.lowest, self.highest)
            return finite(paid, self.facts.name)

        return among_scored(score, rule)
