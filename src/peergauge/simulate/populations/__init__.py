"""Populations with a name, so that commands can be given them: classes of a user's own.

A population is a plug-in that describes its classes by a :class:`~peergauge.simulate.Setting`.
Wherever a setting of the suite can be given by name, so can a population: ``peergauge simulate``,
``sweep``, ``exploit`` and ``bench`` with ``--setting``. This package has none of its own, because
the suite has names for ours.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.simulate.semester import Setting

__all__ = ["Population", "PopulationFacts", "population", "populations"]


@dataclass(frozen=True, kw_only=True)
class PopulationFacts(Facts):
    """The facts that a population declares about itself.

    Examples
    --------
    >>> PopulationFacts(name="sleepy").label
    'sleepy'
    """


class Population(Plugin):
    """A kind of class with a name; its parameters are those of a frozen dataclass.

    Examples
    --------
    >>> from peergauge.simulate import ContinuousEffort
    >>> @population("sleepy", label="Sleepy graders")
    ... @dataclass(frozen=True)
    ... class Sleepy(Population):
    ...     '''Graders make little effort.'''
    ...
    ...     highest: float = 0.5
    ...
    ...     def setting(self) -> Setting:
    ...         return Setting(students=40, effort=ContinuousEffort(highest=self.highest))
    >>> populations.make("sleepy:highest=0.2").setting().effort
    ContinuousEffort(highest=0.2, lowest=0.0)
    """

    facts: ClassVar[PopulationFacts]

    @abstractmethod
    def setting(self) -> Setting:
        """The classes of this population, with their size."""


populations: Registry[Population] = Registry("population", __name__, PopulationFacts)
population = populations.register
