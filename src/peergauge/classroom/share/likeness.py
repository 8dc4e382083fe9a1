"""Comparison of a class with its twins, on every measure that applies."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError, PeergaugeError
from peergauge.core.lazy import pl
from peergauge.metrics.statistics import covariance_of_pairs, spread_within
from peergauge.simulate.degrees import MIN_DISCLOSED_COUNT, meetings
from peergauge.tables import Reports, Truth

if TYPE_CHECKING:
    from peergauge.models import Estimates
    from peergauge.simulate.resample import Twin

COMPARED_MECHANISMS = ("mse", "mse-p", "oa", "phi-div-p:divergence=kl")
REWARD_MEASURES = ("binary-auc", "quinary-auc", "tau", "pearson")
"""Measures of rewards per report, because real graders differ in their number of reports."""

Row = tuple[str, str, float]


def likeness(
    reports: Reports,
    truth: Truth | None,
    twins: Iterable[Twin],
    *,
    progress: Callable[[], None] = lambda: None,
) -> pl.DataFrame:
    """Compare a class with its twins on every measure that applies.

    Each row has the value in the class (``real``), the mean and standard deviation over the twins,
    the number of standard deviations between the real value and that mean (``z``), the share of
    twins below it, counting ties half (``rank``), and whether it is ``outside``: beyond every twin,
    and by more than two standard deviations.
    """
    has_truth = truth is not None and bool(np.isfinite(truth.scores_of(reports)).any())
    real = list(described(reports, truth if has_truth else None))
    drawn: list[dict[str, float]] = []
    for one in twins:
        drawn.append(
            {name: v for _, name, v in described(one.reports, one.truth if has_truth else None)}
        )
        progress()
    if not drawn:
        raise ParameterError("At least one twin is needed to compare a class with.")
    rows = []
    for about, name, value in real:
        theirs = np.array([one.get(name, np.nan) for one in drawn])
        theirs = theirs[~np.isnan(theirs)]
        if np.isnan(value) or not len(theirs):
            continue
        rows.append((about, name, value, *compared(value, theirs)))
    columns = ["about", "measure", "real", "mean", "sd", "z", "rank", "outside"]
    return pl.DataFrame(rows, schema=columns, orient="row")


def compared(value: float, theirs: Floats) -> tuple[float, float, float, float, bool]:
    """Mean and standard deviation of *theirs*; z and rank of *value*; whether it is outside."""
    # Sums in another order differ in the last digits.
    slack = 1e-9 * max(1.0, abs(value))
    mean = float(theirs.mean())
    sd = float(theirs.std(ddof=1)) if len(theirs) > 1 else 0.0
    gap = value - mean
    z = 0.0 if abs(gap) <= slack else gap / sd if sd > slack else float(np.copysign(np.inf, gap))
    equal = np.abs(theirs - value) <= slack
    rank = float(np.mean((theirs < value) & ~equal) + equal.mean() / 2)
    beyond = value < theirs.min() - slack or value > theirs.max() + slack
    return mean, sd, float(z), rank, bool(beyond and abs(z) > 2)


def described(reports: Reports, truth: Truth | None) -> Iterator[Row]:
    """All measures of one class: subject, name and value."""
    yield from _of_design(reports)
    yield from _of_grades(reports)
    estimates = _estimates(reports)
    bias, reliability = (
        column[~np.isnan(column)] for column in (estimates.bias, estimates.reliability)
    )
    yield "graders", "deviation of PG1 biases", float(bias.std())
    yield "graders", "mean PG1 reliability", float(reliability.mean())
    yield "graders", "deviation of log PG1 reliability", float(np.log(reliability).std())
    if truth is None:
        return
    yield from _of_truth(reports, truth, estimates)
    yield from _of_rewards(reports, truth)


def _of_design(reports: Reports) -> Iterator[Row]:
    sizes = np.diff(reports.submission_bounds)
    key = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    loads = np.bincount(key)
    loads = loads[loads > 0]
    totals = np.bincount(reports.grader, minlength=reports.graders)
    yield "size", "reports", float(len(reports))
    yield "size", "graders", float(np.count_nonzero(totals))
    yield "size", "submissions", float(reports.submissions)
    yield "size", "assignments", float(reports.assignments)
    yield "design", "graders of a submission", float(sizes.mean())
    yield "design", "deviation of graders of a submission", float(sizes.std())
    yield "design", "submissions of a grader on an assignment", float(loads.mean())
    yield "design", "deviation of submissions of a grader on an assignment", float(loads.std())
    yield "design", "deviation of a grader's reports in all", float(totals.std())
    yield "design", "two graders meet again", float(meetings(reports.submission, reports.grader))


def _of_grades(reports: Reports) -> Iterator[Row]:
    grade, scale = reports.grade, reports.scale
    yield "grades", "mean grade", float(grade.mean())
    yield "grades", "deviation of grades", float(grade.std())
    yield "grades", "share at the top", _share(grade == scale.highest)
    yield "grades", "share at the bottom", _share(grade == scale.lowest)
    yield "grades", "share of whole grades", float(np.mean(grade == np.rint(grade)))
    times = np.bincount(reports.assignment)
    level = np.bincount(reports.assignment, grade) / np.maximum(times, 1)
    if reports.assignments > 1:
        yield "grades", "deviation of assignment means", float(level[times > 0].std())
    n, mean, within = spread_within(reports.submission, grade)
    yield "grades", "variance within submissions", within
    between = mean[n > 0].var()
    yield "grades", "deviation of submission means", float(np.sqrt(between))
    centred = grade - level[reports.assignment]
    shared = covariance_of_pairs(reports.submission, centred)
    variance = float(centred.var())
    yield "grades", "correlation of two graders of a submission", _ratio(shared, variance)
    rows = n[reports.submission] > 1
    residual = (grade - mean[reports.submission])[rows]
    own = covariance_of_pairs(reports.grader[rows], residual)
    noise = float((residual**2).mean()) if len(residual) else 0.0
    yield "graders", "correlation of a grader's residuals", _ratio(own, noise)


def _of_truth(reports: Reports, truth: Truth, estimates: Estimates) -> Iterator[Row]:
    from peergauge.metrics.score_error import ScoreError
    from peergauge.metrics.statistics import pearson

    true = truth.scores_of(reports)
    n, mean, _ = spread_within(reports.submission, reports.grade, reports.submissions)
    known = np.isfinite(true)
    graded = known & (n > 0)
    yield "truth", "true scores known", float(known.sum())
    yield "truth", "mean true score", float(true[known].mean())
    yield "truth", "deviation of true scores", float(true[known].std())
    yield (
        "truth",
        "mean grade minus true score",
        float((mean - true)[graded].mean()) if graded.any() else np.nan,
    )
    yield "truth", "correlation of mean grade and true score", pearson(mean[graded], true[graded])
    error = ScoreError()
    yield (
        "truth",
        "squared error of the mean grade",
        error.measure(np.where(n > 0, mean, np.nan), reports, truth),
    )
    yield "truth", "squared error of PG1", error.measure(estimates.score, reports, truth)


def _of_rewards(reports: Reports, truth: Truth) -> Iterator[Row]:
    from peergauge.mechanisms import mechanisms, score
    from peergauge.mechanisms.priors import with_prior
    from peergauge.metrics import RewardMetric, metrics

    for spec in COMPARED_MECHANISMS:
        label = mechanisms.make(spec).label
        chosen = with_prior(spec, *_prior(reports))
        try:
            with _without_convergence_warnings():
                rewards = score(chosen, reports)
        except PeergaugeError:
            continue
        for name in REWARD_MEASURES:
            measure = metrics.make(name, per="report")
            assert isinstance(measure, RewardMetric)
            about = f"{metrics.make(name).label} of {label}"
            yield "rewards", about, measure.measure(rewards, truth)


def _estimates(reports: Reports) -> Estimates:
    from peergauge.models.pg1 import PG1

    mean, variance = _prior(reports)
    with _without_convergence_warnings():
        return PG1(prior_mean=mean, prior_variance=variance).fit(reports)


def _prior(reports: Reports) -> tuple[float, float]:
    """Prior of true scores from grades alone: their mean, and the covariance of co-graders."""
    grade = reports.grade
    shared = covariance_of_pairs(reports.submission, grade - grade.mean())
    return float(grade.mean()), max(shared, (0.1 * reports.scale.unit) ** 2)


@contextmanager
def _without_convergence_warnings() -> Iterator[None]:
    """Accept estimates of PG1 that have not converged, in the class as in its twins."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def _share(among: NDArray[np.bool_]) -> float:
    """A share; NaN if it would disclose the grades of fewer than five people."""
    return (
        float("nan") if 0 < np.count_nonzero(among) < MIN_DISCLOSED_COUNT else float(among.mean())
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
