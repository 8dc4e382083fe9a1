"""Replacing every name of a class by a pseudonym, with a separate key.

The names are replaced in a class that is already checked, because how repeated reviews are settled
may depend on the order of rows, and nothing of that order may be left afterwards.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from peergauge.core.lazy import pl
from peergauge.core.text import as_counted
from peergauge.exports.questions import Interpretation
from peergauge.exports.records import Note, table
from peergauge.exports.validate import UNCOUNTED_NOTE, ImportReport, OpenedClass
from peergauge.tables import Reports, Truth

PSEUDONYM_LETTERS = {
    "person": "p",
    "submission": "s",
    "section": "c",
    "assignment": "a",
    "criterion": "k",
}
"""The first letters of pseudonyms."""

ORDERED_KINDS = ("assignment", "criterion")
"""Kinds whose pseudonyms are in the order of their names, as time and rubric order them."""

KINDS_OF_COLUMNS = {
    "grader": "person",
    "author": "person",
    "person": "person",
    "submission": "submission",
    "section": "section",
    "assignment": "assignment",
    "criterion": "criterion",
}
"""The kinds of names that the columns of tables hold."""

PLAIN_REASONS = frozenset(
    {
        "no submission is named",
        "no grader is named",
        "a review of one's own work",
        "a review for practice",
        "by staff, taken for the true score",
        "assigned, but not done",
        "no score is given",
        UNCOUNTED_NOTE,
    }
)
"""Reasons in notes that quote nothing from the files, so that they can name nobody."""

COUNTED_PATTERN = re.compile(r"(\d+ reviews?): (.*)", re.DOTALL)
"""The form of notes about a number of reviews, with the reason at the end."""

LEFT_OUT_NOTE = "Other notes are left out, because they quote the files; 'peergauge check' has all."

Key = TypeVar("Key", bound=Hashable)


def pseudonymize(opened: OpenedClass, seed: int | None = None) -> tuple[OpenedClass, pl.DataFrame]:
    """Return the same class under pseudonyms, and the key: ``kind``, ``name``, ``pseudonym``.

    See :func:`pseudonymize_each`.
    """
    classes, key = pseudonymize_each({"": opened}, seed)
    return classes[""], key


def pseudonymize_each(
    classes: Mapping[Key, OpenedClass], seed: int | None = None
) -> tuple[dict[Key, OpenedClass], pl.DataFrame]:
    """Return classes of the same people under pseudonyms, and their common key.

    People, submissions and sections are numbered in random order, and all rows are sorted by
    pseudonyms, so that neither a number nor a place reveals anything about a person. Assignments
    and criteria, whose titles may name somebody, are numbered in their own order. Nothing else that
    was written in the files is kept: no details about people, no comments, no names of files, no
    row numbers, and no notes that quote a file.

    Whoever knows some grades can still recognise people by them; pseudonyms do not prevent that.

    Parameters
    ----------
    seed
        A seed to get the same pseudonyms again; by default they cannot be reproduced.
    """
    names = Pseudonyms.drawn(classes.values(), seed)
    return {place: names.of_class(one) for place, one in classes.items()}, names.key


@dataclass(frozen=True)
class Pseudonyms:
    """Pseudonyms of everything that has a name in a class.

    Parameters
    ----------
    of
        For each kind of name, the pseudonyms by names.
    """

    of: Mapping[str, Mapping[str, str]]

    @classmethod
    def drawn(cls, classes: Iterable[OpenedClass], seed: int | None = None) -> Pseudonyms:
        """Draw pseudonyms for all names of some classes."""
        rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
        found: dict[str, dict[str, None]] = {kind: {} for kind in PSEUDONYM_LETTERS}
        for opened in classes:
            for kind, names in _names_in(opened):
                # An empty title says that there is only one assignment.
                found[kind].update(dict.fromkeys(name for name in names if name))
        return cls({kind: _numbered(kind, list(names), rng) for kind, names in found.items()})

    @property
    def key(self) -> pl.DataFrame:
        """All names with their pseudonyms: columns ``kind``, ``name``, ``pseudonym``."""
        rows = [(kind, *pair) for kind, names in self.of.items() for pair in names.items()]
        columns = dict.fromkeys(("kind", "name", "pseudonym"), pl.String)
        return pl.DataFrame(rows, schema=columns, orient="row").sort("kind", "pseudonym")

    def of_class(self, opened: OpenedClass) -> OpenedClass:
        """The class under pseudonyms; rubrics and comments are left out."""
        truth = opened.truth
        assigned = opened.assigned
        return OpenedClass(
            reports=Reports.from_frame(self._renamed(opened.reports.to_polars()), opened.scale),
            truth=None if truth is None else Truth.from_frame(self._scores(truth)),
            submissions=self._renamed(opened.submissions),
            people=table("people", self._renamed(opened.people.select("person", "section"))),
            report=self._report(opened.report),
            interpretation=Interpretation(),
            criterion_scores=self._renamed(opened.criterion_scores),
            assigned=None if assigned is None else self._renamed(assigned),
            left_out=self._renamed(opened.left_out),
        )

    def _renamed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """A table under pseudonyms, sorted by all of its columns."""
        changed = frame.with_columns(
            pl.col(name).cast(pl.String).replace(dict(self.of[KINDS_OF_COLUMNS[name]]))
            for name in frame.columns
            if name in KINDS_OF_COLUMNS
        )
        return changed.sort(changed.columns)

    def _scores(self, truth: Truth) -> pl.DataFrame:
        return self._renamed(truth.to_polars().select("assignment", "submission", "score"))

    def _report(self, report: ImportReport) -> ImportReport:
        notes = list(filter(None, map(_plain_note, report.notes)))
        if len(notes) < len(report.notes):
            notes.append(Note("missed", LEFT_OUT_NOTE))
        criteria = tuple(self.of["criterion"].get(one, one) for one in report.criteria)
        return replace(
            report, criteria=criteria, notes=tuple(sorted(set(notes), key=_kind_and_text)), files=()
        )


def restored(opened: OpenedClass, key: pl.DataFrame) -> OpenedClass:
    """Return the class under its original names, with its rows in the order of these."""
    back = {
        kind: dict(key.filter(pl.col("kind") == kind).select("pseudonym", "name").rows())
        for kind in PSEUDONYM_LETTERS
    }
    return Pseudonyms(back).of_class(opened)


def _names_in(opened: OpenedClass) -> Iterator[tuple[str, Iterable[str | None]]]:
    """All names of a class, each list with its kind."""
    yield "criterion", opened.report.criteria
    frames = [opened.reports.to_polars(), opened.submissions, opened.people]
    frames += [opened.criterion_scores, opened.left_out]
    frames += [one.to_polars() for one in (opened.truth,) if one is not None]
    frames += [one for one in (opened.assigned,) if one is not None]
    for frame in frames:
        for name in frame.columns:
            if name in KINDS_OF_COLUMNS:
                yield KINDS_OF_COLUMNS[name], frame[name].cast(pl.String).unique()


def _numbered(kind: str, names: list[str], rng: np.random.Generator) -> dict[str, str]:
    """Pseudonyms of one kind; those of people, submissions and sections in random order."""
    letter, width = PSEUDONYM_LETTERS[kind], len(str(len(names)))
    if kind == "assignment":
        names = sorted(names, key=as_counted)
    numbers = np.arange(len(names))
    if kind not in ORDERED_KINDS:
        names, numbers = sorted(names), rng.permutation(len(names))
    return {
        name: f"{letter}{number + 1:0{width}d}" for name, number in zip(names, numbers, strict=True)
    }


def _plain_note(note: Note) -> Note | None:
    """The note without rows and file; None if it may quote a file."""
    found = COUNTED_PATTERN.fullmatch(note.text)
    plain = found is not None and found[2] in PLAIN_REASONS
    return Note(note.kind, note.text) if plain or note.text == LEFT_OUT_NOTE else None


def _kind_and_text(note: Note) -> tuple[str, str]:
    return note.kind, note.text
