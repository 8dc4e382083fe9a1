"""Compiled functions of :mod:`peergauge.simulate.signals`."""

import math

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled
from peergauge.core.arrays import Floats, Ints

TAIL_DEVIATIONS = 12.0
"""Standard deviations below the mean at which a search begins; the mass below is under 1e-30."""

KEPT_SUMS = 8
"""Number of cumulative sums of a Poisson distribution that are kept."""

RECIPROCAL_NUMBERS = 1.0 / np.arange(1.0, 257.0)


@compiled
def _first_mass(trials: int, share: float, begin: int) -> float:
    """The mass of Binomial(trials, share) at *begin*."""
    if begin > 0:
        return math.exp(
            math.lgamma(trials + 1.0)
            - math.lgamma(begin + 1.0)
            - math.lgamma(trials - begin + 1.0)
            + begin * math.log(share)
            + (trials - begin) * math.log1p(-share)
        )
    mass, power, left = 1.0, 1.0 - share, trials
    while left > 0:
        if left & 1:
            mass *= power
        power *= power
        left >>= 1
    return mass


@compiled
def _binomial_quantile(uniform: float, trials: int, share: float) -> int:
    if share <= 0.0:
        return 0
    if share >= 1.0:
        return trials
    if uniform <= 0.0:
        return 0
    # The search begins at the end of the scale that is nearer. With Y = trials - X,
    # P(X <= x) >= u exactly where P(Y < trials - x) <= 1 - u.
    flipped = share > 0.5
    if flipped:
        share = 1.0 - share
        uniform = 1.0 - uniform
    mean, rest = trials * share, 1.0 - share
    begin = (
        0
        if mean <= TAIL_DEVIATIONS * TAIL_DEVIATIONS * rest
        else int(mean - TAIL_DEVIATIONS * math.sqrt(mean * rest))
    )
    mass = _first_mass(trials, share, begin)
    odds = share / rest
    below = mass
    k = begin
    while k < trials and (below < uniform or (flipped and below == uniform)):
        reciprocal = RECIPROCAL_NUMBERS[k] if k < 256 else 1.0 / (k + 1.0)
        mass *= (trials - k) * odds * reciprocal
        k += 1
        if k > mean and below + mass == below:
            break  # what is left of the tail is lost in rounding
        below += mass
    return trials - k if flipped else k


@compiled
def _poisson_quantile(uniform: float, rate: float, first: float) -> int:
    mass = below = first
    k = 0
    while below < uniform:
        k += 1
        mass *= rate / k
        if k > rate and below + mass == below:
            break  # what is left of the tail is lost in rounding
        below += mass
    return k


@compiled
def poisson_quantiles(rate: Floats, which: Ints, uniform: Floats) -> NDArray[np.int64]:
    count = np.empty(len(which), dtype=np.int64)
    first = np.exp(-rate)
    # The first few sums of each rate: counting those that are too small needs no guess.
    sums = np.empty((len(rate), KEPT_SUMS))
    for k in range(len(rate)):
        mass = below = first[k]
        for x in range(KEPT_SUMS):
            sums[k, x] = below
            mass *= rate[k] / (x + 1)
            below += mass
    for row in range(len(which)):
        own, u = np.uint32(which[row]), uniform[row]
        x = 0
        for i in range(KEPT_SUMS):
            x += sums[own, i] < u
        count[row] = x if x < KEPT_SUMS else _poisson_quantile(u, rate[own], first[own])
    return count


@compiled
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
    trials = round((highest - lowest) / step)
    signal = np.empty(len(grader))
    for row in range(len(grader)):
        # Unsigned, since Numba would check signed indices for counting from the end.
        seen, own = apparent[np.uint32(submission[row])], np.uint32(grader[row])
        mean = (seen + bias[own]) + (slope[own] - 1.0) * (seen - centre)
        share = (min(max(mean, lowest), highest) - lowest) / (highest - lowest)
        total = _binomial_quantile(uniform[row], draws[row] * trials, share)
        signal[row] = min(lowest + step * np.rint(total / draws[row]), highest)
    return signal
