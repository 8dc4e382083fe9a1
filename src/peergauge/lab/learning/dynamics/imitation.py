"""Imitation dynamic: students compare themselves with another and may copy the better one."""

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
    r"""Pairwise comparison with the Fermi rule.

    Each semester, a share ρ of the students compare themselves with another student drawn at
    random, and copy the other's strategy with probability :math:`1 / (1 + e^{-(f_j - f_i) / τ})`.
    In the mean over students,

    .. math:: x_i' = x_i + ρ x_i \sum_j x_j \tanh \frac{f_i - f_j}{2 τ}

    Parameters
    ----------
    share
        ρ: the share of students who compare themselves with another.
    temperature
        τ, as a share of the ranks. Differences far below it hardly matter, and differences far
        above it decide almost surely.
    """

    share: float = 0.5
    temperature: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.share <= 1:
            raise ParameterError(
                f"The share of students must be above 0 and at most 1, not {self.share}."
            )
        if not 0 < self.temperature < np.inf:
            raise ParameterError(
                f"The temperature of a dynamic must be positive and finite, not {self.temperature}."
            )

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        lead = np.tanh((fitness[:, None] - fitness[None, :]) / (2 * self.temperature))
        following: Floats = mixture * (1 + self.share * (lead @ mixture))
        return following
