"""Correct a bias whose sign is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy(
    "fix-bias",
    label="Fix Bias",
    source="Burrell & Schoenebeck 2022",
    informed=True,
    random=True,
    latent=True,
    calibrates=True,
    in_paper=True,
)
@dataclass(frozen=True)
class FixBias(Strategy):
    """Shift every report against the sign of one's bias, by a constant amount for the semester.

    Graders know whether they tend to grade too high or too low, but not by how much. Each grader
    draws the size of the correction once, from the half-normal distribution of absolute biases.
    """

    def report(self, situation: Situation) -> Floats:
        size = situation.bias_deviation * np.abs(situation.normal_per_grader())
        correction = -situation.known_bias_sign() * size
        return situation.signal + correction[situation.grader]
