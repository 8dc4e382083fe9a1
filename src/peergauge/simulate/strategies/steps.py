"""Helpers for strategies that consist of other strategies."""

from __future__ import annotations

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Situation, Strategy, strategies


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
    random numbers.
    """
    result = situation.signal
    for number, one in enumerate(map(strategies.make, specs)):
        result = one.report(situation.within(f"{name}{number}", result))
    return result


def steps_in_words(specs: tuple[str, ...]) -> str:
    """Describe the steps as advice to a grader."""
    made: list[Strategy] = [strategies.make(one) for one in specs]
    words = [one.in_words() for one in made]
    if not words:
        return "Report what you saw"
    return "; then ".join([words[0], *(one[:1].lower() + one[1:] for one in words[1:])])
