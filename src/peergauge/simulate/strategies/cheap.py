"""Report the cheap signal."""

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
    cheap=True,
)
@dataclass(frozen=True)
class Cheap(Strategy):
    """Report the cheap quality of a submission, without the effort of reading it.

    All graders who do so see nearly the same quality and therefore agree, whether or not it is
    related to the true score. It is scaled to the mean and standard deviation of true scores, so
    the reports look like grades.
    """

    def report(self, situation: Situation) -> Floats:
        return situation.known_cheap()
