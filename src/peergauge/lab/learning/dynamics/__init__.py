"""Dynamics: how the mixture of a class changes with the fitness of its strategies."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Floats
from peergauge.core.registry import Facts, Plugin, Registry


@dataclass(frozen=True, kw_only=True)
class DynamicFacts(Facts):
    """Facts that a dynamic declares.

    Parameters
    ----------
    innovative
        Whether students may choose a strategy that nobody follows, and not only copy others.
    """

    innovative: bool


class Dynamic(Plugin):
    """A rule that turns a mixture of strategies into the next mixture."""

    facts: ClassVar[DynamicFacts]

    @abstractmethod
    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        """The next mixture, given the fitness of each strategy."""


dynamics: Registry[Dynamic] = Registry("dynamic", __name__, DynamicFacts)
dynamic = dynamics.register
