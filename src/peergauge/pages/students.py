"""A page for each student: their own grades and points, and nothing about other students."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.estimate import ESTIMATORS
from peergauge.classroom.grade.explain import NO_REWARD_SENTENCE, explain_points, points_sentences
from peergauge.classroom.grade.semester import run_of
from peergauge.classroom.grade.shown_points import ShownPoints, shown_points
from peergauge.core.lazy import pl
from peergauge.core.text import as_counted, folder_name
from peergauge.pages import minus, percent, render
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


class OwnSubmission(NamedTuple):
    """A submission of the student."""

    title: str
    grade: float
    low: float
    high: float
    bar: tuple[float, float, float]
    explanation: ShownExplanation
    place: int
    """Number of the submission in the audit."""

    @property
    def known(self) -> bool:
        """Whether there is a grade."""
        return not math.isnan(self.grade)


class OwnGrading(NamedTuple):
    """Points of the student for grading; reviews are numbered, because others are the authors."""

    points: str
    shown: ShownPoints | None
    """The table behind the points, in printed numbers; None if there are no points."""

    sentences: list[str]
    place: int
    """Number of the student among the graders of the audit."""


def pages(
    graded: GradedClass, texts: PageTexts | None = None, assigned: pl.DataFrame | None = None
) -> dict[str, str]:
    """The page of every author and grader as HTML, by a file name made from their identifier.

    Parameters
    ----------
    texts
        Course, title, and how to appeal, as the instructor states them.
    assigned
        Reviews that were assigned, if they are known; see :func:`undone_sentences`.
    """
    names, texts = graded.names, texts or PageTexts()
    own: dict[str, list[OwnSubmission]] = defaultdict(list)
    for place, authors in enumerate(names.authors):
        if authors:
            submission = _own_submission(graded, place)
            for author in authors:
                own[author.id].append(submission)
    places = {grader.id: place for place, grader in enumerate(names.graders)}
    undone = undone_sentences(graded, assigned)
    files = student_files(graded)
    return {
        file: render(
            "student.html",
            person=names.person(one),
            texts=texts,
            work_title=texts.title or _only_assignment(graded),
            submissions=own.get(one, []),
            grading=_own_grading(graded, places[one]) if one in places else None,
            continues=graded.earlier is not None,
            period=graded.period,
            highest_points=graded.points_rule.highest,
            undone=undone.get(one, []),
            mechanism=graded.mechanism,
            estimator=ESTIMATORS[graded.grades.estimator],
            shifts=list(graded.shift_sentences()),
            scale=graded.reports.scale,
            level=percent(graded.settings.level),
        )
        for one, file in files.items()
    }


def student_files(graded: GradedClass) -> dict[str, str]:
    """The file name of the page of every author and grader, by identifier."""
    return file_names(sorted(run_of(graded).people, key=as_counted))


def review_labels(graded: GradedClass, grader: int, texts: PageTexts) -> list[str]:
    """What a student's reviews are called on the student's page, in the order of the export.

    The name of a submission can be the name of its author, which the student may not know. So
    reviews are numbered, unless the instructor wants submissions to be named.
    """
    places = [one.submission for one in explain_points(graded, grader).paid]
    if texts.name_submissions:
        return [graded.names.submissions[place] for place in places]
    return [f"Your review {number}" for number in range(1, len(places) + 1)]


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


def _own_submission(graded: GradedClass, place: int) -> OwnSubmission:
    low, high = (float(bound[place]) for bound in graded.interval)
    # A single assignment needs no name; the name of a submission may name other people.
    title = graded.names.assignments[place] if graded.reports.assignments > 1 else ""
    return OwnSubmission(
        title or "Your work",
        float(graded.grades.score[place]),
        low,
        high,
        interval_bar(graded, place),
        shown_explanation(graded, place),
        place,
    )


def _own_grading(graded: GradedClass, place: int) -> OwnGrading:
    why = explain_points(graded, place)
    if not why.reviews:
        return OwnGrading(as_points(graded.points[place]), None, [NO_REWARD_SENTENCE], place)
    shown = shown_points(graded, why)
    sentences = points_sentences(graded, why, below_table=bool(shown.reviews))
    return OwnGrading(
        as_points(graded.points[place]), shown, [minus(sentence) for sentence in sentences], place
    )
