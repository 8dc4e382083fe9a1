"""Pay prizes to the graders with the highest scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.payments import PaymentRule, payment
from peergauge.payments.shares import among_scored, places


@payment(
    "tournament",
    label="Tournament",
    source="Lazear & Rosen 1981; for peer prediction Zhang & Schoenebeck 2023",
    relative=True,
    keeps_order=False,
    affine=False,
    limited_liability=True,
    exact_budget=True,
)
@dataclass(frozen=True)
class Tournament(PaymentRule):
    r"""A prize for each place by the order of scores; tied graders share prizes.

    .. math:: p_i = \frac{1}{|P_i|} \sum_{r \in P_i} w_r

    where :math:`P_i` are the places that the graders with the same score occupy together, and
    :math:`w_1 \ge w_2 \ge \ldots` are the prizes. Without a list of prizes, the best share of the
    graders get the same prize. If there are more prizes than graders, the last prizes are not paid.

    Only the order of scores counts, so that the rule works with any mechanism, also if scores are
    infinite or have no natural unit. Pay is never negative, and the total is known before. Prizes
    for few places give a strong incentive to work per amount paid (Zhang & Schoenebeck 2023).

    **Risk matters.** A grader who expects to be below the places with prizes gains by any report
    that makes the score riskier, even if its expectation falls; a grader who expects a prize gains
    by a safer one. Truthful reporting that maximises the expected score is therefore not certain
    to maximise the expected pay. It also pays to lower the scores of others.

    Parameters
    ----------
    prizes
        Prizes from the first place on, with ``+`` between two of them, as in ``100+50+25``.
    top
        Share of the graders who get the prize, if no list is given; the number of prizes is rounded
        to the nearest whole number, half up, and at least one.
    prize
        The prize of each of them.
    """

    prizes: tuple[float, ...] = ()
    top: float = 0.25
    prize: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        given = (self.prizes,) if isinstance(self.prizes, int | float) else self.prizes
        prizes = tuple(float(one) for one in given)
        object.__setattr__(self, "prizes", prizes)
        listed = prizes or (self.prize,)
        if not all(np.isfinite(listed)) or min(listed) < 0 or max(listed) == 0:
            raise ParameterError(
                "Prizes must be finite and not negative, with at least one above zero, but "
                f"{'+'.join(f'{one:g}' for one in listed)} was given."
            )
        if list(prizes) != sorted(prizes, reverse=True):
            raise ParameterError(
                "Prizes must not increase from place to place, but "
                f"{'+'.join(f'{one:g}' for one in prizes)} was given; put the largest first."
            )
        if prizes and (self.top, self.prize) != (Tournament.top, Tournament.prize):
            raise ParameterError(
                "A tournament has either a list of prizes or one prize for a top share; leave out "
                "'prizes', or both 'top' and 'prize'."
            )
        if not 0 < self.top <= 1:
            raise ParameterError(
                f"The top share must be above 0 and at most 1, but is {self.top:g}."
            )

    def listed(self, graders: int) -> Floats:
        """The prize of each place among this number of graders."""
        by_place = np.zeros(graders)
        if self.prizes:
            count = min(graders, len(self.prizes))
            by_place[:count] = self.prizes[:count]
        else:
            by_place[: max(1, int(self.top * graders + 0.5))] = self.prize
        return by_place

    def expected(self, score: Floats) -> Floats:
        def rule(known: Floats) -> Floats:
            first, last = places(known)
            sums = np.concatenate([[0.0], np.cumsum(self.listed(len(known)))])
            return np.asarray((sums[last + 1] - sums[first]) / (last - first + 1))

        return among_scored(score, rule)

    def budget_for(self, graders: int) -> float:
        return float(self.listed(graders).sum())
