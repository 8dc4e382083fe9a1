"""Distributions of the traits of graders, and of the errors that submissions cause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.brief import brief
from peergauge.core.errors import ParameterError

if TYPE_CHECKING:
    from peergauge.simulate.semester import Setting


@dataclass(frozen=True)
class ContinuousEffort:
    """Effort λ uniform on (lowest, highest]; a signal averages 1 + Poisson(λ) draws.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import ContinuousEffort
    >>> semester = peergauge.simulate(students=20, effort=ContinuousEffort(highest=4.0), seed=1)
    >>> bool(semester.truth.effort.max() < 4)
    True
    """

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

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import BinaryEffort
    >>> semester = peergauge.simulate(students=20, effort=BinaryEffort(active=5), seed=1)
    >>> semester.truth.active.sum()
    np.int64(5)
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
class ListedEffort:
    """The effort of each grader, as a list; grader k has the k-th effort.

    In the paper's model of signals, a signal averages 1 + Poisson(effort) draws.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import ListedEffort
    >>> semester = peergauge.simulate(students=3, graders=2, effort=ListedEffort((0.0, 1.0, 4.0)))
    >>> semester.truth.effort
    array([0., 1., 4.])
    """

    effort: tuple[float, ...]

    def draw(
        self,
        graders: int,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is left to chance
    ) -> tuple[Floats, Bools | None]:
        if len(self.effort) != graders or not np.isfinite(self.effort).all():
            raise ParameterError(
                f"{len(self.effort)} efforts are listed, but there are {graders} graders; list one "
                "finite number for each grader."
            )
        return np.array(self.effort, dtype=np.float64), None


@dataclass(frozen=True)
class LognormalEffort:
    """Lognormal effort, with a share of graders whose effort is near zero.

    Effort λ is *median* · exp(*spread* · z) with z standard normal, at most 500, except for a
    random share *idle* of the graders, whose effort is *idle_effort*. As under
    :class:`ContinuousEffort`, a signal averages 1 + Poisson(λ) draws. Even a single draw is
    informative, so near-zero effort needs a second rule: with probability exp(-λ / *reading*) the
    grader does not look at the submission and guesses, as if its apparent score were the mean of
    the true scores. With the defaults an idle grader guesses nine reports out of ten, and a grader
    of median effort guesses one report out of 150.

    Parameters
    ----------
    median, spread
        Median of effort, and standard deviation of its logarithm.
    idle
        Share of the graders whose effort is near zero; their number is rounded.
    idle_effort
        Effort of those graders.
    reading
        Effort at which a grader looks at a submission with probability 1 - 1/e.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import LognormalEffort
    >>> semester = peergauge.simulate(students=20, effort=LognormalEffort(idle=0.5), seed=1)
    >>> semester.truth.effort.shape
    (20,)
    """

    median: float = 1.0
    spread: float = 0.5
    idle: float = 0.2
    idle_effort: float = 0.02
    reading: float = 0.2

    def __post_init__(self) -> None:
        if not (0 < self.median <= 500 and 0 <= self.spread <= 10):
            raise ParameterError(
                f"Lognormal effort has a median in 0..500 and a spread in 0..10, but {self.median} "
                f"and {self.spread} were given."
            )
        if not (0 <= self.idle <= 1 and 0 <= self.idle_effort <= 500):
            raise ParameterError(
                f"The share of idle graders lies in 0..1 and their effort in 0..500, but "
                f"{self.idle} and {self.idle_effort} were given."
            )
        if not 0 < self.reading < np.inf:
            raise ParameterError(
                f"The effort of reading is positive and finite, but {self.reading} was given."
            )

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        drawn = self.median * np.exp(self.spread * rng.standard_normal(graders))
        effort = np.minimum(drawn, 500.0)
        effort[rng.permutation(graders)[: round(self.idle * graders)]] = self.idle_effort
        return effort, None

    def draws(self, effort: Floats, grader: Ints, rng: np.random.Generator) -> NDArray[np.int64]:
        from peergauge.simulate.signals import poisson_quantiles

        return 1 + poisson_quantiles(effort, grader, rng.random(len(grader)))

    def guess_probability(self, effort: Floats) -> Floats:
        """Probability that a grader with this effort does not look at a submission."""
        return np.exp(-effort / self.reading)


@dataclass(frozen=True)
class NormalBias:
    """Normally distributed biases, in points of 0..10; all are equal if *deviation* is 0.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import NormalBias
    >>> semester = peergauge.simulate(students=20, bias=NormalBias(0), seed=1)
    >>> bool((semester.truth.bias == 0).all())
    True
    """

    deviation: float = 1.0
    mean: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf or not np.isfinite(self.mean):
            raise ParameterError("The deviation of biases is finite and not negative.")

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the bias of each grader."""
        return self.mean + self.deviation * rng.standard_normal(graders)


