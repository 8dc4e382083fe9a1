"""Grade by what is seen at a glance."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy(
    "cheap",
    label="Cheap Signal",
    source="Gao et al. 2016",
    informed=False,
    random=True,
    latent=True,
)
@dataclass(frozen=True)
class Cheap(Strategy):
    """Report the cheap quality of a submission, and save the effort of reading it.

    All who do so see nearly the same and agree, whatever it is worth. It is told in points of the
    scale, with mean and deviation of true scores, so that reports look like grades.
    """

    def report(self, situation: Situation) -> Floats:
        return situation.known_cheap()
