"""Stay on the safe side of the mean."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy(
    "hedge",
    label="Hedge",
    source="Burrell & Schoenebeck 2022; Piech et al. 2013",
    informed=True,
    in_paper=True,
)
@dataclass(frozen=True)
class Hedge(Strategy):
    """Report halfway between the signal and the expected true score.

    On 0..10, a grader with prior Beta(μ, 10 − μ) on a tenth of the true score has, after one
    signal, a posterior whose mean is (μ + signal) / 20; ten times that is reported.
    """

    def report(self, situation: Situation) -> Floats:
        return (situation.prior_mean + situation.signal) / 2
