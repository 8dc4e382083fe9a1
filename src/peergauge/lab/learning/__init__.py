"""Classes that learn: after each semester, students change to strategies that ranked higher.

The state of a class is a mixture: the share of students who follow each strategy. The fitness of a
strategy in a mixture is the mean rank of its followers, and a dynamic turns a mixture and the
fitness of its strategies into the next mixture. Fitness is measured in ranks, because pay has a
different unit under each mechanism and may be infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.apportion import whole_parts
from peergauge.core.arrays import Floats
from peergauge.core.brief import brief
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.dynamics import Dynamic, History

TRUTHFUL = "truthful"
TAKEOVER_SHARE = 0.8
"""Share of the class from which on a strategy has taken over."""

NEARLY_ALL_SHARE = 0.98
"""Share of its possible maximum from which on a strategy has nearly all students."""

MIXED_FATE, MOVING_FATE = "a mix", "still moving"
"""Fates of a class that no strategy has taken over: its mixture stays, or still changes."""

MAX_SETTLED_CHANGE = 0.1
"""Share of the class that may still change its strategy in a mixture that stays."""

Fitness = Callable[[Floats, int], Floats]
"""Computes the fitness of each strategy from a mixture and the number of the generation."""


class Learnt(NamedTuple):
    """The path of a class that learns.

    Parameters
    ----------
    path
        The mixtures from the start on: one more than there are generations, × strategies.
    fitness
        The fitness of each strategy in each generation in which the class still learnt.
    """

    path: Floats
    fitness: Floats

    def __repr__(self) -> str:
        return brief(self)

    @property
    def regret(self) -> float:
        """Mean external regret: how much more the best single strategy would have earned.

        It is the largest mean fitness of a strategy over all generations in which the class learnt,
        minus the mean fitness of the class, in the unit of fitness. The fitness of each strategy is
        what it was on the path of the class, as for one student who is too small to change it.
        """
        if not len(self.fitness):
            return float("nan")
        earned = np.sum(self.path[: len(self.fitness)] * self.fitness, axis=1).mean()
        return float(self.fitness.mean(axis=0).max() - earned)


def learn(
    dynamic: Dynamic,
    fitness: Fitness,
    start: Floats,
    generations: int,
    *,
    least: float = 0.0,
    patience: int = 0,
) -> Floats:
    """Mixtures of a class from *start* on, one more than there are *generations*.

    No share falls below *least*: every strategy is always tried by somebody, so that a strategy
    that was given up can come back if it pays. The class stops to learn after one strategy has had
    nearly all students for *patience* generations; it never stops if *patience* is 0.
    """
    return learnt(dynamic, fitness, start, generations, least=least, patience=patience).path


def learnt(
    dynamic: Dynamic,
    fitness: Fitness,
    start: Floats,
    generations: int,
    *,
    least: float = 0.0,
    patience: int = 0,
) -> Learnt:
    """Return the mixtures of :func:`learn` with the fitness of strategies on the way."""
    path = [at_least(np.asarray(start, dtype=np.float64), least)]
    nearly = NEARLY_ALL_SHARE * (1 - least * (len(start) - 1))
    held = 0
    found: list[Floats] = []
    history: History | None = None
    for generation in range(generations):
        if patience and held >= patience:
            path.append(path[-1])
            continue
        found.append(fitness(path[-1], generation))
        last = path[-1], found[-1]
        history = History.first(*last) if history is None else history.then(*last)
        path.append(at_least(dynamic.advance(history), least))
        held = held + 1 if path[-1].max() >= nearly else 0
    return Learnt(np.array(path), np.array(found).reshape(len(found), len(start)))


def at_least(mixture: Floats, least: float) -> Floats:
    """Raise every share to *least*, and shrink the rest in proportion."""
    if least * len(mixture) >= 1 and least > 0:
        raise ParameterError(
            f"{len(mixture)} strategies cannot all have a share of {least:g}; choose more "
            "students or fewer strategies."
        )
    beyond = np.maximum(mixture - least, 0.0)
    shares: Floats = least + (1 - least * len(mixture)) * beyond / beyond.sum()
    return shares


def head_counts(mixture: Floats, students: int) -> NDArray[np.int64]:
    """Number of students who follow each strategy, at least one."""
    beyond = (at_least(mixture, 1 / students) * students - 1).clip(0)
    return 1 + whole_parts(students - len(mixture), beyond)


def fate(strategies: Sequence[str], before: Floats, end: Floats) -> str:
    """The fate of a class: the strategy that has taken over, ``a mix``, or ``still moving``.

    *before* and *end* are the mean mixtures of the last two stretches of generations.
    """
    if end.max() >= TAKEOVER_SHARE:
        return strategies[int(end.argmax())]
    return MIXED_FATE if np.abs(end - before).sum() / 2 <= MAX_SETTLED_CHANGE else MOVING_FATE
