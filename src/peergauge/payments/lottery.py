"""Raffle prizes: a higher score means a higher chance to win."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.payments import PaymentFacts, PaymentRule, payment
from peergauge.payments.shares import among_scored, finite, positive_amount, shares_above


@payment(
    "lottery",
    label="Lottery",
    source="textbook; for risk-neutral pay with few prizes Roth & Malouf 1979",
    relative=True,
    keeps_order=True,
    affine=False,
    random=True,
    limited_liability=True,
    exact_budget=True,
)
@dataclass(frozen=True)
class Lottery(PaymentRule):
    r"""Prizes that are drawn with probabilities in proportion to the scores above a floor.

    .. math:: E[p_i] = k w \frac{\max(0, s_i - f)}{\sum_j \max(0, s_j - f)}

    where k prizes of w are drawn independently. A grader may win several prizes, unless ``once`` is
    set: then every grader wins at most one, and probabilities that would exceed 1 are 1 and leave
    more to the others. The floor f is the lowest score of the class, or a number that is given.

    The expected pay is that of the budget rule with a total of k·w, but only a few prizes need to
    be handed out, and a prize can be something that cannot be divided. Since a grader either wins
    or does not, only the probability counts, whatever the grader's attitude to risk in money
    (Roth & Malouf 1979); in a large class it is nearly an affine function of the own score.

    Parameters
    ----------
    prizes
        k: the number of prizes.
    prize
        w: the value of each prize.
    floor
        f: the score that never wins; ``none`` for the lowest score of the class. Nobody wins if no
        score is above a given floor.
    once
        Whether every grader wins at most one prize.
    """

    prizes: int = 1
    prize: float = 1.0
    floor: float | None = None
    once: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.prizes < 1:
            raise ParameterError(
                f"A lottery needs at least one prize, but {self.prizes} were given."
            )
        positive_amount(self.prize, "prize of a lottery")
        if self.floor is not None and not np.isfinite(self.floor):
            raise ParameterError(f"The floor of scores must be finite, but is {self.floor:g}.")

    @property
    def facts_here(self) -> PaymentFacts:
        plain = self.floor is None
        return replace(
            self.facts, keeps_order=plain and not self.once, exact_budget=plain and not self.once
        )

    def expected_wins(self, known: Floats) -> Floats:
        """Expected number of prizes of each grader."""
        shares = shares_above(known, self.floor)
        if not self.once:
            return self.prizes * shares
        wins = np.zeros(len(shares))
        certain = np.zeros(len(shares), dtype=np.bool_)
        for _ in range(len(shares)):
            left = self.prizes - int(certain.sum())
            rest = np.where(certain, 0.0, shares)
            wins = np.where(certain, 1.0, left * rest / (rest.sum() or 1.0))
            if wins.max() <= 1:
                break
            certain |= wins >= 1
        return np.minimum(wins, 1.0)

    def expected(self, score: Floats) -> Floats:
        finite(score, self.facts.name)
        return among_scored(score, lambda known: self.prize * self.expected_wins(known))

    def draw(self, score: Floats, rng: np.random.Generator) -> Floats:
        finite(score, self.facts.name)
        return among_scored(score, lambda known: self.prize * self._wins(known, rng))

    def _wins(self, known: Floats, rng: np.random.Generator) -> Floats:
        """Number of prizes of each grader in one draw."""
        wins = self.expected_wins(known)
        order = rng.permutation(len(known))
        if self.once:
            # Systematic sampling: a comb with teeth at distance 1 over the sums of probabilities.
            # Every grader is hit with exactly their probability, and at most once.
            ends = np.round(np.cumsum(wins[order]), 9)
            offset = rng.random()
            hits = np.floor(ends - offset) - np.floor(np.concatenate([[0.0], ends[:-1]]) - offset)
        else:
            sums = np.cumsum(wins[order])
            drawn = rng.random(self.prizes)
            if sums[-1] <= 0:
                return np.zeros(len(known))
            at = np.searchsorted(sums / sums[-1], drawn, side="right")
            hits = np.bincount(at, minlength=len(known)).astype(np.float64)
        won = np.empty(len(known))
        won[order] = hits
        return won

    def budget_for(self, graders: int) -> float | None:  # noqa: ARG002
        return self.prizes * self.prize if self.facts_here.exact_budget else None
