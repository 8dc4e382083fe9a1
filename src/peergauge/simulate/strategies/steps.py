"""Strategies that are made of others."""

from __future__ import annotations

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Situation, Strategy, strategies


def steps_of(specs: tuple[str, ...], what: str) -> tuple[str, ...]:
    """The specs of steps, as they are written; what is itself made of steps is refused."""
    given = (specs,) if isinstance(specs, str) else specs
    made = tuple(strategies.make(one).spec for one in given)
    if any("+" in one or ";" in one for one in made):
        raise ParameterError(f"A step of {what} is a strategy that is not itself made of steps.")
    return made


def in_turn(specs: tuple[str, ...], situation: Situation, name: str) -> Floats:
    """What comes out if each step is told what the one before made of the signals.

    Nothing is rounded on the way: a grader works out what to report, and reports once. Each step
    has chance of its own.
    """
    told = situation.signal
    for number, one in enumerate(map(strategies.make, specs)):
        told = one.report(situation.within(f"{name}{number}", told))
    return told


def steps_in_words(specs: tuple[str, ...]) -> str:
    """What one does who follows the steps."""
    made: list[Strategy] = [strategies.make(one) for one in specs]
    words = [one.in_words() for one in made]
    if not words:
        return "Report what you saw"
    return "; then ".join([words[0], *(one[:1].lower() + one[1:] for one in words[1:])])
