"""Tables of a graded class by submission, grader and person, and marks for gradebooks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.awarded import awarded_sentence
from peergauge.classroom.grade.explain import author_sentences, grader_sentences
from peergauge.classroom.grade.final_mark import (
    FinalMark,
    assigned_where_known,
    assignment_names,
    final_sentences,
    final_title,
    named_assignments,
    work_grade,
)
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.period import period_name
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.settings import Settings
from peergauge.classroom.gradebooks import PERSON_COLUMNS, Marks
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.exports.validate import OpenedClass
from peergauge.models.posterior import middle

MAX_EXPLAINED_ROWS = 20_000
"""Submissions or graders up to which a table explains every row in words."""

REVIEW_QUALITY_TITLE = "Peer review quality"
"""Title of the graders' points in a gradebook; what they are for follows after a comma."""

PERIOD_COLUMNS = {"week": "this_run_alone", "semester": "all_weeks_so_far"}
"""What the columns of points for both periods are called, after ``points_`` or ``letter_``."""


def grades_table(graded: GradedClass) -> pl.DataFrame:
    """One row for each submission: its grade, the interval, scores by other models, and why."""
    reports, names = graded.reports, graded.names
    low, high = graded.interval
    rank = {check.place: place for place, check in enumerate(graded.second_look.submissions, 1)}
    columns: dict[str, Any] = {
        "assignment": names.assignments,
        "submission": names.submissions,
        "authors": ["; ".join(one.id for one in authors) for authors in names.authors],
        "grade": _or_none(graded.grades.score),
        **_awarded_columns(graded),
        "low": _or_none(low),
        "high": _or_none(high),
        "staff": _or_none(graded.grades.staff),
        **_staff_interval(graded),
        "reviews": np.bincount(reports.submission, minlength=reports.submissions),
        **{name.replace("-", "_"): _or_none(x) for name, x in graded.model_scores.items()},
        "second_look": [rank.get(submission) for submission in range(reports.submissions)],
    }
    if reports.submissions <= MAX_EXPLAINED_ROWS:
        columns["why"] = [
            " ".join([*author_sentences(graded, submission), *mark_sentences(graded, submission)])
            for submission in range(reports.submissions)
        ]
    return pl.DataFrame(columns, strict=False, schema_overrides=_kinds_of_numbers(columns))


def _kinds_of_numbers(columns: dict[str, Any]) -> dict[str, Any]:
    """Types of columns that may be empty."""
    may_be_empty = ("grade", "awarded", "low", "high", "staff")
    return {name: pl.Float64 for name in may_be_empty if name in columns}


def _awarded_columns(graded: GradedClass) -> dict[str, Any]:
    """The grades that students get, if they are not the estimated ones, and letters."""
    rules = graded.settings.grades
    columns: dict[str, Any] = {}
    if rules.round_to is not None or rules.curve is not None:
        columns["awarded"] = _or_none(graded.awarded.grade)
    if rules.letters:
        columns["letter"] = list(graded.awarded.letter)
    return columns


def mark_sentences(graded: GradedClass, submission: int) -> list[str]:
    """What became of an estimated grade, and decisions about the submission, for its authors."""
    became = awarded_sentence(
        graded.awarded,
        submission,
        float(graded.grades.score[submission]),
        graded.settings.grades,
        int(graded.reports.assignment_of_submission[submission]),
    )
    decided = [] if graded.decisions is None else graded.decisions.sentences_for_authors(submission)
    return [*([became] if became else []), *decided]


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
    table = _with_assigned(table, graded)
    return _with_people(table, graded, "grader")


def _with_assigned(table: pl.DataFrame, graded: GradedClass) -> pl.DataFrame:
    """The table of graders with the reviews that were assigned and not done, if they are known.

    Somebody may owe reviews and be nowhere else in the export.
    """
    known = assigned_where_known(graded.assigned)
    if known is None:
        return table
    numbers = known.filter(pl.col("assignment").is_in(assignment_names(graded)))
    owed = pl.col("assigned") - pl.col("done") - pl.col("declined")
    numbers = numbers.group_by("person", maintain_order=True).agg(
        pl.col("assigned").sum(), undone=owed.clip(0).sum()
    )
    absent = numbers.filter(~pl.col("person").is_in(table["grader"].implode()))
    if absent.height:
        rest = absent.select(grader="person", reviews=pl.lit(0), flags=pl.lit(""))
        if "why" in table.columns:
            rest = rest.with_columns(why=pl.lit("The export has no review by this person."))
        table = pl.concat([table, rest], how="diagonal_relaxed")
    joined = table.join(
        numbers.rename({"person": "grader"}), on="grader", how="left", maintain_order="left"
    )
    place = table.columns.index("reviews") + 1
    order = [*table.columns[:place], "assigned", "undone", *table.columns[place:]]
    return joined.select(order)


