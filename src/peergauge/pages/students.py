"""A page for each student, to be handed out: their own grades and pay, and nothing of others."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade import Graded, explain
from peergauge.classroom.grade.who import Who
from peergauge.core.text import as_counted, counted, folder_name
from peergauge.pages import minus, percent, render
from peergauge.pages.grading import Why, as_points, why

LONGEST = 60
"""Letters of an id that a file's name keeps."""

RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}
"""What no file may be called on Windows, whatever its suffix."""


class Work(NamedTuple):
    """One's own submission."""

    title: str
    grade: float
    low: float
    high: float
    bar: tuple[float, float, float]
    why: Why


class Grading(NamedTuple):
    """What one's own grading earned; reviews are numbered, since their authors are others."""

    points: str
    paid: tuple[tuple[str, float], ...]
    """Of each review: what was said, and what that earned."""

    lines: list[str]


def pages(graded: Graded) -> dict[str, str]:
    """The page of every author and grader as HTML, by a file name made of their id alone."""
    who = graded.who
    works: dict[str, list[Work]] = defaultdict(list)
    for place, authors in enumerate(who.authors):
        if authors:
            work = _work(graded, who, place)
            for author in authors:
                works[author.id].append(work)
    places = {grader.id: place for place, grader in enumerate(who.graders)}
    everybody = sorted({*works, *places}, key=as_counted)
    files = file_names(everybody)
    return {
        files[one]: render(
            "student.html",
            person=who.person(one),
            works=works.get(one, []),
            grading=_grading(graded, places[one]) if one in places else None,
            mechanism=graded.mechanism,
            scale=graded.reports.scale,
            level=percent(graded.settings.level),
        )
        for one in everybody
    }


def file_names(ids: list[str]) -> dict[str, str]:
    """A file name for each id that may stand anywhere, and no two that any disk takes for one.

    >>> file_names(["u1", "U1", "../etc", "con"])
    {'u1': 'u1.html', 'U1': 'U1-2.html', '../etc': 'etc.html', 'con': 'con-2.html'}
    """
    taken = set(RESERVED)
    found = {}
    for one in ids:
        stem = name = folder_name(one)[:LONGEST].rstrip(". ") or "-"
        number = 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem}-{number}"
        taken.add(name.casefold())
        found[one] = f"{name}.html"
    return found


def _work(graded: Graded, who: Who, place: int) -> Work:
    scale, score = graded.reports.scale, graded.posterior.score
    low, high = (float(bound[place]) for bound in graded.bounds)
    ends = np.array([low, high, score[place]])
    at = (100 * (ends - scale.lowest) / (scale.highest - scale.lowest)).round(1)
    # Where there is one assignment it needs no name; what a submission is called may name others.
    title = who.assignments[place] if graded.reports.assignments > 1 else ""
    return Work(
        title or "Your work",
        float(score[place]),
        low,
        high,
        (float(at[0]), float(at[1]), float(at[2])),
        why(graded, place),
    )


def _grading(graded: Graded, place: int) -> Grading:
    found = explain.grader(graded, place)
    lines = (
        explain.averaged(found)
        if found.reviews
        else ["No review of yours could be paid, so there is nothing to be told from."]
    )
    if found.reviews and not found.paid:
        many = counted(found.reviews, "review")
        lines[0] = f"Your {many} are paid together, {found.own:.3f} for each on average."
    paid = tuple((f"{one.said:g}", one.earned) for one in found.paid)
    return Grading(as_points(graded.points[place]), paid, [minus(line) for line in lines])
