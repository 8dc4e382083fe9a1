"""Final marks, which combine the grades for work and the points for reviewing.

All parts of a mark have at most four decimals, and the mark is computed from these, so that anybody
can compute it again from the printed numbers.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peergauge.classroom.grade.letters import LetterScale
from peergauge.classroom.grade.rounding import as_text, printed
from peergauge.classroom.grade.settings import Settings
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.tables import Reports, Scale

if TYPE_CHECKING:
    from peergauge.classroom.grade import GradedClass
    from peergauge.exports.validate import OpenedClass

FINAL_MARK_TITLE = "Final mark"
"""Title of the final mark in a gradebook; the assignments follow."""

MAX_TITLE_NAMES = 3
"""Assignments that the title of a final mark names one by one."""

STAFF_ROLE = "staff"
"""The role of people who teach, and get no mark."""

NO_SUBMISSION = "no submission"
NO_GRADE = "submission without a grade"
NO_REVIEW = "no review"
NOTHING_ASSIGNED = "no review assigned"
ALL_DECLINED = "all reviews declined"
NOT_REWARDED = "no rewarded review"
ALL_EXCLUDED = "all reviews excluded"

REASONS_WITHOUT_FAULT = (NO_GRADE, NOTHING_ASSIGNED, ALL_DECLINED, NOT_REWARDED)
"""Reasons for a missing part for which nobody gets a zero."""


class WorkGrade(NamedTuple):
    """The grade of a person for one assignment.

    Parameters
    ----------
    assignment
        Name of the assignment.
    submissions
        Numbers of the person's submissions to it; a group shares one.
    grade
        The grade that the person gets; None if there is none.
    unreviewed
        Number of further submissions, which nobody reviewed.
    """

    assignment: str
    submissions: tuple[int, ...]
    grade: float | None
    unreviewed: int = 0

    @property
    def reason(self) -> str:
        """Why there is no grade; empty if there is one."""
        if self.grade is not None:
            return ""
        return NO_GRADE if self.submissions or self.unreviewed else NO_SUBMISSION


class OwedReviews(NamedTuple):
    """How many reviews a person was assigned, did and declined.

    A declined review is not owed, and neither is a review that staff excluded.
    """

    assigned: int
    done: int
    declined: int = 0

    @property
    def owed(self) -> int:
        """Number of reviews that were assigned and are missing."""
        return max(self.assigned - self.done - self.declined, 0)


class PersonParts(NamedTuple):
    """What the final mark of one person is computed from.

    Parameters
    ----------
    person
        Identifier of the person.
    work
        A grade for each assignment of the run.
    points
        Points or letter for reviewing; None if there are none.
    reviews
        Number of reviews of the person that count.
    excluded
        Number of reviews that staff excluded.
    reviewing
        Assigned reviews; None if nobody says how many there were.
    """

    person: str
    work: tuple[WorkGrade, ...]
    points: float | str | None
    reviews: int
    excluded: int = 0
    reviewing: OwedReviews | None = None

    @property
    def reason_without_points(self) -> str:
        """Why there are no points for reviewing; empty if there are some."""
        if self.points is not None:
            return ""
        if self.reviews:
            return NOT_REWARDED
        if self.excluded:
            return ALL_EXCLUDED
        known = self.reviewing
        if known is None or known.owed:
            return NO_REVIEW
        return ALL_DECLINED if known.assigned else NOTHING_ASSIGNED


class FinalMark(NamedTuple):
    """The final mark of one person, with all numbers that it is made of.

    Parameters
    ----------
    parts
        Grades, points and assigned reviews of the person.
    work_percent, reviewing_percent
        Both parts in percent; None for a missing part.
    work_share, reviewing_share
        Percentages of the mark that they count for.
    work_part, reviewing_part
        What they contribute to the mark: out_of × share / 100 × percent / 100.
    deduction
        What is deducted for missing reviews.
    mark
        The rounded sum of both parts minus the deduction; None if it is left open.
    letter
        Letter of the mark; empty if there are no letters.
    missing
        What is missing, in words.
    """

    parts: PersonParts
    work_percent: float | None
    work_share: float
    work_part: float | None
    reviewing_percent: float | None
    reviewing_share: float
    reviewing_part: float | None
    deduction: float
    mark: float | None
    letter: str
    missing: tuple[str, ...]

    @property
    def person(self) -> str:
        """Identifier of the person."""
        return self.parts.person

    @property
    def did_nothing(self) -> bool:
        """Whether the person has neither a submission nor a review."""
        handed_in = any(one.submissions or one.unreviewed for one in self.parts.work)
        return not (handed_in or self.parts.reviews or self.parts.excluded)

    @property
    def total(self) -> float:
        """The sum of both parts minus the deduction, before rounding."""
        return printed((self.work_part or 0.0) + (self.reviewing_part or 0.0) - self.deduction)


@dataclass(frozen=True, eq=False)
class FinalMarks:
    """The final marks of everybody in a class.

    Parameters
    ----------
    rows
        One mark for each person, in the order of the class.
    title
        Title of the mark in a gradebook.
    settings, scale, highest_points
        What marks are computed by: rules, scale of grades, and highest number of points.
    """

    rows: tuple[FinalMark, ...]
    title: str
    settings: Settings
    scale: Scale
    highest_points: float | None

    def of(self, person: str) -> FinalMark | None:
        """The mark of one person; None if there is no such person."""
        return self._by_person.get(person)

    @cached_property
    def _by_person(self) -> dict[str, FinalMark]:
        return {row.person: row for row in self.rows}

    def lines(self, most: int = 8) -> Iterator[str]:
        """A summary in sentences for the teacher, with at most *most* names in each."""
        rules = self.settings.final
        marks = [row.mark for row in self.rows if row.mark is not None]
        mean = f"; their mean is {np.mean(marks):.2f}" if marks else ""
        yield (
            f"Final marks out of {rules.out_of:g}: {counted(len(marks), 'person')}{mean}. Work "
            f"counts for {rules.work:g} % and reviewing for {rules.reviewing:g} %."
        ).replace("persons", "people")
        left_open = [row for row in self.rows if row.mark is None]
        if left_open:
            named = [f"{row.person} ({', '.join(row.missing)})" for row in left_open]
            more = f" and {len(named) - most} more" if len(named) > most else ""
            yield f"{counted(len(named), 'mark')} left open: {', '.join(named[:most])}{more}."
        idle = [row.person for row in self.rows if row.mark is not None and row.did_nothing]
        if idle:
            more = f" and {len(idle) - most} more" if len(idle) > most else ""
            have = "has neither a submission nor a review and gets" if len(idle) == 1 else (
                "have neither a submission nor a review and get"
            )  # fmt: skip
            yield (
                f"{counted(len(idle), 'person').replace('persons', 'people')} {have} 0: "
                f"{', '.join(idle[:most])}{more}."
            )
        owing = [row for row in self.rows if row.parts.reviewing and row.parts.reviewing.owed]
        if owing:
            named = [_owes(row) for row in owing if row.parts.reviewing]
            more = f" and {len(named) - most} more" if len(named) > most else ""
            verb = "owes reviews" if len(named) == 1 else "owe reviews"
            yield (
                f"{counted(len(named), 'person').replace('persons', 'people')} {verb}: "
                f"{', '.join(named[:most])}{more}."
            )


def _owes(row: FinalMark) -> str:
    known = row.parts.reviewing or OwedReviews(0, 0)
    minus = f", −{as_text(row.deduction)}" if row.deduction else ""
    return f"{row.person} (assigned {known.assigned}, did {known.done}{minus})"


# --------------------------------------------------------------------------------------- computing


def final_mark(
    parts: PersonParts, settings: Settings, scale: Scale, highest_points: float | None
) -> FinalMark:
    """Compute the final mark of one person."""
    rules = settings.final
    work_percent, work_missing = _work_percent(parts, settings, scale)
    reviewing_percent = _reviewing_percent(parts, settings, highest_points)
    reason = parts.reason_without_points
    missing = (*work_missing, *([reason] if reason and rules.reviewing else ()))
    known = parts.reviewing
    owes_all = known is not None and known.owed > 0 and known.done == 0
    none_done = owes_all and settings.owed.rule == "proportion"
    if reviewing_percent is None and (
        none_done or (rules.missing == "zero" and reason not in REASONS_WITHOUT_FAULT)
    ):
        reviewing_percent = 0.0
    shares = _shares(settings, work_percent, reviewing_percent, reason, owes_all=owes_all)
    row = FinalMark(
        parts,
        work_percent,
        rules.work if shares is None else shares[0],
        None,
        reviewing_percent,
        rules.reviewing if shares is None else shares[1],
        None,
        0.0,
        None,
        "",
        missing,
    )
    row = row._replace(
        work_part=_part(rules.out_of, row.work_share, work_percent),
        reviewing_part=_part(rules.out_of, row.reviewing_share, reviewing_percent),
    )
    row = row._replace(deduction=_deduction(row, settings))
    if shares is None:
        return row
    mark = rules.rounding.within(row.total, 0.0, rules.out_of)
    letter = ""
    if rules.letters:
        scale_of_marks = LetterScale.parse(rules.letters)
        letter = scale_of_marks.of(mark, lambda percent: percent / 100 * rules.out_of)
    return row._replace(mark=mark, letter=letter)


def _work_percent(
    parts: PersonParts, settings: Settings, scale: Scale
) -> tuple[float | None, tuple[str, ...]]:
    """Mean percentage over the assignments, and what is missing in words."""
    rules = settings.final
    several = len(parts.work) > 1
    missing, percents = [], []
    counts_all = True
    for one in parts.work:
        if one.grade is not None:
            percents.append(settings.grades.percent(one.grade, scale))
            continue
        missing.append(f"{one.reason} in {one.assignment}" if several else one.reason)
        if rules.missing == "zero" and one.reason not in REASONS_WITHOUT_FAULT:
            percents.append(0.0)
        elif rules.missing != "ignore":
            counts_all = False
    if not rules.work:
        return None, ()
    if not percents or not counts_all:
        return None, tuple(missing)
    return printed(float(np.mean(percents))), tuple(missing)


def _reviewing_percent(
    parts: PersonParts, settings: Settings, highest_points: float | None
) -> float | None:
    if parts.points is None or not settings.final.reviewing:
        return None
    if isinstance(parts.points, str):
        return settings.final.percent_of_letters[parts.points]
    if not highest_points:
        return None
    return printed(100 * parts.points / highest_points)


def _shares(
    settings: Settings,
    work: float | None,
    reviewing: float | None,
    reason: str,
    *,
    owes_all: bool,
) -> tuple[float, float] | None:
    """Shares of work and reviewing in the mark; None if the mark is left open."""
    rules = settings.final
    needs_work, needs_reviewing = rules.work > 0, rules.reviewing > 0
    lacks_work, lacks_reviewing = needs_work and work is None, needs_reviewing and reviewing is None
    if not lacks_work and not lacks_reviewing:
        return rules.work, rules.reviewing
    if rules.missing == "empty" or (work is None and reviewing is None):
        return None
    if lacks_work:
        return (0.0, 100.0) if rules.missing == "ignore" else None
    without_fault = reason in REASONS_WITHOUT_FAULT
    if rules.missing == "ignore":
        # Nobody gains by doing none of the assigned reviews, or by reviews that staff excluded.
        ignored = without_fault or (reason == NO_REVIEW and not owes_all)
    else:
        ignored = without_fault
    return (100.0, 0.0) if ignored else None


def _part(out_of: float, share: float, percent: float | None) -> float | None:
    return None if percent is None else printed(out_of * share / 100 * percent / 100)


def _deduction(row: FinalMark, settings: Settings) -> float:
    """What is deducted for the missing reviews of a person."""
    rules, known = settings.owed, row.parts.reviewing
    if rules.rule == "none" or known is None or not known.owed:
        return 0.0
    reviewing = row.reviewing_part or 0.0
    if rules.rule == "proportion":
        return printed(reviewing * known.owed / known.assigned)
    share = row.reviewing_share if rules.taken_from == "reviewing" else 100.0
    unit = settings.final.out_of * share / 100 / 100 if rules.unit == "percent" else 1.0
    wanted = rules.each * known.owed
    if rules.most is not None:
        wanted = min(wanted, rules.most)
    available = reviewing if rules.taken_from == "reviewing" else (row.work_part or 0.0) + reviewing
    return printed(min(wanted * unit, available))


# ---------------------------------------------------------------------------------------- a class


def check_final_marks(
    opened: OpenedClass, settings: Settings, assigned: pl.DataFrame | None
) -> None:
    """Raise an error if a class cannot have the final marks that the settings ask for.

    This is known before anything is computed.
    """
    final = settings.final
    settings.grades.refuse_scale(opened.scale, percent=final.use and final.work > 0)
    if not final.use:
        return
    if final.work > 0 and opened.submissions["author"].null_count() == opened.submissions.height:
        raise ParameterError(
            "The files do not say who wrote which submission, so that nobody can get a final mark; "
            "give a file that does, or set use = false in the section [final] of the settings."
        )
    if settings.owed.rule != "none" and assigned_where_known(assigned) is None:
        raise ParameterError(
            f"The settings have the rule '{settings.owed.rule}' for owed reviews, but the files do "
            'not say which reviews were assigned; give --assigned FILE, or set rule = "none" in '
            "the section [owed]."
        )


def final_marks(graded: GradedClass, assigned: pl.DataFrame | None = None) -> FinalMarks:
    """The final marks of everybody in a graded class.

    Parameters
    ----------
    graded
        The class with its grades and points; ``settings.final`` has the rules.
    assigned
        Assigned reviews: a row for each person and assignment, with the columns ``assignment``,
        ``person``, ``assigned``, ``done`` and ``declined``. ``assigned`` is null where it is not
        known. ``done`` includes reviews that staff excluded.
    """
    settings, scale = graded.settings, graded.reports.scale
    highest = graded.points_rule.highest
    rows = tuple(
        final_mark(parts, settings, scale, highest) for parts in _parts_of_all(graded, assigned)
    )
    return FinalMarks(rows, final_title(assignment_names(graded)), settings, scale, highest)


def final_title(assignments: Sequence[str]) -> str:
    """Title of the final mark of some assignments in a gradebook.

    >>> final_title(["Essay"]), final_title(["A1", "A2", "A3", "A4"])
    ('Final mark, Essay', 'Final mark, A1 to A4')
    """
    names = [name for name in assignments if name]
    if len(names) > MAX_TITLE_NAMES:
        names = [f"{names[0]} to {names[-1]}"]
    return ", ".join([FINAL_MARK_TITLE, *names])


def assignment_names(graded: GradedClass) -> list[str]:
    """Names of the assignments of a class; "" for one without a name."""
    return named_assignments(graded.reports)


def named_assignments(reports: Reports) -> list[str]:
    """Names of the assignments of reports; "" for one without a name."""
    if reports.assignment_names is None:
        return list(map(str, range(reports.assignments)))
    return ["" if name is None else str(name) for name in reports.assignment_names]


def _parts_of_all(graded: GradedClass, assigned: pl.DataFrame | None) -> Iterator[PersonParts]:
    names, reports = graded.names, graded.reports
    owed, others = _owed_reviews(graded, assigned)
    reviews = np.bincount(reports.grader, minlength=reports.graders)
    place = {grader.id: number for number, grader in enumerate(names.graders)}
    wrote: dict[tuple[str, int], list[int]] = defaultdict(list)
    for submission, authors in enumerate(names.authors):
        assignment = int(reports.assignment_of_submission[submission])
        for author in authors:
            wrote[author.id, assignment].append(submission)
    titles, unreviewed = assignment_names(graded), _unreviewed(graded)
    excluded = graded.excluded_reviews_of()
    # Points over the semester would count the reviews of earlier weeks in every week's mark.
    points_of_week = graded.points_by_period["week"]
    for person in people_with_marks(graded, owed):
        number = place.get(person)
        points = None if number is None else points_of_week[number]
        yield PersonParts(
            person,
            tuple(
                _work_grade(
                    graded, title, tuple(wrote.get((person, at), ())), unreviewed[person, title]
                )
                for at, title in enumerate(titles)
            ),
            printed(points) if isinstance(points, float) else points,
            0 if number is None else int(reviews[number]),
            excluded.get(person, 0),
            owed.get(person, others),
        )


def _unreviewed(graded: GradedClass) -> Counter[tuple[str, str]]:
    """Number of submissions that nobody reviewed, by author and assignment."""
    reviewed = set(zip(graded.names.assignments, graded.names.submissions, strict=True))
    columns = graded.opened.submissions.select("assignment", "submission", "author")
    return Counter(
        (author, assignment or "")
        for assignment, submission, author in columns.unique().iter_rows()
        if author is not None and (assignment or "", submission) not in reviewed
    )


def _work_grade(
    graded: GradedClass, title: str, submissions: tuple[int, ...], unreviewed: int
) -> WorkGrade:
    grades = [float(graded.awarded.grade[one]) for one in submissions]
    return WorkGrade(title, submissions, work_grade(grades, graded.settings), unreviewed)


def work_grade(grades: Sequence[float], settings: Settings) -> float | None:
    """The grade of a person from the grades of all own submissions to an assignment."""
    known = [one for one in grades if not math.isnan(one)]
    if len(known) < 2:
        return printed(known[0]) if known else None
    counted_grade = np.mean(known) if settings.final.several == "mean" else max(known)
    return printed(float(counted_grade))


def people_with_marks(graded: GradedClass, assigned: Mapping[str, Any]) -> list[str]:
    """Everybody who may get a mark: graders, authors, listed people and assigned graders.

    Staff are left out, and so are graders who are only places in a list.
    """
    from peergauge.classroom.grade.continuing import reviews_by_assignment, unnamed_graders

    people = graded.opened.people
    staff = set(people.filter(pl.col("role") == STAFF_ROLE)["person"].to_list())
    here = reviews_by_assignment(graded.reports).values()
    places = unnamed_graders(one for reviews in here for one in reviews)
    graders = [grader.id for grader in graded.names.graders if grader.id not in places]
    wrote = graded.opened.submissions.select("assignment", "author").drop_nulls("author")
    here_titles = set(assignment_names(graded))
    authors = [author for title, author in wrote.iter_rows() if (title or "") in here_titles]
    listed = people["person"].to_list()
    everybody = dict.fromkeys([*graders, *authors, *listed, *assigned])
    return [one for one in everybody if one and one not in staff]


def assigned_where_known(assigned: pl.DataFrame | None) -> pl.DataFrame | None:
    """Assigned reviews of the assignments in which they are known; None if they are in none."""
    if assigned is None:
        return None
    found = assigned.filter(pl.col("assigned").is_not_null()).select(
        pl.col("assignment").cast(pl.String).fill_null(""),
        pl.col("person").cast(pl.String),
        pl.col("assigned", "done", "declined").fill_null(0).cast(pl.Int64),
    )
    return found if found.height else None


def _owed_reviews(
    graded: GradedClass, assigned: pl.DataFrame | None
) -> tuple[dict[str, OwedReviews], OwedReviews | None]:
    """Assigned reviews of each person over the assignments of this run, and of everybody else.

    Others were assigned none, if the numbers are known for every assignment.
    """
    known, titles = assigned_where_known(assigned), assignment_names(graded)
    if known is None:
        return {}, None
    here = known.filter(pl.col("assignment").is_in(titles))
    everywhere = set(titles) <= set(here["assignment"])
    counts = here.group_by("person", maintain_order=True).agg(
        pl.col("assigned", "done", "declined").sum()
    )
    found = {person: OwedReviews(*numbers) for person, *numbers in counts.iter_rows()}
    return found, OwedReviews(0, 0) if everywhere else None


# --------------------------------------------------------------------------------------- sentences


def final_sentences(marks: FinalMarks, row: FinalMark) -> list[str]:
    """How the final mark of a person was computed, for the person."""
    rules, owed = marks.settings.final, marks.settings.owed
    if row.mark is None:
        return [
            f"There is no final mark yet, because something is missing: {', '.join(row.missing)}."
        ]
    letter = f", which is {row.letter}" if row.letter else ""
    found = [f"Your final mark is {as_text(row.mark)} out of {rules.out_of:g}{letter}."]
    if row.work_part is not None and row.work_share:
        found.append(_work_sentence(marks, row))
    if row.reviewing_part is not None and row.reviewing_share:
        found.append(_reviewing_sentence(marks, row))
    if row.missing:
        zero = "It counts as zero" if rules.missing == "zero" else "It does not count"
        if row.work_share == rules.work and rules.missing == "ignore":
            zero = "It does not count"
        if row.work_share in (0.0, 100.0) and row.work_share != rules.work:
            zero = "It does not count, and the rest counts for the whole mark"
        found.append(f"Missing: {', '.join(row.missing)}. {zero}.")
    known = row.parts.reviewing
    if known is not None and known.owed:
        found.append(_owed_sentence(row, marks))
    if owed.rule != "none" and known is None:
        found.append("How many reviews you were assigned is not known.")
    total = " + ".join(
        as_text(part)
        for part, share in (
            (row.work_part, row.work_share),
            (row.reviewing_part, row.reviewing_share),
        )
        if part is not None and share
    )
    minus = f" − {as_text(row.deduction)}" if row.deduction else ""
    how = "" if rules.round_to is None else f", {rules.rounding}"
    found.append(f"{total}{minus} = {as_text(row.total)}{how}: {as_text(row.mark)}.")
    return found


def _work_sentence(marks: FinalMarks, row: FinalMark) -> str:
    graded = [one for one in row.parts.work if one.grade is not None]
    listed = ", ".join(
        f"{as_text(one.grade or 0.0)} for {one.assignment}"
        if len(row.parts.work) > 1 and one.assignment
        else as_text(one.grade or 0.0)
        for one in graded
    )
    several = any(len(one.submissions) > 1 for one in row.parts.work)
    rule = "the mean" if marks.settings.final.several == "mean" else "the best"
    note = f" ({rule} of several submissions)" if several else ""
    grades = "grades are" if len(graded) > 1 else "grade is"
    begin = f"your {grades} {listed}{note}" if graded else "you have no grade"
    of = (
        f"out of {marks.scale.highest:g}"
        if marks.settings.grades.percent_of == "highest"
        else f"on the scale from {marks.scale.lowest:g} to {marks.scale.highest:g}"
    )
    return (
        f"Work counts for {row.work_share:g} %: {begin} {of}, which is "
        f"{as_text(row.work_percent or 0.0)} % and gives {as_text(row.work_part or 0.0)}."
    )


def _reviewing_sentence(marks: FinalMarks, row: FinalMark) -> str:
    points = row.parts.points
    if points is None:
        what = "you have no points"
    elif isinstance(points, str):
        what = f"your letter is {points}"
    else:
        what = f"you have {as_text(points)} out of {marks.highest_points or 0:g} points"
    return (
        f"Reviewing counts for {row.reviewing_share:g} %: {what}, which is "
        f"{as_text(row.reviewing_percent or 0.0)} % and gives "
        f"{as_text(row.reviewing_part or 0.0)}."
    )


def _owed_sentence(row: FinalMark, marks: FinalMarks) -> str:
    known, rules = row.parts.reviewing or OwedReviews(0, 0), marks.settings.owed
    declined = f", declined {known.declined}" if known.declined else ""
    begin = f"You were assigned {counted(known.assigned, 'review')}, did {known.done}{declined}, "
    begin += f"so that {known.owed} {'is' if known.owed == 1 else 'are'} missing"
    if rules.rule == "none":
        return f"{begin}. Nothing is deducted."
    if rules.rule == "proportion":
        return (
            f"{begin}: {known.owed} of {known.assigned} parts of the reviewing part are deducted, "
            f"which is {as_text(row.deduction)}."
        )
    unit = "points" if rules.unit == "points" else "percent"
    whole = "reviewing part" if rules.taken_from == "reviewing" else "mark"
    most = "" if rules.most is None else f", at most {rules.most:g}"
    return (
        f"{begin}: {known.owed} × {rules.each:g} {unit} of the {whole}{most}, but not more than it "
        f"has, are deducted, which is {as_text(row.deduction)}."
    )
