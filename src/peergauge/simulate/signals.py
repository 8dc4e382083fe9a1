"""Signals: the mean of a few noisy draws around what a grader expects of a submission.

Signals are drawn by inversion from one uniform number each. A signal therefore changes smoothly
with the apparent score, the bias and the effort, and a change of one uniform number changes only
its report.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream
from peergauge.simulate.identity import offers
from peergauge.simulate.protocols import CountsDraws
from peergauge.tables import Scale

if TYPE_CHECKING:
    from peergauge.simulate.reviews import Reviews

MAX_EFFORT_DRAWS = 500.0
"""Largest effort in the paper's model of signals: the mean number of draws after the first."""


@dataclass(frozen=True)
class BinomialSignals:
    """The paper's model of signals: the mean of a few binomial draws around an expected grade.

    On a scale of 0..10 a draw is Binomial(10, m / 10). The expected grade m is the apparent score
    of the submission plus the bias of the grader, stretched by the slope of the grader, and
    truncated to the scale: see :func:`binomial_signals`. A signal averages as many draws as the
    distribution of effort says, and 1 + Poisson(effort) if it says nothing.

    Examples
    --------
    >>> import peergauge
    >>> peergauge.Setting().signals
    BinomialSignals()
    """

    needs_order: ClassVar[bool] = True

    def draw(self, reviews: Reviews) -> Floats:
        """Draw the signal of each review."""
        apparent, place = reviews.apparent_scores
        scale = reviews.scale
        return binomial_signals(
            apparent,
            place,
            reviews.population.bias,
            reviews.slope_of_grader,
            reviews.prior[0],
            reviews.grader,
            _draws(reviews),
            reviews.uniform,
            scale.lowest,
            scale.highest,
            scale.steps_needed(),
        )


def _draws(reviews: Reviews) -> NDArray[np.int64]:
    """Number of draws that the signal of each review averages."""
    effort, rng = reviews.population.effort, stream(reviews.seed, "draws", reviews.repeat)
    distribution = reviews.setting.effort
    if offers(distribution, CountsDraws):
        draws = np.asarray(distribution.draws(effort, reviews.grader, rng))
        if draws.shape != (len(reviews),) or draws.dtype.kind not in "iu" or (draws < 1).any():
            raise ParameterError(
                f"{distribution!r} should give a whole number of draws from 1 up for each of "
                f"{len(reviews)} reports."
            )
        return draws.astype(np.int64, copy=False)
    if not (effort >= 0).all() or not (effort <= MAX_EFFORT_DRAWS).all():
        raise ParameterError(
            f"{distribution!r} should give efforts in 0..{MAX_EFFORT_DRAWS:g}, the mean numbers of "
            f"draws after the first, but gives {effort.min():g}..{effort.max():g}; give it a "
            "method 'draws', or the setting another model of signals."
        )
    return 1 + poisson_quantiles(effort, reviews.grader, rng.random(len(reviews)))


@accelerated
def poisson_quantiles(rate: Floats, which: Ints, uniform: Floats) -> NDArray[np.int64]:
    """Quantiles of Poisson(rate[which]) at the given uniform numbers."""
    from scipy.stats import poisson

    return np.asarray(np.maximum(poisson.ppf(uniform, rate[which]), 0), dtype=np.int64)


@accelerated
def binomial_signals(
    apparent: Floats,
    submission: Ints,
    bias: Floats,
    slope: Floats,
    centre: float,
    grader: Ints,
    draws: NDArray[np.int64],
    uniform: Floats,
    lowest: float,
    highest: float,
    step: float,
) -> Floats:
    """Draw signals: the mean of *draws* draws around an expected grade, rounded to the scale.

    The apparent score of a submission is its true score plus the error that its graders share. With
    apparent score q, bias b, slope k and class mean (*centre*) μ, the expected grade is

        m = μ + k (q - μ) + b = (q + b) + (k - 1) (q - μ),

    truncated to the scale. The second form is exactly q + b for k = 1, which is the paper's model.
    On a scale of 0..10 a draw is Binomial(10, m / 10). The sum of n such draws is
    Binomial(10 n, m / 10), which is drawn here in one step. Exact halves are rounded to the even
    level.
    """
    from scipy.stats import binom

    trials = round((highest - lowest) / step)
    seen = apparent[submission]
    mean = (seen + bias[grader]) + (slope[grader] - 1.0) * (seen - centre)
    mean = np.clip(mean, lowest, highest)
    share = (mean - lowest) / (highest - lowest)
    quantile = binom.ppf(uniform, draws * trials, share)
    total = np.where(share >= 1, draws * trials, np.maximum(quantile, 0.0))
    return np.minimum(lowest + step * np.rint(total / draws), highest)


def mixture_signals(
    table: Floats,
    guess: Floats,
    level: Ints,
    submission: Ints,
    accuracy: Floats,
    grader: Ints,
    uniform: Floats,
    scale: Scale,
) -> Floats:
    """Draw signals by inversion: from the row of a table with a probability, or from guesses.

    Parameters
    ----------
    table
        Distribution of signals over the levels of the scale, for each level of the true score.
    guess
        Distribution of guesses.
    level
        Level of the true score of each submission.
    submission, grader
        Those of each review.
    accuracy
        Probability of each grader of not guessing.
    uniform
        A uniform number for each review.
    scale
        The scale of the signals.
    """
    own = accuracy[grader][:, None]
    below = own * np.cumsum(table, axis=1)[level[submission]]
    below += (1 - own) * np.cumsum(guess)
    # The last sum is 1 up to rounding, and no uniform number may be above it.
    place = (below[:, :-1] < uniform[:, None]).sum(axis=1)
    return np.asarray(scale.values()[place])
