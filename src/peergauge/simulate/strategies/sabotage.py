"""Contradict co-graders, so that they lose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, strategy
from peergauge.simulate.strategies.peers import co_graders_mean
from peergauge.simulate.strategies.points import share_in_words


@strategy(
    "sabotage", label="Sabotage", source="peergauge", informed=False, copies=True, sabotages=True
)
@dataclass(frozen=True)
class Sabotage(Strategy):
    """Report a grade on the way from the co-graders' mean to the far end of the scale.

    Parameters
    ----------
    strength
        Share of the way: 1 reports the far end itself, 0 the mean.
    """

    strength: float = 1.0

    moves: ClassVar[Mapping[str, Move]] = {"strength": Move(0.2, 0.05, 0.05, 1)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(("sabotage", "sabotage:strength=0.3"), ("sabotage:strength=0.1",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.strength <= 1:
            raise ParameterError(
                f"The strength of sabotage lies in 0..1 and is not 0, but is {self.strength:g}."
            )

    def report(self, situation: Situation) -> Floats:
        scale, mean = situation.scale, co_graders_mean(situation)
        middle = (scale.lowest + scale.highest) / 2
        far = np.where(mean > middle, scale.lowest, scale.highest)
        return mean + self.strength * (far - mean)

    def in_words(self) -> str:
        if self.strength == 1:
            return "Report the end of the scale that is farthest from the co-graders' mean"
        return (
            f"Report a grade {share_in_words(self.strength)} of the way from the co-graders' mean "
            "to the far end of the scale"
        )
