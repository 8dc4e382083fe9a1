"""Open a case through the door of all commands, and compare the class with its interpretation."""

from __future__ import annotations

import itertools
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeAlias

import polars as pl

from peergauge.core.errors import PeergaugeError, PeergaugeWarning
from peergauge.exports.open import interpret_class
from peergauge.exports.questions import Question
from peergauge.exports.validate import OpenedClass
from tests.golden.exports.messy.kit import Expected, Interpretation, Mark, Refused, Work

Outcome: TypeAlias = Literal["right", "asked", "silently wrong"]
ROUNDS_OF_REFINEMENT = 6
MAX_COMBINATIONS_OF_ANSWERS = 60
MAX_SEARCH = 20_000
NEVER_PEOPLE = re.compile(
    r"#\w+[!?/]|^(grand )?(total|sum|average|mean|avg\.?|count|stdev|max|min|summe|moyenne)$",
    re.IGNORECASE,
)

Row: TypeAlias = tuple[str, str, str, float]
"""Assignment, submission, grader and grade."""


@dataclass(frozen=True)
class Verdict:
    """What became of a case, and why."""

    outcome: Outcome
    why: str = ""
    asked: tuple[Question, ...] = ()
    """The open questions."""
    refused: bool = False
    """Whether the files were refused in one sentence."""


def read(folder: Path, answers: Mapping[str, str] | None = None) -> OpenedClass:
    """Read the files of a case; open questions are collected and do not stop the reading."""
    files = sorted(folder.iterdir())
    with warnings.catch_warnings():
        # Files that are passed over; the report names these too.
        warnings.simplefilter("ignore", PeergaugeWarning)
        return interpret_class(files[0] if len(files) == 1 else folder, answers=answers)


def verdict(
    interpretation: Interpretation | tuple[Expected, ...],
    folder: Path,
    answers: Mapping[str, str] | None = None,
    *,
    defaults: bool = False,
) -> Verdict:
    """Judge the class in a folder; with *defaults*, open questions count by their defaults."""
    try:
        opened = read(folder, answers)
    except PeergaugeError as error:
        return Verdict("asked", str(error), refused=True)
    except Exception as error:
        # A crash is neither a question nor a refusal; the totals count it with the errors.
        return Verdict("silently wrong", f"crash: {type(error).__name__}: {error}", refused=True)
    asked = opened.interpretation.open_questions
    if asked and not defaults:
        return Verdict("asked", "; ".join(f"{q.key}: {q.text}" for q in asked), asked)
    if isinstance(interpretation, Refused):
        return Verdict("silently wrong", f"a class was read, but {interpretation.why}", asked)
    accepted = (interpretation,) if isinstance(interpretation, Expected) else interpretation
    wrongs = [difference(opened, expected) for expected in accepted]
    if "" in wrongs:
        return Verdict("right", "", asked)
    return Verdict("silently wrong", wrongs[0], asked)


def combinations_of_answers(
    asked: Iterable[Question],
    interpretation: Interpretation | tuple[Expected, ...],
    free: Mapping[str, str],
) -> Iterator[dict[str, str]]:
    """Combinations of answers to open questions, those with the most defaults first.

    An answer in free form is taken from *free*, by the first words of the key, or it is the scale
    of the interpretation.
    """
    first = interpretation[0] if isinstance(interpretation, tuple) else interpretation
    keys, values = [], []
    for question in asked:
        others = [c.value for c in question.choices if c.value != question.default]
        choices = [question.default, *others]
        if question.form:
            choices += [value for start, value in free.items() if question.key.startswith(start)]
            if "LOW" in question.form and isinstance(first, Expected) and first.scale:
                low, high = sorted(float(end) for end in first.scale.split(".."))
                choices.append(f"{low:g}..{high:g}")
        keys.append(question.key)
        values.append(list(dict.fromkeys(choices)))
    found = sorted(
        itertools.islice(itertools.product(*(range(len(some)) for some in values)), MAX_SEARCH),
        key=lambda chosen: sum(place > 0 for place in chosen),
    )
    for chosen in found[:MAX_COMBINATIONS_OF_ANSWERS]:
        yield {key: some[k] for key, some, k in zip(keys, values, chosen, strict=True)}


# -------------------------------------------------------------------------------------- comparison


