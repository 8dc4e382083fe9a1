"""Report at random."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, Tries, strategy
from peergauge.simulate.strategies.points import from_points, to_points


@strategy("random", label="Random ({law})", source="peergauge", informed=False, random=True)
@dataclass(frozen=True)
class RandomReport(Strategy):
    """Report a random grade, whatever the signal.

    Parameters
    ----------
    law
        Distribution of the grade. ``prior``: as true scores in the paper's model, binomial with the
        expected true score as its mean; ``uniform``: 0, 1, …, 10 with equal probability, in
        proportion on other scales.
    """

    law: Literal["prior", "uniform"] = "prior"

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(("random",), ("random:law=uniform",))

    def report(self, situation: Situation) -> Floats:
        from scipy.special import ndtr

        drawn = ndtr(situation.normal_per_report())
        scale = situation.scale
        if self.law == "uniform":
            return from_points(np.floor(11 * drawn).clip(0, 10), scale)
        level = np.zeros(len(drawn))
        expected = np.broadcast_to(situation.prior_mean, drawn.shape)
        for mean in np.unique(expected):
            here, share = expected == mean, float(to_points(mean, scale)) / 10
            chance = [comb(10, k) * share**k * (1 - share) ** (10 - k) for k in range(10)]
            level[here] = np.searchsorted(np.cumsum(chance), drawn[here])
        return from_points(level, scale)

    def in_words(self) -> str:
        if self.law == "uniform":
            return "Report any grade at random, whatever you saw"
        return "Report a grade at random, as often as submissions earn it, whatever you saw"
