"""What a grader sees of a submission: a few noisy draws around its true score, averaged.

Draws are made by inversion, from one uniform number each, so that a signal moves smoothly with
the true score, the bias and the effort behind it, and changing one report's uniform number
changes no other report.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints


@accelerated
def poisson_quantiles(rate: Floats, which: Ints, uniform: Floats) -> NDArray[np.int64]:
    """The smallest k at which Poisson(rate[which]) reaches each uniform number."""
    from scipy.stats import poisson

    return np.asarray(np.maximum(poisson.ppf(uniform, rate[which]), 0), dtype=np.int64)


@accelerated
def binomial_signals(
    score: Floats,
    submission: Ints,
    bias: Floats,
    grader: Ints,
    draws: NDArray[np.int64],
    uniform: Floats,
    lowest: float,
    highest: float,
    step: float,
) -> Floats:
    """Average *draws* draws around true score plus bias, rounded to the nearest level.

    On a scale of 0..10 a draw is Binomial(10, (score + bias) / 10), the mean truncated to the
    scale; the sum of n such draws is Binomial(10 n, (score + bias) / 10), and that is drawn here
    as a whole. Exact halves go to the even level.
    """
    from scipy.stats import binom

    trials = round((highest - lowest) / step)
    mean = np.clip(score[submission] + bias[grader], lowest, highest)
    share = (mean - lowest) / (highest - lowest)
    quantile = binom.ppf(uniform, draws * trials, share)
    total = np.where(share >= 1, draws * trials, np.maximum(quantile, 0.0))
    return np.minimum(lowest + step * np.rint(total / draws), highest)
