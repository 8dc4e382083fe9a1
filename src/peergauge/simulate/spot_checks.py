"""Spot checks: which submissions staff grade themselves, so that their true scores are known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Ints
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream
from peergauge.tables import Reports, Truth


def draw_checks(reports: Reports, share: float, *, seed: int, everybody: bool = False) -> Ints:
    """Draw which submissions staff check, by number: a share of those graded in each assignment.

    All submissions of an assignment are equally likely, whoever graded them. A share that is no
    whole number of submissions is met on average over assignments. A larger share checks the same
    submissions and more, and a longer semester begins like a shorter one. With *everybody*, more
    are drawn until every grader has graded one of them: again and again one with the most graders
    of whom nothing was checked yet.
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
    """Which of the *rest* to check besides, so that every grader graded one that is checked."""
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
    """What staff learn who check *submissions*: their true scores, and nothing else."""
    place = truth.places_of(reports)[np.asarray(submissions, dtype=np.int64)]
    score = np.full(len(truth.score), np.nan)
    score[place[place >= 0]] = truth.score[place[place >= 0]]
    return replace(truth, score=score, effort=None, bias=None, active=None, strategic=None)
