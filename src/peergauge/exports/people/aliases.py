"""Matching people who have several names: files identify them by number, e-mail address or name.

A review says "7", the registrar "S-0123", a form "Lovelace, Ada". The details about people in the
files match these, but only if there is no doubt: paying a student for the reviews of another is
worse than paying nobody.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import NamedTuple

from peergauge.core.lazy import pl
from peergauge.exports.people.names import spelling_keys
from peergauge.exports.records import Export, Note

MATCH_KINDS = {
    "email": "e-mail",
    "sis": "student number",
    "login": "login",
    "lms": "number of the platform",
    "name": "name",
}
"""The details by which people are matched, the most reliable first, and their names."""

SPELLING = "spelling"
"""The name without accents, hyphens and the like, by which people are matched last."""

UNIQUE_KINDS = ("email", "sis", "login")
"""Details of which a person has only one, on all platforms."""


class Called(NamedTuple):
    """The name of a person in one file."""

    file: int
    person: str


@dataclass
class _Groups:
    """People as groups of names in files; groups are united when they are the same person."""

    known: dict[Called, dict[str, str]]
    group: dict[Called, list[Called]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # The same name is the same person in all files.
        alike: dict[str, list[Called]] = defaultdict(list)
        for called in self.known:
            alike[called.person].append(called)
        self.group = {called: alike[called.person] for called in self.known}

    def said(self, called: Called, kind: str) -> set[str]:
        """All details of a kind that files give for a person."""
        return {self.known[one][kind] for one in self.group[called] if kind in self.known[one]}

    def may_be_one(self, one: Called, other: Called, by: str) -> bool:
        """Whether two groups can be the same person: no two names in one file, no two ids."""
        mine, yours = self.group[one], self.group[other]
        files = {called.file: called.person for called in mine}
        if any(files.get(called.file, called.person) != called.person for called in yours):
            return False
        # A name is weak evidence, so that even different ids of two platforms prevent a match.
        kinds = (*UNIQUE_KINDS, "lms") if by in ("name", SPELLING) else UNIQUE_KINDS
        told = ((self.said(one, kind), self.said(other, kind)) for kind in kinds)
        return not any(first and second and not first & second for first, second in told)

    def unite(self, one: Called, other: Called) -> None:
        """Unite the groups of two names."""
        both = [*self.group[one], *self.group[other]]
        for called in both:
            self.group[called] = both


def brought_together(exports: Sequence[Export]) -> tuple[list[Export], tuple[Note, ...]]:
    """Return the exports with one name for each person, and notes on how people were matched.

    Two files mean the same person if they give the same e-mail address, student number, login, id
    or name, or if one file uses as a name what the other gives as such a detail. A detail that
    several people of one file share matches nobody, and people who differ in another detail are not
    matched. The name that most reviews use is kept. A submission that has the name of its author
    keeps having it.
    """
    known = {
        Called(file, person): told
        for file, export in enumerate(exports)
        for person, told in _people_of(export)
    }
    groups = _Groups(known)
    notes = []
    in_doubt = 0
    for kind, word in (*MATCH_KINDS.items(), (SPELLING, "name in another spelling")):
        matched, doubtful = _match(groups, kind)
        if kind == SPELLING:
            doubtful -= in_doubt  # by the name, too
        in_doubt = doubtful
        if matched:
            who = "1 person is" if matched == 1 else f"{matched} people are"
            text = f"{who} named differently in another file, and matched by the {word}."
            notes.append(Note("read", text))
        if doubtful > 0:
            who = "1 person" if doubtful == 1 else f"{doubtful} people"
            text = f"The {word} of {who} would fit somebody else in another file, but not for sure."
            notes.append(Note("missed", text))
    uses = Counter(person for one in exports for person in one.reviews["grader"].drop_nulls())
    names = {
        called: max(group, key=lambda one: (uses[one.person], -one.file)).person
        for called, group in groups.group.items()
    }
    renamed = [
        renamed_people(
            export,
            {
                person: name
                for (where, person), name in names.items()
                if where == file and name != person
            },
        )
        for file, export in enumerate(exports)
    ]
    return renamed, tuple(notes)


def by_author(exports: Sequence[Export]) -> tuple[list[Export], tuple[Note, ...]]:
    """Return the exports with the names of submissions that the reviews use.

    Gradescope and Canvas number submissions in different ways, and a registrar knows only students.
    A submission that no review names is matched with the one that its authors have in the reviews
    of the same assignment, if all authors have the same one and no other submission matches it.
    """
    reviewed = {name for one in exports for name in one.reviews["submission"].drop_nulls()}
    written: dict[tuple[str, str], set[str]] = defaultdict(set)
    for export in exports:
        for assignment, submission, author in export.submissions.iter_rows():
            if submission in reviewed and author is not None:
                # A file that names no assignment may mean any of them.
                for title in {assignment, ""}:
                    written[title, author].add(submission)
    found, matched = [], 0
    for export in exports:
        wanted: dict[tuple[str, str], list[set[str]]] = defaultdict(list)
        if not export.reviews.height:
            for assignment, submission, author in export.submissions.iter_rows():
                if submission is not None and submission not in reviewed and author is not None:
                    own = written.get((assignment, author), set())
                    wanted[assignment, submission].append(own)
        fits = {place: set.intersection(*sets) for place, sets in wanted.items()}
        alike = Counter((title, name) for (title, _), names in fits.items() for name in names)
        sure = [
            (*place, name)
            for place, names in fits.items()
            for name in names
            if len(names) == 1 and alike[place[0], name] == 1
        ]
        matched += len(sure)
        found.append(_with_works(export, sure) if sure else export)
    if not matched:
        return found, ()
    what = "1 submission is" if matched == 1 else f"{matched} submissions are"
    return found, (
        Note("read", f"{what} named differently in the reviews, and matched by the authors."),
    )


def _people_of(export: Export) -> Iterator[tuple[str, dict[str, str]]]:
    """Iterate over the people of an export, with their details in normalised form."""
    told = {
        row["person"]: {
            kind: _alike(kind, row[kind]) for kind in MATCH_KINDS if row[kind] is not None
        }
        for row in export.people.iter_rows(named=True)
        if row["person"] is not None
    }
    for details in told.values():
        if "name" in details:
            details[SPELLING] = _alike(SPELLING, details["name"])
    for column in (export.reviews["grader"], export.submissions["author"]):
        for person in column.drop_nulls().unique(maintain_order=True):
            told.setdefault(person, {})
    yield from told.items()


def _alike(kind: str, text: str) -> str:
    """A name or an address in normalised form: 'Lovelace, Ada' becomes 'Ada Lovelace'."""
    if kind == SPELLING:
        return spelling_keys(text)[0]
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    if kind == "name":
        last, comma, first = plain.partition(", ")
        plain = f"{first} {last}" if comma and ", " not in first else plain
    return plain if kind in ("sis", "lms") else plain.casefold()


def _match(groups: _Groups, kind: str) -> tuple[int, int]:
    """Unite people with the same detail; return how many were united, and how many in doubt."""
    matched = doubtful = 0
    for sharing, in_doubt in _sharing(groups, kind):
        doubtful += in_doubt
        people = {id(groups.group[called]): called for called in sharing}
        if len(people) < 2:
            continue
        first, *others = people.values()
        count = Counter(called.file for called in sharing)
        crowded = {file for file, holders in count.items() if holders > 1}
        if crowded:
            # Which of several people it is cannot be decided.
            files = [{one.file for one in groups.group[called]} for called in people.values()]
            doubtful += sum(not crowded <= its for its in files)
        elif all(groups.may_be_one(*pair, kind) for pair in combinations(people.values(), 2)):
            for other in others:
                groups.unite(first, other)
            matched += len(others)
        else:
            doubtful += len(others)
    return matched, doubtful


def _sharing(groups: _Groups, kind: str) -> Iterator[tuple[list[Called], int]]:
    """Iterate over people with the same detail, and the number of doubtful namesakes."""
    holders: dict[str, list[Called]] = defaultdict(list)
    for called, told in groups.known.items():
        if kind in told:
            holders[told[kind]].append(called)
    doubtful: Counter[str] = Counter()
    described = {called.person for called, told in groups.known.items() if told}
    for called, told in groups.known.items():
        # A name without details may be a detail of any kind.
        own = _alike(kind, called.person)
        if kind in told or set(told) - {"name", SPELLING} or own not in holders:
            continue
        if not told and called.person in described:
            # Unless another file uses it as the name of somebody.
            doubtful[own] += all(
                groups.group[one] is not groups.group[called] for one in holders[own]
            )
        else:
            holders[own].append(called)
    for value, sharing in holders.items():
        yield sharing, doubtful[value]


def renamed_people(export: Export, names: dict[str, str]) -> Export:
    """Rename people, and submissions that have the names of people."""
    if not names:
        return export
    own = export.submissions.filter(pl.col("submission") == pl.col("author"))
    works = [
        (assignment, name, names[name])
        for assignment, name, _ in own.unique().iter_rows()
        if name in names
    ]
    other = _with_works(export, works)
    return replace(
        other,
        reviews=other.reviews.with_columns(pl.col("grader").replace(names)),
        submissions=other.submissions.with_columns(pl.col("author").replace(names)),
        people=other.people.with_columns(pl.col("person").replace(names)),
    )


def _with_works(export: Export, names: Sequence[tuple[str, str, str]]) -> Export:
    """Rename submissions, each identified by its assignment and its name."""
    place = ["assignment", "submission"]
    schema = dict.fromkeys((*place, "called"), pl.String)
    known = pl.DataFrame(names, schema=schema, orient="row")

    def called(frame: pl.DataFrame) -> pl.DataFrame:
        both = frame.join(known, on=place, how="left", maintain_order="left")
        return both.with_columns(submission=pl.coalesce("called", "submission")).drop("called")

    return replace(
        export,
        reviews=called(export.reviews),
        submissions=called(export.submissions),
        truth=called(export.truth),
    )
