"""Round reports up or down at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Tries, every, strategy
from peergauge.simulate.strategies.steps import MadeOfSteps, in_turn, steps_in_words


@strategy("dither", label="Dither", source="peergauge", informed=True, random=True)
@dataclass(frozen=True)
class Dither(MadeOfSteps):
    """Apply strategies in turn, and round the result up or down at random.

    The probability of rounding up is the distance from the lower grade in steps, so that the mean
    report is exact. A small change acts in this way: on whole grades, a factor of 0.9 about 7
    leaves each signal from 3 to 10 unchanged if reports are rounded to the nearest grade. On a
    scale without steps nothing is rounded.

    Parameters
    ----------
    steps
        Specs of the steps, separated by ``+``, with ``;`` instead of commas inside a spec.
    """

    steps: tuple[str, ...] = ("stretch:factor=0.9",)

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            every("dither:steps=stretch:factor={}", (0.8, 0.9, 1.1)),
            (
                *every("dither:steps=stretch:factor={}", (0.85, 0.95, 1.05, 1.2)),
                *every("dither:steps=shift:by={}", (-0.3, 0.3)),
                *every("dither:steps=stretch-own:factor={};signals=all", (0.8, 0.9, 1.1)),
                "dither:steps=calibrate:signals=all+stretch:factor=0.9",
            ),
        )

    def report(self, situation: Situation) -> Floats:
        from scipy.special import ndtr

        result, scale = in_turn(self.steps, situation, "step"), situation.scale
        if scale.step is None:
            return result
        drawn = ndtr(situation.within("round").normal_per_report())
        # Rounded, because 0.3 is not exactly three tenths in binary.
        level = np.round((result - scale.lowest) / scale.step, 9)
        return np.asarray(scale.lowest + scale.step * np.floor(level + 1 - drawn))

    def in_words(self) -> str:
        return f"{steps_in_words(self.steps)}; round up or down at random, so that the mean is kept"
