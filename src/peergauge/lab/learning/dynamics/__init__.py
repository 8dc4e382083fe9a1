"""How a class changes with what pays: one dynamic in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Floats
from peergauge.core.registry import Facts, Plugin, Registry


@dataclass(frozen=True, kw_only=True)
class DynamicFacts(Facts):
    """What a dynamic declares.

    Parameters
    ----------
    innovative
        Whether students take up what nobody does, rather than only copy one another.
    """

    innovative: bool


class Dynamic(Plugin):
    """Turns a mixture of strategies into the next one."""

    facts: ClassVar[DynamicFacts]

    @abstractmethod
    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        """The mixture after one semester in which strategies were worth their *fitness*."""


dynamics: Registry[Dynamic] = Registry("dynamic", __name__, DynamicFacts)
dynamic = dynamics.register
