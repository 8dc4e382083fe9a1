"""Distributions of the effort, bias and response style of graders, and of shared errors."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import ParameterError


class Effort(Hashable, Protocol):
    """Protocol of a distribution of effort, usually a frozen dataclass."""

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        """Draw the effort of each grader and, for binary effort, which graders are active."""
        ...

    def draws(self, effort: Floats, grader: Ints, rng: np.random.Generator) -> NDArray[np.int64]:
        """Number of draws that the signal of each report averages."""
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
    """Binary effort: active graders average 3 draws, passive graders 1.

    *active* is the number of active graders, by default half of the class.
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
    """Normally distributed biases, in points of 0..10; all are equal if *deviation* is 0."""

    deviation: float = 1.0
    mean: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf or not np.isfinite(self.mean):
            raise ParameterError("The deviation of biases is finite and not negative.")

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the bias of each grader."""
        return self.mean + self.deviation * rng.standard_normal(graders)


@dataclass(frozen=True)
class NormalStyles:
    """Response styles: each grader stretches or compresses grades about the class mean.

    The slope of a grader is max(0, 1 + *deviation* · z) with z standard normal. A grader with slope
    k expects μ + k (q - μ) plus the bias for a submission that looks like q, where μ is the mean of
    the true scores. A slope below 1 keeps grades close to the mean, a slope above 1 exaggerates
    differences, and a slope of 0 gives every submission the same expected grade. All slopes are 1
    if *deviation* is 0, as in the paper's model.
    """

    deviation: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf:
            raise ParameterError(
                f"The deviation of response styles is finite and not negative, but "
                f"{self.deviation:g} was given."
            )

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the slope of each grader."""
        if self.deviation == 0:
            return np.ones(graders)
        return np.maximum(0.0, 1.0 + self.deviation * rng.standard_normal(graders))


@dataclass(frozen=True)
class SharedError:
    """An error of each submission that all of its graders share, in points of 0..10.

    A submission with true score g looks to every grader like g + *deviation* · z with z standard
    normal, for example because all graders miss the same mistake. There is no shared error if
    *deviation* is 0, as in the paper's model.
    """

    deviation: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf:
            raise ParameterError(
                f"The deviation of shared errors is finite and not negative, but "
                f"{self.deviation:g} was given."
            )

    def draw(self, submissions: int, rng: np.random.Generator) -> Floats:
        """Draw the shared error of each submission."""
        if self.deviation == 0:
            return np.zeros(submissions)
        return self.deviation * rng.standard_normal(submissions)


@dataclass(frozen=True)
class Population:
    """The traits of all graders of a class, which stay the same over the semester."""

    effort: Floats
    bias: Floats
    slope: Floats
    """Slope of each grader's expected grade about the class mean; 1 without response styles."""
    active: Bools | None
    strategy: Ints
    """Index of each grader's strategy in the setting; 0 is truthful."""

    def __len__(self) -> int:
        return len(self.effort)
