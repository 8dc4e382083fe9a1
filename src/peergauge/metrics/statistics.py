"""Statistics behind the measures: AUC, quantile classes, Kendall's τ_B, Pearson's ρ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats


def midranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of their ranks."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.concatenate([starts[1:], [len(values)]])
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((starts + 1 + ends) / 2, ends - starts)
    return ranks


def rank_shares(pay: Floats) -> Floats:
    """Share of the other graders who are paid less, ties counting half; NaN for unpaid graders."""
    shares = np.full(len(pay), np.nan)
    paid = ~np.isnan(pay)
    count = int(np.count_nonzero(paid))
    if count > 1:
        shares[paid] = (midranks(pay[paid]) - 1) / (count - 1)
    return shares


@accelerated
def auc(score: Floats, positive: NDArray[np.bool_]) -> float:
    """The probability that a positive scores higher than a negative, ties counting half.

    NaN if one of the two classes is empty.
    """
    n = len(score)
    ups = int(positive.sum())
    downs = n - ups
    if ups == 0 or downs == 0:
        return float("nan")
    wins = midranks(score)[positive].sum() - ups * (ups + 1) / 2
    return float(wins / (ups * downs))


def quantile_classes(values: Floats, classes: int) -> NDArray[np.int64]:
    """Classes from 0, cut at the quantiles of the values; ties go to the lower class."""
    if not len(values):
        return np.zeros(0, dtype=np.int64)
    edges = np.quantile(values, np.arange(1, classes) / classes)
    return np.searchsorted(edges, values, side="left")


def mean_pairwise_auc(score: Floats, of: NDArray[np.int64]) -> float:
    """The mean AUC over all pairs of classes, with the higher class as the positive one."""
    values = pairwise_auc(score, of)
    return float(np.mean(values)) if len(values) else float("nan")


@accelerated
def pairwise_auc(score: Floats, of: NDArray[np.int64]) -> Floats:
    """The AUC of all pairs of classes with members: each class against all lower ones."""
    present = np.unique(of)
    values = []
    for i, better in enumerate(present):
        for worse in present[:i]:
            either = (of == better) | (of == worse)
            values.append(auc.plain(score[either], of[either] == better))
    return np.array(values)


def pearson(x: Floats, y: Floats) -> float:
    """Pearson's ρ; NaN if either column is constant or not finite."""
    if len(x) < 2 or not (np.isfinite(x).all() and np.isfinite(y).all()):
        return float("nan")
    if (x == x[0]).all() or (y == y[0]).all():
        return float("nan")
    dx, dy = _centred(x), _centred(y)
    return float(np.clip(dx @ dy / np.sqrt((dx @ dx) * (dy @ dy)), -1.0, 1.0))


def _centred(x: Floats) -> Floats:
    """Scaled deviations from the mean: payments can be so large that their sum overflows."""
    scaled = x / np.abs(x).max()
    deviation = scaled - scaled.mean()
    return np.asarray(deviation / np.abs(deviation).max())


@accelerated
def kendall_tau_b(x: Floats, y: Floats) -> float:
    """Kendall's τ_B; NaN if either column is constant."""
    from scipy.stats import kendalltau

    return float(kendalltau(x, y, variant="b").statistic) if len(x) > 1 else float("nan")


def both_known(*columns: ArrayLike) -> NDArray[np.bool_]:
    """Where no column is NaN."""
    known = ~np.isnan(columns[0])
    for column in columns[1:]:
        known &= ~np.isnan(column)
    return np.asarray(known)


def spread_within(
    submission: NDArray[np.int32] | NDArray[np.int64], grade: Floats, submissions: int = 0
) -> tuple[NDArray[np.int64], Floats, float]:
    """Number of reports and mean grade of each submission, and the variance within submissions."""
    n = np.bincount(submission, minlength=submissions)
    mean = np.bincount(submission, grade, minlength=submissions) / np.maximum(n, 1)
    free = float(np.maximum(n - 1, 0).sum())
    squares = float(((grade - mean[submission]) ** 2).sum())
    return n, mean, squares / free if free else float("nan")


def covariance_of_pairs(group: NDArray[np.int32] | NDArray[np.int64], value: Floats) -> float:
    """The mean product of two values of the same group; 0 if no group has two."""
    if not len(group):
        return 0.0
    n = np.bincount(group)
    pairs = float((n * (n - 1)).sum())
    products = np.bincount(group, value) ** 2 - np.bincount(group, value**2)
    return float(products.sum()) / pairs if pairs else 0.0


class MeanWithError(NamedTuple):
    """Mean of the defined values, its standard error, and the number of these values."""

    mean: float
    error: float
    n: int


def mean_with_error(values: Floats) -> MeanWithError:
    """Mean and standard error of the values that are not NaN.

    The mean is NaN if no value is defined, and the error if fewer than two are.

    >>> mean_with_error(np.array([1.0, 3.0, np.nan]))
    MeanWithError(mean=2.0, error=1.0, n=2)
    """
    defined = values[~np.isnan(values)]
    n = len(defined)
    mean = float(defined.mean()) if n else float("nan")
    error = float(defined.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return MeanWithError(mean, error, n)
