"""The class by criterion on the report: a summary, and the means of every submission."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.criteria import CriteriaView, criteria_view

WHOLE_REVIEW = "(without a name)"
"""What a criterion without a name is called."""


class CriterionRow(NamedTuple):
    """One criterion of an assignment."""

    assignment: str
    criterion: str
    scale: str
    submissions: int
    reviews: int
    mean: float
    deviation: float | None
    agreement: float | None
    correlation: float | None


class SubmissionMeans(NamedTuple):
    """One submission: the mean on each criterion, and the number of scores; None without any."""

    place: int
    submission: str
    authors: str
    cells: tuple[tuple[float, int] | None, ...]


class AssignmentCriteria(NamedTuple):
    """The submissions of one assignment by criterion.

    Parameters
    ----------
    id
        Name of the table on the page.
    assignment
        Name of the assignment.
    criteria
        For each column: the number of the criterion in the summary, and its name.
    rows
        The submissions.
    """

    id: str
    assignment: str
    criteria: tuple[tuple[int, str], ...]
    rows: tuple[SubmissionMeans, ...]


class CriteriaSection(NamedTuple):
    """The section by criterion."""

    criteria: tuple[CriterionRow, ...]
    assignments: tuple[AssignmentCriteria, ...]
    several: bool
    """Whether there are criteria of several assignments."""


def criteria_section(
    graded: GradedClass, places: Sequence[int] | None = None
) -> CriteriaSection | None:
    """The class by criterion; None if its export has no criteria.

    *places* are the numbers of the submissions to list, in their order; by default all of them.
    """
    view = criteria_view(graded.opened, graded.grades.score)
    if view is None:
        return None
    rows = tuple(_criterion_row(row) for row in view.criteria.to_dicts())
    several = len({row.assignment for row in rows}) > 1
    shown = range(graded.reports.submissions) if places is None else places
    return CriteriaSection(rows, tuple(_assignments(graded, view, shown)), several)


def _criterion_row(row: dict[str, Any]) -> CriterionRow:
    ends = row["lowest"], row["highest"]
    scale = "–" if None in ends else f"{ends[0] + 0.0:g} to {ends[1] + 0.0:g}"
    return CriterionRow(
        row["assignment"] or "",
        row["criterion"] or WHOLE_REVIEW,
        scale.replace("-", "−"),
        row["submissions"],
        row["reviews"],
        row["mean"],
        row["deviation"],
        row["agreement"],
        row["correlation"],
    )


def _assignments(
    graded: GradedClass, view: CriteriaView, places: Sequence[int]
) -> list[AssignmentCriteria]:
    names = graded.names
    columns: dict[str, list[tuple[int, str]]] = {}
    for number, (assignment, criterion) in enumerate(
        view.criteria.select("assignment", "criterion").iter_rows()
    ):
        columns.setdefault(assignment or "", []).append((number, criterion or ""))
    kept = ("assignment", "submission", "criterion", "mean", "reviews")
    scores = {
        (assignment or "", submission, criterion or ""): (mean, reviews)
        for assignment, submission, criterion, mean, reviews in view.submissions.select(
            kept
        ).iter_rows()
    }
    listed: dict[str, list[int]] = {}
    for place in places:
        listed.setdefault(names.assignments[place], []).append(place)
    found = []
    for number, (assignment, criteria) in enumerate(columns.items(), 1):
        rows = [
            SubmissionMeans(
                place,
                names.submissions[place],
                ", ".join(one.label for one in names.authors[place]),
                tuple(
                    scores.get((assignment, names.submissions[place], criterion))
                    for _, criterion in criteria
                ),
            )
            for place in listed.get(assignment, ())
        ]
        if rows:
            shown = tuple((at, name or WHOLE_REVIEW) for at, name in criteria)
            found.append(
                AssignmentCriteria(f"criterion-table-{number}", assignment, shown, tuple(rows))
            )
    return found
