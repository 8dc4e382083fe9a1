"""What staff should look at again: where a check is expected to change most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.randomness import stream
from peergauge.core.text import percent
from peergauge.models.posterior import Draws, Posterior, middle
from peergauge.tables import Reports

Places = NDArray[np.int64]

MANY = 60
"""Reviews of an assignment beyond which a grader is so well known that checks tell no more."""

AT_ONCE = 4_000_000
"""How many draws are held beside those that were given."""

STRANGERS = 4000
"""Pairs with nothing in common that are looked at to see how much of a covariance is noise."""


class Check(NamedTuple):
    """One submission or one grader to be looked at."""

    place: int
    """The number of the submission or the grader."""

    change: float
    """By how much the check is expected to lower the summed squared error of all grades."""

    why: str


@dataclass(frozen=True)
class SecondLook:
    """What to look at, the most worthwhile first.

    Parameters
    ----------
    submissions, graders
        Each given that those before it are looked at too.
    error
        The summed squared error of all grades that is expected without any check.
    """

    submissions: tuple[Check, ...]
    graders: tuple[Check, ...]
    error: float


def second_look(
    reports: Reports,
    posterior: Posterior,
    budget: int,
    *,
    among: NDArray[np.bool_] | None = None,
) -> SecondLook:
    r"""Rank what staff should look at again, for so many submissions and graders.

    A check makes a score known. That takes its own variance off the squared error of all grades,
    and tells of its graders, and so of the other scores that they graded:

    .. math:: \Delta_s = v_s + \sum_{t \sim s} \frac{c_{st}^2}{v_s}

    with variances and covariances of the draws. Looking at a grader makes their bias known, which
    lowers the variance of the scores that they graded in the same way. After each choice the draws
    are conditioned on it, as if they were normal, and the rest is ranked anew.

    Covariances of draws are noisy, so only submissions of an assignment that share a grader count,
    and what pairs without one show is taken off the squares. Left out are graders with more than
    60 reviews of an assignment, through whom nearly everything would be joined to everything: how
    they grade is known well enough. So it takes memory in proportion to the class. A grader is
    looked at for the last assignment that they graded, since the draws of biases are of that.

    Submissions that staff graded are known already, and so do not appear.

    Where some work has fewer reviews, a tenth of the submissions chosen like this held about twice
    the squared error of a random tenth; where all work has as many, no more than that. See
    ``benchmarks/second_look.md``.

    Parameters
    ----------
    budget
        How many submissions, and how many graders.
    among
        Which submissions can be checked; all of them if left out.
    """
    scores = Columns(posterior.score_draws)
    error = float(np.nansum(scores.variance))
    alike = _ranked(scores, scores, *_sharing(reports), budget, own=True, among=among)
    biases = Columns(posterior.bias_draws)
    told = _ranked(biases, scores.afresh(), *_last(reports), budget, own=False)
    return SecondLook(
        tuple(
            Check(pick.place, pick.change, _why_submission(reports, posterior, pick))
            for pick in alike
        ),
        tuple(
            Check(pick.place, pick.change, _why_grader(reports, posterior, pick)) for pick in told
        ),
        error,
    )


# ------------------------------------------------------------------------------------- ranking


class Pick(NamedTuple):
    """What was chosen, what it changes in all, and how much of that is of how many others."""

    place: int
    change: float
    others: float
    joined: int


class Columns:
    """Draws around their means, some of them conditioned on what has been chosen."""

    def __init__(self, draws: Draws):
        self.draws = draws
        self.mean, self.variance = np.zeros((2, draws.shape[1]))
        size = max(1, AT_ONCE // len(draws))
        for start in range(0, draws.shape[1], size):
            part = draws[:, start : start + size].astype(np.float64)
            self.mean[start : start + size] = part.mean(axis=0)
            self.variance[start : start + size] = part.var(axis=0)
        # What nobody graded, and who graded nothing, has no draws.
        self.variance[~(self.variance > 0)] = 0.0
        self.changed: dict[int, Floats] = {}
        self.touched = np.zeros(draws.shape[1], dtype=np.bool_)

    def afresh(self) -> Columns:
        """The same before anything was chosen."""
        return Columns(self.draws)

    def at(self, places: Places) -> Floats:
        """Some of them (draws × places)."""
        found = self.draws[:, places] - self.mean[places]
        for column in np.flatnonzero(self.touched[places]).tolist():
            found[:, column] = self.changed[int(places[column])]
        return found

    def condition(self, places: Places, on: Floats, slope: Floats) -> None:
        """Take off what *on* tells of them."""
        left = self.at(places) - np.outer(on, slope)
        self.variance[places] = left.var(axis=0)
        self.touched[places] = True
        self.changed.update(zip(places.tolist(), left.T.copy(), strict=True))

    def covariance(self, i: Places, other: Columns, j: Places) -> Floats:
        """Of pairs of columns, a part of them at a time."""
        found = np.empty(len(i))
        size = max(1, AT_ONCE // len(self.draws))
        for start in range(0, len(i), size):
            part = slice(start, start + size)
            product = np.einsum("dp,dp->p", self.at(i[part]), other.at(j[part]))
            found[part] = product / len(self.draws)
        return found


def _ranked(
    keys: Columns,
    targets: Columns,
    i: Places,
    j: Places,
    budget: int,
    *,
    own: bool,
    among: NDArray[np.bool_] | None = None,
) -> list[Pick]:
    """Choose keys one after the other by what they tell of the targets joined to them.

    Key ``i[e]`` is joined to target ``j[e]``, in ascending order. With *own*, keys are targets,
    and learning one takes its own variance off too.
    """
    noise = _noise(keys, targets, i, j)
    bounds = np.searchsorted(i, np.arange(len(keys.variance) + 1))
    back = np.argsort(j, kind="stable")
    back_bounds = np.searchsorted(j[back], np.arange(len(targets.variance) + 1))
    others = np.zeros(len(keys.variance))

    def learn(edges: Places) -> None:
        """Work out what keys tell of others, given all edges of each of them."""
        covariance = keys.covariance(i[edges], targets, j[edges])
        variance = keys.variance[i[edges]]
        told = np.divide(covariance**2, variance, where=variance > 0, out=np.zeros(len(edges)))
        told -= noise * targets.variance[j[edges]]
        which, at = np.unique(i[edges], return_inverse=True)
        others[which] = np.maximum(np.bincount(at, told, len(which)), 0)

    learn(np.arange(len(i)))
    free = (keys.variance > 0) & (True if among is None else among)
    picks: list[Pick] = []
    while len(picks) < budget:
        change = np.where(free, others + (keys.variance if own else 0), 0)
        best = int(np.argmax(change)) if len(change) else 0
        if not len(change) or change[best] <= 0:
            break
        near = j[bounds[best] : bounds[best + 1]]
        near = near[targets.variance[near] > 0]
        picks.append(Pick(best, float(change[best]), float(others[best]), len(near)))
        free[best] = False
        joined = np.unique(i[_within(back, back_bounds, near)])
        on, variance = keys.at(np.array([best]))[:, 0], float(keys.variance[best])
        targets.condition(near, on, _slope(targets, near, on, variance, noise))
        if own:
            targets.condition(np.array([best]), on, np.ones(1))
            joined = np.union1d(joined, near)
        else:
            rest = joined[joined != best]
            keys.condition(rest, on, _slope(keys, rest, on, variance, noise))
        learn(_within(np.arange(len(i)), bounds, joined))
    return picks


def _slope(columns: Columns, places: Places, on: Floats, variance: float, noise: float) -> Floats:
    """How columns move with what becomes known, less what noise makes of it."""
    covariance = on @ columns.at(places) / len(on)
    by_chance = noise * variance * columns.variance[places]
    real = np.sqrt(np.maximum(covariance**2 - by_chance, 0))
    return np.asarray(np.sign(covariance) * real / variance)


def _noise(keys: Columns, targets: Columns, i: Places, j: Places) -> float:
    """The mean squared correlation of pairs that are not joined: draws are few, and alike."""
    known, of = np.flatnonzero(keys.variance > 0), np.flatnonzero(targets.variance > 0)
    fallback = 2 / len(keys.draws)
    if not len(known) or not len(of):
        return fallback
    rng = stream(0, "strangers")
    one, other = rng.choice(known, STRANGERS), rng.choice(of, STRANGERS)
    total = len(targets.variance)
    joined = np.isin(one * total + other, i * total + j)
    apart = ~joined & ((one != other) | (keys is not targets))
    if apart.sum() < STRANGERS / 20:
        return fallback
    one, other = one[apart], other[apart]
    square = keys.covariance(one, targets, other) ** 2
    return float(np.mean(square / keys.variance[one] / targets.variance[other]))


def _within(items: Places, bounds: Places, groups: Places) -> Places:
    """The items of some groups, group after group."""
    parts = [items[bounds[group] : bounds[group + 1]] for group in groups.tolist()]
    return np.concatenate([np.zeros(0, np.int64), *parts])


# ---------------------------------------------------------------------------- who has what to do


def _sharing(reports: Reports) -> tuple[Places, Places]:
    """Pairs of submissions that share a grader, both ways round, in ascending order."""
    rows, bounds, _ = reports.tasks
    size = np.diff(bounds)
    found = [np.zeros(0, np.int64)]
    for reviews in np.unique(size[(size > 1) & (size <= MANY)]).tolist():
        groups = np.flatnonzero(size == reviews)
        what = reports.submission[rows[bounds[groups][:, None] + np.arange(reviews)]]
        one, other = np.nonzero(~np.eye(reviews, dtype=np.bool_))
        pair = what[:, one].astype(np.int64) * reports.submissions + what[:, other]
        found.append(pair.reshape(-1))
    pairs = np.unique(np.concatenate(found))
    return pairs // max(reports.submissions, 1), pairs % max(reports.submissions, 1)


def _last(reports: Reports) -> tuple[Places, Places]:
    """Graders, and what they graded for the last assignment of each, in ascending order."""
    last = np.full(reports.graders, -1)
    np.maximum.at(last, reports.grader, reports.assignment)
    now = np.flatnonzero(reports.assignment == last[reports.grader])
    grader, submission = reports.grader[now], reports.submission[now]
    order = np.lexsort((submission, grader))
    return grader[order].astype(np.int64), submission[order].astype(np.int64)


# --------------------------------------------------------------------------------------- reasons


def _why_submission(reports: Reports, posterior: Posterior, pick: Pick) -> str:
    low, high = middle(posterior.score_draws[:, [pick.place]], 0.9)
    rows = slice(*reports.submission_bounds[pick.place : pick.place + 2])
    told = [f"between {low[0]:.1f} and {high[0]:.1f}", _reviews(reports.grade[rows])]
    if pick.others >= 0.01 * pick.change:
        told.append(
            f"a check also helps {_counted(pick.joined, 'other')} with the same graders "
            f"({percent(pick.others / pick.change)} of what it changes)"
        )
    return "; ".join(told)


def _why_grader(reports: Reports, posterior: Posterior, pick: Pick) -> str:
    low, high = middle(posterior.bias_draws[:, [pick.place]], 0.9)
    grade = reports.grade[reports.grader == pick.place]
    return (
        f"grades between {low[0]:+.1f} and {high[0]:+.1f} beside the true score; "
        f"{_reviews(grade)}; to know how lenient they are would help "
        f"{_counted(pick.joined, 'submission')}"
    )


def _reviews(grade: Floats) -> str:
    if len(grade) == 1:
        return f"a single review of {grade[0]:g}"
    if grade.min() == grade.max():
        return f"{len(grade)} reviews, all of {grade[0]:g}"
    return f"{len(grade)} reviews from {grade.min():g} to {grade.max():g}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
