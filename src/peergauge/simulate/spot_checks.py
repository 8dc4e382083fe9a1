"""Spot checks: random submissions that staff grade themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Ints
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream
from peergauge.tables import Reports, Truth


def draw_checks(reports: Reports, share: float, *, seed: int, everybody: bool = False) -> Ints:
    """Draw the numbers of the submissions that staff check: a share of each assignment.

    All graded submissions of an assignment are equally likely. If the share is not a whole number
    of submissions, it holds on average over assignments. A larger share adds submissions to those
    of a smaller share, and a longer semester starts like a shorter one. With *everybody*,
    submissions are added until every grader has graded one of them; each step adds a submission
    with the most graders without a check.
    """
    if not 0 <= share <= 1:
        raise ParameterError(f"A share of submissions lies in 0..1, but {share:g} was given.")
    chosen, waiting = [], []
    for a in range(reports.assignments):
        here = slice(reports.assignment_bounds[a], reports.assignment_bounds[a + 1])
        graded = np.unique(reports.submission[here])
        rng = stream(seed, "spot checks", a)
        count = int(share * len(graded) + rng.random())
        order = rng.permutation(graded)
        chosen.append(order[:count])
        waiting.append(order[count:])
    drawn = np.concatenate([np.empty(0, dtype=np.int32), *chosen])
    if everybody:
        rest = np.concatenate([np.empty(0, dtype=np.int32), *waiting])
        drawn = np.concatenate([drawn, _for_everybody(reports, drawn, rest)])
    return np.sort(drawn).astype(np.int32)


def _for_everybody(reports: Reports, drawn: Ints, rest: Ints) -> Ints:
    """Select submissions from *rest* so that every grader has graded a checked submission."""
    left = np.zeros(reports.graders, dtype=np.bool_)
    left[reports.grader] = True
    left[reports.grader[np.isin(reports.submission, drawn)]] = False
    more = []
    while left.any():
        new = np.bincount(reports.submission[left[reports.grader]], minlength=reports.submissions)
        more.append(rest[np.argmax(new[rest])])
        left[reports.grader[reports.submission == more[-1]]] = False
    return np.array(more, dtype=np.int32)


def checks_of(truth: Truth, reports: Reports, submissions: ArrayLike) -> Truth:
    """Return a truth table that contains only the true scores of *submissions*."""
    place = truth.places_of(reports)[np.asarray(submissions, dtype=np.int64)]
    score = np.full(len(truth.score), np.nan)
    score[place[place >= 0]] = truth.score[place[place >= 0]]
    return replace(truth, score=score, effort=None, bias=None, active=None, strategic=None)
