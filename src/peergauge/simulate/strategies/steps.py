"""Helpers for strategies that consist of other strategies."""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Situation, Strategy, strategies


@dataclass(frozen=True)
class MadeOfSteps(Strategy, ABC):
    """A strategy that consists of other strategies, which are applied in turn.

    Parameters
    ----------
    steps
        Specs of the steps, separated by ``+``, with ``;`` instead of commas inside a spec.
    """

    steps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "steps", steps_of(self.steps, self.facts.name))
        if not self.steps:
            raise ParameterError(f"The strategy {self.facts.name} needs at least one step.")

    def parts(self) -> tuple[Strategy, ...]:
        return tuple(map(strategies.make, self.steps))

    def begins(self, assignments: int) -> int:
        return min(one.begins(assignments) for one in self.parts())


def steps_of(specs: tuple[str, ...], what: str) -> tuple[str, ...]:
    """Normalise the specs of steps; raise an error for steps that consist of steps."""
    given = (specs,) if isinstance(specs, str) else specs
    made = tuple(strategies.make(one).spec for one in given)
    if any("+" in one or ";" in one for one in made):
        raise ParameterError(f"A step of {what} is a strategy that is not itself made of steps.")
    return made


def in_turn(specs: tuple[str, ...], situation: Situation, name: str) -> Floats:
    """Apply all steps, each to the result of the previous one.

    Intermediate results are not rounded, because a grader reports only once. Each step has separate
    random numbers. A review that one step does not do stays undone.
    """
    result = situation.signal
    skipped = np.zeros(len(result), dtype=np.bool_)
    for number, one in enumerate(map(strategies.make, specs)):
        result = one.report(situation.within(f"{name}{number}", result))
        skipped |= np.isnan(result)
    return np.where(skipped, np.nan, result) if skipped.any() else result


def steps_in_words(specs: tuple[str, ...]) -> str:
    """Describe the steps as advice to a grader."""
    made: list[Strategy] = [strategies.make(one) for one in specs]
    words = [one.in_words() for one in made]
    if not words:
        return "Report what you saw"
    return "; then ".join([words[0], *(one[:1].lower() + one[1:] for one in words[1:])])


def as_part(specs: tuple[str, ...]) -> str:
    """Describe the steps as the end of a sentence."""
    words = steps_in_words(specs)
    return words[:1].lower() + words[1:]
