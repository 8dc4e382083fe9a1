"""The Vancouver algorithm of CrowdGrader: message passing between graders and submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.models import Estimates, Model, model
from peergauge.tables import Reports
from peergauge.tables.layout import Layout

MAX_SETTLED_CHANGE = 1e-4
"""Largest change of a grade in the last round, in points of 0..10, that counts as converged."""


@dataclass(frozen=True, eq=False)
class VancouverEstimates(Estimates):
    """Estimates with CrowdGrader's additional estimates for graders.

    Parameters
    ----------
    variance
        Variance of each grader on each assignment around the estimated scores.
    quality
        Quality of each grader, compared with random grades of the assignment: 1 is best, 0 worst.
    weight, value
        Weight of each report in the score of its submission, and the grade that has this weight.
    """

    variance: Floats | None = None
    quality: Floats | None = None
    weight: Floats | None = None
    value: Floats | None = None


@model("vancouver", label="Vancouver", source="de Alfaro & Shavlovsky 2014")
@dataclass(frozen=True)
class Vancouver(Model):
    r"""Scores and variances of graders by message passing, one assignment at a time.

    Initially every grader *u* has variance 1 for every submission *i* that they graded. In every
    round, a submission sends to each of its graders the estimate of the **other** graders, and its
    variance:

    .. math::
        w_v &\propto \frac{1}{\varepsilon + \sigma^2_{v i}}, \quad \sum_{v \ne u} w_v = 1, \\
        q_{i u} &= \sum_{v \ne u} w_v g_{v i}, \quad
        s^2_{i u} = \sum_{v \ne u} w_v^2 \sigma^2_{v i}

    Then a grader sends to each of their submissions their error on the **other** submissions:
    :math:`\sigma^2_{u i}` is the mean of :math:`(g_{u j} - q_{j u})^2` over their submissions
    :math:`j \ne i`, with weights :math:`1 / (\varepsilon + s^2_{j u})`. A grader without other
    submissions uses the only one. At the end, the score and variance of a submission are computed
    from all its messages in the same way; its deviation is the square root of that variance. The
    variance of a grader is the weighted mean of the squared distances to the scores.

    Reliability is 1 / variance, with a variance of at least ε, so that a grader who always agrees
    is not infinitely reliable. Quality is :math:`\max(0, 1 - \sigma_u / (\sqrt 2 \, \sigma))` with
    the standard deviation σ of all grades of the assignment; if all grades are equal it is 1.

    The number of rounds is fixed by definition: ``converged`` says whether the last round changed
    nothing, and there is no warning otherwise. The parameters are in points of 0..10; on another
    scale they are rescaled in proportion. CrowdGrader's public program can also include a grader's
    or submission's own messages; here they are always excluded, as in the paper, so that nobody is
    trusted for agreeing with themselves.

    The algorithm assumes that graders err independently. Graders who grade together with friends
    are trusted for agreeing with them.

    Parameters
    ----------
    rounds
        Number of rounds of messages.
    epsilon
        Number that is added to variances before division; positive.
    debias
        Whether each grader's weighted mean difference to the received estimates is subtracted from
        their grades first. With four reviews each this does not converge: in simulated classes the
        smallest difference grows ten thousandfold and more in 20 rounds. With ten it does not grow.
    """

    rounds: int = 20
    epsilon: float = 1e-4
    debias: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rounds < 1:
            raise ParameterError(f"Vancouver takes at least one round, not {self.rounds}.")
        if not 0 < self.epsilon < np.inf:
            raise ParameterError(f"Epsilon is a number above 0, not {self.epsilon:g}.")

    def fit(self, reports: Reports) -> VancouverEstimates:
        reports.scale.numbers_needed("The model 'vancouver'")
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
            converged=moved <= MAX_SETTLED_CHANGE * reports.scale.unit,
            deviation=np.sqrt(found.score_variance),
            variance=variance,
            quality=quality_of(variance, reports),
            weight=found.weight,
            value=found.value,
        )


def quality_of(variance: Floats, reports: Reports) -> Floats:
    """Quality of graders by their variance, compared with random grades."""
    quality = np.full_like(variance, np.nan)
    for a, here in enumerate(_groups(reports.assignment_bounds)):
        grades = reports.grade[here]
        same = not len(grades) or grades.min() == grades.max()
        # If all grades are equal, every grader has the best quality.
        off = 0.0 * variance[a] if same else np.sqrt(variance[a] / (2.0 * grades.var()))
        quality[a] = np.maximum(0.0, 1.0 - off)
    return quality


class Passed(NamedTuple):
    """Result of message passing.

    It contains the score and variance of each submission; the bias and variance of each grader on
    each assignment, in one row; and for each report, the change of its message in the last round,
    its weight in the score, and the grade that has this weight.
    """

    score: Floats
    score_variance: Floats
    bias: Floats
    grader_variance: Floats
    moved: Floats
    weight: Floats
    value: Floats


@accelerated
def fit_vancouver(
    grade: Floats, layout: Layout, rounds: int, epsilon: float, start: float, debias: bool
) -> Passed:
    """Run all rounds of message passing from an initial variance, and combine the messages."""
    n = len(grade)
    submissions = list(_groups(layout.submission_bounds))
    graders = [layout.rows[here] for here in _groups(layout.bounds)]
    rows = np.arange(n)
    submission_blocks = _equally_large([rows[here] for here in submissions])
    grader_blocks = _equally_large(graders)
    said, trust = grade.copy(), np.full(n, start)
    received, doubt = np.full(n, np.nan), np.full(n, np.nan)
    bias = np.zeros(n)
    for _ in range(rounds):
        before = received.copy()
        for block in submission_blocks:
            w = weights(trust[block], epsilon)
            received[block] = np.einsum("guv,gv->gu", w, said[block])
            doubt[block] = np.einsum("guv,gv->gu", w**2, trust[block])
        for block in grader_blocks:
            w = weights(doubt[block], epsilon)
            off = grade[block] - received[block]
            if debias:
                bias[block] = np.einsum("guv,gv->gu", w, off)
            said[block] = grade[block] - bias[block]
            distance = (off[:, None, :] - bias[block][:, :, None]) ** 2
            trust[block] = (w * distance).sum(axis=2)
    score = np.full(len(submissions), np.nan)
    score_variance = np.full(len(submissions), np.nan)
    weight = np.full(n, np.nan)
    for s, here in enumerate(submissions):
        if here.start < here.stop:
            w = weight[here] = normalised(1.0 / (epsilon + trust[here]))
            score[s], score_variance[s] = w @ said[here], w**2 @ trust[here]
    grader_bias = np.full(len(graders), np.nan)
    grader_variance = np.full(len(graders), np.nan)
    for k, own in enumerate(graders):
        if len(own):
            w = normalised(1.0 / (epsilon + doubt[own]))
            grader_bias[k] = w @ (grade[own] - received[own]) if debias else 0.0
            distance = grade[own] - grader_bias[k] - score[layout.submission[own]]
            grader_variance[k] = w @ distance**2
    moved = np.abs(received - before) if rounds > 1 else np.full(n, np.inf)
    return Passed(score, score_variance, grader_bias, grader_variance, moved, weight, said)


def weights(variance: Floats, epsilon: float) -> Floats:
    """Weights of messages within equally large groups (groups × receivers × senders)."""
    size = variance.shape[1]
    others = ~np.eye(size, dtype=np.bool_) if size > 1 else np.ones((1, 1))
    return normalised(others / (epsilon + variance)[:, None, :])


def _equally_large(groups: Sequence[NDArray[np.integer[Any]]]) -> list[NDArray[np.int64]]:
    """Groups of the same size as the rows of one array, for each size."""
    by_size: dict[int, list[NDArray[np.integer[Any]]]] = {}
    for group in groups:
        if len(group):
            by_size.setdefault(len(group), []).append(group)
    return [np.array(some, dtype=np.int64) for some in by_size.values()]


def normalised(weight: Floats) -> Floats:
    """Normalise weights to a sum of 1, in each row if there are several."""
    return np.asarray(weight / weight.sum(axis=-1, keepdims=True))


def _groups(bounds: NDArray[np.int64]) -> Iterator[slice]:
    return (slice(begin, end) for begin, end in zip(bounds[:-1], bounds[1:], strict=True))
