"""Helpers for strategies that use what co-graders of the same submission report."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Situation


def co_graders_mean(situation: Situation) -> Floats:
    """Mean of what all co-graders report; the expected true score if there are none."""
    seen = situation.known_co_graders().signal
    return _mean(seen, np.broadcast_to(situation.prior_mean, len(seen)))


def from_co_graders(situation: Situation, sources: int, median: bool = False) -> Floats:
    """Mean or median of what some co-graders report, drawn at random; the signal if there are none.

    *sources* is the number of co-graders, 0 for all of them.
    """
    seen = situation.known_co_graders().signal
    if 0 < sources < seen.shape[1]:
        seen = _drawn(seen, sources, situation)
    if median and seen.shape[1] > 1:
        ordered = np.sort(seen, axis=1)
        count = np.count_nonzero(~np.isnan(seen), axis=1)
        row, upper = np.arange(len(seen)), np.minimum(count // 2, seen.shape[1] - 1)
        middle = (ordered[row, np.maximum(count - 1, 0) // 2] + ordered[row, upper]) / 2
        return np.where(count > 0, middle, situation.signal)
    return _mean(seen, situation.signal)


def _drawn(seen: Floats, sources: int, situation: Situation) -> Floats:
    """What a random selection of the co-graders reports."""
    empty = np.isnan(seen)
    if sources == 1:
        count = seen.shape[1] - empty.sum(axis=1)
        from scipy.special import ndtr

        chosen = np.minimum(ndtr(situation.normal_per_report()) * count, count - 1).astype(int)
        number = np.cumsum(~empty, axis=1) - 1
        place = np.argmax((number == chosen[:, None]) & ~empty, axis=1)
        return np.asarray(seen[np.arange(len(seen)), place][:, None])
    keys = np.stack(
        [situation.within(f"source{place}").normal_per_report() for place in range(seen.shape[1])],
        axis=1,
    )
    order = np.argsort(np.where(empty, np.inf, keys), axis=1)[:, :sources]
    return np.take_along_axis(seen, order, axis=1)


def _mean(seen: Floats, otherwise: Floats) -> Floats:
    known = ~np.isnan(seen)
    count = known.sum(axis=1)
    total = np.where(known, seen, 0.0).sum(axis=1)
    return np.where(count > 0, total / np.maximum(count, 1), otherwise)


def check_sources(sources: int, name: str) -> None:
    """Raise an error for a number of co-graders that cannot be."""
    if sources < 0:
        raise ParameterError(
            f"The number of sources of {name} is 0 (all co-graders) or more, but is {sources}."
        )


def check_share(share: float, what: str) -> None:
    """Raise an error for a share outside 0..1."""
    if not 0 <= share <= 1:
        raise ParameterError(f"The {what} lies in 0..1, but is {share:g}.")


def normal_quantile(share: float) -> float:
    """Quantile of the standard normal distribution, for any share from 0 to 1."""
    if share <= 0:
        return -np.inf
    return np.inf if share >= 1 else NormalDist().inv_cdf(share)


def sources_in_words(sources: int, median: bool = False) -> str:
    """Describe what co-graders report in words."""
    if sources == 1:
        return "what one co-grader reports"
    which = "all co-graders" if sources == 0 else f"{sources} co-graders"
    return f"the {'median' if median else 'mean'} of what {which} report"
