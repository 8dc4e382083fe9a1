"""The rubric of a class: all reviews by criterion, for mechanisms that compare whole rubrics."""

from __future__ import annotations

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.exports.records import Export, Role
from peergauge.tables import Reports, Rubric, Scale

KEY = ["assignment", "submission", "grader"]

PERCENT_SCALE = Scale(0, 100, None)


def rubric_of(export: Export) -> Rubric | None:
    """All finished reviews of the submissions of a class, with scores by criterion and weights.

    The rubric has self-assessments, reviews by staff and reviews of weight 0, because the platform
    compares all of them. It has no reviews for practice. An assignment whose criteria are not all
    known has the grade of the whole review as its only criterion. None if the export does not state
    the criteria of any assignment.
    """
    if not export.criteria.height:
        return None
    place = ["assignment", "submission"]
    work = export.submissions.select(place).unique()
    given = (
        export.reviews.filter(pl.col("role") != Role.CALIBRATION, pl.col("score").is_finite())
        .drop_nulls(KEY)
        .join(work, on=place, how="semi")
        .unique([*KEY, "criterion"], keep="last", maintain_order=True)
    )
    whole = given.filter(pl.col("criterion") == "", pl.col("highest") > pl.col("lowest"))
    if not whole.height:
        return None
    percent = (pl.col("score") - pl.col("lowest")) / (pl.col("highest") - pl.col("lowest")) * 100
    whole = whole.with_columns(grade=percent.clip(0, 100))
    scores = whole.select(*KEY, "weight", "grade").join(
        _by_criterion(given, export.criteria, whole), on=KEY
    )
    # Reports sort their rows, so that scores are put in order by the names of their reviews.
    reviews = Reports.from_frame(scores.select(*KEY, "grade"), PERCENT_SCALE)
    return _rubric(reviews, scores, export.criteria)


def _by_criterion(given: pl.DataFrame, criteria: pl.DataFrame, whole: pl.DataFrame) -> pl.DataFrame:
    """The scores of each review as a list in the order of criteria, and their scales as lists.

    A review without a score on some criterion of its assignment is left out.
    """
    form = criteria.select("assignment", "criterion", of_criterion="weight").unique(
        ["assignment", "criterion"], keep="last", maintain_order=True
    )
    parts = (
        given.filter(pl.col("criterion") != "")
        .join(form.with_row_index("place"), on=["assignment", "criterion"])
        .sort("place")
    )
    ends = parts.group_by("assignment").agg(
        known=pl.col("lowest").is_not_null().all() & pl.col("highest").is_not_null().all(),
        criteria=pl.col("criterion").n_unique(),
    )
    expected = form.group_by("assignment").len("expected")
    usable = ends.join(expected, on="assignment").filter(
        pl.col("known"), pl.col("criteria") == pl.col("expected")
    )
    lists = {
        "scores": "score",
        "lowest": "lowest",
        "highest": "highest",
        "weights": "of_criterion",
    }
    by_criterion = (
        parts.join(usable, on="assignment")
        .group_by(KEY, maintain_order=True)
        .agg(
            *(pl.col(column).alias(name) for name, column in lists.items()),
            pl.col("expected").first(),
        )
        .filter(pl.col("scores").list.len() == pl.col("expected"))
        .drop("expected")
    )
    single = whole.join(usable, on="assignment", how="anti").select(
        *KEY,
        scores=pl.concat_list("grade"),
        lowest=pl.concat_list(pl.lit(0.0)),
        highest=pl.concat_list(pl.lit(100.0)),
        weights=pl.concat_list(pl.lit(1.0)),
    )
    return pl.concat([by_criterion, single.select(by_criterion.columns)])


def _rubric(reviews: Reports, scores: pl.DataFrame, criteria: pl.DataFrame) -> Rubric:
    """The table of rubrics for reviews that are already numbered."""
    rows = {row[:3]: row for row in scores.select(*KEY, "scores", "weight").iter_rows()}
    forms = {
        row[0]: row
        for row in scores.select("assignment", "lowest", "highest", "weights")
        .unique("assignment")
        .iter_rows()
    }
    strict = dict(criteria.drop_nulls("strictness").select("assignment", "strictness").iter_rows())
    width = int(scores["scores"].list.len().max() or 0)  # type: ignore[arg-type]
    names = reviews.to_polars().select(KEY).iter_rows()
    ordered = [rows[name] for name in names]
    assignments = reviews.to_polars()["assignment"].unique(maintain_order=True).to_list()

    def of_assignments(column: int) -> Floats:
        return np.array([_filled(forms[name][column], width) for name in assignments])

    return Rubric(
        reviews=reviews,
        score=np.array([_filled(row[3], width) for row in ordered]),
        lowest=of_assignments(1),
        highest=of_assignments(2),
        criterion_weight=of_assignments(3),
        review_weight=np.array([row[4] for row in ordered]),
        strictness=np.array([strict.get(name, np.nan) for name in assignments], dtype=np.float64),
    )


def _filled(values: list[float], width: int) -> list[float]:
    """A list with NaN up to a width."""
    return [*values, *[np.nan] * (width - len(values))]
