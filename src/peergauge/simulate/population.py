"""Who the graders are: how much effort they make and how biased they are."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import ParameterError


class Effort(Hashable, Protocol):
    """How effort is distributed, such as a frozen dataclass, and how many draws it buys."""

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        """The effort of each grader, and who is an active one if there are two kinds."""
        ...

    def draws(self, effort: Floats, grader: Ints, rng: np.random.Generator) -> NDArray[np.int64]:
        """How many draws each report's signal averages."""
        ...


@dataclass(frozen=True)
class ContinuousEffort:
    """Effort λ uniform on (lowest, highest]; a signal averages 1 + Poisson(λ) draws."""

    highest: float = 2.0
    lowest: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.lowest <= self.highest <= 500:
            raise ParameterError(
                f"Effort is bounded by two numbers in 0..500, the lower one first, but "
                f"{self.lowest} and {self.highest} were given."
            )

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        # 1 - u is uniform on (0, 1], so that no effort is exactly the lower bound.
        return self.lowest + (self.highest - self.lowest) * (1.0 - rng.random(graders)), None

    def draws(self, effort: Floats, grader: Ints, rng: np.random.Generator) -> NDArray[np.int64]:
        from peergauge.simulate.signals import poisson_quantiles

        return 1 + poisson_quantiles(effort, grader, rng.random(len(grader)))


@dataclass(frozen=True)
class BinaryEffort:
    """Active graders average 3 draws, passive ones 1; *active* is how many are active.

    By default half of the class is.
    """

    active: int | None = None
    active_draws: int = 3
    passive_draws: int = 1

    def __post_init__(self) -> None:
        if min(self.active_draws, self.passive_draws) < 1:
            raise ParameterError("Every grader needs at least one draw to have a signal.")

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        count = graders // 2 if self.active is None else self.active
        if not 0 <= count <= graders:
            raise ParameterError(
                f"The number of active graders lies in 0..{graders}, but {count} was given."
            )
        active = np.zeros(graders, dtype=np.bool_)
        active[rng.permutation(graders)[:count]] = True
        return np.where(active, float(self.active_draws), float(self.passive_draws)), active

    def draws(
        self,
        effort: Floats,
        grader: Ints,
        rng: np.random.Generator,  # noqa: ARG002 - these draws are certain
    ) -> NDArray[np.int64]:
        return effort.astype(np.int64)[grader]


@dataclass(frozen=True)
class NormalBias:
    """Normal biases, in points of 0..10; a deviation of 0 makes every grader alike."""

    deviation: float = 1.0
    mean: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf or not np.isfinite(self.mean):
            raise ParameterError("The deviation of biases is finite and not negative.")

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """The bias of each grader."""
        return self.mean + self.deviation * rng.standard_normal(graders)


@dataclass(frozen=True)
class Population:
    """The graders of one class: everything about them that stays over the semester."""

    effort: Floats
    bias: Floats
    active: Bools | None
    strategy: Ints
    """Which of the setting's strategies each grader follows; 0 is truthful."""

    def __len__(self) -> int:
        return len(self.effort)
