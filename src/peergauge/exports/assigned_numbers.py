"""Assigned reviews: who was assigned how many, and who did them.

Reviews that were done without being assigned are extra: they are counted, and never owed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.files import Names
from peergauge.core.lazy import pl
from peergauge.tables.base import all_names

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass
    from peergauge.tables import Reports

REVIEW = ["assignment", "submission", "grader"]
PLACE = ["person", "assignment"]
NUMBERS = ["assigned", "done", "declined", "undone", "extra"]


@dataclass(frozen=True, eq=False)
class AssignedList:
    """Assigned reviews of a file, by the names of people and submissions of a class.

    Parameters
    ----------
    reviews
        One row for each assigned review: ``assignment``, ``submission``, ``grader``.
    notes
        Sentences about people and submissions that the class does not have. They keep the names
        of the file: somebody without any review may owe all of them.
    counts
        One row for each person and assignment, ``assignment``, ``person``, ``assigned``, ``done``
        (null if the file does not say it) and ``declined``, if the file has numbers of reviews
        instead of reviews; None if it has reviews.
    """

    reviews: pl.DataFrame
    notes: tuple[str, ...] = ()
    counts: pl.DataFrame | None = None


def known_assigned(opened: OpenedClass, listed: AssignedList | None = None) -> pl.DataFrame | None:
    """The numbers of :func:`assigned_reviews`; None if nobody says what was assigned."""
    if listed is None and opened.assigned is None:
        return None
    return assigned_reviews(opened, listed)


def assigned_reviews(opened: OpenedClass, listed: AssignedList | None = None) -> pl.DataFrame:
    """The number of reviews that everybody was assigned, did and declined, by assignment.

    Parameters
    ----------
    listed
        Assigned reviews of a file, as
        :func:`~peergauge.exports.assigned_file.read_assigned` reads it. They replace what
        the export says was assigned, for the assignments that the file lists.

    Returns
    -------
    pl.DataFrame
        One row for each person and assignment of the class: ``person``, ``assignment``,
        ``assigned``, ``done`` (of the assigned reviews, or all if nobody knows what was assigned),
        ``declined``, ``undone`` (assigned, but neither done nor declined) and ``extra`` (done, but
        not assigned). ``assigned``, ``declined``, ``undone`` and ``extra`` are null if neither the
        export nor the file says what was assigned. Self-assessments and reviews of one's own work
        do not count.
    """
    states = _states(opened)
    if listed is not None and listed.counts is None:
        states = _replaced(states, listed.reviews)
    is_listed, state = pl.col("listed").fill_null(False), pl.col("state")
    known = pl.col("listed").is_not_null().all()
    found = (
        states.rename({"grader": "person"})
        .group_by(PLACE, maintain_order=True)
        .agg(
            assigned=pl.when(known).then(is_listed.sum()),
            done=pl.when(known)
            .then((is_listed & (state == "done")).sum())
            .otherwise((state == "done").sum()),
            declined=pl.when(known).then((is_listed & (state == "declined")).sum()),
            extra=pl.when(known).then((~is_listed & (state == "done")).sum()),
        )
        .with_columns(pl.col("assigned", "done", "declined", "extra").cast(pl.Int64))
    )
    if listed is not None and listed.counts is not None:
        found = _recounted(found, listed.counts)
    undone = pl.col("assigned") - pl.col("done") - pl.col("declined")
    # A class that continues an earlier run has fewer assignments than its files.
    return (
        found.with_columns(undone=undone.clip(0))
        .join(_order(opened), on="assignment", how="inner", maintain_order="left", nulls_equal=True)
        .sort("person", "order", nulls_last=True)
        .select(*PLACE, *NUMBERS)
    )


def assigned_reports(opened: OpenedClass, listed: AssignedList | None = None) -> Reports:
    """The reports with the number of reviews that each grader was assigned, if that is known.

    Somebody was assigned the reviews that they did and those that they owe: a review that was
    assigned and declined, or done and left out of the reports, is not owed, and one that was done
    without being assigned makes up for nothing. People without a report are no graders of the
    reports: see :func:`absent_graders`.

    Parameters
    ----------
    listed
        Assigned reviews of a file, as in :func:`assigned_reviews`.
    """
    numbers = known_assigned(opened, listed)
    if numbers is None:
        return opened.reports
    reports = opened.reports
    row = _places(reports.assignments, reports.assignment_names)
    column = _places(reports.graders, reports.grader_names)
    count = np.full((reports.assignments, reports.graders), -1, dtype=np.int32)
    known = numbers.drop_nulls("undone")
    for assignment in known["assignment"].unique():
        count[row[assignment]] = reports.done[row[assignment]]
    for person, assignment, undone in known.select(*PLACE, "undone").iter_rows():
        if person in column:
            count[row[assignment], column[person]] += undone
    return reports.with_assigned(count) if (count >= 0).any() else reports


def absent_graders(opened: OpenedClass, listed: AssignedList | None = None) -> list[str]:
    """People who owe reviews and have no report in the class, in order."""
    numbers = known_assigned(opened, listed)
    if numbers is None:
        return []
    owing = numbers.filter(pl.col("undone") > 0)["person"].unique(maintain_order=True)
    graders = _places(opened.reports.graders, opened.reports.grader_names)
    return [person for person in owing if person not in graders]


def _places(count: int, names: Names | None) -> dict[str, int]:
    """The number of each name, as text."""
    every = enumerate(all_names(count, names))
    return {"" if name is None else str(name): number for number, name in every}


def done_reviews(opened: OpenedClass) -> pl.DataFrame:
    """All reviews of peers that were done: columns ``assignment``, ``submission``, ``grader``."""
    return _states(opened).filter(pl.col("state") == "done").select(REVIEW)


def _replaced(states: pl.DataFrame, reviews: pl.DataFrame) -> pl.DataFrame:
    """The states of all reviews, of which a list says which were assigned in its assignments."""
    covered = pl.col("assignment").is_in(reviews["assignment"].unique().implode())
    wanted = reviews.with_columns(listed=pl.lit(True))
    rest = states.filter(~covered)
    both = (
        states.filter(covered)
        .drop("listed")
        .join(wanted, on=REVIEW, how="full", coalesce=True, nulls_equal=True)
        .with_columns(pl.col("listed").fill_null(False), pl.col("state").fill_null("assigned"))
        # What the export assigns and the list does not is not owed.
        .filter(pl.col("listed") | (pl.col("state") == "done"))
    )
    return pl.concat([rest, both.select(rest.columns)])


def _recounted(found: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Numbers of reviews, of which a file says how many were assigned in its assignments.

    Without a number in the file, all reviews that a person did count as assigned ones, up to the
    number of these; the others are extra.
    """
    covered = pl.col("assignment").is_in(counts["assignment"].unique().implode())
    did = found.filter(covered).select(*PLACE, did=pl.col("done") + pl.col("extra").fill_null(0))
    numbers = counts.join(did, on=PLACE, how="full", coalesce=True, nulls_equal=True)
    numbers = numbers.with_columns(
        pl.col("assigned", "declined", "did").fill_null(0),
        given=pl.coalesce("done", "did").fill_null(0),
    ).with_columns(done=pl.min_horizontal("given", "assigned"))
    numbers = numbers.with_columns(extra=pl.max_horizontal("given", "did") - pl.col("done"))
    return pl.concat([found.filter(~covered), numbers.select(found.columns)])


