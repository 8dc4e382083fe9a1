"""What a student did not do, in sentences for the student's page."""

from __future__ import annotations

from collections import defaultdict

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.semester import run_of
from peergauge.core.lazy import pl
from peergauge.core.text import counted


def undone_sentences(
    graded: GradedClass, assigned: pl.DataFrame | None = None
) -> dict[str, list[str]]:
    """For each author and grader, what is missing in the assignments of this run.

    Parameters
    ----------
    assigned
        Reviews that were assigned, if they are known: columns ``assignment``, ``person``,
        ``assigned`` and ``done``.
    """
    run = run_of(graded)
    owed = _owed(assigned)
    found: dict[str, list[str]] = defaultdict(list)
    for name, grades in run.grades.items():
        where = f" for {name}" if name and len(run.assignments) > 1 else ""
        reviews = run.reviews[name]
        for person in run.people:
            if person in grades and grades[person] is None:
                found[person].append(f"Nobody reviewed your work{where}, so it has no grade.")
            elif grades and person not in grades:
                found[person].append(f"There is no submission of yours{where}.")
            many, done = owed.get((name, person), (0, 0))
            if done < many:
                found[person].append(
                    f"You were assigned {counted(many, 'review')}{where} and gave "
                    f"{done or 'none'} of them."
                )
            elif person not in reviews:
                found[person].append(f"You gave no review{where}.")
    return dict(found)


def _owed(assigned: pl.DataFrame | None) -> dict[tuple[str, str], tuple[int, int]]:
    """Numbers of assigned and of done reviews, by assignment and person."""
    if assigned is None:
        return {}
    columns = assigned.select("assignment", "person", "assigned", "done").drop_nulls()
    return {(name, one): (many, done) for name, one, many, done in columns.iter_rows()}
