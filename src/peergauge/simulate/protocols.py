"""Protocols of the parts of a setting: what an object of your own needs to be one of them.

A part is usually a frozen dataclass. It is not derived from anything: an object with the right
methods is accepted. It must be hashable, and equal to a copy of itself, because graders and
submissions are cached by the parts from which they were drawn.

Random numbers come from the generator that a method is given, or that
:class:`~peergauge.simulate.reviews.Reviews` make, and from nowhere else. The same seed then gives
the same class on every machine.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.tables import Scale

if TYPE_CHECKING:
    from peergauge.simulate.reviews import Reviews
    from peergauge.simulate.semester import Setting

DrawnEffort: TypeAlias = Floats | tuple[Floats, Bools | None]
"""Effort of each grader, alone or together with which graders are active."""


@runtime_checkable
class Effort(Hashable, Protocol):
    """Protocol of a distribution of effort.

    In the paper's model of signals, effort λ is a number from 0 up, and a signal averages 1 +
    Poisson(λ) draws, unless the distribution has a method :meth:`CountsDraws.draws`. Other models
    of signals give effort another meaning.

    >>> from dataclasses import dataclass
    >>> from peergauge.simulate import simulate
    >>> @dataclass(frozen=True)
    ... class ExponentialEffort:
    ...     mean: float = 1.0
    ...
    ...     def draw(self, graders, rng):
    ...         return rng.exponential(self.mean, graders)
    >>> semester = simulate(students=8, assignments=1, effort=ExponentialEffort(2.0), seed=1)
    >>> semester.setting.effort
    ExponentialEffort(mean=2.0)
    """

    def draw(self, graders: int, rng: np.random.Generator) -> DrawnEffort:
        """Draw the effort of each grader and, for binary effort, which graders are active."""
        ...


@runtime_checkable
class CountsDraws(Protocol):
    """Protocol of a distribution of effort that decides how many draws a signal averages.

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from peergauge.simulate import ContinuousEffort, simulate
    >>> @dataclass(frozen=True)
    ... class TwoDraws(ContinuousEffort):
    ...     def draws(self, effort, grader, rng):
    ...         return np.full(len(grader), 2)
    >>> simulate(students=8, assignments=1, effort=TwoDraws(), seed=1).reports
    <Reports: 32 grades on 0..10 by 8 graders of 8 submissions in 1 assignments>
    """

    def draws(self, effort: Floats, grader: Ints, rng: np.random.Generator) -> NDArray[np.int64]:
        """Number of draws that the signal of each report averages, at least 1.

        *effort* is that of each grader, and *grader* the number of the grader of each report.
        """
        ...


@runtime_checkable
class Guesses(Protocol):
    """Protocol of a distribution of effort under which some reports are guesses.

    A guess is the signal of a submission that looks like an average one.

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from peergauge.simulate import ContinuousEffort, NormalBias, simulate
    >>> @dataclass(frozen=True)
    ... class OftenGuessing(ContinuousEffort):
    ...     def guess_probability(self, effort):
    ...         return np.exp(-effort)
    >>> simulate(students=8, assignments=1, effort=OftenGuessing(), seed=1).reports
    <Reports: 32 grades on 0..10 by 8 graders of 8 submissions in 1 assignments>
    """

    def guess_probability(self, effort: Floats) -> Floats:
        """Probability that a grader with this effort does not look at a submission."""
        ...


@runtime_checkable
class Bias(Hashable, Protocol):
    """Protocol of a distribution of biases.

    >>> from dataclasses import dataclass
    >>> from peergauge.simulate import simulate
    >>> @dataclass(frozen=True)
    ... class TwoCamps:
    ...     distance: float = 2.0
    ...
    ...     @property
    ...     def deviation(self):
    ...         return self.distance / 2
    ...
    ...     def draw(self, graders, rng):
    ...         return self.distance * (rng.integers(2, size=graders) - 0.5)
    >>> sorted(set(simulate(students=20, bias=TwoCamps(3.0), seed=1).truth.bias))
    [np.float64(-1.5), np.float64(1.5)]
    """

    @property
    def deviation(self) -> float:
        """Standard deviation of biases, in points of 0..10."""
        ...

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the bias of each grader, in points of 0..10."""
        ...


