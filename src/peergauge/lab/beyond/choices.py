"""Base class and mechanisms of the experiments on classes that learn."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.errors import ParameterError
from peergauge.lab.learning import TRUTHFUL
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.simulate import Setting, strategies
from peergauge.simulate.strategies import tempting

MECHANISMS = (
    "mse",
    "mse-p",
    "phi-div-p:bias=estimate,divergence=kl",
    "phi-div-p:bias=estimate,divergence=tvd",
    "pts",
    "dmi",
    "guarded-mse-p",
    "sne",
    "sne:form=strict",
)
"""Mechanisms of the paper that differ most, with estimated biases, and later mechanisms."""

LEARNING_SECTION = "Beyond the paper: classes that learn"
"""Section of the figures of classes that learn."""


@dataclass(frozen=True)
class OverStrategies(OfOneSize):
    """An experiment in which students choose between truthful reporting and other strategies.

    Parameters
    ----------
    strategies
        Specs of the other strategies, with ``+`` between two of them and ``;`` for the commas
        inside one; the paper's six if left out.
    cost
        Cost of reading submissions, in ranks out of 100. Strategies that do not depend on the
        signal save it.
    """

    strategies: tuple[str, ...] = ()
    cost: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.strategies] if isinstance(self.strategies, str) else self.strategies
        specs = tuple(dict.fromkeys(strategies.make(one).spec for one in given))
        if TRUTHFUL in specs:
            raise ParameterError(
                "Truthful reporting is always included; name the other strategies only."
            )
        object.__setattr__(self, "strategies", specs)

    @property
    def others(self) -> tuple[str, ...]:
        """The strategies that are not truthful."""
        return self.strategies or self.usual()

    def usual(self) -> tuple[str, ...]:
        """The other strategies if the user names none."""
        return tuple(tempting())

    @property
    def every(self) -> tuple[str, ...]:
        """All strategies, truthful reporting first."""
        return TRUTHFUL, *self.others

    def setting(self) -> Setting:
        """Setting of the classes."""
        return Setting(students=self.students, assignments=self.assignments)
