"""Submissions and graders that staff should check: those whose check reduces errors most."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.randomness import stream
from peergauge.core.text import counted, percent
from peergauge.models.posterior import Draws, Posterior, middle
from peergauge.tables import Reports

Places = NDArray[np.int64]

MAX_REVIEWS_OF_GRADER = 60
"""Reviews of an assignment beyond which a grader is known so well that a check adds nothing."""

MAX_CELLS_AT_ONCE = 4_000_000
"""Draws that are held in memory besides those of the posterior."""

NOISE_PAIRS = 4000
"""Pairs without a common grader from which the noise of covariances is estimated."""

REASON_LEVEL = 0.9
"""Probability of the intervals in reasons."""

MIN_MENTIONED_SHARE = 0.01
"""Share of the reduction that is due to other submissions, from which it is mentioned."""


class Check(NamedTuple):
    """One submission or one grader to check."""

    place: int
    """Number of the submission or the grader."""

    error_reduction: float
    """Expected reduction of the sum of squared errors of all grades."""

    reason: str


@dataclass(frozen=True)
class SecondLook:
    """What staff should check, the most useful first.

    Parameters
    ----------
    submissions, graders
        The value of each assumes that those before it are checked, too.
    error
        Expected sum of squared errors of all grades without any check.
    """

    submissions: tuple[Check, ...]
    graders: tuple[Check, ...]
    error: float

    def typical_errors(self, grades: int) -> tuple[float, float]:
        """Expected root mean square error of some grades, without the checks and with them.

        *grades* is the number of submissions that have a grade.
        """
        left = max(self.error - sum(one.error_reduction for one in self.submissions), 0.0)
        many = max(grades, 1)
        return math.sqrt(max(self.error, 0.0) / many), math.sqrt(left / many)


def second_look(
    reports: Reports,
    posterior: Posterior,
    budget: int,
    *,
    among: NDArray[np.bool_] | None = None,
) -> SecondLook:
    r"""Rank submissions and graders by the expected reduction of errors if staff check them.

    A check makes a true score known. That removes its own variance from the squared error of all
    grades. It also gives information on its graders, and so on the other scores that they graded:

    .. math:: \Delta_s = v_s + \sum_{t \sim s} \frac{c_{st}^2}{v_s}

    with variances and covariances of the posterior draws. Checking a grader makes their bias known,
    which reduces the variance of the scores that they graded in the same way. After each choice the
    draws are conditioned on it, as if they were normal, and the rest is ranked again.

    Covariances of draws are noisy. So only submissions of an assignment that share a grader count,
    and the mean squared correlation of pairs without a common grader is subtracted. Graders with
    more than 60 reviews of an assignment are left out, because they would connect nearly all
    submissions, and because their bias is known well enough. So memory grows linearly with the
    class. A grader is checked for the last assignment that they graded, because the draws of biases
    are those of that assignment.

    Submissions that staff graded are known already and do not appear.

    If some submissions have fewer reviews than others, a tenth of the submissions chosen like this
    had about twice the squared error of a random tenth; if all have the same number, they had no
    more. See ``benchmarks/second_look.md``.

    Parameters
    ----------
    budget
        Number of submissions, and of graders, that staff can check.
    among
        Submissions that can be checked; all by default.
    """
    scores = CentredDraws(posterior.score_draws)
    error = float(np.nansum(scores.variance))
    pairs = _pairs_with_common_grader(reports)
    submissions = _ranked(scores, scores, *pairs, budget, own=True, among=among)
    biases = CentredDraws(posterior.bias_draws)
    pairs = _graders_and_submissions(reports)
    graders = _ranked(biases, CentredDraws(posterior.score_draws), *pairs, budget, own=False)
    return SecondLook(
        tuple(
            Check(pick.place, pick.reduction, _submission_reason(reports, posterior, pick))
            for pick in submissions
        ),
        tuple(Check(pick.place, pick.reduction, _grader_reason(reports, pick)) for pick in graders),
        error,
    )


# ------------------------------------------------------------------------------------- ranking


class Pick(NamedTuple):
    """A chosen column, its total reduction, and the part of it on connected columns."""

    place: int
    reduction: float
    on_connected: float
    connected: int


class CentredDraws:
    """Posterior draws minus their means; some columns are conditioned on earlier choices."""

    def __init__(self, draws: Draws):
        self.draws = draws
        self.mean, self.variance = np.zeros((2, draws.shape[1]))
        size = max(1, MAX_CELLS_AT_ONCE // len(draws))
        for start in range(0, draws.shape[1], size):
            part = draws[:, start : start + size].astype(np.float64)
            self.mean[start : start + size] = part.mean(axis=0)
            self.variance[start : start + size] = part.var(axis=0)
        # Submissions and graders without reports have no draws.
        self.variance[~(self.variance > 0)] = 0.0
        self._conditioned: dict[int, Floats] = {}
        self._is_conditioned = np.zeros(draws.shape[1], dtype=np.bool_)

    def at(self, places: Places) -> Floats:
        """Some of the columns (draws × places)."""
        found = self.draws[:, places] - self.mean[places]
        for column in np.flatnonzero(self._is_conditioned[places]).tolist():
            found[:, column] = self._conditioned[int(places[column])]
        return found

    def condition(self, places: Places, on: Floats, slope: Floats) -> None:
        """Subtract the regression of some columns on the known column *on*."""
        rest = self.at(places) - np.outer(on, slope)
        self.variance[places] = rest.var(axis=0)
        self._is_conditioned[places] = True
        self._conditioned.update(zip(places.tolist(), rest.T.copy(), strict=True))

    def covariance(self, i: Places, other: CentredDraws, j: Places) -> Floats:
        """Covariances of pairs of columns, computed in parts to save memory."""
        found = np.empty(len(i))
        size = max(1, MAX_CELLS_AT_ONCE // len(self.draws))
        for start in range(0, len(i), size):
            part = slice(start, start + size)
            product = np.einsum("dp,dp->p", self.at(i[part]), other.at(j[part]))
            found[part] = product / len(self.draws)
        return found


def _ranked(
    keys: CentredDraws,
    targets: CentredDraws,
    i: Places,
    j: Places,
    budget: int,
    *,
    own: bool,
    among: NDArray[np.bool_] | None = None,
) -> list[Pick]:
    """Choose keys one after the other by how much they reduce the variance of connected targets.

    Key ``i[e]`` is connected to target ``j[e]``, in ascending order. With *own*, keys are targets
    themselves, and a known key loses its own variance, too.
    """
    noise = _noise(keys, targets, i, j)
    bounds = np.searchsorted(i, np.arange(len(keys.variance) + 1))
    back = np.argsort(j, kind="stable")
    back_bounds = np.searchsorted(j[back], np.arange(len(targets.variance) + 1))
    on_connected = np.zeros(len(keys.variance))

    def update(edges: Places) -> None:
        """Compute the reduction on connected targets, given all edges of some keys."""
        covariance = keys.covariance(i[edges], targets, j[edges])
        variance = keys.variance[i[edges]]
        explained = np.divide(covariance**2, variance, where=variance > 0, out=np.zeros(len(edges)))
        explained -= noise * targets.variance[j[edges]]
        which, at = np.unique(i[edges], return_inverse=True)
        on_connected[which] = np.maximum(np.bincount(at, explained, len(which)), 0)

    update(np.arange(len(i)))
    free = (keys.variance > 0) & (True if among is None else among)
    picks: list[Pick] = []
    while len(picks) < budget:
        reduction = np.where(free, on_connected + (keys.variance if own else 0), 0)
        best = int(np.argmax(reduction)) if len(reduction) else 0
        if not len(reduction) or reduction[best] <= 0:
            break
        near = j[bounds[best] : bounds[best + 1]]
        near = near[targets.variance[near] > 0]
        picks.append(Pick(best, float(reduction[best]), float(on_connected[best]), len(near)))
        free[best] = False
        connected = np.unique(i[_within(back, back_bounds, near)])
        on, variance = keys.at(np.array([best]))[:, 0], float(keys.variance[best])
        targets.condition(near, on, _slope(targets, near, on, variance, noise))
        if own:
            targets.condition(np.array([best]), on, np.ones(1))
            connected = np.union1d(connected, near)
        else:
            rest = connected[connected != best]
            keys.condition(rest, on, _slope(keys, rest, on, variance, noise))
        update(_within(np.arange(len(i)), bounds, connected))
    return picks


def _slope(
    columns: CentredDraws, places: Places, on: Floats, variance: float, noise: float
) -> Floats:
    """Regression slopes of columns on the known column *on*, corrected for noise."""
    covariance = on @ columns.at(places) / len(on)
    by_chance = noise * variance * columns.variance[places]
    real = np.sqrt(np.maximum(covariance**2 - by_chance, 0))
    return np.asarray(np.sign(covariance) * real / variance)


def _noise(keys: CentredDraws, targets: CentredDraws, i: Places, j: Places) -> float:
    """Mean squared correlation of unconnected pairs, which is due to the small number of draws."""
    known, of = np.flatnonzero(keys.variance > 0), np.flatnonzero(targets.variance > 0)
    fallback = 2 / len(keys.draws)
    if not len(known) or not len(of):
        return fallback
    rng = stream(0, "strangers")
    one, other = rng.choice(known, NOISE_PAIRS), rng.choice(of, NOISE_PAIRS)
    total = len(targets.variance)
    connected = np.isin(one * total + other, i * total + j)
    apart = ~connected & ((one != other) | (keys is not targets))
    if apart.sum() < NOISE_PAIRS / 20:
        return fallback
    one, other = one[apart], other[apart]
    square = keys.covariance(one, targets, other) ** 2
    return float(np.mean(square / keys.variance[one] / targets.variance[other]))


def _within(items: Places, bounds: Places, groups: Places) -> Places:
    """Items of some groups, one group after the other."""
    parts = [items[bounds[group] : bounds[group + 1]] for group in groups.tolist()]
    return np.concatenate([np.zeros(0, np.int64), *parts])


# -------------------------------------------------------------------------------- connections


def _pairs_with_common_grader(reports: Reports) -> tuple[Places, Places]:
    """Pairs of submissions with a common grader, in both orders, ascending."""
    rows, bounds, _ = reports.tasks
    size = np.diff(bounds)
    found = [np.zeros(0, np.int64)]
    for reviews in np.unique(size[(size > 1) & (size <= MAX_REVIEWS_OF_GRADER)]).tolist():
        groups = np.flatnonzero(size == reviews)
        what = reports.submission[rows[bounds[groups][:, None] + np.arange(reviews)]]
        one, other = np.nonzero(~np.eye(reviews, dtype=np.bool_))
        pair = what[:, one].astype(np.int64) * reports.submissions + what[:, other]
        found.append(pair.reshape(-1))
    pairs = np.unique(np.concatenate(found))
    return pairs // max(reports.submissions, 1), pairs % max(reports.submissions, 1)


def _graders_and_submissions(reports: Reports) -> tuple[Places, Places]:
    """Graders, and the submissions that each graded in their last assignment, ascending."""
    last = np.full(reports.graders, -1)
    np.maximum.at(last, reports.grader, reports.assignment)
    now = np.flatnonzero(reports.assignment == last[reports.grader])
    grader, submission = reports.grader[now], reports.submission[now]
    order = np.lexsort((submission, grader))
    return grader[order].astype(np.int64), submission[order].astype(np.int64)


# --------------------------------------------------------------------------------------- reasons


def _submission_reason(reports: Reports, posterior: Posterior, pick: Pick) -> str:
    low, high = middle(posterior.score_draws[:, [pick.place]], REASON_LEVEL)
    rows = slice(*reports.submission_bounds[pick.place : pick.place + 2])
    parts = [
        f"the grade may lie between {low[0]:.1f} and {high[0]:.1f}",
        _reviews(reports.grade[rows]),
    ]
    if pick.on_connected >= MIN_MENTIONED_SHARE * pick.reduction:
        parts.append(
            f"a check also improves {counted(pick.connected, 'other grade')} by the same graders "
            f"({percent(pick.on_connected / pick.reduction)} of the reduction)"
        )
    return "; ".join(parts)


def _grader_reason(reports: Reports, pick: Pick) -> str:
    grade = reports.grade[reports.grader == pick.place]
    return (
        f"{_reviews(grade)}; knowing the leniency of this grader would improve the grades of "
        f"{counted(pick.connected, 'submission')}"
    )


def _reviews(grade: Floats) -> str:
    if len(grade) == 1:
        return f"a single review of {grade[0]:g}"
    if grade.min() == grade.max():
        return f"{len(grade)} reviews, all of {grade[0]:g}"
    return f"{len(grade)} reviews from {grade.min():g} to {grade.max():g}"
