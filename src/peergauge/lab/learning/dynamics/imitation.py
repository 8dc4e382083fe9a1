"""Compare yourself with somebody, and copy them if they do better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.dynamics import Dynamic, dynamic


@dynamic(
    "imitation",
    label="Imitation",
    source="Traulsen, Nowak & Pacheco 2006",
    innovative=False,
)
@dataclass(frozen=True)
class Imitation(Dynamic):
    r"""Pairwise comparison: who meets another copies them by the Fermi rule.

    Each semester a share ρ of students looks at a random other, and does as they do with
    probability :math:`1 / (1 + e^{-(f_j - f_i) / τ})`. On balance

    .. math:: x_i' = x_i + ρ x_i \sum_j x_j \tanh \frac{f_i - f_j}{2 τ}

    Parameters
    ----------
    share
        ρ: how many look at another.
    temperature
        τ, as a share of the ranks: far below it a difference hardly counts, far above it hardly
        more than any other.
    """

    share: float = 0.5
    temperature: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 1:
            raise ParameterError(f"A share of students between 0 and 1 compares, not {self.share}.")
        if not 0 < self.temperature < np.inf:
            raise ParameterError(
                f"The temperature of a dynamic is positive and finite, not {self.temperature}."
            )

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        lead = np.tanh((fitness[:, None] - fitness[None, :]) / (2 * self.temperature))
        onward: Floats = mixture * (1 + self.share * (lead @ mixture))
        return onward