def difference(opened: OpenedClass, expected: Expected) -> str:
    """The first difference between a class and its interpretation; empty if there is none."""
    reports = opened.reports.to_polars()
    rows = [
        (str(a), str(s), str(g), float(x))
        for a, s, g, x in reports.select("assignment", "submission", "grader", "grade").iter_rows()
    ]
    if junk := sorted({n for row in rows for n in row[1:3] if NEVER_PEOPLE.search(str(n))}):
        return f"{junk[0]!r} is taken for a person or a submission"
    if len(rows) != len(expected.marks):
        return f"{len(rows)} reviews instead of {len(expected.marks)}"
    place = _place(opened, expected)
    mine = [
        (m.assignment, normal(m.work.label), normal(m.grader.name), _fraction(m, expected))
        for m in expected.marks
    ]
    theirs = [(a, s, g, round(place(x), 6)) for a, s, g, x in rows]
    for kind, column in (("assignment", 0), ("submission", 1), ("grader", 2)):
        if kind == "assignment" and expected.one_assignment:
            continue
        counts = [
            len({row[:2] if column == 1 else row[column] for row in side})
            for side in (theirs, mine)
        ]
        if counts[0] != counts[1] and not (column == 1 and expected.one_assignment):
            return f"{counts[0]} {kind}s instead of {counts[1]}"
    theirs, unknown = _named(theirs, expected)
    if unknown:
        return unknown
    if expected.one_assignment:
        mine, theirs = ([("", f"{a} {s}", g, x) for a, s, g, x in side] for side in (mine, theirs))
    if _shape(mine, expected.free) != _shape(theirs, expected.free):
        grades = Counter(x for *_, x in mine) - Counter(x for *_, x in theirs)
        if grades:
            return f"grades differ; {sum(grades.values())} of {len(mine)} at other places"
        return "the same grades are given to or by others"
    return (
        _difference_of_truth(opened, expected, place)
        or _difference_of_authors(opened, expected)
        or _left_out(opened, expected)
    )


def _place(opened: OpenedClass, expected: Expected) -> Any:
    """The place of a grade between the ends of the scale, if the interpretation states them."""
    if not expected.scale:
        return lambda x: x
    values = opened.scale
    low, high = values.lowest, values.highest
    return lambda x: (x - low) / (high - low)


def _fraction(mark: Mark, expected: Expected) -> float:
    return round(_to_place(mark.grade, expected), 6)


def _to_place(grade: float, expected: Expected) -> float:
    if not expected.scale:
        return grade
    worst, best = (float(end) for end in expected.scale.split(".."))
    return (grade - worst) / (best - worst)


def normal(name: str) -> str:
    """A name without case, diacritics, punctuation and order of words."""
    bare = unicodedata.normalize("NFKD", name.replace("ø", "o").replace("Ø", "O"))
    bare = "".join(c for c in bare if not unicodedata.combining(c)).casefold()
    return " ".join(sorted(re.findall(r"\w+", bare)))


def _named(rows: list[Row], expected: Expected) -> tuple[list[Row], str]:
    """Rows with the names of the interpretation, where these are not free."""
    people = _aliases({normal(m.grader.name): m.grader.names for m in expected.marks})
    works = _aliases({normal(m.work.label): m.work.names for m in expected.marks})
    found = []
    for a, s, g, x in rows:
        work = s if "submission" in expected.free else works.get(normal(s))
        grader = g if "grader" in expected.free else people.get(normal(g))
        if work is None:
            return [], f"there is no submission {s!r}"
        if grader is None:
            return [], f"there is no grader {g!r}"
        found.append((a, work, grader, x))
    return found, ""


