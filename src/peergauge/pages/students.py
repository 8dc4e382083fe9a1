"""A page for each student: their own grades and points, and nothing about other students."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

from peergauge.classroom.grade import MIN_MENTIONED_SHIFT, GradedClass
from peergauge.classroom.grade.awarded import awarded_sentence
from peergauge.classroom.grade.criteria import criteria_view
from peergauge.classroom.grade.estimate import ESTIMATORS
from peergauge.classroom.grade.explain import (
    NO_REWARD_SENTENCE,
    explain_grade,
    explain_points,
    points_sentences,
    shown_key,
)
from peergauge.classroom.grade.final_mark import (
    assigned_where_known,
    assignment_names,
    final_sentences,
)
from peergauge.classroom.grade.rounding import as_text
from peergauge.classroom.grade.semester import run_of
from peergauge.classroom.grade.shown_points import ShownPoints, shown_points
from peergauge.classroom.grade.tables import decisions_about_grader
from peergauge.core.lazy import pl
from peergauge.core.text import as_counted, folder_name
from peergauge.pages import minus, percent, render, short
from peergauge.pages.grade_rows import ShownExplanation, interval_bar, shown_explanation
from peergauge.pages.grading import as_points
from peergauge.pages.texts import PageTexts
from peergauge.pages.undone import undone_sentences

MAX_NAME_LETTERS = 60
"""Letters of an identifier that the name of a file keeps."""

RESERVED_NAMES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
"""Names that no file can have on Windows, whatever its suffix."""


class OwnComment(NamedTuple):
    """What a reviewer wrote to the author."""

    criterion: str
    text: str


class OwnReview(NamedTuple):
    """The comments of one review of the student's work, which is numbered."""

    label: str
    comments: tuple[OwnComment, ...]


class OwnCriterion(NamedTuple):
    """The mean that reviewers gave on one criterion."""

    criterion: str
    mean: str
    of: str
    """The highest score; empty if it is not known."""

    reviews: int


class OwnSubmission(NamedTuple):
    """A submission of the student."""

    title: str
    grade: float
    """The grade that the student gets."""

    letter: str
    estimate: float
    low: float
    high: float
    bar: tuple[float, float, float]
    explanation: ShownExplanation
    became: str
    """How the estimate became the grade; empty if they are the same."""

    shift: str
    """How reviews were moved to the level of staff; empty if they were not."""

    decisions: list[str]
    criteria: list[OwnCriterion]
    reviews: list[OwnReview]
    """Reviews with comments that the author may read."""

    place: int
    """Number of the submission in the audit."""

    column: str
    """The column of the audit that has the grade."""

    @property
    def known(self) -> bool:
        """Whether there is a grade."""
        return not math.isnan(self.grade)


class OwnGrading(NamedTuple):
    """Points of the student for grading."""

    points: str
    shown: ShownPoints | None
    """The table behind the points, in printed numbers; None if there are no points."""

    labels: list[str]
    """Numbers of the reviews, or names of the submissions, if these may be named."""

    sentences: list[str]
    place: int
    """Number of the student among the graders of the audit."""


class OwnMark(NamedTuple):
    """The final mark of the student; its text is a dash if it is left open."""

    text: str
    letter: str
    of: str
    sentences: list[str]


