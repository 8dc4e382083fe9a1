"""What a student did not do, in sentences for the student's page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.final_mark import OwedReviews, assigned_where_known
from peergauge.classroom.grade.semester import run_of
from peergauge.core.text import counted


class _Excluded(NamedTuple):
    """Who lost reviews by a decision of staff, as (assignment, person)."""

    authors: set[tuple[str, str]]
    """Authors of work that has no review left."""

    graders: set[tuple[str, str]]


def undone_sentences(graded: GradedClass, people: Iterable[str] = ()) -> dict[str, list[str]]:
    """For each author and grader, what is missing in the assignments of this run.

    Parameters
    ----------
    people
        Further people, such as those who did nothing.
    """
    run, owed, excluded = run_of(graded), _owed(graded), _excluded(graded)
    found: dict[str, list[str]] = defaultdict(list)
    for name, grades in run.grades.items():
        where = f" for {name}" if name and len(run.assignments) > 1 else ""
        for person in dict.fromkeys([*run.people, *people]):
            if (name, person) in excluded.authors:
                found[person].append(
                    f"Staff excluded all reviews of your work{where}, so it has no grade."
                )
            elif person in grades and grades[person] is None:
                found[person].append(f"Nobody reviewed your work{where}, so it has no grade.")
            elif grades and person not in grades:
                found[person].append(f"There is no submission of yours{where}.")
            known = owed.get((name, person), owed.get((name, "")))
            gave = person in run.reviews[name] or (name, person) in excluded.graders
            if known is not None and known.owed:
                found[person].append(_owed_sentence(known, where))
            elif known is None and not gave:
                found[person].append(f"You gave no review{where}.")
    return dict(found)


def _owed_sentence(known: OwedReviews, where: str) -> str:
    declined = f", declined {known.declined}" if known.declined else ""
    return (
        f"You were assigned {counted(known.assigned, 'review')}{where} and did "
        f"{known.done or 'none'}{declined}, so that {known.owed} "
        f"{'is' if known.owed == 1 else 'are'} missing."
    )


def _owed(graded: GradedClass) -> Mapping[tuple[str, str], OwedReviews]:
    """Numbers of reviews by assignment and person; "" stands for everybody who is not listed."""
    known = assigned_where_known(graded.assigned)
    if known is None:
        return {}
    columns = known.select("assignment", "person", "assigned", "done", "declined")
    found = {(name, one): OwedReviews(*numbers) for name, one, *numbers in columns.iter_rows()}
    # Who is not listed in an assignment whose numbers are known was assigned nothing there.
    return found | {(name, ""): OwedReviews(0, 0) for name in columns["assignment"].unique()}


def _excluded(graded: GradedClass) -> _Excluded:
    decisions, names = graded.decisions, graded.names
    if decisions is None:
        return _Excluded(set(), set())
    return _Excluded(
        {
            (names.assignments[place], author.id)
            for place in decisions.without_reviews
            for author in names.authors[place]
        },
        {(one.assignment, one.grader) for one in decisions.excluded},
    )
