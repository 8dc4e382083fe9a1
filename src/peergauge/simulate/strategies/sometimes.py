"""Apply a strategy to a random share of reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import (
    Move,
    Situation,
    Strategy,
    Tries,
    every,
    simple_specs,
    strategies,
    strategy,
)
from peergauge.simulate.strategies.points import share_in_words
from peergauge.simulate.strategies.steps import as_part, in_turn, steps_of


@strategy("sometimes", label="Sometimes", source="peergauge", informed=True, random=True)
@dataclass(frozen=True)
class Sometimes(Strategy):
    """Follow a strategy for some reports, selected at random, and another one for the rest.

    Parameters
    ----------
    steps
        Strategy for the selected reports: one spec, or several in turn separated by ``+``, with
        ``;`` instead of commas inside a spec.
    share
        Probability that a report is selected.
    per
        Whether single reports or whole assignments are selected.
    otherwise
        Strategy for the other reports, in the same format; truthful by default.
    """

    steps: tuple[str, ...] = ("prior",)
    share: float = 0.5
    per: Literal["report", "assignment"] = "report"
    otherwise: tuple[str, ...] = ()

    moves: ClassVar[Mapping[str, Move]] = {"share": Move(0.2, 0.05, 0.05, 0.95)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        units = ("report", "assignment")
        return Tries(
            (
                *every("sometimes:per={}", units),
                *every("sometimes:steps={}", ("copy", "copy:sources=0")),
                "sometimes:steps=sabotage,share=0.1",
            ),
            (
                *every("sometimes:steps={},per={}", simple_specs(), units),
                *every("sometimes:steps={}", ("stretch:factor=0.5", "noise:deviation=2")),
                *every("sometimes:share={},per={}", (0.2, 0.8), units),
                *every("sometimes:steps=copy,share={}", (0.25, 0.75)),
                *every("sometimes:steps=sabotage,share={}", (0.05, 0.25)),
            ),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("steps", "otherwise"):
            object.__setattr__(self, name, steps_of(getattr(self, name), "sometimes"))
        if not self.steps:
            raise ParameterError("The strategy sometimes needs at least one step.")
        if not 0 < self.share < 1:
            raise ParameterError(
                f"The share of sometimes lies between 0 and 1, but is {written(self.share)}."
            )

    def parts(self) -> tuple[Strategy, ...]:
        return tuple(map(strategies.make, (*self.steps, *self.otherwise)))

    def report(self, situation: Situation) -> Floats:
        drawn = situation.normal(self.per, situation.within("whether").part)
        picked = drawn < NormalDist().inv_cdf(self.share)
        done = in_turn(self.steps, situation, "step")
        return np.where(picked, done, in_turn(self.otherwise, situation, "otherwise"))

    def in_words(self) -> str:
        share = share_in_words(self.share)
        which = "assignments" if self.per == "assignment" else "grades"
        words = f"For {share} of the {which}, picked at random: {as_part(self.steps)}"
        return f"{words}; otherwise {as_part(self.otherwise)}" if self.otherwise else words
