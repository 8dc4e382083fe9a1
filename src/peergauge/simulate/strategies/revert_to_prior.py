"""Always report the expected grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy(
    "prior",
    label="Revert to the Prior",
    source="Burrell & Schoenebeck 2022",
    informed=False,
    in_paper=True,
)
@dataclass(frozen=True)
class RevertToPrior(Strategy):
    """Report the expected true score μ, whatever the signal."""

    def report(self, situation: Situation) -> Floats:
        return np.full_like(situation.signal, situation.prior_mean)
