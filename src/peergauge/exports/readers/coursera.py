"""Coursera: the peer assessment tables of its research export."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from io import StringIO
from typing import Literal, NamedTuple, TypeAlias

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.archives import (
    base_name,
    first_names,
    is_archive,
    opened_members,
)
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Notes,
    Row,
    flag_of,
    plain_of,
    quoted_names,
    score_of,
    text_of,
    titles,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, table

ROW, SOURCE = "\0row", "\0source"
"""Columns of row numbers and files; no file has them, since zero bytes are removed."""

SCHEMA_PART = "peer_assignment_review_schema_part"
PART_ID, OPTION_ID = f"{SCHEMA_PART}_id", f"{SCHEMA_PART}_option_id"
OPTION_SCORE = f"{SCHEMA_PART}_option_score"
FREE_TEXT = "peer_review_part_free_response_text"
USER_ID = "user_id"
"""The end of the name of the column of people; it begins with the name of the institution."""

MAX_PROMPT_LETTERS = 60
"""Letters of a question that are kept as the name of a criterion."""

MISSING_CELLS = ["NA", "NULL"]
"""Cells by which R and databases mark a missing value."""

DATABASE_NULL = re.compile(r"(?<=[,;\t])\\N(?=[,;\t\r\n])")
"""Another such mark, whose backslash is no escape."""


class Layout(NamedTuple):
    """A table of the export."""

    needs: tuple[str, ...]
    marks: tuple[frozenset[str], ...]
    """Columns by which the table is recognised, even if a required one is missing."""

    tells: str = ""
    """What only this table holds, if the others are useless without it."""

    people: bool = False
    """Whether it has a column of people."""


def _layout(tells: str, needs: str, *marks: str) -> Layout:
    return Layout(tuple(needs.split()), tuple(frozenset(one.split()) for one in marks), tells)


LAYOUTS = {
    f"{SCHEMA_PART}_options": _layout(
        "the points of each answer",
        f"peer_assignment_id {PART_ID} {OPTION_ID} {OPTION_SCORE}",
        OPTION_SCORE,
        f"{SCHEMA_PART}_option_text",
    ),
    "peer_review_part_choices": _layout(
        "the answers of each review",
        f"peer_assignment_id {PART_ID} {OPTION_ID} peer_review_id",
        f"{OPTION_ID} peer_review_id",
        f"{OPTION_ID} {PART_ID} peer_assignment_id",
    ),
    "peer_review_part_scores": _layout(
        "",
        f"peer_assignment_id {PART_ID} peer_review_id peer_review_part_score",
        "peer_review_part_score",
    ),
    "peer_review_part_free_responses": _layout(
        "", f"{PART_ID} peer_review_id {FREE_TEXT}", FREE_TEXT
    ),
    "peer_reviews": _layout(
        "who reviewed what",
        "peer_review_id peer_submission_id",
        "peer_review_created_ts",
        "peer_review_first_visible_to_submitter_ts",
    )._replace(people=True),
    "peer_submissions": _layout(
        "who wrote a submission and for which assignment",
        "peer_submission_id peer_assignment_id",
        "peer_submission_created_ts",
        "peer_submission_is_draft",
    )._replace(people=True),
    f"{SCHEMA_PART}s": _layout(
        "",
        f"peer_assignment_id {PART_ID}",
        f"{SCHEMA_PART}_prompt",
        f"{SCHEMA_PART}_type",
    ),
    "peer_assignments": _layout("", "peer_assignment_id", "peer_assignment_base_id"),
    "course_item_peer_assignments": _layout(
        "", "course_item_id peer_assignment_id", "course_item_id peer_assignment_id"
    ),
    "course_items": _layout("", "course_item_id course_item_name"),
}
"""The tables that are read, in the order in which they are tried."""

OTHER_PEER_COLUMNS = frozenset({"peer_submission_id", "peer_review_id", "peer_assignment_id"})
"""Columns of the tables of peer assessment from which nothing is read, such as comments."""

OTHER_TABLES = re.compile(
    r"(assessment|course|demographics|discussion|ecb|feedback|notebook|on_demand|peer|programming"
    r"|quiz|specialization|users?)(s?|_\w+)|\w+_course_user_ids"
)
"""The names of the other tables of the export."""


@reader(
    "coursera",
    label="Coursera peer assessment tables (CSV, several files or a ZIP)",
    source="Coursera research export, as described by the package crsra (Hadavand and Leek, 2018)",
    platform="Coursera",
    suffixes=(".csv", ".zip"),
    rank=-1,
)
@dataclass(frozen=True)
class Coursera(Reader):
    """Reviews of peers and mentors, as the answers that they chose in the form of an assignment.

    The tables ``peer_reviews``, ``peer_submissions``, ``peer_review_part_choices`` and
    ``peer_assignment_review_schema_part_options`` are needed, and the tables of questions,
    assignments and course items give names to criteria and assignments; other tables of the export
    are not read. A question with points is a criterion, and the sum of the points of the chosen
    answers is the total. Reviews by mentors are by staff. Drafts and submissions that were removed,
    with their reviews, are left out. The versions of an assignment are one assignment, unless
    different points are possible in them.
    """

    def recognises(self, file: Opened) -> bool:
        if is_archive(file):
            names = {base_name(name) for name in first_names(file)}
            return any(f"{name}.csv" in names for name in LAYOUTS if name.startswith("peer_"))
        there = set(_header(file))
        return bool(_layout_of(there) or there & OTHER_PEER_COLUMNS) or _is_beside(file)

    def read(self, file: Opened) -> Export:
        return self.read_all([file])[0]

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        reviews = [one for one in files if _layout_of(set(_header(one))) == "peer_reviews"]
        notes = Notes((reviews or files)[0].name)
        tables: dict[str, list[pl.DataFrame]] = {}
        others: list[str] = []
        for file in (one for given in files for one in _unpacked(given)):
            there = set(_header(file))
            name = _layout_of(there) or ("course_items" if _is_course_items(file) else None)
            if name is None:
                others.append(file.path.stem)
                continue
            missing = [one for one in LAYOUTS[name].needs if one not in there]
            if LAYOUTS[name].people and not any(one.endswith(USER_ID) for one in there):
                missing.append(f"..._{USER_ID}")
            if missing:
                raise TableError(
                    f"{file.name} should have a column '{missing[0]}', as the table '{name}' of "
                    f"Coursera does, but has {quoted_names(_header(file))}."
                )
            tables.setdefault(name, []).append(_frame(file, notes))
        if others:
            number = counted(len(others), "other table")
            notes.add("missed", f"Nothing is made of {number}: {quoted_names(sorted(others), 4)}.")
        _refuse_incomplete(files, tables)
        given = {name: pl.concat(some, how="diagonal") for name, some in tables.items()}
        return [_join(given, notes)]


# --------------------------------------------------------------------------------------- tables


def _header(file: Opened) -> list[str]:
    """The names in the first line of a file; none if it is not text."""
    if file.looks_binary or not file.head:
        return []
    first = file.head.decode(file.encoding, errors="replace").lstrip("\ufeff\r\n")
    line = first.partition("\n")[0].rstrip("\r")
    mark = max(",;\t", key=line.count)
    return [name.strip().strip('"') for name in line.split(mark)]


def _layout_of(there: set[str]) -> str | None:
    return next(
        (name for name, one in LAYOUTS.items() if any(mark <= there for mark in one.marks)), None
    )


def _is_course_items(file: Opened) -> bool:
    return set(_header(file)) >= set(LAYOUTS["course_items"].needs)


def _is_beside(file: Opened) -> bool:
    """Whether a file is one of the other tables of an export, beside its reviews."""
    if file.suffix != ".csv" or OTHER_TABLES.fullmatch(file.path.stem) is None:
        return False
    reviews = file.path.with_name("peer_reviews.csv")
    if reviews == file.path or not reviews.is_file():
        return False
    return _layout_of(set(_header(Opened(reviews)))) == "peer_reviews"


def _unpacked(file: Opened) -> Iterable[Opened]:
    """The file itself, or the tables that are read from an archive."""
    if not is_archive(file):
        return [file]
    found = opened_members(file, lambda name: name.removesuffix(".csv") in LAYOUTS)
    if not found:
        raise TableError(
            f"{file.name} should hold tables of Coursera such as peer_reviews.csv, but has "
            f"{quoted_names(first_names(file))}."
        )
    return found


def _frame(file: Opened, notes: Notes) -> pl.DataFrame:
    """The cells of a table as text, with row numbers.

    Coursera marks quotation marks inside a cell by a backslash. A file that another program saved
    has them doubled, so the way that leaves fewer broken rows is chosen.
    """
    text = file.text.removeprefix("\ufeff")
    if "\\" not in text and file.table is not None:
        frame = file.table.frame.with_columns(file.table.rows.alias(ROW))
    else:
        ways = [_split(text, escape) for escape in ("\\", None)]
        header, good, broken = min(ways, key=lambda way: len(way[2]))
        places = {name: header.index(name) for name in header}
        columns = {name: [row[place] for _, row in good] for name, place in places.items()}
        frame = pl.DataFrame(columns, schema=dict.fromkeys(places, pl.String))
        frame = frame.with_columns(
            pl.all().str.strip_chars(), pl.Series(ROW, [number for number, _ in good], pl.Int64)
        )
        if broken:
            name = file.path.name
            notes.add("dropped", f"{counted(len(broken), 'row')} of {name} with too many cells.")
    cells = pl.exclude(ROW)
    return frame.with_columns(
        pl.when((cells != "") & ~cells.is_in(MISSING_CELLS)).then(cells),
        pl.lit(file.name).alias(SOURCE),
    )


Split = tuple[list[str], list[tuple[int, list[str]]], list[int]]
"""The header, the rows that are as wide as it with their numbers, and the numbers of the others."""


def _split(text: str, escape: str | None) -> Split:
    first = text.partition("\n")[0]
    mark = max(",;\t", key=first.count)
    lines = StringIO(DATABASE_NULL.sub("", text), newline="")
    header: list[str] = []
    good: list[tuple[int, list[str]]] = []
    broken: list[int] = []
    try:
        for number, row in enumerate(csv.reader(lines, delimiter=mark, escapechar=escape), 1):
            if not header:
                header = [name.strip() for name in row]
            elif len(row) == len(header):
                good.append((number, row))
            elif row:
                broken.append(number)
    except csv.Error:
        broken.append(len(good) + 2)
    return header, good, broken


def _refuse_incomplete(files: Sequence[Opened], tables: Mapping[str, object]) -> None:
    missing = [name for name, one in LAYOUTS.items() if one.tells and name not in tables]
    if missing:
        names = " and ".join(file.name for file in files[:3])
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        wanted = ", ".join(f"{name}.csv ({LAYOUTS[name].tells})" for name in missing)
        raise TableError(
            f"{names}{more} should come with the other tables of the same export of Coursera; give "
            f"{wanted} along with it."
        )


# --------------------------------------------------------------------------------------- joining


class Work(NamedTuple):
    """A submission: its assignment and its author."""

    assignment: str
    author: str | None


class Question(NamedTuple):
    """A question of the form of reviews that carries points."""

    options: Mapping[str, float]
    lowest: float
    highest: float
    adds: bool
    """Whether several answers may be chosen, whose points add up."""


Form: TypeAlias = dict[str, Question]
"""The questions with points of one version of an assignment, by their ids."""

Answers: TypeAlias = dict[str, dict[str, set[str]]]
"""The chosen answers, by review and question."""


def _join(given: Mapping[str, pl.DataFrame], notes: Notes) -> Export:
    works, left = _works(given["peer_submissions"], notes)
    forms = _forms(given, notes)
    answers = _answers(given["peer_review_part_choices"])
    numbers = _numbers(given.get("peer_review_part_scores"))
    found = given["peer_reviews"]
    columns = ["peer_review_id", "peer_submission_id", _user_column(found)]
    mentors = _optional(found, "peer_review_is_mentor_review")
    times = _optional(found, "peer_review_created_ts")
    texts, comments = _texts(given), CommentList()
    seen: set[str] = set()
    rows: list[tuple[Work, Row, dict[str, float | None]]] = []
    counts: Counter[str] = Counter()
    for own, submission, grader, mentor, time, row, source in zip(
        *(found[name] for name in columns), mentors, times, found[ROW], found[SOURCE], strict=True
    ):
        if own is None or own in seen:
            counts["without a number" if own is None else "listed twice: the first is kept"] += 1
            continue
        seen.add(own)
        if submission in left:
            counts[left[submission]] += 1
            continue
        if (work := works.get(submission)) is None:
            counts["of a submission that is not in the table of submissions"] += 1
            continue
        by_mentor = flag_of(mentor) is True
        counts["by a mentor, taken as staff"] += by_mentor
        review = {
            "submission": submission,
            "grader": grader,
            "role": (Role.STAFF if by_mentor else Role.PEER).value,
            "time": _seconds(time),
            "row": row,
            "source": source,
            "comments": comments.add(texts.get(own, ())),
        }
        form = forms.get(work.assignment, {})
        given_answers, given_numbers = answers.get(own, {}), numbers.get(own, {})
        scores = {
            name: _score(question, given_answers.get(name, set()), given_numbers.get(name))
            for name, question in form.items()
        }
        rows.append((work, review, scores))
    for why, number in counts.items():
        if number:
            kind: Literal["read", "dropped"] = "read" if "mentor" in why else "dropped"
            notes.add(kind, f"{counted(number, 'review')} {why}.")
    export = _as_export(rows, works, forms, given, notes)
    return replace(export, comments=comments.table)


def _texts(given: Mapping[str, pl.DataFrame]) -> dict[str, list[tuple[str, str | None, bool]]]:
    """What reviewers wrote, by review; Coursera shows it to the author together with the review."""
    written = given.get("peer_review_part_free_responses")
    if written is None:
        return {}
    reviews, seen = given["peer_reviews"], "peer_review_first_visible_to_submitter_ts"
    hidden = set()
    if seen in reviews.columns:
        hidden = set(reviews.filter(pl.col(seen).is_null())["peer_review_id"])
    prompts = {part: text for (_, part), text in _prompts(given).items()}
    found: dict[str, list[tuple[str, str | None, bool]]] = {}
    for review, part, text in written.select("peer_review_id", PART_ID, FREE_TEXT).iter_rows():
        if review is not None:
            title = prompts.get(part) or ""
            found.setdefault(review, []).append((title, text, review not in hidden))
    return found


def _as_export(
    rows: Sequence[tuple[Work, Row, dict[str, float | None]]],
    works: Mapping[str, Work],
    forms: Mapping[str, Form],
    given: Mapping[str, pl.DataFrame],
    notes: Notes,
) -> Export:
    """The tables, with names for assignments and criteria."""
    used = dict.fromkeys(work.assignment for work, _, _ in rows)
    names = _assignment_names({*used, *(work.assignment for work in works.values())}, given, forms)
    titled = _criterion_names(forms, given)
    reviews: list[Row] = []
    incomplete = 0
    for work, review, scores in rows:
        form = forms.get(work.assignment, {})
        whole = {**review, "assignment": names[work.assignment]}
        if not form:
            reviews.append(whole)
        if not form or None in scores.values():
            incomplete += 1
        else:
            reviews.append(
                {
                    **whole,
                    "score": sum(score for score in scores.values() if score is not None),
                    "lowest": sum(one.lowest for one in form.values()),
                    "highest": sum(one.highest for one in form.values()),
                }
            )
        reviews += [
            {
                **whole,
                "criterion": titled[work.assignment, name],
                "score": score,
                "lowest": form[name].lowest,
                "highest": form[name].highest,
            }
            for name, score in scores.items()
        ]
    if incomplete:
        text = f"{counted(incomplete, 'review')} without an answer to every question with points."
        notes.add("missed", text)
    authors = [
        {"assignment": names[work.assignment], "submission": own, "author": work.author}
        for own, work in works.items()
    ]
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", authors),
        notes=notes.all(),
    )


def _works(found: pl.DataFrame, notes: Notes) -> tuple[dict[str, Work], dict[str, str]]:
    """The submissions by their ids, and why others are left out."""
    columns = ["peer_submission_id", "peer_assignment_id", _user_column(found)]
    drafts = _optional(found, "peer_submission_is_draft")
    times = _optional(found, "peer_submission_removed_from_public_ts")
    flags = _optional(found, "peer_submission_has_been_removed_from_public")
    works: dict[str, Work] = {}
    left: dict[str, str] = {}
    for own, assignment, author, draft, time, flag in zip(
        *(found[name] for name in columns), drafts, times, flags, strict=True
    ):
        if own is None:
            continue
        if flag_of(draft) is True:
            left[own] = "of a draft"
        elif time is not None or flag_of(flag) is True:
            left[own] = "of a submission that was removed"
        else:
            works.setdefault(own, Work(assignment or "", author))
    for why in dict.fromkeys(left.values()):
        number = sum(one == why for one in left.values())
        text = f"{counted(number, 'submission')} left out: {why.removeprefix('of a ')}."
        notes.add("dropped", text.replace("submission that was removed", "removed"))
    return works, left


def _forms(given: Mapping[str, pl.DataFrame], notes: Notes) -> dict[str, Form]:
    """The questions with points of each version of each assignment."""
    found = given[f"{SCHEMA_PART}_options"]
    options: dict[tuple[str, str], dict[str, float]] = {}
    for assignment, part, option, points in found.select(
        "peer_assignment_id", PART_ID, OPTION_ID, OPTION_SCORE
    ).iter_rows():
        if None in (assignment, part, option):
            continue
        score = score_of(points)
        if score is None:
            notes.add("missed", "An answer of the form of reviews has no points.")
        else:
            options.setdefault((assignment, part), {})[option] = score
    most = _maxima(given)
    forms: dict[str, Form] = {}
    for (assignment, part), scores in options.items():
        low, high = min(scores.values()), max(scores.values())
        stated, total = most.get((assignment, part)), sum(max(one, 0) for one in scores.values())
        adds = stated is not None and high < stated == total
        if low == high and not adds:
            continue  # the answer makes no difference
        question = Question(scores, 0.0 if adds else low, total if adds else high, adds)
        forms.setdefault(assignment, {})[part] = question
    for (assignment, part), stated in most.items():
        if (assignment, part) not in options and "peer_review_part_scores" in given:
            forms.setdefault(assignment, {})[part] = Question({}, 0.0, stated, adds=False)
    return {assignment: dict(sorted(form.items())) for assignment, form in forms.items()}


def _maxima(given: Mapping[str, pl.DataFrame]) -> dict[tuple[str, str], float]:
    """The highest points of each question, where the table of questions states them."""
    name = f"{SCHEMA_PART}_maximum_score"
    found = given.get(f"{SCHEMA_PART}s")
    if found is None or name not in found.columns:
        return {}
    return {
        (assignment, part): score
        for assignment, part, points in found.select(
            "peer_assignment_id", PART_ID, name
        ).iter_rows()
        if (score := score_of(points)) is not None
    }


def _answers(found: pl.DataFrame) -> Answers:
    answers: Answers = {}
    for review, part, option in found.select("peer_review_id", PART_ID, OPTION_ID).iter_rows():
        if None not in (review, part, option):
            answers.setdefault(review, {}).setdefault(part, set()).add(option)
    return answers


def _numbers(found: pl.DataFrame | None) -> dict[str, dict[str, float]]:
    """Points that reviewers gave as numbers, by review and question."""
    numbers: dict[str, dict[str, float]] = {}
    if found is not None:
        for review, part, points in found.select(
            "peer_review_id", PART_ID, "peer_review_part_score"
        ).iter_rows():
            if (score := score_of(points)) is not None:
                numbers.setdefault(review, {})[part] = score
    return numbers


def _score(question: Question, chosen: set[str], number: float | None) -> float | None:
    """The points of one answer; None if there is none, or if it contradicts itself."""
    if not chosen:
        return number
    if number is not None or not chosen <= question.options.keys():
        return None
    if len(chosen) > 1 and not question.adds:
        return None
    return sum(question.options[one] for one in chosen)


# ----------------------------------------------------------------------------------------- names


def _assignment_names(
    ids: Iterable[str], given: Mapping[str, pl.DataFrame], forms: Mapping[str, Form]
) -> dict[str, str]:
    """A name for each version: that of its course item; versions with other points are apart."""
    bases = _pairs(given.get("peer_assignments"), "peer_assignment_id", "peer_assignment_base_id")
    items = _pairs(
        given.get("course_item_peer_assignments"), "peer_assignment_id", "course_item_id"
    )
    named = _pairs(given.get("course_items"), "course_item_id", "course_item_name")
    groups: dict[str, list[str]] = {}
    for own in sorted(ids):
        groups.setdefault(bases.get(own) or own.partition("@")[0], []).append(own)
    called = {}
    for base, versions in groups.items():
        names = [named.get(items.get(own, "")) for own in versions]
        called[base] = next((name for name in names if name), base)
    shared = Counter(called.values())
    found: dict[str, str] = {}
    for base, versions in groups.items():
        name = called[base] if shared[called[base]] == 1 else f"{called[base]} ({base})"
        points = {own: _possible(forms[own]) for own in versions if own in forms}
        apart = len(set(points.values())) > 1
        for own in versions:
            found[own] = f"{name} ({own.rpartition('@')[2]})" if apart else name
    return found


def _possible(form: Form) -> tuple[float, float]:
    return sum(one.lowest for one in form.values()), sum(one.highest for one in form.values())


def _criterion_names(
    forms: Mapping[str, Form], given: Mapping[str, pl.DataFrame]
) -> dict[tuple[str, str], str]:
    """A name for each question: its text, cut off, or else its id."""
    prompts = _prompts(given)
    names = {}
    for assignment, form in forms.items():
        called = titles([prompts.get((assignment, part)) for part in form], list(form))
        names.update({(assignment, part): one for part, one in zip(form, called, strict=True)})
    return names


def _prompts(given: Mapping[str, pl.DataFrame]) -> dict[tuple[str, str], str | None]:
    """The text of each question of each assignment, cut off, where the export has it."""
    found = given.get(f"{SCHEMA_PART}s")
    prompts: dict[tuple[str, str], str | None] = {}
    if found is not None and f"{SCHEMA_PART}_prompt" in found.columns:
        for assignment, part, prompt in found.select(
            "peer_assignment_id", PART_ID, f"{SCHEMA_PART}_prompt"
        ).iter_rows():
            text = plain_of(text_of(prompt))
            prompts[assignment, part] = text and text[:MAX_PROMPT_LETTERS].strip()
    return prompts


def _pairs(found: pl.DataFrame | None, key: str, value: str) -> dict[str, str]:
    if found is None or not {key, value} <= set(found.columns):
        return {}
    return {one: other for one, other in found.select(key, value).iter_rows() if one and other}


def _optional(found: pl.DataFrame, name: str) -> pl.Series:
    if name in found.columns:
        return found[name]
    return pl.Series([None] * found.height, dtype=pl.String)


def _user_column(found: pl.DataFrame) -> str:
    """The column of people."""
    names = [name for name in found.columns if name.endswith(USER_ID)]
    return min(names, key=lambda name: "peer" not in name)


def _seconds(said: str | None) -> float | None:
    """A time in seconds since 1970; None if there is none."""
    try:
        found = datetime.fromisoformat(said or "")
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
