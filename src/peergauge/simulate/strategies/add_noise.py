"""Add noise to the signal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy


@strategy(
    "noise",
    label="Add Noise",
    source="Burrell & Schoenebeck 2022",
    informed=True,
    random=True,
    in_paper=True,
)
@dataclass(frozen=True)
class AddNoise(Strategy):
    """Add a random normal number to each signal, with a standard deviation of one point on 0..10.

    Parameters
    ----------
    deviation
        Standard deviation of the noise, in points of 0..10.
    """

    deviation: float = 1.0

    moves: ClassVar[Mapping[str, Move]] = {"deviation": Move(0.4, 0.1, 0, 5)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(("noise",), every("noise:deviation={}", (0.5, 2, 3)))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.deviation < np.inf:
            raise ParameterError(
                f"The deviation of noise is finite and not negative, not {self.deviation}."
            )

    def report(self, situation: Situation) -> Floats:
        spread = self.deviation * situation.scale.unit
        return situation.signal + spread * situation.normal_per_report()
