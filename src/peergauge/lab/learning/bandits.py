"""Students who learn alone, each from their own pay (bandit feedback)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream

Payoff = Callable[[NDArray[np.int64], int], Floats]
"""Computes the payoff of each student from the strategy of each and the number of the semester.

Payoffs lie in 0..1; NaN for a student who is not paid and learns nothing from the semester.
"""


@dataclass(frozen=True)
class ExponentialBandit:
    r"""EXP3: exponential weights for a learner who sees only the payoff of the chosen strategy.

    A student chooses strategy i with probability

    .. math:: p_i = (1 - γ) \frac{w_i}{\sum_j w_j} + \frac{γ}{K}

    and multiplies the weight of the chosen strategy by :math:`e^{γ r / (p_i K)}` for a payoff of r.
    The payoff is divided by the probability of the choice, so that every strategy is estimated
    without bias. For :math:`γ = \min(1, \sqrt{K \ln K / ((e - 1) T)})` and an even start, the
    expected external regret after T semesters is at most
    :math:`2 \sqrt{e - 1} \sqrt{T K \ln K}` (Auer, Cesa-Bianchi, Freund & Schapire 2002, corollary
    3.2, where the payoff of the best strategy is at most T).

    Parameters
    ----------
    semesters
        T: the number of semesters for which a student learns.
    exploration
        γ: share of the choices that are drawn evenly from all strategies; ``None`` for the value
        above.
    """

    semesters: int
    exploration: float | None = None

    def __post_init__(self) -> None:
        if self.semesters < 1:
            raise ParameterError(
                f"Students must learn for at least one semester, not {self.semesters}."
            )
        if self.exploration is not None and not 0 < self.exploration <= 1:
            raise ParameterError(
                f"The share of exploring choices must be above 0 and at most 1, not "
                f"{self.exploration:g}."
            )

    def exploring(self, strategies: int) -> float:
        """The share of exploring choices for this number of strategies."""
        if self.exploration is not None:
            return self.exploration
        best = np.sqrt(strategies * np.log(strategies) / ((np.e - 1) * self.semesters))
        return float(min(1.0, best))

    def probabilities(self, weight: Floats) -> Floats:
        """Probability of each strategy from logarithms of weights: students × strategies."""
        grown = np.exp(weight - weight.max(axis=1, keepdims=True))
        share = self.exploring(weight.shape[1])
        chosen = (1 - share) * grown / grown.sum(axis=1, keepdims=True)
        return np.asarray(chosen + share / weight.shape[1])

    def learn(self, payoff: Payoff, start: Floats, students: int, seed: int) -> LearntAlone:
        """Let every student learn, with weights that begin as the mixture *start*."""
        count = len(start)
        rate = self.exploring(count) / count
        weight = np.tile(np.log(np.maximum(start, np.finfo(float).tiny)), (students, 1))
        everybody = np.arange(students)
        mixtures, choices, payoffs = [self.probabilities(weight).mean(axis=0)], [], []
        for semester in range(self.semesters):
            chances = self.probabilities(weight)
            drawn = stream(seed, "choice", semester).random(students)
            sums = np.cumsum(chances, axis=1)
            who = np.minimum((drawn[:, None] * sums[:, -1:] >= sums).sum(axis=1), count - 1)
            earned = payoff(who, semester)
            gain = np.where(np.isnan(earned), 0.0, earned) / chances[everybody, who]
            weight[everybody, who] += rate * gain
            mixtures.append(self.probabilities(weight).mean(axis=0))
            choices.append(who)
            payoffs.append(earned)
        return LearntAlone(np.array(mixtures), np.array(choices), np.array(payoffs))


class LearntAlone(NamedTuple):
    """The path of a class whose students learn alone.

    Parameters
    ----------
    path
        Mean probability of each strategy over students: semesters + 1 × strategies.
    choice
        Strategy of each student in each semester.
    payoff
        Payoff of each student in each semester.
    """

    path: Floats
    choice: NDArray[np.int64]
    payoff: Floats
