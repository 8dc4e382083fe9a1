"""A view of a class criterion by criterion: means, agreement of graders, and relation to the grade.

All numbers are plain statistics of the reports of peers, without a model of the graders.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peergauge.classroom.grade.names import ClassNames
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass

PLACE = ["assignment", "submission"]
CRITERION = ["assignment", "criterion"]

MIN_SUBMISSIONS_FOR_CORRELATION = 3
"""Fewest submissions with scores on a criterion for which a correlation is given."""


@dataclass(frozen=True, eq=False)
class CriteriaView:
    """The scores of a class by criterion, in the order of its reports and of its rubric.

    Parameters
    ----------
    submissions
        One row for each submission and criterion: ``assignment``, ``submission``, ``criterion``,
        ``reviews`` (the number of reviews with a score on it), ``mean``, ``median``, and the ends
        of the scale of the criterion, ``lowest`` and ``highest``; null if they are not known.
    criteria
        One row for each assignment and criterion: ``assignment``, ``criterion``, ``lowest``,
        ``highest``, ``submissions``, ``reviews``, ``mean`` and ``deviation`` (mean and standard
        deviation of all scores), ``agreement`` and ``correlation``.

        ``agreement`` is the intraclass correlation ICC(1): the estimated share of the variance of
        single scores that is due to submissions. It is 1 if graders of the same submission always
        agree, and 0 if they agree no more than graders of different submissions. ``correlation`` is
        Pearson's correlation of the mean scores of submissions on the criterion with their grades.
        Both are null if there are too few scores, or if these do not vary.
    """

    submissions: pl.DataFrame
    criteria: pl.DataFrame


def criteria_view(opened: OpenedClass, grades: Floats | None = None) -> CriteriaView | None:
    """The scores of a class by criterion; None if its export has no criteria.

    Parameters
    ----------
    grades
        The grade of each submission, in the order of the reports, with which criteria are
        correlated; by default the mean of its reports.
    """
    scores = opened.criterion_scores
    if not scores.height:
        return None
    ends = scores.group_by(CRITERION, maintain_order=True).agg(
        pl.col("lowest").min(), pl.col("highest").max()
    )
    by_submission = scores.group_by([*PLACE, "criterion"], maintain_order=True).agg(
        reviews=pl.len().cast(pl.Int64),
        mean=pl.col("score").mean(),
        median=pl.col("score").median(),
    )
    known = _grades(opened, grades)
    related = by_submission.join(known, on=PLACE, how="left", maintain_order="left")
    correlated = related.group_by(CRITERION).agg(correlation=_correlation("mean", "grade"))
    summed = scores.group_by(CRITERION, maintain_order=True).agg(
        submissions=pl.col("submission").n_unique().cast(pl.Int64),
        reviews=pl.len().cast(pl.Int64),
        mean=pl.col("score").mean(),
        deviation=pl.col("score").std(),
    )
    criteria = (
        ends.join(summed, on=CRITERION, how="left", maintain_order="left")
        .join(_agreement(scores), on=CRITERION, how="left", maintain_order="left")
        .join(correlated, on=CRITERION, how="left", maintain_order="left")
    )
    order = known.with_row_index("order").select("order", *PLACE)
    assignments = order.group_by("assignment").agg(pl.col("order").min())
    place = criteria.select(CRITERION).with_row_index("of rubric")
    return CriteriaView(
        submissions=by_submission.join(ends, on=CRITERION, how="left", maintain_order="left")
        .join(order, on=PLACE, how="left", maintain_order="left")
        .join(place, on=CRITERION, how="left", maintain_order="left")
        .sort("order", "of rubric", nulls_last=True, maintain_order=True)
        .drop("order", "of rubric"),
        criteria=criteria.join(assignments, on="assignment", how="left", maintain_order="left")
        .sort("order", nulls_last=True, maintain_order=True)
        .drop("order"),
    )


def _grades(opened: OpenedClass, grades: Floats | None) -> pl.DataFrame:
    """The grade of each submission by its names, in the order of the reports."""
    reports, names = opened.reports, ClassNames(opened)
    if grades is None:
        count = np.bincount(reports.submission, minlength=reports.submissions)
        total = np.bincount(reports.submission, reports.grade, minlength=reports.submissions)
        grades = np.where(count > 0, total / np.maximum(count, 1), np.nan)
    columns = {"assignment": names.assignments, "submission": names.submissions}
    return pl.DataFrame({**columns, "grade": grades}).with_columns(pl.col("grade").fill_nan(None))


def _agreement(scores: pl.DataFrame) -> pl.DataFrame:
    """The intraclass correlation ICC(1) of each criterion, for any number of reviews.

    With n_i scores x_ij of submission i, N scores and S submissions in all,

        MSB = Σ n_i (x̄_i - x̄)² / (S - 1),  MSW = Σ (x_ij - x̄_i)² / (N - S),
        k = (N - Σ n_i² / N) / (S - 1),  ICC = (MSB - MSW) / (MSB + (k - 1) MSW).

    A negative estimate is 0. See McGraw and Wong (1996), Forming inferences about some intraclass
    correlation coefficients, Psychological Methods 1(1), 30-46.
    """
    # The sums below are the same to the last digit only in the same order.
    groups = scores.group_by([*CRITERION, "submission"], maintain_order=True).agg(
        n=pl.len(),
        own=pl.col("score").mean(),
        inside=((pl.col("score") - pl.col("score").mean()) ** 2).sum(),
    )
    whole = (pl.col("n") * pl.col("own")).sum() / pl.col("n").sum()
    parts = groups.group_by(CRITERION).agg(
        all=pl.col("n").sum().cast(pl.Float64),
        works=pl.len().cast(pl.Float64),
        squares=(pl.col("n").cast(pl.Float64) ** 2).sum(),
        between=(pl.col("n") * (pl.col("own") - whole) ** 2).sum(),
        within=pl.col("inside").sum(),
    )
    between = pl.col("between") / (pl.col("works") - 1)
    within = pl.col("within") / (pl.col("all") - pl.col("works"))
    size = (pl.col("all") - pl.col("squares") / pl.col("all")) / (pl.col("works") - 1)
    total = between + (size - 1) * within
    enough = (pl.col("works") > 1) & (pl.col("all") > pl.col("works")) & (total > SMALLEST_VARIANCE)
    share = ((between - within) / total).clip(0, 1)
    return parts.select(*CRITERION, agreement=pl.when(enough).then(share))


SMALLEST_VARIANCE = 1e-18
"""Variance in squared points below which scores are equal but for rounding."""


def _correlation(one: str, other: str) -> pl.Expr:
    """Pearson's correlation of two columns; null if one of them does not vary."""
    both = pl.col(one).is_not_null() & pl.col(other).is_not_null()
    x, y = pl.col(one).filter(both), pl.col(other).filter(both)
    enough = (
        (both.sum() >= MIN_SUBMISSIONS_FOR_CORRELATION)
        & (x.var() > SMALLEST_VARIANCE)
        & (y.var() > SMALLEST_VARIANCE)
    )
    return pl.when(enough).then(pl.corr(x, y).clip(-1, 1))
