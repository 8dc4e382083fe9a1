"""Vancouver: graders and submissions tell each other grades and how far to trust them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.models import Estimates, Model, model
from peergauge.tables import Reports
from peergauge.tables.layout import Layout

STILL = 1e-4
"""A last round that moves no grade by more than so many points of 0..10 has settled."""


@dataclass(frozen=True, eq=False)
class VancouverEstimates(Estimates):
    """Estimates with what CrowdGrader says of graders besides.

    Parameters
    ----------
    variance
        Of each grader on each assignment, around the estimated scores.
    quality
        How much closer than a grade drawn at random from the assignment's: 1 at best, 0 at worst.
    """

    variance: Floats | None = None
    quality: Floats | None = None


@model("vancouver", label="Vancouver", source="de Alfaro & Shavlovsky 2014")
@dataclass(frozen=True)
class Vancouver(Model):
    r"""Scores and the graders' variances by message passing, one assignment at a time.

    At first every grader *u* has variance 1 towards every submission *i* that they graded. In
    every round, a submission tells each of its graders what the **others** say, and how sure that
    is:

    .. math::
        w_v &\propto \frac{1}{\varepsilon + \sigma^2_{v i}}, \quad \sum_{v \ne u} w_v = 1, \\
        q_{i u} &= \sum_{v \ne u} w_v g_{v i}, \quad
        s^2_{i u} = \sum_{v \ne u} w_v^2 \sigma^2_{v i}

    Then a grader tells each of their submissions how far off they were on the **others**:
    :math:`\sigma^2_{u i}` is the mean of :math:`(g_{u j} - q_{j u})^2` over their submissions
    :math:`j \ne i`, with weights :math:`1 / (\varepsilon + s^2_{j u})`. Who has no others is told
    from what there is. At the end, a submission's score and variance are made of all its messages
    in the same way; its deviation is the root of that variance. A grader's variance is the
    weighted mean of the squared distances to the scores.

    Reliability is 1 / variance, with a variance of at least ε, so that who always agrees is not
    infinitely reliable. Quality is :math:`\max(0, 1 - \sigma_u / (\sqrt 2 \, \sigma))` with the
    standard deviation σ of all grades of the assignment; where all grades are the same it is 1.

    The rounds are so many by definition: ``converged`` says whether the last one left all as it
    was, and nobody is warned if it did not. The numbers are in points of 0..10; on another scale
    the same is computed in proportion. CrowdGrader's public program can also let graders and
    submissions hear their own messages; here they never do, as in the paper, so that nobody is
    trusted for agreeing with themselves.

    It assumes that graders err independently. Who grades together with friends is trusted for
    agreeing with them.

    Parameters
    ----------
    rounds
        How often messages go there and back.
    epsilon
        What is added to variances before they are divided by; more than 0.
    debias
        Whether each grader's weighted mean difference to what they are told is subtracted from
        their grades first. With four reviews each that does not settle: in simulated classes the
        least difference grows ten thousandfold and more in 20 rounds. With ten it does not grow.
    """

    rounds: int = 20
    epsilon: float = 1e-4
    debias: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds < 1:
            raise ParameterError("Messages go there and back at least once.")
        if not 0 < self.epsilon < np.inf:
            raise ParameterError(f"Epsilon is a number above 0, not {self.epsilon:g}.")

    def fit(self, reports: Reports) -> VancouverEstimates:
        square = reports.scale.unit**2
        layout = reports.layout
        epsilon = self.epsilon * square
        found = fit_vancouver(reports.grade, layout, self.rounds, epsilon, square, self.debias)
        shape = reports.assignments, reports.graders
        variance = found.grader_variance.reshape(shape)
        moved = np.zeros(reports.assignments)
        np.maximum.at(moved, reports.assignment, found.moved)
        return VancouverEstimates(
            score=found.score,
            bias=found.bias.reshape(shape),
            reliability=1.0 / np.maximum(variance, epsilon),
            rounds=np.where(np.diff(layout.assignment_bounds) > 0, self.rounds, 0),
            converged=moved <= STILL * reports.scale.unit,
            deviation=np.sqrt(found.score_variance),
            variance=variance,
            quality=quality_of(variance, reports),
        )


def quality_of(variance: Floats, reports: Reports) -> Floats:
    """The quality of graders by their variance, against grades drawn at random."""
    quality = np.full_like(variance, np.nan)
    for a, here in enumerate(_groups(reports.assignment_bounds)):
        grades = reports.grade[here]
        same = not len(grades) or grades.min() == grades.max()
        # Without a spread there is nothing to be far from: everybody is as close as can be.
        off = 0.0 * variance[a] if same else np.sqrt(variance[a] / (2.0 * grades.var()))
        quality[a] = np.maximum(0.0, 1.0 - off)
    return quality


class Passed(NamedTuple):
    """What passing messages comes to.

    For each submission its score and variance; for each grader on each assignment, in one row,
    their bias and variance; and for each report how far the last round moved what its grader was
    told.
    """

    score: Floats
    score_variance: Floats
    bias: Floats
    grader_variance: Floats
    moved: Floats


@accelerated
def fit_vancouver(
    grade: Floats, layout: Layout, rounds: int, epsilon: float, start: float, debias: bool
) -> Passed:
    """Pass messages so many times, from a variance of *start*, and add them up."""
    n = len(grade)
    submissions = list(_groups(layout.submission_bounds))
    graders = [layout.rows[here] for here in _groups(layout.bounds)]
    said, trust = grade.copy(), np.full(n, start)
    told, doubt = np.full(n, np.nan), np.full(n, np.nan)
    bias = np.zeros(n)
    for _ in range(rounds):
        before = told.copy()
        for here in submissions:
            w = weights(trust[here], epsilon)
            told[here] = w @ said[here]
            doubt[here] = w**2 @ trust[here]
        for own in graders:
            w = weights(doubt[own], epsilon)
            off = grade[own] - told[own]
            if debias:
                bias[own] = w @ off
            said[own] = grade[own] - bias[own]
            trust[own] = (w * (off[None, :] - bias[own][:, None]) ** 2).sum(axis=1)
    score = np.full(len(submissions), np.nan)
    score_variance = np.full(len(submissions), np.nan)
    for s, here in enumerate(submissions):
        if here.start < here.stop:
            w = normalised(1.0 / (epsilon + trust[here]))
            score[s], score_variance[s] = w @ said[here], w**2 @ trust[here]
    grader_bias = np.full(len(graders), np.nan)
    grader_variance = np.full(len(graders), np.nan)
    for k, own in enumerate(graders):
        if len(own):
            w = normalised(1.0 / (epsilon + doubt[own]))
            grader_bias[k] = w @ (grade[own] - told[own]) if debias else 0.0
            distance = grade[own] - grader_bias[k] - score[layout.submission[own]]
            grader_variance[k] = w @ distance**2
    moved = np.abs(told - before) if rounds > 1 else np.full(n, np.inf)
    return Passed(score, score_variance, grader_bias, grader_variance, moved)


def weights(variance: Floats, epsilon: float) -> Floats:
    """How each of a group weighs the messages of the others: rows listen, columns speak."""
    others = ~np.eye(len(variance), dtype=np.bool_) if len(variance) > 1 else np.ones((1, 1))
    return normalised(others / (epsilon + variance))


def normalised(weight: Floats) -> Floats:
    """Weights that add up to 1, in each row if there are several."""
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def _groups(bounds: NDArray[np.int64]) -> Iterator[slice]:
    return (slice(begin, end) for begin, end in zip(bounds[:-1], bounds[1:], strict=True))
