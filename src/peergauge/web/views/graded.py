"""Grades of submissions and points of graders, with explanations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.decisions import Action
from peergauge.classroom.grade.explain import author_sentences, explain_grade, grader_sentences
from peergauge.classroom.grade.tables import decisions_about_grader, mark_sentences
from peergauge.core.errors import ParameterError
from peergauge.mechanisms.priors import brief_label
from peergauge.pages.final_marks_section import marks_section
from peergauge.pages.grade_rows import GradeRow, descending, grade_rows
from peergauge.pages.grader_rows import grader_rows
from peergauge.pages.grading_sections import final_grades, flags_section, quartiles
from peergauge.pages.review_comments import comments_on_page
from peergauge.pages.second_look_section import removed_error, root_mean_square
from peergauge.web.context import Context
from peergauge.web.state import WeekState
from peergauge.web.store.records import Week
from peergauge.web.views import MAX_ROWS_PER_PAGE, Bar, View, bars, number
from peergauge.web.views.imported import grade_histogram
from peergauge.web.views.moved import MovedView, follow_sentence, moved_view


class SummaryView(View):
    """The distributions of a graded class, which change with every setting."""

    week: str
    revision: int
    scale: str
    submissions: int
    reviews: int
    graders: int
    estimator: str
    mechanism: str
    reason: str
    mean: float | None
    quartiles: list[float | None]
    histogram: list[Bar]
    points: list[Bar]
    points_rule: str
    points_summary: str
    marks: list[Bar]
    half_width: float | None
    level: float
    staff_graded: int
    flagged: int
    expected_flags: float
    headlines: list[str]
    assignments: list[str]
    sections: list[str]
    decided: list[str]


class GradeLine(View):
    """One submission in the table of grades."""

    assignment: str
    submission: str
    authors: str
    section: str
    grade: float | None
    awarded: str
    letter: str
    low: float | None
    high: float | None
    mean: float | None
    reviews: int
    staff: float | None
    bar: tuple[float, float, float]


class GraderLine(View):
    """One grader in the table of graders."""

    grader: str
    name: str
    reviews: int
    points: str
    leniency: float | None
    low: float | None
    high: float | None
    error: float | None
    best_rank: float | None
    worst_rank: float | None
    flagged: bool


class Page(View):
    """Which rows of a table are shown."""

    number: int
    pages: int
    rows: int


class GradesView(View):
    """A part of the table of grades."""

    page: Page
    lines: list[GradeLine]


class GradersView(View):
    """A part of the table of graders."""

    page: Page
    lines: list[GraderLine]


class ReviewView(View):
    """A review of a submission."""

    grader: str
    name: str
    grade: float
    weight: str
    contribution: str
    excluded: bool
    comments: list[str]


class SubmissionView(View):
    """A submission with its reviews, and the explanation of its grade."""

    week: str
    revision: int
    line: GradeLine
    scale: str
    highest: float
    lowest: float
    reviews: list[ReviewView]
    base: list[str]
    """The part of the grade that comes from the class: label, weight and contribution."""

    total: str
    sentences: list[str]
    level: float
    staff_decision: float | None
    decisions: list[str]
    moved: MovedView | None
    """What the last change moved, if it was a decision of staff."""


class GivenReview(View):
    """A review that a grader gave, beside the grade of the submission."""

    assignment: str
    submission: str
    authors: str
    given: float
    grade: float | None
    difference: float | None
    """The grade given minus the grade of the submission."""

    comments: list[str]


class GraderView(View):
    """A grader with the reviews that count, and the explanation of the points."""

    week: str
    revision: int
    line: GraderLine
    reviews: list[GivenReview]
    sentences: list[str]
    """The explanation as the grader gets it."""

    flags: list[str]
    decisions: list[str]
    excluded: bool


class CheckView(View):
    """A submission or grader that staff should check."""

    assignment: str
    name: str
    label: str
    grade: float | None
    low: float | None
    high: float | None
    removes: float | None
    done: bool


class SecondLookView(View):
    """What staff should check, and what that is worth."""

    week: str
    revision: int
    submissions: list[CheckView]
    graders: list[CheckView]
    before: float | None
    after: float | None
    staff_graded: int
    follows: str
    """When the grades of other submissions follow staff grades."""

    moved: MovedView | None


# ---------------------------------------------------------------------------------------- summary


def summary_view(context: Context, week: Week) -> SummaryView:
    """The distributions of a graded class."""
    graded = context.workbench.graded(week)
    groups = graded.groups
    low, high = graded.interval
    half = None
    if graded.peer_graded.any():
        half = number(np.median((high - low)[graded.peer_graded]) / 2)
    score = final_grades(graded)
    known = score[~np.isnan(score)]
    return SummaryView(
        week=week.id,
        revision=week.revision,
        scale=str(graded.reports.scale),
        submissions=graded.reports.submissions,
        reviews=len(graded.reports),
        graders=graded.reports.graders,
        estimator=graded.grades.estimator,
        mechanism=brief_label(graded.mechanism.spec),
        reason=graded.reason,
        mean=number(known.mean()) if len(known) else None,
        quartiles=[number(one) for one in quartiles(score)],
        histogram=grade_histogram(known, graded.reports.scale),
        points=point_histogram(graded),
        points_rule=graded.settings.points,
        points_summary=graded.points_summary,
        marks=mark_histogram(graded),
        half_width=half,
        level=graded.settings.level,
        staff_graded=int(graded.staff_graded.sum()),
        flagged=len({one.grader for one in graded.flags.found}),
        expected_flags=round(sum(one.expected for one in graded.flags.false_flags), 2),
        headlines=list(graded.headlines()),
        assignments=[one for one in dict.fromkeys(graded.names.assignments) if one],
        sections=[one for one in groups.sections if one],
        decided=list(graded.decided()),
    )


def point_histogram(graded: GradedClass) -> list[Bar]:
    """How many graders get which points or letters."""
    given = [one for one in graded.points if one is not None]
    if any(isinstance(one, str) for one in given):
        return bars(dict(sorted(Counter(map(str, given)).items())))
    values = np.array([float(one) for one in given])
    return _histogram(values)


def mark_histogram(graded: GradedClass) -> list[Bar]:
    """How many students get which final marks; empty without final marks."""
    if graded.final is None:
        return []
    marks = [one.mark for one in graded.final.rows if one.mark is not None]
    return _histogram(np.array(marks, dtype=np.float64))


def _histogram(values: np.ndarray[tuple[int], np.dtype[np.float64]], many: int = 12) -> list[Bar]:
    values = values[np.isfinite(values)]
    if not len(values):
        return []
    low, high = float(values.min()), float(values.max())
    if low == high:
        return bars({f"{low:.2f}": len(values)})
    counts, edges = np.histogram(values, np.linspace(low, high, many + 1))
    return bars({
        f"{left:.2f} to {right:.2f}": int(count)
        for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True)
    })  # fmt: skip


# ----------------------------------------------------------------------------------------- tables


def grades_view(
    context: Context,
    week: Week,
    *,
    page: int = 1,
    assignment: str = "",
    section: str = "",
    search: str = "",
) -> GradesView:
    """A part of the table of grades, the highest grade first."""
    graded = context.workbench.graded(week)
    groups = graded.groups
    names = graded.names
    words = search.casefold().strip()
    places = [
        place
        for place in descending(graded.grades.score)
        if (not assignment or names.assignments[place] == assignment)
        and (not section or section == groups.submission_sections[place])
        and (not words or words in _searched(graded, place))
    ]
    shown, where = _page(places, page)
    rows = grade_rows(graded, shown, groups)
    return GradesView(page=where, lines=[grade_line(one) for one in rows])


def _searched(graded: GradedClass, place: int) -> str:
    people = (f"{one.id} {one.name}" for one in graded.names.authors[place])
    return " ".join([graded.names.submissions[place], *people]).casefold()


def graders_view(context: Context, week: Week, *, page: int = 1, search: str = "") -> GradersView:
    """A part of the table of graders, the highest reward first."""
    graded = context.workbench.graded(week)
    words = search.casefold().strip()
    people = graded.names.graders
    places = [
        place
        for place in descending(graded.reward_per_review.estimate)
        if not words or words in f"{people[place].id} {people[place].name}".casefold()
    ]
    shown, where = _page(places, page)
    return GradersView(page=where, lines=grader_lines(graded, shown))


def _page(places: Sequence[int], number: int) -> tuple[list[int], Page]:
    pages = max(1, -(-len(places) // MAX_ROWS_PER_PAGE))
    at = min(max(1, number), pages)
    shown = list(places[(at - 1) * MAX_ROWS_PER_PAGE : at * MAX_ROWS_PER_PAGE])
    return shown, Page(number=at, pages=pages, rows=len(places))


def grade_line(row: GradeRow) -> GradeLine:
    """A row of the table of grades as plain values."""
    return GradeLine(
        assignment=row.assignment,
        submission=row.submission,
        authors=row.authors,
        section=row.section,
        grade=number(row.grade),
        awarded=row.awarded,
        letter=row.letter,
        low=number(row.low),
        high=number(row.high),
        mean=number(row.mean),
        reviews=row.reviews,
        staff=number(row.staff),
        bar=row.bar,
    )


def grader_lines(graded: GradedClass, places: Sequence[int]) -> list[GraderLine]:
    """Rows of the table of graders as plain values."""
    return [
        GraderLine(
            grader=graded.names.graders[row.place].id,
            name=graded.names.graders[row.place].name,
            reviews=row.reviews,
            points=row.points,
            leniency=number(row.bias),
            low=number(row.low),
            high=number(row.high),
            error=number(row.error),
            best_rank=number(row.best),
            worst_rank=number(row.worst),
            flagged=row.flagged,
        )
        for row in grader_rows(graded, places)
    ]


# ------------------------------------------------------------------------------------ single ones


def submission_view(
    context: Context, week: Week, assignment: str, submission: str
) -> SubmissionView:
    """A submission with its reviews, and the explanation of its grade."""
    graded = context.workbench.graded(week)
    place = place_of(graded, assignment, submission)
    comments = comments_on_page(graded).of
    (row,) = grade_rows(graded, [place], graded.groups, comments)
    counting = explain_grade(graded, place).reviews
    people = [graded.names.graders[one.grader] for one in counting]
    texts = _comments_by_grader(row)
    reviews = [
        ReviewView(
            grader=person.id, name=person.name, grade=one.given, weight=part.weight,
            contribution=part.contribution, excluded=False, comments=texts.get(person.label, []),
        )
        for person, one, part in zip(
            people, counting, row.explanation.parts[: len(people)], strict=True
        )
    ] if people else []  # fmt: skip
    excluded = () if graded.decisions is None else graded.decisions.excluded
    reviews += [
        ReviewView(
            grader=one.grader, name=graded.names.person(one.grader).name, grade=one.grade,
            weight="", contribution="", excluded=True,
            comments=texts.get(graded.names.person(one.grader).label, []),
        )
        for one in excluded
        if (one.assignment, one.submission) == (row.assignment, row.submission)
    ]  # fmt: skip
    extra = row.explanation.parts[len(people) :]
    state = WeekState.from_json(week.state)
    own = [
        one.grade
        for one in state.decisions
        if one.action is Action.STAFF_GRADE
        and one.submission == submission
        and one.assignment in ("", assignment)
    ]
    decided = graded.decisions
    # After the lines about decisions, there are lines about submissions without reviews.
    log = [] if decided is None else list(zip(decided.log, decided.lines(), strict=False))
    return SubmissionView(
        week=week.id,
        revision=week.revision,
        line=grade_line(row),
        scale=str(graded.reports.scale),
        highest=graded.reports.scale.highest,
        lowest=graded.reports.scale.lowest,
        reviews=reviews,
        base=[f"{one.label}: {one.contribution}" for one in extra],
        total=row.explanation.total,
        sentences=[*author_sentences(graded, place), *mark_sentences(graded, place)],
        level=graded.settings.level,
        staff_decision=own[-1] if own else None,
        decisions=[
            line
            for one, line in log
            if one.submission == place
        ],
        moved=moved_view(context, week),
    )  # fmt: skip


def _comments_by_grader(row: GradeRow) -> dict[str, list[str]]:
    """Comments on a submission by the labels of the graders who wrote them."""
    texts: dict[str, list[str]] = {}
    for one in row.reviews_with_comments:
        texts.setdefault(one.grader, []).extend(each.text for each in one.comments)
    return texts


def grader_view(context: Context, week: Week, grader: str) -> GraderView:
    """A grader with the reviews that count, and the explanation of the points."""
    graded = context.workbench.graded(week)
    place = next(
        (place for place, one in enumerate(graded.names.graders) if one.id == grader), None
    )
    if place is None:
        raise ParameterError(f"There is no grader '{grader}' in this week.")
    state = WeekState.from_json(week.state)
    return GraderView(
        week=week.id,
        revision=week.revision,
        line=grader_lines(graded, [place])[0],
        reviews=_given_reviews(graded, place),
        sentences=grader_sentences(graded, place),
        flags=[
            f"{kind}{'' if other is None else f' with {other}'}"
            for label, kind, other, one in flags_section(graded)["found"]
            if one.grader == place
        ],
        decisions=decisions_about_grader(graded, place),
        excluded=any(
            one.action is Action.EXCLUDE_GRADER and one.grader == grader for one in state.decisions
        ),
    )


def _given_reviews(graded: GradedClass, grader: int) -> list[GivenReview]:
    """The reviews of a grader that count, in the order of the submissions."""
    reports = graded.reports
    own = np.flatnonzero(reports.grader == grader)
    label, comments = graded.names.graders[grader].label, comments_on_page(graded).of
    rows = grade_rows(graded, reports.submission[own].tolist(), comments=comments)
    return [
        GivenReview(
            assignment=row.assignment, submission=row.submission, authors=row.authors,
            given=given, grade=number(row.grade), difference=number(given - row.grade),
            comments=_comments_by_grader(row).get(label, []),
        )
        for row, given in zip(rows, reports.grade[own].tolist(), strict=True)
    ]  # fmt: skip


def second_look_view(context: Context, week: Week) -> SecondLookView:
    """What staff should check, the most useful first."""
    graded = context.workbench.graded(week)
    look = graded.second_look
    rows = {one.place: one for one in grade_rows(graded, [one.place for one in look.submissions])}
    before, after = root_mean_square(graded)
    people = graded.names.graders
    return SecondLookView(
        week=week.id,
        revision=week.revision,
        submissions=[
            CheckView(
                assignment=rows[one.place].assignment, name=rows[one.place].submission,
                label=rows[one.place].authors, grade=number(rows[one.place].grade),
                low=number(rows[one.place].low), high=number(rows[one.place].high),
                removes=number(removed_error(one)), done=rows[one.place].staff is not None,
            )
            for one in look.submissions
        ],
        graders=[
            CheckView(
                assignment="", name=people[one.place].id, label=people[one.place].label,
                grade=None, low=None, high=None, removes=number(removed_error(one)), done=False,
            )
            for one in look.graders
        ],
        before=number(before),
        after=number(after),
        staff_graded=int(graded.staff_graded.sum()),
        follows=follow_sentence(graded.settings),
        moved=moved_view(context, week),
    )  # fmt: skip


def place_of(graded: GradedClass, assignment: str, submission: str) -> int:
    """The number of a submission; an unknown one is refused."""
    names = graded.names
    found = [
        place
        for place, name in enumerate(names.submissions)
        if name == submission and (not assignment or names.assignments[place] == assignment)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise ParameterError(
            f"There are submissions '{submission}' to several assignments; name the assignment."
        )
    raise ParameterError(f"There is no submission '{submission}' in this week.")


def marks_view(context: Context, week: Week) -> list[dict[str, str]]:
    """The final marks, one row for each student; empty without final marks."""
    section = marks_section(context.workbench.graded(week))
    if section is None:
        return []
    return [
        {name: str(value) for name, value in row._asdict().items() if isinstance(value, str)}
        for row in section.rows
    ]