@runtime_checkable
class Styles(Hashable, Protocol):
    """Protocol of a distribution of response styles.

    >>> from dataclasses import dataclass
    >>> from peergauge.simulate import simulate
    >>> @dataclass(frozen=True)
    ... class SomeHedge:
    ...     share: float = 0.5
    ...     whole_signal: bool = True
    ...
    ...     def draw(self, graders, rng):
    ...         return 1.0 - 0.5 * (rng.random(graders) < self.share)
    >>> semester = simulate(students=20, styles=SomeHedge(), seed=1)
    >>> sorted(set(semester.population.slope))
    [np.float64(0.5), np.float64(1.0)]
    """

    @property
    def whole_signal(self) -> bool:
        """Whether the slope multiplies the whole signal, or the true score only."""
        ...

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        """Draw the slope of each grader."""
        ...


@runtime_checkable
class TrueScores(Hashable, Protocol):
    """Protocol of a distribution of true scores.

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from peergauge.simulate import Setting
    >>> @dataclass(frozen=True)
    ... class PassOrFail:
    ...     passed: float = 0.8
    ...
    ...     def probabilities(self, scale):
    ...         found = np.zeros(scale.levels)
    ...         found[[0, -1]] = 1 - self.passed, self.passed
    ...         return found
    >>> Setting(true_scores=PassOrFail()).prior[0]
    8.0
    """

    def probabilities(self, scale: Scale) -> Floats:
        """Probability of each level of *scale*, or of each of the values of :class:`HasValues`."""
        ...


@runtime_checkable
class HasValues(Protocol):
    """Protocol of true scores that need not be levels of the scale.

    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from peergauge.simulate import Setting
    >>> @dataclass(frozen=True)
    ... class Thirds:
    ...     def values(self, scale):
    ...         return np.linspace(scale.lowest, scale.highest, 4)
    ...
    ...     def probabilities(self, scale):
    ...         return np.full(4, 0.25)
    >>> Setting(true_scores=Thirds()).prior[0]
    5.0
    """

    def values(self, scale: Scale) -> Floats:
        """The true scores that have a probability each, in place of the levels of *scale*."""
        ...


@runtime_checkable
class SignalModel(Hashable, Protocol):
    """Protocol of a model of signals: how a grader comes to see what they see of a submission.

    :class:`~peergauge.simulate.reviews.Reviews` hold everything that a signal may depend on: true
    scores, errors that submissions cause, the effort, bias and slope of graders, and named random
    generators.

    >>> from dataclasses import dataclass
    >>> from peergauge.simulate import simulate
    >>> @dataclass(frozen=True)
    ... class NormalSignals:
    ...     noise: float = 2.0
    ...
    ...     def draw(self, reviews):
    ...         z = reviews.rng("noise").standard_normal(len(reviews))
    ...         spread = self.noise / (1 + reviews.effort)
    ...         return reviews.scale.nearest(reviews.apparent + reviews.bias + spread * z)
    >>> simulate(students=8, assignments=1, signals=NormalSignals(), seed=1).reports
    <Reports: 32 grades on 0..10 by 8 graders of 8 submissions in 1 assignments>
    """

    def draw(self, reviews: Reviews) -> Floats:
        """Draw the signal of each review, a grade on the scale."""
        ...


@runtime_checkable
class ChecksSetting(Protocol):
    """Protocol of a part of a setting that does not fit to every other part.

    A model of signals that ignores biases, for example, should refuse a setting that has them.

    >>> from dataclasses import dataclass
    >>> from peergauge.core.errors import ParameterError
    >>> from peergauge.simulate import NormalBias, Setting
    >>> @dataclass(frozen=True)
    ... class ExactSignals:
    ...     def check(self, setting):
    ...         if setting.bias != NormalBias(0):
    ...             raise ParameterError("Exact signals have no biases; write bias=NormalBias(0).")
    ...
    ...     def draw(self, reviews):
    ...         return reviews.score
    >>> Setting(signals=ExactSignals())
    Traceback (most recent call last):
    ...
    peergauge.core.errors.ParameterError: Exact signals have no biases; write bias=NormalBias(0).
    """

    def check(self, setting: Setting) -> None:
        """Raise a :class:`~peergauge.core.errors.ParameterError` if *setting* does not fit."""
        ...
