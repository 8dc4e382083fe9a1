"""Apply several strategies one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Tries, every, strategy
from peergauge.simulate.strategies.steps import MadeOfSteps, in_turn, steps_in_words

STEPS_AFTER_CALIBRATING = (
    "stretch:factor=0.5", "stretch:factor=0.85", "stretch:factor=1.2", "shift:by=-0.5",
    "shift:by=0.5", "noise:deviation=0.5", "clip", "quantise:levels=0-2-4-6-8-10",
)  # fmt: skip
STEPS_AFTER_REVERSING = ("shift:by=-1", "shift:by=1", "stretch:factor=0.7", "noise")


@strategy("in-turn", label="In turn", source="peergauge", informed=True, random=True)
@dataclass(frozen=True)
class InTurn(MadeOfSteps):
    """Apply several strategies in turn; the report of each step is the signal of the next.

    Reports are rounded only at the end. Whether random draws or other signals are used depends on
    the steps.

    Parameters
    ----------
    steps
        Specs of the steps, separated by ``+``, with ``;`` instead of commas inside a spec.
    """

    steps: tuple[str, ...] = ("stretch", "noise:deviation=0.5")

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        signals = ("so-far", "all")
        return Tries(
            (
                "in-turn:steps=stretch:factor=0.7+noise",
                *every("in-turn:steps=calibrate:signals={}+stretch:factor=0.7", signals),
                # Noise makes a copy similar to nobody's report.
                "in-turn:steps=copy:sources=2+noise",
            ),
            (
                *every("in-turn:steps=stretch:factor={}+shift:by={}", (0.5, 0.8, 1.3), (-1, 1)),
                *every("in-turn:steps=stretch:factor={}+noise:deviation={}", (0, 0.5), (1, 2)),
                *every("in-turn:steps=stretch:factor=0.8+noise:deviation={}", (0.5, 1)),
                *every("in-turn:steps=stretch:factor=1.5+{}", ("clip", "clip:lowest=5;highest=9")),
                *every("in-turn:steps=calibrate:signals={}+{}", signals, STEPS_AFTER_CALIBRATING),
                *every("in-turn:steps=calibrate:signals={}+stretch:factor=-1", signals),
                *every("in-turn:steps=stretch:factor=-1+{}", STEPS_AFTER_REVERSING),
                "in-turn:steps=extremes+stretch:factor=-1;centre=5",
                *every("in-turn:steps=copy+{}", ("stretch:factor=0.8", "noise:deviation=0.5")),
                "in-turn:steps=mix-cheap+stretch:factor=1.4",
                *every("in-turn:steps={}+fewer", ("copy", "stretch:factor=0.7", "calibrate")),
            ),
        )

    def report(self, situation: Situation) -> Floats:
        return in_turn(self.steps, situation, "step")

    def in_words(self) -> str:
        return steps_in_words(self.steps)
