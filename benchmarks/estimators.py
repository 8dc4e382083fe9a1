"""Errors of estimators of grades, against staff and by graders who are left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from peergauge.classroom.grade.estimate import estimate_grades
from peergauge.classroom.grade.reward_per_review import subset
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.randomness import stream
from peergauge.models import models
from peergauge.models.halfway import halfway_grades
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.tables import Reports

LEVEL = 0.9
BOOTSTRAP_SAMPLES = 2000

REFERENCE = "Mean"
GRADE = "**Grade: half model, half mean**"

GRADER_FOLDS = 5
"""Number of folds of graders, each of which is left out in turn."""

STAFF_GRADES, STAFF_DRAWS = 10, 20
"""Number of staff grades that the interval for staff receives, and of random choices of them."""


def fitted(reports: Reports, staff: Floats | None = None) -> Posterior:
    """The posterior distribution, without convergence warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return PG1Posterior().fit(reports, staff)


def all_scores(reports: Reports) -> dict[str, Floats]:
    """Scores by every estimator."""
    posterior = fitted(reports)
    plain = ("mean", "median", "trimmed-mean", "vancouver", "pg1")
    return {
        GRADE: halfway_grades(reports, posterior).score,
        "the model of the grade alone": halfway_grades(reports, posterior, share=1.0).score,
        "its mean alone (far reviews pulled in)": halfway_grades(
            reports, posterior, share=0.0
        ).score,
        "PG1 with intervals": posterior.score,
        **{models.make(one).facts.label: models.make(one).fit(reports).score for one in plain},
    }


class Compared(NamedTuple):
    """A measure of an estimator, minus that of the mean with a 95 % interval."""

    value: float
    gap: float
    low: float
    high: float

    def cells(self, digits: int) -> list[str]:
        """The value and the difference as cells of a table; a clear difference is bold."""
        gap = f"{self.gap:+.{digits}f} [{self.low:+.{digits}f}, {self.high:+.{digits}f}]"
        clear = self.low > 0 or self.high < 0
        return [f"{self.value:.{digits}f}", f"**{gap}**" if clear else gap]


def compared(
    measure: Callable[[Floats, NDArray[np.int64]], float],
    scores: Mapping[str, Floats],
    count: int,
    purpose: str,
) -> dict[str, Compared]:
    """A measure of each estimator, and its difference to the mean with a bootstrap interval.

    *measure* takes scores and the indices of the items of a bootstrap sample.
    """
    drawn = stream(0, "bootstrap", purpose).integers(count, size=(BOOTSTRAP_SAMPLES, count))
    whole = np.arange(count)
    mean = scores[REFERENCE]
    again = np.array([measure(mean, one) for one in drawn])
    found = {}
    for name, score in scores.items():
        value = measure(score, whole)
        gaps = np.array([measure(score, one) for one in drawn]) - again
        low, high = np.nanquantile(gaps, [0.025, 0.975])
        found[name] = Compared(value, value - measure(mean, whole), float(low), float(high))
    return found


def against_staff(
    reports: Reports, staff: Floats, scores: Mapping[str, Floats]
) -> tuple[dict[str, Compared], dict[str, Compared]]:
    """Root mean squared error in points of 0..10, and Spearman correlation with staff."""
    known = np.flatnonzero(~np.isnan(staff))
    truth, unit = staff[known], reports.scale.unit

    def error(score: Floats, some: NDArray[np.int64]) -> float:
        off = (score[known][some] - truth[some]) / unit
        return float(np.sqrt((off**2).mean()))

    def correlation(score: Floats, some: NDArray[np.int64]) -> float:
        return spearman(score[known][some], truth[some])

    return (
        compared(error, scores, len(known), "submissions"),
        compared(correlation, scores, len(known), "submissions"),
    )


def spearman(one: Floats, other: Floats) -> float:
    """Spearman's rank correlation; NaN if all values of one are equal."""
    ranks = rankdata(one), rankdata(other)
    deviation = ranks[0].std() * ranks[1].std()
    if deviation == 0:
        return float("nan")
    return float(((ranks[0] - ranks[0].mean()) * (ranks[1] - ranks[1].mean())).mean() / deviation)


def left_out_graders(reports: Reports) -> dict[str, Compared]:
    """Root mean squared error at the reviews of graders who are left out, in points of 0..10.

    All reviews of a fifth of the graders are hidden, the grades are estimated from the rest, and
    each hidden review is compared with the grade of its submission, if it has one. Staff play no
    role, so that their errors do not matter; the noise of the hidden reviews is part of the error.
    """
    fold = stream(0, "left out").permutation(reports.graders) % GRADER_FOLDS
    predicted = {name: np.full(len(reports), np.nan) for name in all_score_names(reports)}
    for number in range(GRADER_FOLDS):
        hidden = fold[reports.grader] == number
        count = np.bincount(reports.submission[~hidden], minlength=reports.submissions)
        asked = hidden & (count[reports.submission] > 0)
        for name, score in all_scores(subset(reports, ~hidden)).items():
            predicted[name][asked] = score[reports.submission[asked]]
    known = ~np.isnan(predicted[REFERENCE])
    graders, grader = np.unique(reports.grader[known], return_inverse=True)
    reviews = np.bincount(grader)
    squares: dict[str, Floats] = {}
    for name, score in predicted.items():
        off = (score[known] - reports.grade[known]) / reports.scale.unit
        squares[name] = np.bincount(grader, off**2).astype(np.float64)

    def error(by_grader: Floats, some: NDArray[np.int64]) -> float:
        return float(np.sqrt(by_grader[some].sum() / reviews[some].sum()))

    return compared(error, squares, len(graders), "graders")


def all_score_names(reports: Reports) -> Sequence[str]:
    """Names of the estimators."""
    few = reports.first(1) if reports.assignments > 1 else reports
    return list(all_scores(few))


class Coverage(NamedTuple):
    """Share of staff grades inside intervals, in percent, and their mean width in 0..10."""

    peers: float
    """Inside the interval for the mean of many peers, which does not promise it."""

    staff: float
    """Inside the interval for staff, given ten staff grades and tested on the others."""

    staff_width: float


def staff_coverage(reports: Reports, staff: Floats) -> Coverage:
    """Coverage of staff grades by both kinds of intervals."""
    known = np.flatnonzero(~np.isnan(staff))
    posterior = fitted(reports)
    found = estimate_grades(reports, posterior, halfway_grades(reports, posterior), level=LEVEL)
    by_peers = ((found.low <= staff) & (staff <= found.high))[known].mean()
    inside, width = [], []
    for number in range(STAFF_DRAWS):
        chosen = stream(0, "staff", number).permutation(known)[:STAFF_GRADES]
        given = np.full(len(staff), np.nan)
        given[chosen] = staff[chosen]
        posterior = fitted(reports, given)
        found = estimate_grades(reports, posterior, halfway_grades(reports, posterior), level=LEVEL)
        if found.staff_low is None or found.staff_high is None:
            raise ValueError("Ten staff grades are enough for an interval.")
        rest = np.setdiff1d(known, chosen)
        low, high = found.staff_low[rest], found.staff_high[rest]
        inside.append(((low <= staff[rest]) & (staff[rest] <= high)).mean())
        width.append((high - low).mean() / reports.scale.unit)
    return Coverage(100 * by_peers, 100 * float(np.mean(inside)), float(np.mean(width)))
