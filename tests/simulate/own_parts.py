"""Parts of a setting as a user would write them, in a module that workers can import."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, poisson

from peergauge.core.arrays import Floats
from peergauge.simulate import Reviews
from peergauge.tables import Scale


@dataclass(frozen=True)
class OwnEffort:
    """The paper's effort: uniform on (0, highest]."""

    highest: float = 2.0

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        return self.highest * (1.0 - rng.random(graders))


@dataclass(frozen=True)
class OwnBias:
    """The paper's biases: standard normal."""

    deviation: float = 1.0

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        return self.deviation * rng.standard_normal(graders)


@dataclass(frozen=True)
class OwnScores:
    """The paper's true scores: Binomial(10, 0.7)."""

    share: float = 0.7

    def probabilities(self, scale: Scale) -> Floats:
        return np.asarray(binom.pmf(np.arange(scale.levels), scale.levels - 1, self.share))


@dataclass(frozen=True)
class OwnSignals:
    """The paper's signals, by the distributions that its text names.

    The number of draws needs its own uniform numbers, so this is the model for one draw each
    (*extra* is false), or with the quantiles of a Poisson distribution.
    """

    extra: bool = False

    def draw(self, reviews: Reviews) -> Floats:
        draws = np.ones(len(reviews))
        if self.extra:
            draws += poisson.ppf(reviews.rng("draws").random(len(reviews)), reviews.effort)
        mean = np.clip(reviews.score + reviews.bias, 0, 10)
        total = binom.ppf(reviews.uniform, 10 * draws, mean / 10)
        return reviews.scale.nearest(np.where(mean >= 10, 10, total / draws))