def pages(graded: GradedClass, texts: PageTexts | None = None) -> dict[str, str]:
    """The page of everybody as HTML, by a file name made from their identifier.

    Parameters
    ----------
    texts
        Course, title, and how to appeal, as the instructor states them; by default those of the
        settings.
    """
    names, texts = graded.names, texts or PageTexts.of(graded.settings)
    own: dict[str, list[OwnSubmission]] = defaultdict(list)
    works = _Works(graded)
    for place, authors in enumerate(names.authors):
        if authors:
            submission = works.of(place)
            for author in authors:
                own[author.id].append(submission)
    places = {grader.id: place for place, grader in enumerate(names.graders)}
    files = student_files(graded)
    undone = undone_sentences(graded, files)
    return {
        file: render(
            "student.html",
            person=names.person(one),
            texts=texts,
            work_title=texts.title or _only_assignment(graded),
            submissions=own.get(one, []),
            grading=_own_grading(graded, places[one], texts) if one in places else None,
            mark=_own_mark(graded, one),
            continues=graded.earlier is not None,
            period=graded.period,
            highest_points=graded.points_rule.highest,
            undone=undone.get(one, []),
            mechanism=graded.mechanism,
            estimator=ESTIMATORS[graded.grades.estimator],
            scale=graded.reports.scale,
            level=percent(graded.settings.level),
        )
        for one, file in files.items()
    }


def student_files(graded: GradedClass) -> dict[str, str]:
    """The file name of the page of everybody who gets one, by identifier.

    These are all authors and graders, everybody with a final mark, and people who were assigned
    reviews and did nothing.
    """
    people = set(run_of(graded).people)
    if graded.final is not None:
        rows = graded.final.rows
        people.update(row.person for row in rows if row.mark is not None or not row.did_nothing)
    known = assigned_where_known(graded.assigned)
    if known is not None:
        here = known.filter(pl.col("assignment").is_in(assignment_names(graded)))
        people.update(here.filter(pl.col("assigned") > 0)["person"].to_list())
    return file_names(sorted(people, key=as_counted))


def review_labels(graded: GradedClass, grader: int, texts: PageTexts) -> list[str]:
    """What a student's reviews are called on the student's page, in the order of the export.

    The name of a submission can be the name of its author, which the student may not know. So
    reviews are numbered, unless the instructor wants submissions to be named.
    """
    places = [one.submission for one in explain_points(graded, grader).paid]
    if not texts.name_submissions:
        return [str(number) for number in range(1, len(places) + 1)]
    if graded.reports.assignments == 1:
        return [graded.names.submissions[place] for place in places]
    names = zip(graded.names.assignments, graded.names.submissions, strict=True)
    titles = [": ".join(filter(None, pair)) for pair in names]
    return [titles[place] for place in places]


def _only_assignment(graded: GradedClass) -> str:
    """Name of the assignment, if there is only one."""
    names = {name for name in graded.names.assignments if name}
    return names.pop() if len(names) == 1 else ""


def file_names(ids: list[str]) -> dict[str, str]:
    """A file name for each identifier, valid and unique on any file system.

    >>> file_names(["u1", "U1", "../etc", "con"])
    {'u1': 'u1.html', 'U1': 'U1-2.html', '../etc': 'etc.html', 'con': 'con-2.html'}
    """
    taken = set(RESERVED_NAMES)
    found = {}
    for one in ids:
        stem = name = folder_name(one)[:MAX_NAME_LETTERS].rstrip(". ") or "-"
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        found[one] = f"{name}.html"
    return found


class _Works:
    """Submissions of a class, as their authors see them."""

    def __init__(self, graded: GradedClass):
        self.graded = graded
        rules = graded.settings.grades
        changes = rules.round_to is not None or rules.curve is not None
        self.column = "awarded" if changes else "grade"
        self.comments = _comments_by_review(graded)
        self.criteria = _criteria_by_submission(graded)

    def of(self, place: int) -> OwnSubmission:
        """One submission."""
        graded = self.graded
        names, reports = graded.names, graded.reports
        low, high = (float(bound[place]) for bound in graded.interval)
        # A single assignment needs no name; the name of a submission may name other people.
        title = names.assignments[place] if reports.assignments > 1 else ""
        key = names.assignments[place], names.submissions[place]
        decided = graded.decisions
        return OwnSubmission(
            title or "Your work",
            float(graded.awarded.grade[place]),
            graded.awarded.letter[place],
            float(graded.grades.score[place]),
            low,
            high,
            interval_bar(graded, place),
            shown_explanation(graded, place),
            self._became(place),
            _shift_sentence(graded, place),
            [] if decided is None else decided.sentences_for_authors(place),
            self.criteria.get(key, []),
            self._reviews(place),
            place,
            self.column,
        )

    def _became(self, place: int) -> str:
        graded = self.graded
        assignment = int(graded.reports.assignment_of_submission[place])
        estimate = float(graded.grades.score[place])
        return awarded_sentence(graded.awarded, place, estimate, graded.settings.grades, assignment)

    def _reviews(self, place: int) -> list[OwnReview]:
        """Reviews with comments, under the numbers that they have in the explanation."""
        names = self.graded.names
        where = names.assignments[place], names.submissions[place]
        # Reviews with the same numbers are in the order of their comments, not of their graders.
        told = sorted(
            (shown_key(one), self.comments.get((*where, names.graders[one.grader].id), ()))
            for one in explain_grade(self.graded, place).reviews
        )
        found = (
            OwnReview(f"Review {number}", comments) for number, (_, comments) in enumerate(told, 1)
        )
        return [review for review in found if review.comments]


