"""Multiplicative weights: students favour the strategies that earned most so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.dynamics import History, Remembering, dynamic


@dynamic(
    "multiplicative-weights",
    label="Multiplicative weights",
    source="Freund & Schapire 1997; step size Auer, Cesa-Bianchi & Gentile 2002; for peer "
    "prediction Feng, Yu & Chen 2022",
    innovative=False,
    no_regret=True,
)
@dataclass(frozen=True)
class MultiplicativeWeights(Remembering):
    r"""Weights that grow exponentially with the sum of fitness so far (the Hedge algorithm).

    .. math:: x_{i, t+1} \propto x_{i, 1} e^{η_{t+1} F_{i, t}}

    where :math:`F_{i, t}` is the sum of the fitness of strategy i over the first t generations. The
    step size decreases, :math:`η_t = ρ \sqrt{8 \ln K / t}` for K strategies. For ρ = 1, fitness in
    0..1 and an even start, the external regret after T generations is at most
    :math:`2 \sqrt{(T / 2) \ln K} + \sqrt{\ln K / 8}` whatever happens (Cesa-Bianchi & Lugosi 2006,
    theorem 2.3), so that the mean regret vanishes. If the range of fitness is r instead of 1, the
    bound is larger by at most a factor of max(r², 1). Shares that are kept from falling to zero add
    at most r times their sum to the mean regret.

    The strategies depend on cumulative rewards only. For such learners, Feng, Yu & Chen 2022 prove
    that binary reports converge to the truth under Correlated Agreement. They also show that no
    regret alone is not enough: a class without regret may agree on something else.

    With a fixed step size η = ρ, a generation is exactly one of the replicator dynamic with rate ρ;
    in the limit of small steps both follow the replicator equation. A fixed step has no bound that
    vanishes over time.

    Parameters
    ----------
    rate
        ρ: the factor of the step size, or the step size itself if it is fixed.
    step_size
        ``decreasing`` with the square root of time, or ``fixed``.
    """

    rate: float = 1.0
    step_size: Literal["decreasing", "fixed"] = "decreasing"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.rate < np.inf:
            raise ParameterError(
                f"The rate of a dynamic must be positive and finite, not {self.rate}."
            )

    def step_after(self, generations: int, strategies: int) -> float:
        """The step size of the mixture that follows this number of generations."""
        if self.step_size == "fixed":
            return self.rate
        return self.rate * float(np.sqrt(8 * np.log(strategies) / (generations + 1)))

    def advance(self, history: History) -> Floats:
        step = self.step_after(history.generations, len(history.start))
        best = history.total[history.start > 0].max()
        grown = history.start * np.exp(step * np.minimum(history.total - best, 0.0))
        following: Floats = grown / grown.sum()
        return following
