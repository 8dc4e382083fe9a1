"""Move halfway to the expected true score."""

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

    On 0..10, a grader with the prior Beta(μ, 10 − μ) for a tenth of the true score has, after one
    signal, the posterior mean (μ + signal) / 20; the report is ten times that.
    """

    def report(self, situation: Situation) -> Floats:
        return (situation.prior_mean + situation.signal) / 2
