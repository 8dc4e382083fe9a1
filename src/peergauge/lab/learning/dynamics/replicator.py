"""What does better than others grows."""

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
    r"""Every strategy grows exponentially, at a rate in proportion to what it is worth.

    .. math:: x_i' = x_i e^{λ f_i} / \sum_j x_j e^{λ f_j}

    A strategy that nobody follows stays so. What is worth more than the average grows, and the
    order of two strategies' worth alone decides which of them gains on the other. In the logarithm,
    fitness adds up over semesters, so that chance in it averages out.

    Parameters
    ----------
    rate
        λ: with 4, a lead of five ranks of a hundred multiplies the odds by 1.22 every semester.
    """

    rate: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.rate < np.inf:
            raise ParameterError(f"The rate of a dynamic is positive and finite, not {self.rate}.")

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        grown = mixture * np.exp(self.rate * (fitness - fitness.max()))
        onward: Floats = grown / grown.sum()
        return onward
