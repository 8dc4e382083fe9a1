"""Regret matching: students choose strategies in proportion to their regret."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.lab.learning.dynamics import History, Remembering, dynamic


@dynamic(
    "regret-matching",
    label="Regret matching",
    source="Hart & Mas-Colell 2000",
    innovative=True,
    no_regret=True,
)
@dataclass(frozen=True)
class RegretMatching(Remembering):
    r"""Shares in proportion to what each strategy would have earned more than the class did.

    .. math:: x_{i, t+1} \propto \max(0, R_{i, t}), \quad
        R_{i, t} = \sum_{s \le t} \left( f_{i, s} - \sum_j x_{j, s} f_{j, s} \right)

    If no regret is positive, the mixture stays. There is no step size to choose. For fitness in
    0..1 and K strategies, the external regret after T generations is at most :math:`\sqrt{K T}`
    whatever happens, because the positive regrets are orthogonal to the next gains (Blackwell's
    condition; Hart & Mas-Colell 2000).

    Only the sign and the size of regrets relative to each other matter, so that a class reacts to
    tiny differences as quickly as to large ones, and gives up strategies for good only slowly. The
    start matters through the fitness of the first generation alone.
    """

    def advance(self, history: History) -> Floats:
        regret = np.maximum(history.regret, 0.0)
        # Divided twice, so that tiny regrets do not underflow.
        largest = regret.max()
        if largest <= 0:
            return history.mixture
        following: Floats = (regret / largest) / (regret / largest).sum()
        return following
