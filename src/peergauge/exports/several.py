"""Several files or sheets with reviews: assignments, sections, copies, or parts of one table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.formats.headers import ASSIGNMENTS, SECTION_WORDS, WEEKS, words_of
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Export, Note, Role, table

PAIR = ("submission", "grader")

MIN_SHARE_ALIKE_IN_VERSIONS = 0.75
"""Share of repeated reviews with equal scores from which on files are versions of one table."""


def set_apart(parts: Mapping[str, Export], dialogue: Dialogue, what: str = "files") -> list[Export]:
    """Decide what several files or sheets with reviews are, and name their assignments.

    Parts that name their assignments are left as they are. A copy of another part is left out. If
    names such as ``week1`` and ``week2`` say that the parts are assignments, they are; if the same
    grader has graded the same submission in several parts, a question decides.

    Parameters
    ----------
    parts
        What was read from each file or sheet, by its name.
    what
        The kind of the parts in messages: ``files`` or ``sheets``.
    """
    reviewed = {name: one for name, one in parts.items() if _peer_pairs(one).height}
    unnamed = {name: one for name, one in reviewed.items() if not _names_assignments(one)}
    if len(unnamed) < 2 or any(one.exact for one in unnamed.values()):
        return list(parts.values())
    copies = _copies(unnamed)
    for copy, original in copies.items():
        dialogue.decide(
            "files",
            f"'{copy}' has the same reviews as '{original}', and is left out.",
            evidence="all graders, submissions and scores are equal",
            confidence="certain",
        )
    left = {name: one for name, one in unnamed.items() if name not in copies}
    meant = _meant(left, dialogue, what) if len(left) > 1 else "one"
    if meant == "newest":
        newest = max(left, key=lambda name: _age(left[name], list(left).index(name)))
        dropped = {*copies, *(name for name in left if name != newest)}
    else:
        dropped = set(copies)
    labels = _labels(list(left))
    found = []
    for name, one in parts.items():
        if name in dropped:
            note = Note("dropped", f"'{name}' is a copy or an older version; it is left out.")
            found.append(Export(notes=(note,), format=one.format, dialogue=one.dialogue))
        elif name in left and meant == "assignments":
            found.append(_of_assignment(one, labels[name]))
        elif name in left and meant == "sections":
            others = [other for key, other in left.items() if key != name]
            found.append(_of_section(one, labels[name], others))
        else:
            found.append(one)
    return found


def apart_by_section(parts: Mapping[str, Export]) -> list[Export]:
    """The parts as sections of a class: equal names in two of them become different."""
    return [
        _of_section(one, name, [other for key, other in parts.items() if key != name])
        for name, one in parts.items()
    ]


def _peer_pairs(export: Export) -> pl.DataFrame:
    """Who graded what, with scores, in the form in which names are compared."""
    kept = export.reviews.filter(pl.col("role") != Role.STAFF, pl.col("score").is_not_null())
    return kept.select(
        *(pl.col(name).str.to_lowercase().str.replace_all(r"\s+", " ") for name in PAIR),
        "criterion",
        "score",
    )


def _age(export: Export, place: int) -> tuple[float, int, int]:
    """Orders versions of a table: by the last time in it, its length, and its place."""
    last = export.reviews["time"].max()
    return (float(last) if isinstance(last, float) else 0.0, export.reviews.height, place)


def _names_assignments(export: Export) -> bool:
    return bool((export.reviews["assignment"] != "").any())


def _copies(parts: Mapping[str, Export]) -> dict[str, str]:
    """The parts that equal an earlier one, with the name of that one."""
    found: dict[str, str] = {}
    pairs = {name: _peer_pairs(one).sort(pl.all()) for name, one in parts.items()}
    for first, second in combinations(parts, 2):
        if first not in found and second not in found and pairs[first].equals(pairs[second]):
            found[second] = first
    return found


def _meant(parts: Mapping[str, Export], dialogue: Dialogue, what: str) -> str:
    """What the parts are: assignments, sections, versions of one table, or parts of one."""
    names = list(parts)
    words = [set(words_of(_stem(name))) for name in names]
    assignments = all(said & (ASSIGNMENTS.keys() | WEEKS.keys()) for said in words)
    sections = all(said & SECTION_WORDS for said in words)
    series = len({re.sub(r"\d+", "#", _stem(name).casefold()) for name in names}) == 1
    pairs = [_peer_pairs(one).select(PAIR).unique() for one in parts.values()]
    total = pl.concat(pairs)
    again = total.height - total.n_unique()
    shared = _shared(pairs, "grader") or _shared(pairs, "submission")
    alike = _share_alike(parts, again)
    versions = alike >= MIN_SHARE_ALIKE_IN_VERSIONS
    if not versions and (assignments or (series and again and not sections)):
        dialogue.decide(
            "files",
            f"Each of the {len(names)} {what} is an assignment: "
            f"{', '.join(_labels(names).values())}.",
            evidence=f"by their names; {counted(again, 'review')} of the same work by the same "
            "grader in several of them",
        )
        return "assignments"
    if not again and not (sections and shared):
        dialogue.decide(
            "files",
            f"The {len(names)} {what} are parts of one class.",
            evidence="no grader has graded the same submission in two of them",
        )
        return "one"
    listed = ", ".join(f"'{name}'" for name in names[:6])
    question = Question(
        key=what,
        text=f"In the {what} {listed}, {counted(again, 'review')} of the same submission by the "
        f"same grader occur more than once; what are the {what}?",
        choices=(
            Choice("assignments", f"each of the {len(names)} {what} is an assignment of its own"),
            Choice("sections", "each is a section, and equal names in two of them are different"),
            Choice("newest", "they are versions of one table, and only the newest counts"),
            Choice("one", "they are parts of one assignment, and repeated reviews are duplicates"),
        ),
        default="newest" if versions else "sections" if sections else "assignments",
    )
    return dialogue.ask(question)


def _share_alike(parts: Mapping[str, Export], again: int) -> float:
    """The share of repeated reviews with the same score, as in two versions of one table."""
    if not again:
        return 0.0
    both = pl.concat([_peer_pairs(one).unique() for one in parts.values()])
    whole = both.select(*PAIR, "criterion").is_duplicated()
    same = both.is_duplicated()
    return float(same.sum()) / float(whole.sum())


def _shared(pairs: Sequence[pl.DataFrame], column: str) -> bool:
    """Whether two parts have a name in common."""
    names = pl.concat([one.select(column).unique() for one in pairs])
    return names.height > names.n_unique()


def _stem(name: str) -> str:
    """The name of a file without its folder and suffix."""
    return re.sub(r"\.\w{1,7}$", "", name.replace("\\", "/").rsplit("/", 1)[-1])


def _labels(names: Sequence[str]) -> dict[str, str]:
    """A short name for each part."""
    stems = {name: " ".join(_stem(name).replace("_", " ").split()) for name in names}
    return stems if len(set(stems.values())) == len(stems) else {name: name for name in names}


def _of_assignment(export: Export, label: str) -> Export:
    def named(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.with_columns(assignment=pl.lit(label))

    return replace(
        export,
        reviews=named(export.reviews),
        submissions=named(export.submissions),
        truth=named(export.truth),
    )


def _of_section(export: Export, label: str, others: Sequence[Export]) -> Export:
    """The part with its label behind every name that another part has too."""

    def taken(columns: Mapping[str, Sequence[str]]) -> list[str]:
        names = [
            getattr(other, table)[column]
            for other in others
            for table, wanted in columns.items()
            for column in wanted
        ]
        found: list[str] = pl.concat(names).drop_nulls().unique().to_list()
        return found

    people = taken({"reviews": ["grader"], "submissions": ["author"], "people": ["person"]})
    works = taken({"reviews": ["submission"], "submissions": ["submission"]})

    def renamed(frame: pl.DataFrame, **columns: list[str]) -> pl.DataFrame:
        return frame.with_columns(
            pl.when(pl.col(name).is_in(clash))
            .then(pl.col(name) + f" ({label})")
            .otherwise(pl.col(name))
            .alias(name)
            for name, clash in columns.items()
        )

    apart = replace(
        export,
        reviews=renamed(export.reviews, grader=people, submission=works),
        submissions=renamed(export.submissions, author=people, submission=works),
        people=renamed(export.people, person=people, name=people),
        truth=renamed(export.truth, submission=works),
    )
    return _in_section(apart, label)


def _in_section(export: Export, label: str) -> Export:
    """The part with its label as the section of everybody in it whose section is not known."""
    known = export.people.with_columns(pl.col("section").fill_null(label))
    staff = export.reviews.filter(pl.col("role") == Role.STAFF)["grader"]
    names = pl.concat([export.reviews["grader"], export.submissions["author"]]).drop_nulls()
    listed = pl.concat([export.people["person"], staff]).drop_nulls()
    new = names.filter(~names.is_in(listed.implode())).unique(maintain_order=True)
    rest = table("people", pl.DataFrame({"person": new, "section": [label] * len(new)}))
    return replace(export, people=pl.concat([known, rest]))
