"""Further sheets of the workbook: final marks, decisions, criteria and comments."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import Any

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.criteria import criteria_view
from peergauge.classroom.grade.tables import decisions_table, marks_table
from peergauge.core.lazy import pl
from peergauge.pages.review_comments import shortened
from peergauge.pages.workbook import (
    AS_GIVEN_FORMAT,
    COUNT_FORMAT,
    REWARD_FORMAT,
    Sheet,
    SheetColumn,
    table_sheet,
)

MAX_SHEET_ROWS = 20_000
"""Rows of the largest sheet that is written."""

MAX_TEXT_LETTERS = 900
"""Letters of a text in one cell, which people still read."""

COMMENTS_SHEET = "Comments"

MARK_COLUMNS = {
    "person": SheetColumn("Person", "Identifier of the person in the export."),
    "mark": SheetColumn("Final mark", "Both parts minus the deduction, rounded; may be left open."),
    "letter": SheetColumn("Letter", "Letter of the final mark."),
    "missing": SheetColumn("Missing", "What is missing for a mark."),
    "grade": SheetColumn("Grade", "Awarded grade for the work."),
    "work_percent": SheetColumn("Work percent", "Mean grade for work in percent."),
    "work_share": SheetColumn("Work share", "Percentage of the mark.", AS_GIVEN_FORMAT),
    "work_part": SheetColumn("Work part", "What work contributes to the mark."),
    "points": SheetColumn("Points", "Points for reviewing."),
    "points_letter": SheetColumn("Points", "Letter for reviewing."),
    "reviewing_percent": SheetColumn("Reviewing percent", "Points for reviewing in percent."),
    "reviewing_share": SheetColumn("Reviewing share", "Percentage of the mark.", AS_GIVEN_FORMAT),
    "reviewing_part": SheetColumn("Reviewing part", "What reviewing contributes to the mark."),
    "reviews": SheetColumn("Reviews", "Number of reviews that count.", COUNT_FORMAT),
    "excluded": SheetColumn("Excluded", "Number of reviews that staff excluded.", COUNT_FORMAT),
    "assigned": SheetColumn("Assigned", "Number of assigned reviews.", COUNT_FORMAT),
    "done": SheetColumn("Done", "How many of them were done.", COUNT_FORMAT),
    "declined": SheetColumn("Declined", "How many of them were declined.", COUNT_FORMAT),
    "owed": SheetColumn("Owed", "How many of them are missing.", COUNT_FORMAT),
    "deduction": SheetColumn("Deduction", "What is deducted for missing reviews."),
    "total": SheetColumn("Total", "Both parts minus the deduction, before rounding."),
}

DECISION_COLUMNS = {
    "row": SheetColumn("Row", "Row in the file of decisions.", COUNT_FORMAT),
    "action": SheetColumn("Action", "Exclusion, staff grade or appeal."),
    "grade": SheetColumn("Grade", "Staff grade, or new grade after an appeal.", AS_GIVEN_FORMAT),
    "decision": SheetColumn("Decision", "Outcome of an appeal."),
    "asked": SheetColumn("Asked", "What an appeal asked for."),
    "status": SheetColumn(
        "Status",
        "Applied: it changed this run. Logged: it changed nothing. Earlier: a run before used it.",
    ),
    "excluded_reviews": SheetColumn("Excluded reviews", "How many it excluded.", COUNT_FORMAT),
    "replaced": SheetColumn("Replaced", "The staff grade before.", AS_GIVEN_FORMAT),
}

CRITERION_COLUMNS = {
    "lowest": SheetColumn("Lowest", "Lowest possible score.", AS_GIVEN_FORMAT),
    "highest": SheetColumn("Highest", "Highest possible score.", AS_GIVEN_FORMAT),
    "submissions": SheetColumn("Submissions", "Number of scored submissions.", COUNT_FORMAT),
    "reviews": SheetColumn("Reviews", "Number of scores by reviewers.", COUNT_FORMAT),
    "mean": SheetColumn("Mean", "Mean of these scores."),
    "median": SheetColumn("Median", "Median of these scores."),
    "deviation": SheetColumn("Standard deviation", "Spread of all scores."),
    "agreement": SheetColumn(
        "Agreement",
        "Intraclass correlation ICC(1): 1 if graders of the same submission always agree, and 0 if "
        "they agree no more than graders of different submissions.",
        REWARD_FORMAT,
    ),
    "correlation": SheetColumn(
        "Correlation with grade",
        "Pearson's correlation of the submissions' means with their estimated grades.",
        REWARD_FORMAT,
    ),
}

COMMENT_COLUMNS = (
    SheetColumn("Assignment", "Name of the assignment."),
    SheetColumn("Submission", "Name of the submission."),
    SheetColumn("Grader", "Identifier of the grader."),
    SheetColumn("Criterion", "What the comment is about; empty for the whole review."),
    SheetColumn("Author may read it", "Whether the author of the submission may read it."),
    SheetColumn("Comment", "The comment; a long one goes on in the next rows."),
)


def further_sheets(graded: GradedClass) -> Iterator[Sheet]:
    """Sheets that only some classes have."""
    for sheet in (*_mark_sheets(graded), *_criterion_sheets(graded)):
        if len(sheet.rows) <= MAX_SHEET_ROWS:
            yield sheet
    comments = comments_sheet(graded)
    if comments is not None:
        yield comments


def _mark_sheets(graded: GradedClass) -> Iterator[Sheet]:
    if (marks := marks_table(graded)) is not None:
        yield table_sheet("Final marks", marks, MARK_COLUMNS)
    if (log := decisions_table(graded)) is not None and log.height:
        short = pl.col(pl.String).map_elements(_short, return_dtype=pl.String)
        # The sentence about each decision repeats the other columns.
        yield table_sheet("Decisions", log.drop("what").with_columns(short), DECISION_COLUMNS)


def _criterion_sheets(graded: GradedClass) -> Iterator[Sheet]:
    view = criteria_view(graded.opened, graded.grades.score)
    if view is not None:
        yield table_sheet("Criteria", view.criteria, CRITERION_COLUMNS, 2)
        yield table_sheet("Criterion means", view.submissions, CRITERION_COLUMNS, 3)


def comments_sheet(graded: GradedClass) -> Sheet | None:
    """All comments; None if there are none, or if the class is too large for a workbook."""
    if max(graded.reports.submissions, graded.reports.graders) > MAX_SHEET_ROWS:
        return None
    rows: list[tuple[Any, ...]] = []
    columns = ("assignment", "submission", "grader", "criterion", "visible_to_author", "text")
    for *where, visible, text in graded.opened.comments.select(columns).iter_rows():
        about = (*where, "yes" if visible else "no")
        rows += [(*about, piece) for piece in pieces_of(text or "")]
        if len(rows) > MAX_SHEET_ROWS:
            return None
    return Sheet(COMMENTS_SHEET, COMMENT_COLUMNS, rows, 3) if rows else None


def pieces_of(text: str) -> list[str]:
    """A long text in pieces, of which each fits a cell."""
    if len(text) <= MAX_TEXT_LETTERS:
        return [text]
    return wrap(text, MAX_TEXT_LETTERS, replace_whitespace=False, drop_whitespace=False)


def _short(text: Any) -> str:
    return shortened(str(text), MAX_TEXT_LETTERS)
