"""Tables of a graded class: grades by submission, points by grader, and marks for gradebooks."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import groups_of
from peergauge.classroom.grade.explain import author_sentences, grader_sentences
from peergauge.classroom.gradebooks import PERSON_COLUMNS, Marks
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.models.posterior import middle

MAX_EXPLAINED_ROWS = 20_000
"""Submissions or graders up to which a table explains every row in words."""

REVIEW_QUALITY_TITLE = "Peer review quality"
"""Title of the graders' points in a gradebook."""


def grades_table(graded: GradedClass) -> pl.DataFrame:
    """One row for each submission: its grade, the interval, scores by other models, and why."""
    reports, names = graded.reports, graded.names
    low, high = graded.interval
    rank = {check.place: place for place, check in enumerate(graded.second_look.submissions, 1)}
    columns: dict[str, Any] = {
        "assignment": names.assignments,
        "submission": names.submissions,
        "authors": ["; ".join(one.id for one in authors) for authors in names.authors],
        "grade": graded.grades.score,
        "low": low,
        "high": high,
        "staff": _or_none(graded.grades.staff),
        **_staff_interval(graded),
        "reviews": np.bincount(reports.submission, minlength=reports.submissions),
        **{name.replace("-", "_"): score for name, score in graded.model_scores.items()},
        "second_look": [rank.get(submission) for submission in range(reports.submissions)],
    }
    if reports.submissions <= MAX_EXPLAINED_ROWS:
        columns["why"] = [
            " ".join(author_sentences(graded, submission))
            for submission in range(reports.submissions)
        ]
    return pl.DataFrame(columns, strict=False)


def _staff_interval(graded: GradedClass) -> dict[str, Any]:
    """Columns of the interval for the staff grade, if there are enough staff grades."""
    low, high = graded.grades.staff_low, graded.grades.staff_high
    if low is None or high is None:
        return {}
    return {"staff_low": _or_none(low), "staff_high": _or_none(high)}


def graders_table(graded: GradedClass) -> pl.DataFrame:
    """One row for each grader: points, their uncertainty, traits, and why.

    People of the export without reviews are included, without points.
    """
    columns = _grader_columns(graded)
    table = pl.DataFrame(columns, strict=False)
    idle = _people_without_reviews(graded)
    if idle:
        rest = {"grader": idle, "reviews": [0] * len(idle), "flags": [""] * len(idle)}
        if "why" in columns:
            rest["why"] = ["The export has no review by this person."] * len(idle)
        table = pl.concat([table, pl.DataFrame(rest)], how="diagonal_relaxed")
    people = graded.opened.people.rename({"person": "grader"})
    known = [name for name in PERSON_COLUMNS[1:] if people[name].null_count() < people.height]
    if known:
        table = table.join(
            people.select("grader", *known), on="grader", how="left", maintain_order="left"
        )
        table = table.select("grader", *known, pl.exclude("grader", *known))
    return table


def _grader_columns(graded: GradedClass) -> dict[str, Any]:
    """Columns of everybody who graded."""
    estimated, posterior = graded.reward_per_review, graded.posterior
    level, seed = graded.settings.level, graded.settings.seed
    best, worst = groups_of(graded).rank_interval(estimated, level, seed)
    leniency = graded.leniency
    error = (1 / np.sqrt(posterior.reliability_draws)).astype(np.float32)
    error_low, error_high = middle(error, level)
    above = np.where(estimated.reviews > 0, estimated.probability_above_mean(), np.nan)
    kinds: dict[int, list[str]] = defaultdict(list)
    for flag in graded.flags.found:
        kinds[flag.grader].append(flag.kind)
    every = range(graded.reports.graders)
    letters = any(isinstance(one, str) for one in graded.points)
    columns: dict[str, Any] = {
        "grader": [one.id for one in graded.names.graders],
        "letter" if letters else "points": list(graded.points),
        "reviews": estimated.reviews,
        "earned": _or_none(estimated.estimate),
        "own_average": _or_none(estimated.own_mean),
        "counts_for": estimated.weight,
        "above_average": _or_none(above),
        "best_rank": _or_none(best),
        "worst_rank": _or_none(worst),
        "leniency": _or_none(leniency.mean),
        "leniency_low": _or_none(leniency.low),
        "leniency_high": _or_none(leniency.high),
        "typical_error": _or_none(np.median(error, axis=0).astype(np.float64)),
        "typical_error_low": _or_none(error_low),
        "typical_error_high": _or_none(error_high),
        "constant": _or_none(posterior.traits.constant),
        "hedging": _or_none(posterior.traits.hedging),
        "flags": ["; ".join(kinds[grader]) for grader in every],
    }
    if graded.reports.graders <= MAX_EXPLAINED_ROWS:
        columns["why"] = [" ".join(grader_sentences(graded, grader)) for grader in every]
    return columns


def _people_without_reviews(graded: GradedClass) -> list[str]:
    """People and authors of the export who graded nothing."""
    opened = graded.opened
    graders = {one.id for one in graded.names.graders}
    people = [*opened.people["person"].to_list(), *opened.submissions["author"].to_list()]
    return [name for name in dict.fromkeys(people) if name is not None and name not in graders]


def gradebook_marks(graded: GradedClass) -> Marks:
    """Marks for a gradebook: grades of everybody by assignment, and their points for grading."""
    people: dict[str, dict[str, Any]] = defaultdict(dict)
    for person in graded.opened.people.to_dicts():
        people[person["person"]] = {key: value for key, value in person.items() if value}
    titles: dict[str, float] = {}
    for (author, title), scores in _scores_of_authors(graded).items():
        people[author][title] = round(float(np.mean(scores)), 4)
        titles[title] = float(graded.reports.scale.highest)
    most = graded.points_rule.highest
    if most is not None:
        for grader, points in zip(graded.names.graders, graded.points, strict=True):
            people[grader.id][REVIEW_QUALITY_TITLE] = (
                None if points is None else round(float(points), 4)
            )
    if most:
        titles[REVIEW_QUALITY_TITLE] = most
    rows = [{"person": person, **columns} for person, columns in people.items()]
    kinds = {**dict.fromkeys(PERSON_COLUMNS, pl.String), **dict.fromkeys(titles, pl.Float64)}
    frame = pl.DataFrame(rows, schema=kinds)
    kept = [
        name
        for name in PERSON_COLUMNS
        if name == "person" or frame[name].null_count() < frame.height
    ]
    positive = {title: highest for title, highest in titles.items() if highest > 0}
    return Marks(frame.select(*kept, *titles), positive)


def _scores_of_authors(graded: GradedClass) -> dict[tuple[str, str], list[float]]:
    """Scores of everybody's submissions, by author and title of the assignment's grade."""
    names = graded.names
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for submission, authors in enumerate(names.authors):
        assignment = names.assignments[submission]
        title = f"{assignment} grade" if assignment else "Grade"
        for author in authors:
            scores[author.id, title].append(float(graded.grades.score[submission]))
    return scores


def _or_none(values: Floats) -> list[float | None]:
    return [None if np.isnan(one) else float(one) for one in values]