@dataclass(frozen=True)
class StudentBias:
    """Heavy-tailed biases: Student's t distribution, clipped to a limit, in points of 0..10.

    With two degrees of freedom the variance of the t distribution is infinite. A bias beyond the
    length of the scale makes no difference, so biases are clipped to ± *limit*.

    Parameters
    ----------
    spread
        Factor by which the t distribution is multiplied.
    freedom
        Degrees of freedom.
    limit
        Largest bias.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import StudentBias
    >>> semester = peergauge.simulate(students=20, bias=StudentBias(0.7), seed=1)
    >>> semester.truth.bias.shape
    (20,)
    """

    spread: float = 1.0
    freedom: float = 2.0
    limit: float = 10.0

    def __post_init__(self) -> None:
        if not (0 < self.spread < np.inf and 0 < self.freedom < np.inf and 0 < self.limit < np.inf):
            raise ParameterError(
                f"The spread, the degrees of freedom and the limit of biases are positive and "
                f"finite, but {self.spread}, {self.freedom} and {self.limit} were given."
            )

    @property
    def deviation(self) -> float:
        """Standard deviation of the clipped biases."""
        return _clipped_deviation(self.spread, self.freedom, self.limit)

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the bias of each grader."""
        drawn = self.spread * rng.standard_t(self.freedom, graders)
        return np.clip(drawn, -self.limit, self.limit)


@lru_cache(maxsize=64)
def _clipped_deviation(spread: float, freedom: float, limit: float) -> float:
    """Standard deviation of a multiple of Student's t that is clipped to ± *limit*."""
    from scipy.integrate import quad
    from scipy.stats import t

    # For a variable X that is clipped to 0..L, the mean of X² is the integral of 2 x P(X > x).
    found, _ = quad(lambda x: 4.0 * x * t.sf(x / spread, freedom), 0.0, limit, limit=200)
    return float(np.sqrt(found))


@dataclass(frozen=True)
class NormalStyles:
    """Response styles: each grader stretches or compresses grades about the class mean.

    The slope of a grader is max(0, *mean* + *deviation* · z) with z standard normal. A grader with
    slope k expects μ + k (q - μ) plus the bias for a submission that looks like q, where μ is the
    mean of the true scores. A slope below 1 keeps grades close to the mean, a slope above 1
    exaggerates differences, and a slope of 0 gives every submission the same expected grade. All
    slopes are 1 if *deviation* is 0 and *mean* is 1, as in the paper's model.

    If *whole_signal*, the slope multiplies the whole signal instead, bias and noise included: a
    grader who sees x reports μ + k (x - μ), rounded to the scale. A grader who stretches or hedges
    by the factor k does exactly the same, so no statistic can tell the two apart.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import NormalStyles
    >>> semester = peergauge.simulate(students=20, styles=NormalStyles(0.2), seed=1)
    >>> semester.population.slope.shape
    (20,)
    """

    deviation: float = 0.0
    mean: float = 1.0
    whole_signal: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf:
            raise ParameterError(
                f"The deviation of response styles is finite and not negative, but "
                f"{self.deviation:g} was given."
            )
        if not 0 <= self.mean < np.inf:
            raise ParameterError(
                f"The mean of response styles is finite and not negative, but {self.mean:g} was "
                "given."
            )

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the slope of each grader."""
        if self.deviation == 0:
            return np.full(graders, self.mean)
        return np.maximum(0.0, self.mean + self.deviation * rng.standard_normal(graders))


@dataclass(frozen=True)
class UniformStyles:
    """Response styles with slopes that are uniform between two bounds.

    Slopes and *whole_signal* have the same meaning as in :class:`NormalStyles`.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import UniformStyles
    >>> semester = peergauge.simulate(students=20, styles=UniformStyles(0.5, 1.5), seed=1)
    >>> bool((semester.population.slope >= 0.5).all())
    True
    """

    lowest: float = 0.4
    highest: float = 1.3
    whole_signal: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.lowest <= self.highest < np.inf:
            raise ParameterError(
                f"Slopes lie between two finite numbers from 0 up, the lower one first, but "
                f"{self.lowest:g} and {self.highest:g} were given."
            )

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the slope of each grader."""
        return self.lowest + (self.highest - self.lowest) * rng.random(graders)