def _with_people(table: pl.DataFrame, graded: GradedClass, column: str) -> pl.DataFrame:
    """A table with the known names and addresses of people beside their identifiers."""
    people = graded.opened.people.rename({"person": column})
    known = [name for name in PERSON_COLUMNS[1:] if people[name].null_count() < people.height]
    if known:
        table = table.join(
            people.select(column, *known), on=column, how="left", maintain_order="left"
        )
        table = table.select(column, *known, pl.exclude(column, *known))
    return table


def _grader_columns(graded: GradedClass) -> dict[str, Any]:
    """Columns of everybody who graded."""
    estimated, posterior = graded.reward_per_review, graded.posterior
    level, seed = graded.settings.level, graded.settings.seed
    best, worst = graded.groups.rank_interval(estimated, level, seed)
    leniency = graded.leniency
    error = (1 / np.sqrt(posterior.reliability_draws)).astype(np.float32)
    error_low, error_high = middle(error, level)
    above = np.where(estimated.reviews > 0, estimated.probability_above_mean(), np.nan)
    kinds: dict[int, list[str]] = defaultdict(list)
    for flag in graded.flags.found:
        kinds[flag.grader].append(flag.kind)
    every = range(graded.reports.graders)
    columns: dict[str, Any] = {
        "grader": [one.id for one in graded.names.graders],
        **_point_columns(graded),
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
        columns["why"] = [
            " ".join([*grader_sentences(graded, grader), *decisions_about_grader(graded, grader)])
            for grader in every
        ]
    return columns


def decisions_about_grader(graded: GradedClass, grader: int) -> list[str]:
    """Decisions about the reviews and points of a grader, for the grader."""
    return [] if graded.decisions is None else graded.decisions.sentences_for_grader(grader)


def marks_table(graded: GradedClass) -> pl.DataFrame | None:
    """One row for each person: the final mark and all its parts; None if there are no marks."""
    marks = graded.final
    if marks is None:
        return None
    rows = marks.rows
    several = len(rows[0].parts.work) > 1 if rows else False
    columns: dict[str, Any] = {
        "person": [row.person for row in rows],
        "mark": [row.mark for row in rows],
        **({"letter": [row.letter for row in rows]} if marks.settings.final.letters else {}),
        "missing": ["; ".join(row.missing) for row in rows],
    }
    for place in range(len(rows[0].parts.work) if rows else 0):
        works = [row.parts.work[place] for row in rows]
        title = f"grade: {works[0].assignment}" if several else "grade"
        columns[title] = [one.grade for one in works]
    letters = any(isinstance(row.parts.points, str) for row in rows)
    columns |= {
        "work_percent": [row.work_percent for row in rows],
        "work_share": [row.work_share for row in rows],
        "work_part": [row.work_part for row in rows],
        "points_letter" if letters else "points": [row.parts.points for row in rows],
        "reviewing_percent": [row.reviewing_percent for row in rows],
        "reviewing_share": [row.reviewing_share for row in rows],
        "reviewing_part": [row.reviewing_part for row in rows],
        "reviews": [row.parts.reviews for row in rows],
        "excluded": [row.parts.excluded for row in rows],
        **_owed_columns(rows),
        "deduction": [row.deduction for row in rows],
        "total": [None if row.mark is None else row.total for row in rows],
        "why": [" ".join(final_sentences(marks, row)) for row in rows],
    }
    texts = ("person", "letter", "missing", "points_letter", "why")
    counts = ("reviews", "excluded", "assigned", "done", "declined", "owed")
    kinds = {
        name: pl.String if name in texts else pl.Int64 if name in counts else pl.Float64
        for name in columns
    }
    return _with_people(pl.DataFrame(columns, schema=kinds), graded, "person")


def _owed_columns(rows: Sequence[FinalMark]) -> dict[str, Any]:
    """Assigned reviews, if their numbers are known."""
    known = [row.parts.reviewing for row in rows]
    if all(one is None for one in known):
        return {}
    return {
        name: [None if one is None else getattr(one, name) for one in known]
        for name in ("assigned", "done", "declined", "owed")
    }


def decisions_table(graded: GradedClass) -> pl.DataFrame | None:
    """One row for each decision, and what became of it; None if there was no file of decisions."""
    if graded.decisions is None:
        return None
    lines = list(graded.decisions.lines())
    log = graded.decisions.log
    names = ("date", "action", "submission", "grader", "grade", "decision", "asked", "reason")
    columns: dict[str, Any] = {
        "row": [one.decision.row for one in log],
        "assignment": [one.assignment for one in log],
        **{name: [getattr(one.decision, name) for one in log] for name in names},
        "status": [one.status for one in log],
        "excluded_reviews": [one.reviews for one in log],
        "replaced": [one.replaced for one in log],
        "what": lines[: len(log)],
    }
    kinds = {
        **dict.fromkeys(columns, pl.String), **dict.fromkeys(("grade", "replaced"), pl.Float64),
        **dict.fromkeys(("row", "excluded_reviews"), pl.Int64),
    }  # fmt: skip
    columns["action"] = [str(one) for one in columns["action"]]
    return pl.DataFrame(columns, schema=kinds)


def _point_columns(graded: GradedClass) -> dict[str, list[float | str | None]]:
    """The points, and with an earlier run also those for either period, under their own names."""
    letters = any(isinstance(one, str) for one in graded.points)
    name = "letter" if letters else "points"
    columns = {name: list(graded.points)}
    if graded.earlier is not None:
        for period, words in PERIOD_COLUMNS.items():
            columns[f"{name}_{words}"] = graded.points_by_period[period]
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
        people[author][title] = work_grade(scores, graded.settings)
        titles[title] = float(graded.reports.scale.highest)
    most, quality = graded.points_rule.highest, review_quality_title(graded)
    while quality in titles:
        quality += " (points)"
    if most is not None:
        for grader, points in zip(graded.names.graders, graded.points, strict=True):
            people[grader.id][quality] = None if points is None else round(float(points), 4)
    if most:
        titles[quality] = most
    if graded.final is not None:
        titles[graded.final.title] = graded.settings.final.out_of
        for row in graded.final.rows:
            people[row.person][graded.final.title] = row.mark
    return _marks(people, titles)


def _marks(people: Mapping[str, Mapping[str, Any]], titles: Mapping[str, float]) -> Marks:
    """Marks from the details and the marks of each person, and what is the highest of each."""
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


def planned_marks(opened: OpenedClass, settings: Settings) -> Marks:
    """Marks as :func:`gradebook_marks` will have them, with the highest possible numbers.

    A gradebook that cannot take these is known before anything is computed.
    """
    names, reports = ClassNames(opened), opened.reports
    people: dict[str, dict[str, Any]] = defaultdict(dict)
    for known in opened.people.to_dicts():
        people[known["person"]] = {key: value for key, value in known.items() if value}
    titles: dict[str, float] = {}

    def plan(person: str, title: str, highest: float) -> None:
        people[person][title] = titles[title] = float(highest)

    for authors, assignment in zip(names.authors, names.assignments, strict=True):
        for author in authors:
            plan(author.id, work_title(assignment), reports.scale.highest)
    most, quality = PointsRule.parse(settings.points).highest, _quality_title(names, settings)
    while quality in titles:
        quality += " (points)"
    for grader in names.graders if most else ():
        plan(grader.id, quality, most or 0.0)
    if settings.final.use:
        title = final_title(named_assignments(reports))
        for person in list(people):
            plan(person, title, settings.final.out_of)
    return _marks(people, titles)


def work_title(assignment: str) -> str:
    """Title of the grades of an assignment in a gradebook."""
    return f"{assignment} grade" if assignment else "Grade"


def review_quality_title(graded: GradedClass) -> str:
    """Title of the graders' points in a gradebook: it names what is counted.

    Runs that continue each other have no assignment in common, so that the title over a week is new
    in every run, and no week is counted twice. The title over the semester is the same in every
    run, so that an import replaces the column of last week.
    """
    return _quality_title(graded.names, graded.settings)


def _quality_title(names: ClassNames, settings: Settings) -> str:
    if settings.points_over == "semester":
        return f"{REVIEW_QUALITY_TITLE}, all weeks so far"
    period = period_name(names.assignments)
    if not period:
        return REVIEW_QUALITY_TITLE
    # A number in brackets at the end of a title is the id of another column for Canvas.
    period = re.sub(r"\((\d+)\)$", r"[\1]", period)
    return f"{REVIEW_QUALITY_TITLE}, {period}"


def gradebook_note(graded: GradedClass) -> str:
    """What to know about the column of points in a gradebook; empty if there is nothing."""
    title = review_quality_title(graded)
    if graded.points_rule.highest is None or graded.earlier is None:
        return ""
    if graded.settings.points_over == "week":
        return (
            f"The column '{title}' counts the reviews of this run alone; the columns of earlier "
            "weeks stay as they are."
        )
    note = f"The column '{title}' counts all weeks, and replaces the column of last week."
    if not graded.earlier.points_over:
        note += (
            f" An older version of peergauge called that column '{REVIEW_QUALITY_TITLE}'; delete "
            "it, or the earlier weeks are counted twice."
        )
    return note


def _scores_of_authors(graded: GradedClass) -> dict[tuple[str, str], list[float]]:
    """Grades of everybody's submissions, by author and title of the assignment's grade."""
    names = graded.names
    scores: dict[tuple[str, str], list[float]] = defaultdict(list)
    for submission, authors in enumerate(names.authors):
        assignment = names.assignments[submission]
        title = work_title(assignment)
        for author in authors:
            scores[author.id, title].append(float(graded.awarded.grade[submission]))
    return scores


def _or_none(values: Floats) -> list[float | None]:
    listed: list[float | None] = np.asarray(values, dtype=np.float64).tolist()
    for place in np.flatnonzero(np.isnan(values)).tolist():
        listed[place] = None
    return listed
