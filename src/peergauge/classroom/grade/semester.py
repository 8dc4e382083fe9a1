"""The semester so far: the grades of authors and the points of graders, run by run.

Every run writes the semester into its audit, and the next run adds its own assignments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peergauge.classroom.grade.final_mark import work_grade
from peergauge.tables.base import all_names

if TYPE_CHECKING:
    from peergauge.classroom.grade import GradedClass
    from peergauge.classroom.grade.earlier import EarlierRun

Points = float | str | None
"""Points or letter of a grader; None if no review could be rewarded."""


class SemesterRun(NamedTuple):
    """Results of one run, by assignment and person.

    Parameters
    ----------
    grades
        The grade that each author gets in each assignment; None for work that nobody reviewed. The
        settings say whether the mean or the best of several submissions counts.
    reviews
        Number of reviews of each grader in each assignment.
    points
        Points or letter of each grader for all reviews of the run.
    lowest, highest
        Ends of the scale of the grades.
    highest_points
        The highest number of points; None for letters.
    cumulative
        Whether the points count the reviews of earlier runs, too.
    """

    grades: Mapping[str, Mapping[str, float | None]]
    reviews: Mapping[str, Mapping[str, int]]
    points: Mapping[str, Points]
    lowest: float
    highest: float
    highest_points: float | None
    cumulative: bool

    @property
    def assignments(self) -> tuple[str, ...]:
        """The assignments of the run."""
        return tuple(self.grades)

    @property
    def people(self) -> set[str]:
        """Everybody who wrote or graded."""
        columns = (*self.grades.values(), *self.reviews.values(), self.points)
        return {person for column in columns for person in column}

    def renamed(self, now: Mapping[str, str]) -> SemesterRun:
        """The same results, with the identifiers that people have now."""

        def of(column: Mapping[str, Any]) -> dict[str, Any]:
            return {now.get(person, person): value for person, value in column.items()}

        return self._replace(
            grades={name: of(column) for name, column in self.grades.items()},
            reviews={name: of(column) for name, column in self.reviews.items()},
            points=of(self.points),
        )


class SemesterPerson(NamedTuple):
    """Details of a person that the page of the semester shows."""

    name: str = ""
    section: str = ""


class Semester(NamedTuple):
    """All runs of a course so far.

    Parameters
    ----------
    runs
        The runs, the first one first.
    people
        Details of people, by their identifiers.
    missing
        Assignments of earlier runs whose results are not known, because their audits have none.
    """

    runs: tuple[SemesterRun, ...] = ()
    people: Mapping[str, SemesterPerson] = {}
    missing: tuple[str, ...] = ()

    @property
    def points_runs(self) -> tuple[SemesterRun, ...]:
        """The runs whose points count.

        Points over the semester replace those of all earlier runs. Who reviewed nothing in the last
        run keeps the points of the one before.
        """
        last = max((place for place, run in enumerate(self.runs) if run.cumulative), default=None)
        if last is None:
            return self.runs
        points: dict[str, Points] = {}
        for run in self.runs[: last + 1]:
            points |= {one: value for one, value in run.points.items() if value is not None}
        merged = {**self.runs[last].points, **points}
        return (self.runs[last]._replace(points=merged), *self.runs[last + 1 :])

    @property
    def assignments(self) -> tuple[str, ...]:
        """All assignments whose results are known, in their order."""
        return self.assignments_until(len(self.runs) - 1)

    def assignments_until(self, last: int) -> tuple[str, ...]:
        """All assignments of the runs up to one, whose place is given."""
        return tuple(name for run in self.runs[: last + 1] for name in run.assignments)

    def as_json(self) -> dict[str, Any]:
        """The semester as values that can be written to JSON, in columns."""
        return {
            "runs": [_run_as_json(run) for run in self.runs],
            "people": {
                "person": list(self.people),
                "name": [one.name for one in self.people.values()],
                "section": [one.section for one in self.people.values()],
            },
            "missing": list(self.missing),
        }


def semester_of(graded: GradedClass) -> Semester:
    """The semester up to this run."""
    people = {
        row["person"]: SemesterPerson(row["name"] or "", row["section"] or "")
        for row in graded.opened.people.to_dicts()
    }
    run, earlier = run_of(graded), graded.earlier
    if earlier is None:
        return Semester((run,), _of(people, run.people))
    now = _identifiers_now(earlier)
    before = earlier.semester
    known = {now.get(one, one): person for one, person in before.people.items()}
    runs = (*(one.renamed(now) for one in before.runs), run)
    everybody = {person for one in runs for person in one.people}
    missing = tuple(one for one in earlier.assignments if one not in before.assignments)
    return Semester(runs, _of({**known, **people}, everybody), missing)


def _of(people: Mapping[str, SemesterPerson], shown: Iterable[str]) -> dict[str, SemesterPerson]:
    shown = set(shown)
    return {one: person for one, person in people.items() if one in shown and any(person)}


def _identifiers_now(earlier: EarlierRun) -> dict[str, str]:
    """The identifiers of known graders in this run, by those in the earlier run."""
    if earlier.continuation is None:
        return {}
    places = earlier.continuation.places.items()
    return {earlier.people[place].id: one for one, place in places}


def run_of(graded: GradedClass) -> SemesterRun:
    """The results of this run alone."""
    reports, scale = graded.reports, graded.reports.scale
    names = [str(name) for name in all_names(reports.assignments, reports.assignment_names)]
    reviews: dict[str, dict[str, int]] = {name: {} for name in names}
    cells = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    for cell, count in zip(*(one.tolist() for one in np.unique_counts(cells)), strict=True):
        assignment, grader = divmod(cell, reports.graders)
        reviews[names[assignment]][graded.names.graders[grader].id] = count
    return SemesterRun(
        _grades_of_authors(graded, names),
        reviews,
        {one.id: points for one, points in zip(graded.names.graders, graded.points, strict=True)},
        float(scale.lowest),
        float(scale.highest),
        graded.points_rule.highest,
        graded.earlier is not None and graded.settings.points_over == "semester",
    )


def _grades_of_authors(graded: GradedClass, names: list[str]) -> dict[str, dict[str, float | None]]:
    """The grade that each author gets by assignment; None for work without a review."""
    scores: dict[str, dict[str, list[float]]] = {name: {} for name in names}
    for assignment, author in graded.opened.submissions.select("assignment", "author").iter_rows():
        if assignment in scores and author is not None:
            scores[assignment].setdefault(author, [])
    submissions = zip(graded.names.assignments, graded.names.authors, strict=True)
    for place, (assignment, authors) in enumerate(submissions):
        # A submission all of whose reviews were excluded has no assignment any more.
        for author in authors if assignment in scores else ():
            scores[assignment].setdefault(author.id, []).append(float(graded.awarded.grade[place]))
    return {
        name: {author: work_grade(values, graded.settings) for author, values in column.items()}
        for name, column in scores.items()
    }


# ------------------------------------------------------------------------------- in the audit file


def _run_as_json(run: SemesterRun) -> dict[str, Any]:
    return {
        "assignments": list(run.assignments),
        "lowest": run.lowest,
        "highest": run.highest,
        "highest_points": run.highest_points,
        "cumulative": run.cumulative,
        "grades": _columns(run.grades, "grade"),
        "reviews": _columns(run.reviews, "reviews"),
        "points": {"person": list(run.points), "points": list(run.points.values())},
    }


def _columns(table: Mapping[str, Mapping[str, Any]], value: str) -> dict[str, list[Any]]:
    rows = [
        (number, person, cell)
        for number, column in enumerate(table.values())
        for person, cell in column.items()
    ]
    kinds = ("assignment", "person", value)
    return {kind: [row[place] for row in rows] for place, kind in enumerate(kinds)}


def semester_in(content: Mapping[str, Any]) -> Semester:
    """The semester in an audit; an empty one in audits of older versions, which have none."""
    found = content.get("semester")
    if found is None:
        return Semester()
    people = found["people"]
    details = zip(people["name"], people["section"], strict=True)
    return Semester(
        tuple(_run_in(run) for run in found["runs"]),
        {
            str(one): SemesterPerson(str(name), str(section))
            for one, (name, section) in zip(people["person"], details, strict=True)
        },
        tuple(map(str, found["missing"])),
    )


def _run_in(run: Mapping[str, Any]) -> SemesterRun:
    names = [str(name) for name in run["assignments"]]
    points = zip(run["points"]["person"], run["points"]["points"], strict=True)
    most = run["highest_points"]
    return SemesterRun(
        _by_assignment(names, run["grades"], "grade"),
        _by_assignment(names, run["reviews"], "reviews"),
        {str(person): value for person, value in points},
        float(run["lowest"]),
        float(run["highest"]),
        None if most is None else float(most),
        bool(run["cumulative"]),
    )


def _by_assignment(
    names: list[str], columns: Mapping[str, Any], value: str
) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    rows = zip(columns["assignment"], columns["person"], columns[value], strict=True)
    for number, person, cell in rows:
        found[names[number]][str(person)] = cell
    return found