def reviewed_works(opened: OpenedClass) -> pl.DataFrame:
    """The works of a class that have a review, in order: ``assignment`` and ``submission``."""
    names = opened.reports.to_polars().select(pl.col("assignment", "submission").cast(pl.String))
    return names.with_columns(pl.col("assignment").fill_null("")).unique(maintain_order=True)


def _order(opened: OpenedClass) -> pl.DataFrame:
    """The assignments in the order of the class."""
    titles = reviewed_works(opened).select("assignment").unique(maintain_order=True)
    return titles.with_row_index("order")


def _states(opened: OpenedClass) -> pl.DataFrame:
    """All reviews that were done or assigned: their state, and whether they were assigned.

    ``listed`` is null in assignments of which the export does not say what was assigned.
    """
    kept = opened.reports.to_polars().select(pl.col(REVIEW).cast(pl.String))
    given = pl.concat([kept, opened.left_out.select(REVIEW)]).with_columns(state=pl.lit("done"))
    if opened.assigned is None:
        return given.with_columns(listed=pl.lit(None, dtype=pl.Boolean))
    says = opened.assigned["assignment"].unique()
    own = opened.assigned.with_columns(listed=pl.lit(True))
    others = given.join(own, on=REVIEW, how="anti", maintain_order="left").with_columns(
        listed=pl.when(pl.col("assignment").is_in(says.implode())).then(pl.lit(False))
    )
    return pl.concat([own, others.select(own.columns)])
