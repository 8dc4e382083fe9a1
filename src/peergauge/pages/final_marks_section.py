"""Final marks on the report: everybody's mark, with the parts that it is made of."""

from __future__ import annotations

from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.final_mark import FinalMark, OwedReviews, final_sentences
from peergauge.classroom.grade.rounding import as_text
from peergauge.core.text import as_counted

NOTHING = "–"


class MarkRow(NamedTuple):
    """One person in the table of final marks; numbers are texts, because they are exact."""

    place: int
    """Number of the person in the final marks."""

    label: str
    mark: str
    letter: str
    work_percent: str
    work_part: str
    points: str
    reviewing_percent: str
    reviewing_part: str
    reviews: str
    """Assigned reviews in words, such as "assigned 4, did 1"."""

    owes: bool
    deduction: str
    missing: str
    why: tuple[str, ...]
    """What the person reads about the mark."""


class MarksSection(NamedTuple):
    """The section of final marks.

    Parameters
    ----------
    sentences
        A summary of the marks.
    rows
        Everybody, by name.
    letters, reviewing, owed, declined, deducted
        Whether there are columns of letters, of the reviewing part, of assigned reviews, of
        declined ones, and of deductions.
    labels
        Labels of the columns on narrow screens.
    """

    sentences: tuple[str, ...]
    rows: tuple[MarkRow, ...]
    letters: bool
    reviewing: bool
    owed: bool
    declined: bool
    deducted: bool
    labels: tuple[str, ...]


def marks_section(graded: GradedClass) -> MarksSection | None:
    """The final marks as the page shows them; None if there are none."""
    marks = graded.final
    if marks is None:
        return None
    known = [row.parts.reviewing for row in marks.rows]
    declined = any(one is not None and one.declined for one in known)
    rules = marks.settings
    letters, reviewing = bool(rules.final.letters), rules.final.reviewing > 0
    owed = any(one is not None for one in known)
    deducted = rules.owed.rule != "none"
    rows = [
        _mark_row(graded, place, row, tuple(final_sentences(marks, row)), declined=declined)
        for place, row in enumerate(marks.rows)
    ]
    labels = (
        "", "Mark", *["Letter"] * letters, "Work %", "gives",
        *["Points", "Reviewing %", "gives"] * reviewing,
        *["Reviews"] * owed, *["Deduction"] * deducted, "",
    )  # fmt: skip
    return MarksSection(
        tuple(marks.lines()),
        tuple(sorted(rows, key=lambda row: as_counted(row.label))),
        letters,
        reviewing,
        owed,
        declined,
        deducted,
        labels,
    )


def _mark_row(
    graded: GradedClass, place: int, row: FinalMark, why: tuple[str, ...], *, declined: bool
) -> MarkRow:
    known = row.parts.reviewing
    return MarkRow(
        place,
        graded.names.person(row.person).label,
        _number(row.mark),
        row.letter or NOTHING,
        _number(row.work_percent),
        _number(row.work_part),
        _points(row.parts.points),
        _number(row.reviewing_percent),
        _number(row.reviewing_part),
        owed_words(known, declined=declined),
        known is not None and known.owed > 0,
        _number(row.deduction),
        "; ".join(row.missing),
        why,
    )


def owed_words(known: OwedReviews | None, *, declined: bool = False) -> str:
    """Assigned reviews in words; with *declined*, those that were declined are counted, too.

    >>> owed_words(OwedReviews(4, 1)), owed_words(OwedReviews(4, 1, 1), declined=True)
    ('assigned 4, did 1', 'assigned 4, did 1, declined 1')
    """
    if known is None:
        return NOTHING
    more = f", declined {known.declined}" if declined else ""
    return f"assigned {known.assigned}, did {known.done}{more}"


def _number(value: float | None) -> str:
    return NOTHING if value is None else as_text(value)


def _points(points: float | str | None) -> str:
    return points if isinstance(points, str) else _number(points)