def _aliases(names: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """The name that stands for each of its aliases."""
    found: dict[str, str] = {}
    for key, aliases in names.items():
        for alias in aliases:
            found.setdefault(normal(alias), key)
    return found | {key: key for key in names}


def _shape(rows: Iterable[Row], free: frozenset[str]) -> Counter[tuple[Any, ...]]:
    """The reviews up to renaming of assignments and of free names.

    The colours of names are refined by the colours of their neighbours (Weisfeiler and Leman 1968);
    classes with noise in their grades are told apart by this.
    """
    rows = list(rows)
    colour: dict[Any, int] = {}
    for a, s, g, _ in rows:
        colour["a", a] = 0
        colour["s", a, s] = hash(("s", "" if "submission" in free else s))
        colour["g", g] = hash(("g", "" if "grader" in free else g))
    for _ in range(ROUNDS_OF_REFINEMENT):
        near: dict[Any, list[Any]] = {node: [] for node in colour}
        for a, s, g, x in rows:
            nodes = ("a", a), ("s", a, s), ("g", g)
            seen = (x, *[colour[node] for node in nodes])
            for node in nodes:
                near[node].append(seen)
        colour = {node: hash((colour[node], *sorted(seen))) for node, seen in near.items()}
    return Counter((colour["a", a], colour["s", a, s], colour["g", g], x) for a, s, g, x in rows)


def _difference_of_truth(opened: OpenedClass, expected: Expected, place: Any) -> str:
    """Whether the true scores differ, as numbers for each submission."""
    scores = opened.truth.to_polars() if opened.truth is not None else None
    theirs = Counter(
        round(place(float(x)), 4)
        for x in (scores["score"] if scores is not None else ())
        if x is not None and isfinite(x)
    )
    mine = Counter(round(_to_place(score, expected), 4) for _, _, score in expected.truth)
    if theirs == mine:
        if scores is None or "submission" in expected.free:
            return ""
        works = _aliases({normal(work.label): work.names for _, work, _ in expected.truth})
        pairs = {
            (works.get(normal(str(s))), round(place(float(x)), 4))
            for s, x in scores.select("submission", "score").iter_rows()
            if x is not None and isfinite(x)
        }
        said = {
            (normal(work.label), round(_to_place(x, expected), 4)) for _, work, x in expected.truth
        }
        return "" if pairs == said else "true scores belong to other submissions"
    if not expected.truth:
        return f"{sum(theirs.values())} true scores instead of none"
    if not theirs:
        return f"no true scores instead of {len(expected.truth)}"
    return "true scores differ"


def _difference_of_authors(opened: OpenedClass, expected: Expected) -> str:
    """Whether authors differ; a work that is named after its author needs no other mention."""
    frame = opened.submissions.drop_nulls("author")
    works = {m.work for m in expected.marks}
    names = _aliases({normal(p.name): p.names for w in works for p in w.authors})
    if "submission" in expected.free:
        theirs = _authors_by_review(opened, frame, names)
        mine = Counter(frozenset(normal(p.name) for p in m.work.authors) for m in expected.marks)
        if not expected.authors and not any(theirs):
            return ""
        return "" if theirs == mine or not expected.authors else "authors differ"
    labels = _aliases({normal(w.label): w.names for w in works})
    found: dict[str, set[str | None]] = {}
    for s, author in frame.select("submission", "author").iter_rows():
        found.setdefault(labels.get(normal(s), s), set()).add(names.get(normal(author)))
    for work in works:
        authors = {normal(p.name) for p in work.authors}
        got = found.get(normal(work.label))
        if got is None:
            if expected.authors and authors and not _named_after_author(work):
                return f"nobody is the author of {work.label!r}"
        elif authors and got != authors:
            return f"{work.label!r} has other authors"
    return ""


def _authors_by_review(
    opened: OpenedClass, frame: pl.DataFrame, names: Mapping[str, str]
) -> Counter[frozenset[str | None]]:
    known: dict[tuple[str, str], set[str | None]] = {}
    for a, s, author in frame.select("assignment", "submission", "author").iter_rows():
        known.setdefault((a, s), set()).add(names.get(normal(author)))
    reports = opened.reports.to_polars()
    return Counter(
        frozenset(known.get((str(a), str(s)), set()))
        for a, s in reports.select("assignment", "submission").iter_rows()
    )


def _named_after_author(work: Work) -> bool:
    return len(work.authors) == 1 and normal(work.label) == normal(work.authors[0].name)


def _left_out(opened: OpenedClass, expected: Expected) -> str:
    """The first word that the report about the class should contain and does not."""
    said = told(opened)
    for word in expected.mentioned:
        if word not in said:
            return f"{word!r} is neither used nor mentioned"
    return ""


def told(opened: OpenedClass) -> str:
    """Everything that is reported about a class, as one text."""
    return f"{opened.report} {opened.interpretation.decisions}"