def _comments_by_review(
    graded: GradedClass,
) -> dict[tuple[str, str, str], tuple[OwnComment, ...]]:
    """Comments that authors may read, by assignment, submission and grader."""
    seen = graded.opened.comments.filter(pl.col("visible_to_author").fill_null(False))
    found: dict[tuple[str, str, str], tuple[OwnComment, ...]] = defaultdict(tuple)
    columns = ("assignment", "submission", "grader", "criterion", "text")
    for assignment, submission, grader, criterion, text in seen.select(columns).iter_rows():
        comment = OwnComment(criterion or "", text)
        found[assignment or "", submission, grader] += (comment,)
    return found


def _criteria_by_submission(graded: GradedClass) -> dict[tuple[str, str], list[OwnCriterion]]:
    """Means by criterion of each submission, by assignment and submission."""
    view = criteria_view(graded.opened)
    found: dict[tuple[str, str], list[OwnCriterion]] = defaultdict(list)
    for row in () if view is None else view.submissions.iter_rows(named=True):
        highest = row["highest"]
        one = OwnCriterion(
            row["criterion"] or "Whole review",
            short(float(row["mean"]), 2),
            "" if highest is None else f"{highest:g}",
            row["reviews"],
        )
        found[row["assignment"] or "", row["submission"]].append(one)
    return found


def _shift_sentence(graded: GradedClass, place: int) -> str:
    """How the reviews of a submission were moved to the level of staff, for its authors."""
    shift = float(graded.grades.shift[int(graded.reports.assignment_of_submission[place])])
    if abs(shift) < MIN_MENTIONED_SHIFT * graded.reports.scale.unit:
        return ""
    return (
        f"Peers graded about {abs(shift):.2f} points {'higher' if shift > 0 else 'lower'} than "
        f"staff, so {abs(shift):.2f} points are {'subtracted from' if shift > 0 else 'added to'} "
        "every review."
    )


def _own_grading(graded: GradedClass, place: int, texts: PageTexts) -> OwnGrading:
    why = explain_points(graded, place)
    decided = decisions_about_grader(graded, place)
    points = as_points(graded.points[place])
    if not why.reviews:
        return OwnGrading(points, None, [], [*decided, NO_REWARD_SENTENCE], place)
    shown = shown_points(graded, why)
    sentences = [*decided, *points_sentences(graded, why, below_table=bool(shown.reviews))]
    labels = review_labels(graded, place, texts)
    return OwnGrading(points, shown, labels, [minus(one) for one in sentences], place)


def _own_mark(graded: GradedClass, person: str) -> OwnMark | None:
    row = None if graded.final is None else graded.final.of(person)
    if graded.final is None or row is None:
        return None
    return OwnMark(
        "–" if row.mark is None else as_text(row.mark),
        row.letter,
        f"{graded.settings.final.out_of:g}",
        final_sentences(graded.final, row),
    )
