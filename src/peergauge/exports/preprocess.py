"""The paper's preprocessing: drop unusable grades, coarsen the rest to 0..10, fit a prior."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import TableError
from peergauge.simulate.scores import NormalScores
from peergauge.tables import Reports, Scale, Truth

PriorFit: TypeAlias = Literal["likelihood", "discretised"]

MIN_PARTNERS = 2
"""Fewest submissions of a grader on an assignment, and fewest graders of a submission."""


@dataclass(frozen=True, eq=False)
class Preprocessed:
    """A class after preprocessing.

    Parameters
    ----------
    reports
        The remaining reports. Grades of a submission with too few graders are spare: they are not
        paid, and still serve as penalty tasks.
    truth
        The true scores on the same scale, if there are any.
    read
        The number of grades before preprocessing.
    alone
        The number of grades that were dropped because their grader graded fewer than two
        submissions of the assignment.
    rounds
        The number of rounds until nothing was left to drop.
    """

    reports: Reports
    truth: Truth | None
    read: int
    alone: int
    rounds: int

    @property
    def kept(self) -> int:
        """The number of grades that are left to be paid."""
        return len(self.reports.paid_only)

    @property
    def spare(self) -> int:
        """The number of grades that are left only as penalty tasks."""
        return len(self.reports) - self.kept

    @property
    def retained(self) -> float:
        """The share of grades that are left to be paid."""
        return self.kept / self.read


def preprocess(
    reports: Reports,
    truth: Truth | None = None,
    *,
    scale: Scale | str | None = "0..10",
    least: int = MIN_PARTNERS,
) -> Preprocessed:
    """Drop grades that mechanisms cannot use, and coarsen the others.

    A student's grades on an assignment are dropped if they are for fewer than two submissions; a
    submission is dropped if it has fewer than two graders; both rules are applied until nothing
    changes. Numbers and names of students and submissions stay the same.

    Parameters
    ----------
    scale
        The scale to which grades and true scores are coarsened, in proportion; None keeps them.
    least
        The fewest submissions and graders that are enough.
    """
    group = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    here, alone, rounds = _usable(reports, group, least)
    if not here.any():
        raise TableError(
            "Nothing is left of this class: no two students graded the same two submissions of an "
            "assignment, directly or through others; mechanisms cannot pay it."
        )
    # A grade of a dropped submission serves as a penalty task where its grader is paid.
    paid_there = np.bincount(group[here], minlength=reports.assignments * reports.graders) > 0
    spare = ~here & ~alone & paid_there[group]
    rows = np.flatnonzero(here | spare)
    left = replace(
        reports,
        assignment=reports.assignment[rows],
        submission=reports.submission[rows],
        grader=reports.grader[rows],
        grade=reports.grade[rows],
        spare=spare[rows],
    )
    if scale is not None:
        target = Scale.parse(scale)
        if truth is not None:
            truth = replace(truth, score=coarsened(truth.score, reports.scale, target))
        left = left.coarsen(target)
    return Preprocessed(left, truth, len(reports), int(alone.sum()), rounds)


def _usable(reports: Reports, group: Ints, least: int) -> tuple[Bools, Bools, int]:
    """The grades that stay, those whose grader graded too few submissions, and the rounds."""
    groups = reports.assignments * reports.graders
    here = np.ones(len(reports), dtype=np.bool_)
    alone, rounds = np.zeros(len(reports), dtype=np.bool_), 0
    while True:
        rounds += 1
        before = int(here.sum())
        by_student = np.bincount(group[here], minlength=groups)
        lonely = here & (by_student[group] < least)
        here &= ~lonely
        alone |= lonely
        by_submission = np.bincount(reports.submission[here], minlength=reports.submissions)
        here &= by_submission[reports.submission] >= least
        if int(here.sum()) == before:
            return here, alone, rounds


def coarsened(score: Floats, scale: Scale, target: Scale) -> Floats:
    """Map true scores in proportion to another scale, each to its nearest level; NaN stays."""
    result, known = np.full(len(score), np.nan), ~np.isnan(score)
    share = (score[known] - scale.lowest) / (scale.highest - scale.lowest)
    result[known] = target.nearest(target.lowest + share * (target.highest - target.lowest))
    return result


def fit_prior(scores: Floats, scale: Scale, method: PriorFit = "likelihood") -> tuple[float, float]:
    """Mean and variance of the normal prior that fits true scores best.

    Parameters
    ----------
    method
        ``likelihood``: maximum likelihood, which is the mean and variance of the scores themselves,
        as in the paper; ``discretised``: the smallest Kullback-Leibler divergence from the shares
        of the levels to a normal distribution whose draws are rounded to levels and clipped to the
        scale, which does not mistake many scores at the end of the scale for small variance.
    """
    known = scores[~np.isnan(scores)]
    if len(known) < 2 or np.ptp(known) == 0:
        raise TableError("A prior is fitted to true scores that vary, and these do not.")
    mean, variance = float(known.mean()), float(known.var())
    if method == "likelihood":
        return mean, variance
    from scipy.optimize import minimize

    level = scale.level(scale.nearest(known))
    share = np.bincount(level, minlength=scale.levels) / len(known)
    seen = share > 0

    def divergence(at: Floats) -> float:
        chances = NormalScores(float(at[0]), float(np.exp(at[1]))).probabilities(scale)[seen]
        return float((share[seen] * np.log(share[seen] / np.maximum(chances, 1e-300))).sum())

    start = np.array([mean, np.log(variance)])
    found = minimize(
        divergence, start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12}
    )
    return float(found.x[0]), float(np.exp(found.x[1]))
