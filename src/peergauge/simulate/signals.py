"""Signals: the mean of a few noisy draws around what a grader expects of a submission.

Signals are drawn by inversion from one uniform number each. A signal therefore changes smoothly
with the apparent score, the bias and the effort, and a change of one uniform number changes only
its report.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints


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
