"""Dynamics: how the mixture of a class changes with the fitness of its strategies."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.registry import Facts, Plugin, Registry


@dataclass(frozen=True, kw_only=True)
class DynamicFacts(Facts):
    """Facts that a dynamic declares.

    Parameters
    ----------
    innovative
        Whether students may choose a strategy that nobody follows, and not only copy others.
    no_regret
        Whether the mean regret of the class falls to zero over time whatever the fitness of
        strategies is (a no-regret learner). The docstring states the bound.
    """

    innovative: bool
    no_regret: bool = False


class History(NamedTuple):
    """The generations of a class so far, as far as dynamics with a memory need them.

    Parameters
    ----------
    start
        The first mixture.
    mixture
        The mixture of the last generation.
    fitness
        The fitness of each strategy in the last generation.
    total
        The sum of the fitness of each strategy over all generations.
    regret
        What the class would have gained by each strategy, summed over all generations.
    generations
        Number of generations.
    """

    start: Floats
    mixture: Floats
    fitness: Floats
    total: Floats
    regret: Floats
    generations: int

    @classmethod
    def first(cls, mixture: Floats, fitness: Floats) -> History:
        """The history of a class after its first generation."""
        return cls(mixture, mixture, fitness, fitness, _regret(mixture, fitness), 1)

    def then(self, mixture: Floats, fitness: Floats) -> History:
        """The history after one more generation."""
        return History(
            self.start,
            mixture,
            fitness,
            self.total + fitness,
            self.regret + _regret(mixture, fitness),
            self.generations + 1,
        )


def _regret(mixture: Floats, fitness: Floats) -> Floats:
    """What the class would have gained by each strategy in one generation.

    Fitness is measured from the best one, so that equal strategies have a regret of exactly 0.
    """
    behind = fitness - fitness.max()
    return np.asarray(behind - mixture @ behind)


class Dynamic(Plugin):
    """A rule that turns a mixture of strategies into the next mixture."""

    facts: ClassVar[DynamicFacts]

    @abstractmethod
    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        """The next mixture, given the fitness of each strategy in the first generation."""

    def advance(self, history: History) -> Floats:
        """The next mixture, given all generations; only the last one counts without a memory."""
        return self.step(history.mixture, history.fitness)


class Remembering(Dynamic):
    """A dynamic whose next mixture depends on the fitness in all generations."""

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        return self.advance(History.first(mixture, fitness))

    @abstractmethod
    def advance(self, history: History) -> Floats:
        """The next mixture, given all generations."""


dynamics: Registry[Dynamic] = Registry("dynamic", __name__, DynamicFacts)
dynamic = dynamics.register