@dataclass(frozen=True)
class SharedError:
    """An error of each submission that its graders share, in points of 0..10.

    A submission with true score g looks to every grader like g + *deviation* · z with z standard
    normal, for example because all graders miss the same mistake. If *share* is below 1, only this
    share of the graders is misled, always the same ones; the others see g itself. The number of
    misled graders is rounded. There is no shared error if *deviation* is 0, as in the paper's
    model.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import SharedError
    >>> semester = peergauge.simulate(students=20, shared_error=SharedError(1.1, share=0.5), seed=1)
    >>> semester.population.misled.sum()
    np.int64(10)
    """

    deviation: float = 0.0
    share: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.deviation < np.inf:
            raise ParameterError(
                f"The deviation of shared errors is finite and not negative, but "
                f"{self.deviation:g} was given."
            )
        if not 0 <= self.share <= 1:
            raise ParameterError(
                f"The share of misled graders lies in 0..1, but {self.share:g} was given."
            )

    def draw(self, submissions: int, rng: np.random.Generator) -> Floats:
        """Draw the shared error of each submission."""
        if self.deviation == 0:
            return np.zeros(submissions)
        return self.deviation * rng.standard_normal(submissions)

    def misled(self, graders: int, rng: np.random.Generator) -> Bools:
        """Draw which graders are misled."""
        chosen = np.ones(graders, dtype=np.bool_)
        if self.share < 1:
            chosen[rng.permutation(graders)[round(self.share * graders) :]] = False
        return chosen


@dataclass(frozen=True)
class Difficulty:
    """Difficult submissions, which every grader misjudges independently, in points of 0..10.

    A random *share* of the submissions is difficult. To each of its graders, a difficult submission
    with true score g looks like g + *deviation* · z, with a standard normal z of the grader's own.
    The noise of the other submissions is that of the paper's model, and so is all noise if
    *deviation* or *share* is 0.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import Difficulty
    >>> semester = peergauge.simulate(students=20, difficulty=Difficulty(2.0, share=0.3), seed=1)
    >>> semester.setting.difficulty
    Difficulty(deviation=2.0, share=0.3)
    """

    deviation: float = 0.0
    share: float = 0.5

    def __post_init__(self) -> None:
        if not (0 <= self.deviation < np.inf and 0 <= self.share <= 1):
            raise ParameterError(
                f"The deviation of difficult submissions is finite and not negative, and their "
                f"share lies in 0..1, but {self.deviation:g} and {self.share:g} were given."
            )

    def draw(self, submissions: int, rng: np.random.Generator) -> Floats:
        """Draw the standard deviation of the errors that each submission causes."""
        hard = rng.random(submissions) < self.share
        return np.where(hard, self.deviation, 0.0)


@dataclass(frozen=True)
class Participation:
    """Missing reviews: each assigned review is done with a probability of the grader's own.

    The probability of a grader is uniform between *lowest* and *highest* and stays the same over
    the semester. Every assigned review is done if both are 1, as in the paper's model.

    If *known*, the reports say how many reviews were assigned to each grader, and reviews that were
    not done are paid as such. Otherwise the class looks like one with uneven loads, and pay depends
    on the reviews that were done alone.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import Participation
    >>> reports = peergauge.simulate(students=20, participation=Participation(0.2), seed=1).reports
    >>> bool(len(reports) < reports.assigned.sum())
    True
    """

    lowest: float = 1.0
    highest: float = 1.0
    known: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.lowest <= self.highest <= 1:
            raise ParameterError(
                f"The probability of doing a review lies between two numbers in 0..1, the lower "
                f"one first, but {self.lowest:g} and {self.highest:g} were given."
            )

    @property
    def complete(self) -> bool:
        """Whether every assigned review is done."""
        return self.lowest == 1

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the probability that each grader does an assigned review."""
        return self.lowest + (self.highest - self.lowest) * rng.random(graders)


def refuse_unused_features(setting: Setting, why: str) -> None:
    """Raise an error if a setting has features that signals from a table do not use.

    *why* is the beginning of the sentence, which says where signals come from instead.
    """
    slopes = setting.styles == NormalStyles() or setting.styles.whole_signal
    plain = setting.shared_error.deviation == 0 == setting.difficulty.deviation
    if not (slopes and plain and setting.bias == NormalBias(0)):
        raise ParameterError(
            f"{why}; leave out biases (bias=NormalBias(0)), shared errors, difficulty and response "
            "styles, except those of whole signals."
        )


@dataclass(frozen=True)
class Population:
    """The traits of all graders of a class, which stay the same over the semester.

    Examples
    --------
    >>> import peergauge
    >>> peergauge.simulate(students=20, seed=1).population.effort.shape
    (20,)
    """

    effort: Floats
    bias: Floats
    slope: Floats
    """Slope of each grader's expected grade about the class mean; 1 without response styles."""
    active: Bools | None
    strategy: Ints
    """Index of each grader's strategy in the setting; 0 is truthful."""
    misled: Bools | None = None
    """Which graders share the errors of submissions; None if all of them do."""
    participation: Floats | None = None
    """Probability that each grader does an assigned review; None if all reviews are done."""

    __repr__ = brief

    def __len__(self) -> int:
        return len(self.effort)
