"""Classes that learn: each semester, students turn to what paid, and the next semester differs.

A class is a mixture: for each strategy, the share of students who follow it. What a strategy is
worth in a mixture is the mean rank of those who follow it, and a dynamic says what the class makes
of that. Ranks are used since pay has another unit under every mechanism, and may be infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from peergauge.core.apportion import whole_parts
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning.dynamics import Dynamic

TRUTHFUL = "truthful"
TAKEN = 0.8
"""The share of the class from which on a strategy has taken over."""

NEARLY = 0.98
"""The share of what others leave it that is nearly all."""

MIX, MOVING = "a mix", "still moving"
"""What is said of a class that no strategy has taken over: whether it stays there."""

SETTLED = 0.1
"""The share of the class that may still change its mind in a mixture that stays."""

Fitness = Callable[[Floats, int], Floats]
"""What each strategy is worth in a mixture, in the semester of that number."""


def learn(
    dynamic: Dynamic,
    fitness: Fitness,
    start: Floats,
    generations: int,
    *,
    least: float = 0.0,
    patience: int = 0,
) -> Floats:
    """The mixtures of a class from *start* on, one more than there are *generations*.

    No share falls below *least*: somebody always tries what nobody does any more, so that what was
    given up can come back if it pays. A class in which one strategy has had nearly all that others
    leave it, for *patience* generations, is left there, unless that is 0.
    """
    path = [at_least(np.asarray(start, dtype=np.float64), least)]
    nearly = NEARLY * (1 - least * (len(start) - 1))
    held = 0
    for generation in range(generations):
        if patience and held >= patience:
            path.append(path[-1])
            continue
        onward = dynamic.step(path[-1], fitness(path[-1], generation))
        path.append(at_least(onward, least))
        held = held + 1 if path[-1].max() >= nearly else 0
    return np.array(path)


def at_least(mixture: Floats, least: float) -> Floats:
    """The mixture in which every strategy has a share of *least* and the rest is as it was."""
    if least * len(mixture) >= 1 and least > 0:
        raise ParameterError(
            f"{len(mixture)} strategies cannot all have a share of {least:g}; take more students "
            "or fewer strategies."
        )
    beyond = np.maximum(mixture - least, 0.0)
    shares: Floats = least + (1 - least * len(mixture)) * beyond / beyond.sum()
    return shares


def head_counts(mixture: Floats, students: int) -> NDArray[np.int64]:
    """How many students follow each strategy: whole numbers, one at the least."""
    beyond = (at_least(mixture, 1 / students) * students - 1).clip(0)
    return 1 + whole_parts(students - len(mixture), beyond)


def fate(strategies: Sequence[str], before: Floats, end: Floats) -> str:
    """What became of a class: the strategy that has taken over, ``a mix``, or ``still moving``.

    *before* and *end* are its mixtures in the last two stretches of time.
    """
    if end.max() >= TAKEN:
        return strategies[int(end.argmax())]
    return MIX if np.abs(end - before).sum() / 2 <= SETTLED else MOVING
