"""Distributions of true scores over the levels of a scale."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import ParameterError
from peergauge.simulate.identity import offers
from peergauge.simulate.protocols import HasValues, TrueScores
from peergauge.tables import Scale, frozen

MAX_SUM_ERROR = 1e-6
"""Largest rounding error of the sum of the probabilities of true scores."""


@dataclass(frozen=True)
class BinomialScores:
    """Binomially distributed true scores, as in the paper: on 0..10, Binomial(10, 0.7).

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import BinomialScores
    >>> semester = peergauge.simulate(students=20, true_scores=BinomialScores(0.5), seed=1)
    >>> bool(4 < semester.truth.score.mean() < 6)
    True
    """

    share: float = 0.7

    needs_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ParameterError(f"A share of the scale lies in 0..1, but {self.share} was given.")

    def probabilities(self, scale: Scale) -> Floats:
        from scipy.stats import binom

        return np.asarray(binom.pmf(np.arange(scale.levels), scale.levels - 1, self.share))


@dataclass(frozen=True)
class NormalScores:
    """Normally distributed true scores, rounded to the nearest level of the scale.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import NormalScores
    >>> semester = peergauge.simulate(students=20, true_scores=NormalScores(6, 4), seed=1)
    >>> bool(5 < semester.truth.score.mean() < 7)
    True
    """

    mean: float
    variance: float

    needs_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not (np.isfinite(self.mean) and 0 < self.variance < np.inf):
            raise ParameterError(
                f"True scores have a finite mean and a positive variance, but {self.mean} and "
                f"{self.variance} were given."
            )

    def probabilities(self, scale: Scale) -> Floats:
        from scipy.stats import norm

        edges = scale.values()[:-1] + scale.steps_needed() / 2
        below = norm.cdf(edges, self.mean, np.sqrt(self.variance))
        return np.diff(np.concatenate([[0.0], below, [1.0]]))

    @classmethod
    def with_moments(cls, mean: float, variance: float, scale: Scale) -> NormalScores:
        """Create the distribution that has this mean and variance after rounding to *scale*."""
        from scipy.optimize import root

        def beside(at: Floats) -> Floats:
            found = moments(cls(float(at[0]), float(np.exp(at[1]))), scale)
            return np.array(found) - (mean, variance)

        solved = root(beside, [mean, np.log(variance)])
        if not solved.success:
            raise ParameterError(
                f"No normal scores have mean {mean} and variance {variance} on {scale}."
            )
        return cls(float(solved.x[0]), float(np.exp(solved.x[1])))


@dataclass(frozen=True)
class ListedScores:
    """True scores with a given probability for each level, such as those of a real class.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import ListedScores
    >>> scores = ListedScores((0.5, 0.0, 0.5))
    >>> semester = peergauge.simulate(scale=peergauge.Scale(1, 3), true_scores=scores, seed=1)
    >>> sorted(set(semester.truth.score.tolist()))
    [1.0, 3.0]
    """

    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if not (min(self.shares, default=-1) >= 0 and 0 < sum(self.shares) < np.inf):
            raise ParameterError("Shares of true scores are not negative and not all zero.")

    def probabilities(self, scale: Scale) -> Floats:
        if len(self.shares) != scale.levels:
            raise ParameterError(
                f"The scale {scale} has {scale.levels} levels, "
                f"but shares of {len(self.shares)} were listed."
            )
        return np.array(self.shares) / sum(self.shares)


@dataclass(frozen=True)
class CeilingScores:
    """True scores of which a share has the highest grade, as in classes with easy assignments.

    With probability *share* the true score is the highest grade of the scale; otherwise it is drawn
    from *below*, which may give the highest grade, too.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import CeilingScores
    >>> semester = peergauge.simulate(students=20, true_scores=CeilingScores(0.9), seed=1)
    >>> bool((semester.truth.score == 10).mean() > 0.8)
    True
    """

    share: float = 0.5
    below: TrueScores = BinomialScores()

    needs_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ParameterError(
                f"The share of true scores at the top lies in 0..1, but {self.share} was given."
            )

    def probabilities(self, scale: Scale) -> Floats:
        found = (1 - self.share) * self.below.probabilities(scale)
        found[-1] += self.share
        return found


@lru_cache(maxsize=256)
def probabilities_of(scores: TrueScores, scale: Scale) -> Floats:
    """Cached probability of each level of *scale*; every class of a setting needs it."""
    found = np.array(scores.probabilities(scale), dtype=np.float64)
    values = values_of(scores, scale)
    fits = found.shape == np.shape(values) and np.isfinite(values).all()
    if not fits or not (found >= 0).all() or abs(found.sum() - 1) > MAX_SUM_ERROR:
        raise ParameterError(
            f"{scores!r} should give one probability for each of {np.size(values)} finite true "
            f"scores on {scale}, from 0 up and 1 in total, but gives {found.tolist()}."
        )
    return frozen(found)


def values_of(scores: TrueScores, scale: Scale) -> Floats:
    """The true scores that can occur: the levels of *scale*, or values of their own."""
    return scores.values(scale) if offers(scores, HasValues) else scale.values()


@lru_cache(maxsize=256)
def moments(scores: TrueScores, scale: Scale) -> tuple[float, float]:
    """Mean and variance of the true scores on *scale*."""
    probability, values = probabilities_of(scores, scale), values_of(scores, scale)
    # Rounded, so that a mean of 7 is exactly 7: strategies round midpoints between it and signals.
    mean = round(float(probability @ values), 9)
    return mean, float(probability @ (values - mean) ** 2)


def draw_scores(scores: TrueScores, scale: Scale, count: int, rng: np.random.Generator) -> Floats:
    """Draw *count* true scores."""
    return values_of(scores, scale)[draw_places(scores, scale, count, rng)]


def draw_places(scores: TrueScores, scale: Scale, count: int, rng: np.random.Generator) -> Ints:
    """Draw *count* true scores, as indices of the values that can occur."""
    below = np.cumsum(probabilities_of(scores, scale))
    place = np.searchsorted(below / below[-1], rng.random(count), side="right")
    return place.astype(np.int32)
