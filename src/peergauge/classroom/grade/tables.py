"""Grades and graders as tables: what is written, printed and shown."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from peergauge.classroom.grade import Graded
from peergauge.classroom.grade.explain import words_for_author, words_for_grader
from peergauge.classroom.gradebooks import PERSON_COLUMNS, Marks
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.models.posterior import middle

MOST_WORDS = 20_000
"""So many submissions or graders are explained in words; of more, numbers tell."""


def grades(graded: Graded) -> pl.DataFrame:
    """One row for each submission: its grade, the interval, what others make of it, and why."""
    reports = graded.reports
    who = graded.who
    low, high = graded.bounds
    rank = {check.place: place for place, check in enumerate(graded.second_look.submissions, 1)}
    reviews = np.bincount(reports.submission, minlength=reports.submissions)
    every = range(reports.submissions)
    columns: dict[str, Any] = {
        "assignment": who.assignments,
        "submission": who.submissions,
        "authors": ["; ".join(one.id for one in authors) for authors in who.authors],
        "grade": graded.posterior.score,
        "low": low,
        "high": high,
        "staff": _or_none(graded.posterior.staff),
        "reviews": reviews,
        **{name.replace("-", "_"): score for name, score in graded.beside.items()},
        "second_look": [rank.get(place) for place in every],
    }
    if reports.submissions <= MOST_WORDS:
        columns["why"] = [" ".join(words_for_author(graded, place)) for place in every]
    return pl.DataFrame(columns, strict=False)


def graders(graded: Graded) -> pl.DataFrame:
    """One row for each grader: what they get, how sure that is, what they are like, and why.

    Those of whom the export tells nothing but that they exist are there too, without points.
    """
    earned, posterior, level = graded.earned, graded.posterior, graded.settings.level
    names = [one.id for one in graded.who.graders]
    best, worst = earned.ranks(level, graded.settings.seed)
    bias_low, bias_high = middle(posterior.bias_draws, level)
    error = (1 / np.sqrt(posterior.reliability_draws)).astype(np.float32)
    error_low, error_high = middle(error, level)
    flags: dict[int, list[str]] = defaultdict(list)
    for flag in graded.flags.found:
        flags[flag.grader].append(flag.kind)
    every = range(graded.reports.graders)
    letters = any(isinstance(one, str) for one in graded.points)
    columns: dict[str, Any] = {
        "grader": names,
        "letter" if letters else "points": list(graded.points),
        "reviews": earned.reviews,
        "earned": _or_none(earned.estimate),
        "own_average": _or_none(earned.own),
        "counts_for": earned.weight,
        "above_average": _or_none(np.where(earned.reviews > 0, earned.above_average(), np.nan)),
        "best_rank": _or_none(best),
        "worst_rank": _or_none(worst),
        "bias": _or_none(posterior.traits.bias_mean),
        "bias_low": _or_none(bias_low),
        "bias_high": _or_none(bias_high),
        "typical_error": _or_none(np.median(error, axis=0).astype(np.float64)),
        "typical_error_low": _or_none(error_low),
        "typical_error_high": _or_none(error_high),
        "constant": _or_none(posterior.traits.constant),
        "hedging": _or_none(posterior.traits.hedging),
        "flags": ["; ".join(flags[place]) for place in every],
    }
    if graded.reports.graders <= MOST_WORDS:
        columns["why"] = [" ".join(words_for_grader(graded, place)) for place in every]
    table = pl.DataFrame(columns, strict=False)
    idle = _without_reviews(graded, set(names))
    if idle:
        none = {"grader": idle, "reviews": [0] * len(idle), "flags": [""] * len(idle)}
        if "why" in columns:
            none["why"] = ["The export has no review of theirs."] * len(idle)
        table = pl.concat([table, pl.DataFrame(none)], how="diagonal_relaxed")
    known = graded.room.people.rename({"person": "grader"})
    told = [name for name in PERSON_COLUMNS[1:] if known[name].null_count() < known.height]
    if told:
        table = table.join(known.select("grader", *told), on="grader", how="left",
                           maintain_order="left")  # fmt: skip
        table = table.select("grader", *told, pl.exclude("grader", *told))
    return table


def _without_reviews(graded: Graded, have: set[str]) -> list[str]:
    """People and authors of the export who graded nothing."""
    room = graded.room
    everybody = [*room.people["person"].to_list(), *room.submissions["author"].to_list()]
    return [name for name in dict.fromkeys(everybody) if name is not None and name not in have]


def marks(graded: Graded) -> Marks:
    """What goes to a gradebook: everybody's grades by assignment, and their points for grading."""
    people: dict[str, dict[str, Any]] = defaultdict(dict)
    for person in graded.room.people.to_dicts():
        people[person["person"]] = {key: value for key, value in person.items() if value}
    mine: dict[tuple[str, str], list[float]] = defaultdict(list)
    who = graded.who
    for place, authors in enumerate(who.authors):
        assignment = who.assignments[place]
        for author in authors:
            title = f"{assignment} grade" if assignment else "Grade"
            mine[author.id, title].append(float(graded.posterior.score[place]))
    for (somebody, title), scores in mine.items():
        people[somebody][title] = round(float(np.mean(scores)), 4)
    highest = {title: float(graded.reports.scale.highest) for _, title in mine}
    most = graded.points_map.highest
    if most is not None:
        for grader, points in zip(who.graders, graded.points, strict=True):
            people[grader.id][REVIEWING] = None if points is None else round(float(points), 4)
        highest[REVIEWING] = most
    rows = [{"person": person, **told} for person, told in people.items()]
    titles = [*dict.fromkeys(title for _, title in mine), *([REVIEWING] if most else [])]
    kinds = {**dict.fromkeys(PERSON_COLUMNS, pl.String), **dict.fromkeys(titles, pl.Float64)}
    frame = pl.DataFrame(rows, schema=kinds)
    kept = [
        name
        for name in PERSON_COLUMNS
        if name == "person" or frame[name].null_count() < frame.height
    ]
    positive = {title: top for title, top in highest.items() if top > 0}
    return Marks(frame.select(*kept, *titles), positive)


REVIEWING = "Peer review quality"
"""What the points of graders are called in a gradebook."""


def _or_none(values: Floats) -> list[float | None]:
    return [None if np.isnan(one) else float(one) for one in values]
