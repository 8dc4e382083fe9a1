"""Logit dynamic: most students follow the strategies that had the highest fitness lately."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.dynamics import Dynamic, dynamic


@dynamic(
    "logit",
    label="Logit",
    source="Fudenberg & Levine 1998; with recency Coucheney, Gaujal & Mertikopoulos 2015",
    innovative=True,
)
@dataclass(frozen=True)
class Logit(Dynamic):
    r"""Smoothed best response to the fitness of strategies in recent semesters.

    Students remember a score of each strategy, :math:`s_i' = (1 - ρ) s_i + ρ f_i`, and choose a
    strategy with probability proportional to :math:`e^{s_i / τ}`. Because the mixture determines
    the scores up to a constant, this is equivalent to

    .. math:: x_i' \propto x_i^{1 - ρ} e^{ρ f_i / τ}

    Rest points, where shares are proportional to :math:`e^{f_i / τ}`, contain all strategies.
    A response to the last semester alone would follow the luck of single students.

    Parameters
    ----------
    temperature
        τ, as a share of the ranks. With 0.02, a strategy that is two ranks out of 100 behind
        another has e times fewer followers.
    memory
        Number of semesters that are remembered, 1 / ρ.
    """

    temperature: float = 0.02
    memory: float = 12.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.temperature < np.inf:
            raise ParameterError(
                f"The temperature of a dynamic must be positive and finite, not {self.temperature}."
            )
        if not 1 <= self.memory < np.inf:
            raise ParameterError(
                f"The memory must be at least one semester and finite, not {self.memory}."
            )

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        recent = 1 / self.memory
        if recent == 1:
            score = fitness / self.temperature
        else:
            # A strategy without followers has the lowest score above minus infinity.
            known = np.log(np.maximum(mixture, np.finfo(float).tiny))
            score = (1 - recent) * known + recent * fitness / self.temperature
        chosen = np.exp(score - score.max())
        following: Floats = chosen / chosen.sum()
        return following
