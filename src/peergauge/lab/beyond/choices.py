"""Base class and mechanisms of the experiments on classes that learn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.core.errors import ParameterError
from peergauge.lab.learning import TRUTHFUL
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.simulate import Setting, strategies
from peergauge.simulate.strategies import Strategy, tempting

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
        inside one, or objects; the paper's six if left out.
    cost
        Cost of reading submissions, in ranks out of 100. Strategies that do not depend on the
        signal save it.
    """

    strategies: tuple[str | Strategy, ...] = ()
    cost: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        one = isinstance(self.strategies, str | Strategy)
        given = [self.strategies] if one else self.strategies
        made = strategies.distinct(given)  # type: ignore[arg-type]
        if TRUTHFUL in [one.spec for one in made]:
            raise ParameterError(
                "Truthful reporting is always included; name the other strategies only."
            )
        object.__setattr__(self, "strategies", tuple(map(strategies.spec_or_object, made)))

    @property
    def others(self) -> tuple[str, ...]:
        """Specs of the strategies that are not truthful."""
        return tuple(map(str, self.strategies)) or self.usual()

    def chosen(self, specs: Sequence[str]) -> tuple[str | Strategy, ...]:
        """The strategies with these specs, as the user gave them."""
        given = {str(one): one for one in self.strategies}
        return tuple(given.get(spec, spec) for spec in specs)

    def usual(self) -> tuple[str, ...]:
        """The other strategies if the user names none."""
        return tuple(tempting())

    @property
    def every(self) -> tuple[str, ...]:
        """Specs of all strategies, truthful reporting first."""
        return TRUTHFUL, *self.others

    def setting(self) -> Setting:
        """Setting of the classes."""
        return Setting(students=self.students, assignments=self.assignments)
