"""The table of rubrics: the scores by criterion behind the reviews of a class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.tables.base import Table, all_names, kept
from peergauge.tables.reports import Reports


@dataclass(frozen=True, eq=False)
class Rubric(Table):
    """All reviews of a class with their scores by criterion and all weights.

    Reports hold one grade for each review by a peer. Some platforms compare reviews criterion by
    criterion, and also count self-assessments and reviews by staff; the rubric holds these.

    Parameters
    ----------
    reviews
        All finished reviews, whoever gave them, with their grade for the whole submission.
    score
        Scores: reviews × criteria. Criteria are numbered in each assignment by itself; NaN for
        numbers beyond the criteria of the assignment.
    lowest, highest
        Lowest and highest score of each criterion: assignments × criteria.
    criterion_weight
        Weight of each criterion: assignments × criteria; NaN where there is no such criterion.
    review_weight
        Weight of each review in the grade of the submission.
    strictness
        How strictly the platform compares reviews in each assignment; NaN if it does not say.

    Examples
    --------
    >>> from peergauge.testing.classes import class_of
    >>> reviews = class_of({"essay": {"ann": 7, "bob": 8}})
    >>> one, each = np.ones((1, 2)), np.array([[4.0, 3.0], [5.0, 3.0]])
    >>> Rubric(reviews, each, 0 * one, 5 * one, one, np.ones(2), np.ones(1))
    <Rubric: 2 reviews, up to 2 criteria>
    """

    reviews: Reports
    score: Floats
    lowest: Floats
    highest: Floats
    criterion_weight: Floats
    review_weight: Floats
    strictness: Floats

    def __post_init__(self) -> None:
        names = ("score", "lowest", "highest", "criterion_weight", "review_weight", "strictness")
        for name in names:
            object.__setattr__(self, name, kept(getattr(self, name), np.float64))
        reviews, assignments = len(self.reviews), self.reviews.assignments
        criteria = self.score.shape[-1]
        shapes = {
            "score": (reviews, criteria),
            **dict.fromkeys(("lowest", "highest", "criterion_weight"), (assignments, criteria)),
            "review_weight": (reviews,),
            "strictness": (assignments,),
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise TableError(
                    f"The rubric of {reviews} reviews in {assignments} assignments should have "
                    f"'{name}' in the shape {shape}, but it is {getattr(self, name).shape}."
                )

    def of_reports(self, value: Floats, reports: Reports) -> Floats:
        """For each report, the value of the review with the same names; NaN if there is none."""
        if reports is self.reviews:
            return value
        place = {key: row for row, key in enumerate(_keys(self.reviews))}
        rows = np.array([place.get(key, -1) for key in _keys(reports)], dtype=np.int64)
        return np.asarray(np.where(rows < 0, np.nan, value[rows]))

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars frame with one row for each review, and a column for each criterion."""
        columns = {f"criterion_{k + 1}": self.score[:, k] for k in range(self.score.shape[1])}
        frame = self.reviews.to_polars()
        return frame.with_columns(
            pl.Series("weight", self.review_weight),
            *(pl.Series(name, column).fill_nan(None) for name, column in columns.items()),
        )

    def __repr__(self) -> str:
        return f"<Rubric: {len(self.reviews)} reviews, up to {self.score.shape[1]} criteria>"


def _keys(reports: Reports) -> list[tuple[object, object, object]]:
    """The names of assignment, submission and grader of each report."""
    assignments = all_names(reports.assignments, reports.assignment_names)
    submissions = all_names(reports.submissions, reports.submission_names)
    graders = all_names(reports.graders, reports.grader_names)
    rows = zip(
        reports.assignment.tolist(),
        reports.submission.tolist(),
        reports.grader.tolist(),
        strict=True,
    )
    return [(assignments[a], submissions[s], graders[g]) for a, s, g in rows]
