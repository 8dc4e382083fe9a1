"""Checks of the parts that grades and points are made of: intervals, variances, and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from peergauge.classroom.grade.audit_columns import (
    MAX_ROUNDING_ERROR,
    array,
    audited_assignments,
    audited_reports,
    columns_over,
    differences,
)
from peergauge.classroom.grade.estimate import staff_interval
from peergauge.classroom.grade.final_mark import work_grade
from peergauge.classroom.grade.reward_per_review import estimated_from_reviews
from peergauge.classroom.grade.semester import semester_in
from peergauge.classroom.grade.settings_file import earlier_settings, merged_settings
from peergauge.core.arrays import Floats


def check_staff_intervals(content: Mapping[str, Any]) -> Iterator[str]:
    """Compute the intervals for staff grades again, if the audit has what they are made of."""
    submissions = content["submissions"]
    peer_error = content["class"].get("peer_error")
    if peer_error is None or "peer_grade" not in submissions or "staff_low" not in submissions:
        return
    peer_grade, staff = (array(submissions[name]) for name in ("peer_grade", "staff"))
    bounds = staff_interval(
        audited_reports(content), staff, peer_grade, peer_error, content["settings"]["level"]
    )
    for name, computed in zip(("staff_low", "staff_high"), bounds, strict=True):
        audited = submissions[name]
        if computed is None or audited is None:
            if (computed is None) != (audited is None):
                there = "is missing" if audited is None else "should be missing"
                yield f"The column {name} of the submissions {there}."
            continue
        names = submissions["submission"]
        yield from differences("submission", names, name, computed, array(audited))


def check_variances(content: Mapping[str, Any], value: Floats) -> Iterator[str]:
    """Compute the mean and the variances of rewards again.

    Parameters
    ----------
    value
        Reward of each review before rounding.
    """
    found = estimated_from_reviews(value, audited_reports(content))
    about, digits = columns_over(content, "week", "class"), content["class"]["digits"]
    for name, computed in (
        ("average", round(found.class_mean, digits)),
        ("between", found.between_variance),
        ("within", found.within_variance),
    ):
        if not abs(computed - about[name]) <= MAX_ROUNDING_ERROR * max(1.0, abs(computed)):
            yield f"The number '{name}' of the class should be {computed}, but is {about[name]}."


def check_last_run(content: Mapping[str, Any]) -> Iterator[str]:
    """Compute the results of this run in the semester again.

    Those of earlier runs come from their own audits.
    """
    found, submissions = semester_in(content), content["submissions"]
    if not found.runs or "authors" not in submissions:
        return
    run, names = found.runs[-1], content["graders"]["grader"]
    points = dict(zip(names, content["graders"]["points"], strict=True))
    for person in sorted({*points, *run.points}):
        ours, theirs = points.get(person), run.points.get(person)
        if not _same(ours, theirs):
            yield f"The points of {person} in the semester should be {ours}, but are {theirs}."
    reviews: dict[tuple[str, str], int] = {}
    columns = zip(content["reviews"]["submission"], content["reviews"]["grader"], strict=True)
    titles = _titles(content, len(run.assignments) == 1, run.assignments)
    for submission, grader in columns:
        where = titles[submission], str(names[grader])
        reviews[where] = reviews.get(where, 0) + 1
    stored = {(name, who): many for name, of in run.reviews.items() for who, many in of.items()}
    for where in sorted({*reviews, *stored}):
        if reviews.get(where) != stored.get(where):
            yield (
                f"The number of reviews by {where[1]} in the semester should be "
                f"{reviews.get(where, 0)}, but is {stored.get(where, 0)}."
            )
    yield from _check_author_grades(content, titles)


def _titles(content: Mapping[str, Any], single: bool, names: tuple[str, ...]) -> list[str]:
    """Name of the assignment of each submission in the semester."""
    found: list[str] = content["submissions"]["assignment"]
    return [names[0]] * len(found) if single else found


def _check_author_grades(content: Mapping[str, Any], titles: list[str]) -> Iterator[str]:
    run, submissions = semester_in(content).runs[-1], content["submissions"]
    if "awarded" not in submissions:
        return
    settings = merged_settings(earlier_settings(content["settings"]))
    own: dict[tuple[str, str], list[int]] = {}
    for place, authors in enumerate(submissions["authors"]):
        for author in authors:
            own.setdefault((titles[place], author), []).append(place)
    grade = array(submissions["grade"])
    awarded = array(submissions["awarded"])
    for name, grades in run.grades.items():
        for author, theirs in grades.items():
            places = own.get((name, author), [])
            known = [float(grade[one]) for one in places if not np.isnan(grade[one])]
            # The semester has awarded grades; older versions had estimates.
            estimated = float(np.mean(known)) if known else None
            given = work_grade([float(awarded[one]) for one in places], settings)
            if not (_same(estimated, theirs) or _same(given, theirs)):
                yield (f"The grade of {author} in the semester should be {given}, but is {theirs}.")


def _same(ours: float | str | None, theirs: float | str | None) -> bool:
    if isinstance(ours, int | float) and isinstance(theirs, int | float):
        return abs(ours - theirs) <= MAX_ROUNDING_ERROR * max(1.0, abs(ours))
    return ours == theirs


def check_mark_parts(content: Mapping[str, Any]) -> Iterator[str]:
    """Compare the submissions and reviews behind final marks with those of the class."""
    marks, submissions = content.get("final"), content["submissions"]
    if not marks or "authors" not in submissions:
        return
    assignment = audited_assignments(content).tolist()
    own: dict[tuple[str, int], list[int]] = {}
    for place, authors in enumerate(submissions["authors"]):
        for author in authors:
            own.setdefault((author, assignment[place]), []).append(place)
    names = content["graders"]["grader"]
    given = np.bincount(np.array(content["reviews"]["grader"], dtype=np.int64),
                        minlength=len(names))  # fmt: skip
    reviews = dict(zip(names, given.tolist(), strict=True))
    for row in marks["marks"]:
        person = row["person"]
        for number, work in enumerate(row["work"]):
            if own.get((person, number), []) != list(work["submissions"]):
                yield f"The submissions of {person} for '{work['assignment']}' are other ones."
        if row["reviews"] != reviews.get(person, 0):
            yield (
                f"The number of reviews by {person} should be {reviews.get(person, 0)}, but is "
                f"{row['reviews']}."
            )
