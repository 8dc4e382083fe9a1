"""Replicator dynamic: strategies of higher fitness grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.dynamics import Dynamic, dynamic


@dynamic(
    "replicator",
    label="Replicator",
    source="Taylor & Jonker 1978; in discrete time Cabrales & Sobel 1992",
    innovative=False,
)
@dataclass(frozen=True)
class Replicator(Dynamic):
    r"""Every strategy grows exponentially, at a rate proportional to its fitness.

    .. math:: x_i' = x_i e^{λ f_i} / \sum_j x_j e^{λ f_j}

    A strategy without followers stays without. A strategy grows relative to another if its fitness
    is higher. The logarithms of shares sum up fitness over semesters, so that noise averages out.

    Parameters
    ----------
    rate
        λ. With 4, a lead of five ranks out of 100 multiplies the odds by 1.22 every semester.
    """

    rate: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.rate < np.inf:
            raise ParameterError(
                f"The rate of a dynamic must be positive and finite, not {self.rate}."
            )

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        best = fitness[mixture > 0].max()
        grown = mixture * np.exp(self.rate * np.minimum(fitness - best, 0.0))
        following: Floats = grown / grown.sum()
        return following
