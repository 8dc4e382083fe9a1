"""Payment rules, which turn the scores of a mechanism into money or points: one in each file.

A mechanism scores graders, and a payment rule decides what the scores are worth. The second stage
may pay prizes, keep to a budget or never take money away. A rule that is not affine also changes
incentives: the report with the highest expected score need not have the highest expected pay.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.core.brief import brief
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.randomness import stream
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.payments.payout import Payout
from peergauge.tables import Rewards

__all__ = [
    "PaymentFacts",
    "PaymentRule",
    "Payout",
    "pay",
    "payment",
    "payments",
]


@dataclass(frozen=True, kw_only=True)
class PaymentFacts(Facts):
    """The facts that a payment rule declares about itself, with its default parameters.

    Parameters
    ----------
    relative
        Whether the pay of a grader depends on the scores of other graders.
    keeps_order
        Whether of two graders the one with the higher score always has the higher expected pay. If
        not, some graders are paid alike although their scores differ.
    affine
        Whether expected pay is an affine function of the grader's own score. Only then is the
        report with the highest expected score certain to have the highest expected pay; under any
        other rule a grader may prefer a riskier or a safer score with a lower expectation.
    random
        Whether pay depends on a random draw.
    limited_liability
        Whether pay is never negative.
    exact_budget
        Whether the total depends only on the number of paid graders, so that it is known before.

    Examples
    --------
    >>> payments["tournament:prizes=100+50"].facts.relative
    True
    """

    relative: bool
    keeps_order: bool
    affine: bool
    random: bool = False
    limited_liability: bool
    exact_budget: bool

    __repr__ = brief


class PaymentRule(Plugin):
    """A rule that turns the scores of all graders into their pay.

    A score of NaN means that a grader could not be scored. Such a grader stays unpaid (NaN), which
    differs from a pay of zero.

    Examples
    --------
    >>> rule = payments["tournament:prizes=100+50"]
    >>> rule.expected(np.array([3.0, 8.0, 5.0]))
    array([  0., 100.,  50.])
    """

    facts: ClassVar[PaymentFacts]

    @property
    def facts_here(self) -> PaymentFacts:
        """The facts with the parameters of this rule, which may differ from the declared ones."""
        return self.facts

    @abstractmethod
    def expected(self, score: Floats) -> Floats:
        """Expected pay of each grader, given the scores of all; NaN for a score of NaN."""

    def draw(self, score: Floats, rng: np.random.Generator) -> Floats:  # noqa: ARG002
        """Pay of each grader; it equals the expected pay unless the rule is random."""
        return self.expected(score)

    def budget_for(self, graders: int) -> float | None:  # noqa: ARG002
        """Total that is paid to this number of graders; None if it depends on their scores."""
        return None


payments: Registry[PaymentRule] = Registry("payment rule", __name__, PaymentFacts)
payment = payments.register


def pay(
    payment: str | PaymentRule,
    scores: Rewards | ArrayLike,
    *,
    per: Literal["semester", "report"] = "semester",
    seed: int = 0,
) -> Payout:
    """Pay graders by a payment rule, given as an object or by its spec string.

    Parameters
    ----------
    payment
        The rule, such as ``tournament:prizes=100+50+25``.
    scores
        The rewards of a mechanism, or one score for each grader.
    per
        Whether graders are paid by their totals over the ``semester``, or by their mean reward per
        ``report``, for classes in which some graders grade more than others.
    seed
        Seed of the draw of a random rule.

    Examples
    --------
    >>> pay("tournament:prizes=100+50", [3.0, 8.0, float("nan"), 5.0]).amount.tolist()
    [0.0, 100.0, nan, 50.0]
    """
    rule = payments.make(payment)
    if per not in ("semester", "report"):
        raise ParameterError(
            f"Graders are paid by their totals per 'semester' or by their means per 'report', "
            f"not per '{per}'."
        )
    names = None
    if isinstance(scores, Rewards):
        names = scores.reports.grader_names
        score = scores.per_report if per == "report" else scores.total
    else:
        score = np.asarray(scores, dtype=np.float64)
        if score.ndim != 1:
            raise TableError(
                f"Payment rules take one score for each grader, but an array with "
                f"{score.ndim} dimensions was given; give totals, or the rewards themselves."
            )
    if np.isnan(score).all():
        raise TableError("No grader has a score, so that nobody can be paid.")
    rng = stream(seed, "payment", rule.facts.name)
    return Payout(rule.spec, score, rule.draw(score, rng), rule.expected(score), names)


def __dir__() -> list[str]:
    return __all__
