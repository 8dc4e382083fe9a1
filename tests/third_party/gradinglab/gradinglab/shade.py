"""Report a grade between the signal and the middle of the scale."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy("lab-shade", label="Lab Shade {share}", source="gradinglab", informed=True)
@dataclass(frozen=True)
class Shade(Strategy):
    """Move every report towards the middle of the scale.

    Parameters
    ----------
    share
        Share of the distance by which reports are moved.
    """

    share: float = 0.5

    def report(self, situation: Situation) -> Floats:
        middle = (situation.scale.lowest + situation.scale.highest) / 2
        return situation.signal + self.share * (middle - situation.signal)
