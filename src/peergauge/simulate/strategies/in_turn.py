"""Apply several strategies one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Situation, Strategy, strategies, strategy
from peergauge.simulate.strategies.steps import in_turn, steps_in_words, steps_of


@strategy("in-turn", label="In turn", source="peergauge", informed=True, random=True)
@dataclass(frozen=True)
class InTurn(Strategy):
    """Apply several strategies in turn; the report of each step is the signal of the next.

    Reports are rounded only at the end. Whether random draws or other signals are used depends on
    the steps.

    Parameters
    ----------
    steps
        Specs of the steps, separated by ``+``, with ``;`` instead of commas inside a spec.
    """

    steps: tuple[str, ...] = ("stretch", "noise:deviation=0.5")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "steps", steps_of(self.steps, "in-turn"))
        if not self.steps:
            raise ParameterError("The strategy in-turn needs at least one step.")

    def parts(self) -> tuple[Strategy, ...]:
        return tuple(map(strategies.make, self.steps))

    def begins(self, assignments: int) -> int:
        return min(one.begins(assignments) for one in self.parts())

    def report(self, situation: Situation) -> Floats:
        return in_turn(self.steps, situation, "step")

    def in_words(self) -> str:
        return steps_in_words(self.steps)
