"""Most do what has paid best lately, some do not."""

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
    r"""Smoothed best response to what strategies were worth lately.

    Students remember a score of each strategy, :math:`s_i' = (1 - ρ) s_i + ρ f_i`, and choose it
    in proportion to :math:`e^{s_i / τ}`. Since scores can be read off the mixture,

    .. math:: x_i' \propto x_i^{1 - ρ} e^{ρ f_i / τ}

    says the same. It rests where shares are in proportion to :math:`e^{f_i / τ}`, at no corner.
    A response to the last semester alone would follow the luck of single students.

    Parameters
    ----------
    temperature
        τ, as a share of the ranks: with 0.02, what lags two ranks of a hundred behind is followed
        by e times fewer.
    memory
        How many semesters are remembered, by and large: 1 / ρ.
    """

    temperature: float = 0.02
    memory: float = 12.5

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.temperature < np.inf:
            raise ParameterError(
                f"The temperature of a dynamic is positive and finite, not {self.temperature}."
            )
        if not 1 <= self.memory < np.inf:
            raise ParameterError(f"At least one semester is remembered, not {self.memory}.")

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        recent = 1 / self.memory
        if recent == 1:
            score = fitness / self.temperature
        else:
            # What nobody followed has the lowest score that can be told from none.
            known = np.log(np.maximum(mixture, np.finfo(float).tiny))
            score = (1 - recent) * known + recent * fitness / self.temperature
        chosen = np.exp(score - score.max())
        onward: Floats = chosen / chosen.sum()
        return onward
