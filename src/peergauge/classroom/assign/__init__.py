"""Assignment of graders to submissions.

The requirements have this priority: nobody grades their own work or a submission twice, and
sections are respected; every submission has the requested number of graders; the loads of graders
are as even as possible; as few pairs of grader and author as possible meet again. Everything else
is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.assign.matching import even_matching, shuffle_matching
from peergauge.classroom.assign.rings import ring_of_clusters
from peergauge.core.errors import DesignError, ParameterError, TableError
from peergauge.core.files import as_polars, read_frame, readable
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream

Sections: TypeAlias = Literal["any", "within", "across"]

Owner: TypeAlias = tuple[bool, str]
"""The owner of a submission: whether it is a group, and the name of the group or student."""

STUDENT_COLUMNS = ("student", "grader", "person", "id", "email", "name")
"""Columns that may contain the students of a roster, by decreasing priority."""

AUTHOR_SEPARATOR = "; "
"""Separator between the authors of one submission."""


@dataclass(frozen=True, eq=False)
class Roster:
    """The students of a class and their submissions, each ordered by name.

    Parameters
    ----------
    student
        Names of the students.
    submission
        Names of the submissions.
    submission_of
        Submission of each student; members of a group share one.
    group
        Group of each submission; None for a student without a group.
    section
        Section of each student, if there are sections.
    """

    student: tuple[str, ...]
    submission: tuple[str, ...]
    submission_of: NDArray[np.int64]
    group: tuple[str | None, ...]
    section: tuple[str, ...] | None

    @classmethod
    def from_frame(cls, roster: Any, *, source: str = "", sections: bool = False) -> Roster:
        """Read a roster from a table or a file; with *sections*, every student needs a section."""
        frame, source = _opened(roster, source)
        column = _student_column(frame, source)
        frame, where = readable(frame, "students", [column], source)
        names = _texts(frame, column)
        seen: set[str] = set()
        for row, name in enumerate(names):
            if name is None:
                raise TableError(f"{where(row)} has no {column}; fill it in or drop the row.")
            if name in seen:
                raise TableError(f"{where(row)} lists student {name} again; keep one.")
            seen.add(name)
        sections_of = _texts(frame, "section")
        if sections:
            if "section" not in _lower(frame):
                raise TableError(
                    f"{source or 'The table of students'} has no column 'section', which is needed "
                    "to keep to sections."
                )
            for row, section in enumerate(sections_of):
                if section is None:
                    raise TableError(f"{where(row)} has no section; fill it in or drop the row.")
        owners: list[Owner] = [
            (True, group) if group is not None else (False, str(name))
            for name, group in zip(names, _texts(frame, "group"), strict=True)
        ]
        owner_of = _titles(owners, _texts(frame, "submission"), where)
        submission = tuple(sorted(owner_of))
        number = {owner_of[title]: place for place, title in enumerate(submission)}
        order = sorted(range(len(names)), key=lambda row: str(names[row]))
        people = cls(
            student=tuple(str(names[row]) for row in order),
            submission=submission,
            submission_of=np.array([number[owners[row]] for row in order], dtype=np.int64),
            group=tuple(owner_of[title][1] if owner_of[title][0] else None for title in submission),
            section=tuple(str(sections_of[row]) for row in order) if sections else None,
        )
        joint = [name for names in people.authors if len(names) > 1 for name in names]
        for name in joint:
            if AUTHOR_SEPARATOR in name:
                raise TableError(
                    f"Student '{name}' is in a group, but '{AUTHOR_SEPARATOR}' stands between the "
                    "names of its members; write the name without it."
                )
        return people

    @property
    def authors(self) -> list[list[str]]:
        """Names of the authors of each submission."""
        names: list[list[str]] = [[] for _ in self.submission]
        for student, submission in zip(self.student, self.submission_of.tolist(), strict=True):
            names[submission].append(student)
        return names

    @property
    def grouped(self) -> bool:
        """Whether any submission has several authors."""
        return len(self.submission) < len(self.student)


@dataclass(frozen=True, eq=False)
class Assigned:
    """Designs for one or more assignments in a row.

    Parameters
    ----------
    table
        Table with a row for each grade to be given: assignment, submission, author, grader.
    loads
        Table with the number of submissions for each assignment and grader.
    repeats
        For each assignment, the number of pairs of grader and author who have met before.
    fewest
        Whether it is certain that no design has fewer repeats, given the earlier designs.
    """

    table: pl.DataFrame
    loads: pl.DataFrame
    repeats: tuple[int, ...]
    fewest: bool

    @property
    def summary(self) -> list[str]:
        """Summary for instructors, as a list of lines."""
        first = self.table.filter(self.table["assignment"] == 1)
        submissions = first["submission"].n_unique()
        students = self.loads["grader"].n_unique()
        lines = [
            f"{students} students, {submissions} submissions with "
            f"{first.height // submissions} graders each"
        ]
        for number, (repeats, of_one) in enumerate(
            zip(self.repeats, self.loads.partition_by("assignment"), strict=True), start=1
        ):
            counts = sorted(Counter(of_one["load"].to_list()).items())
            if len(counts) == 1:
                loads = f"everybody grades {counts[0][0]}"
            else:
                loads = ", ".join(f"{people} grade {load}" for load, people in counts)
            met = f"{repeats} {'pair meets' if repeats == 1 else 'pairs meet'} again"
            if repeats:
                met += ", as few as possible" if self.fewest else ", the fewest that were found"
            lines.append(f"Assignment {number}: {loads}; {met}")
        return lines


def assign_graders(
    roster: Any,
    graders: int = 4,
    *,
    earlier: Sequence[Any] = (),
    sections: Sections = "any",
    clusters: bool = False,
    assignments: int = 1,
    seed: int = 0,
) -> Assigned:
    """Draw a design: assign graders to every submission.

    Parameters
    ----------
    roster
        Table of the students, or its path. The students are in the column ``student`` (or another
        of ``STUDENT_COLUMNS``); the columns ``group``, ``section`` and ``submission`` are optional.
    graders
        Number of graders of every submission.
    earlier
        Tables, or paths, of earlier designs with columns ``grader`` and ``author``. These pairs are
        avoided.
    sections
        Whether students grade only within their section, only across sections, or anybody. The
        work of a group belongs to the sections of all its members.
    clusters
        Whether students form clusters of *graders* students that grade the next cluster's work.
    assignments
        Number of designs; each avoids the pairs of the earlier designs.
    seed
        The same seed gives the same design, for any order of the students.

    Examples
    --------
    >>> drawn = assign_graders({"student": ["ann", "bob", "cy", "di", "eve"]}, 2, seed=1)
    >>> for line in drawn.summary:
    ...     print(line)
    5 students, 5 submissions with 2 graders each
    Assignment 1: everybody grades 2; 0 pairs meet again
    """
    if sections not in {"any", "within", "across"}:
        raise ParameterError(f"Sections are any, within or across, not '{sections}'.")
    if assignments < 1:
        raise ParameterError(
            f"At least one assignment is needed, but {assignments} were asked for."
        )
    if graders < 1:
        raise DesignError(f"Every submission needs a grader, but {graders} were asked for.")
    people = Roster.from_frame(roster, sections=sections != "any")
    eligible = _eligible(people, sections)
    _check_enough(people, eligible, graders, sections)
    count = len(people.student)
    met = _met(people, earlier)
    authors = [AUTHOR_SEPARATOR.join(names) for names in people.authors]
    tables, loads, repeats = [], [], []
    for number in range(1, assignments + 1):
        rng = stream(seed, "assign", number)
        if clusters:
            graders_of, again = _in_clusters(people, graders, sections, met, rng)
        else:
            cost = np.zeros(eligible.shape, dtype=np.int16)
            grader, author = np.nonzero(met)
            np.add.at(cost, (people.submission_of[author], grader), 1)
            graders_of = even_matching(eligible, cost, graders, rng)
            _check_even(people, graders_of, graders)
            shuffle_matching(graders_of, eligible, cost, rng)
            again = int(np.take_along_axis(cost, graders_of, axis=1).sum())
        graders_of = np.sort(graders_of, axis=1)
        rows = [
            (number, people.submission[submission], authors[submission], people.student[grader])
            for submission, chosen in enumerate(graders_of.tolist())
            for grader in chosen
        ]
        tables += rows
        load = np.bincount(graders_of.reshape(-1), minlength=count).tolist()
        loads += [(number, *one) for one in zip(people.student, load, strict=True)]
        repeats.append(again)
        author = np.arange(count)
        met[graders_of[people.submission_of[author]].T, author] = True
    texts = {"assignment": pl.Int64, "submission": pl.String, "author": pl.String}
    return Assigned(
        table=pl.DataFrame(tables, schema={**texts, "grader": pl.String}, orient="row"),
        loads=pl.DataFrame(
            loads,
            schema={"assignment": pl.Int64, "grader": pl.String, "load": pl.Int64},
            orient="row",
        ),
        repeats=tuple(repeats),
        fewest=not clusters or not any(repeats),
    )


def _titles(
    owners: list[Owner], titles: list[str | None], where: Callable[[int], str]
) -> dict[str, Owner]:
    """Owner of each submission by its title, which is given or the name of the owner."""
    title_of: dict[Owner, str] = {}
    for row, (owner, title) in enumerate(zip(owners, titles, strict=True)):
        if title is not None and title_of.setdefault(owner, title) != title:
            raise TableError(
                f"{where(row)} calls the submission of group {owner[1]} '{title}', but another "
                f"row calls it '{title_of[owner]}'; a group submits once."
            )
    owner_of: dict[str, Owner] = {}
    for row, owner in enumerate(owners):
        title = title_of.get(owner, owner[1])
        if owner_of.setdefault(title, owner) != owner:
            raise TableError(
                f"{where(row)} has submission '{title}', which is somebody else's too; give "
                "those who submit together one group, and others different names."
            )
    return owner_of


def _eligible(people: Roster, sections: Sections) -> NDArray[np.bool_]:
    """Mask of the students who may grade each submission: submissions × students."""
    count = len(people.student)
    eligible = np.ones((len(people.submission), count), dtype=np.bool_)
    if people.section is not None:
        names, section = np.unique(np.array(people.section), return_inverse=True)
        of_authors = np.zeros((len(people.submission), len(names)), dtype=np.bool_)
        of_authors[people.submission_of, section] = True
        inside = of_authors[:, section]
        eligible = inside if sections == "within" else ~inside
    eligible[people.submission_of, np.arange(count)] = False
    return eligible


def _check_enough(
    people: Roster, eligible: NDArray[np.bool_], graders: int, sections: Sections
) -> None:
    """Raise an error if a submission has too few eligible graders."""
    left = eligible.sum(axis=1)
    if left.min() >= graders:
        return
    worst = int(left.argmin())
    most, count = int(left[worst]), len(people.student)
    authors = np.flatnonzero(people.submission_of == worst)
    asked = f"but {graders} {'was' if graders == 1 else 'were'} asked for"
    whose = f"'{people.submission[worst]}'"
    if people.section is not None:
        named = sorted({people.section[author] for author in authors})
        size = sum(one in named for one in people.section)
        where = f"section {named[0]}" if len(named) == 1 else f"sections {', '.join(named)}"
        among = f"the {size} in {where}" if sections == "within" else f"the {count} students"
        raise DesignError(
            f"Grading {sections} sections leaves {most} of {among} to grade submission {whose}"
            f"{'' if sections == 'within' else f' of {where}'}, {asked}."
        )
    if len(authors) > 1:
        raise DesignError(
            f"Group {people.group[worst]} has {len(authors)} of the {count} students, which leaves "
            f"{most} to grade its work, {asked}."
        )
    raise DesignError(
        f"A class of {count} has at most {most} graders for a submission, since nobody grades "
        f"their own, {asked}."
    )


def _check_even(people: Roster, graders_of: NDArray[np.int64], graders: int) -> None:
    """Raise an error if loads differ by more than one although there are no groups."""
    load = np.bincount(graders_of.reshape(-1), minlength=len(people.student))
    if people.grouped or people.section is None or load.max() - load.min() <= 1:
        return
    name, size = Counter(people.section).most_common(1)[0]
    raise DesignError(
        f"Section {name} has {size} of the {len(people.student)} students, so that the others "
        f"would have to grade {load.max()} submissions instead of {graders} for all of its work to "
        "be graded across sections; no section can have more than half of the class."
    )


def _in_clusters(
    people: Roster,
    size: int,
    sections: Sections,
    met: NDArray[np.bool_],
    rng: np.random.Generator,
) -> tuple[NDArray[np.int64], int]:
    """Graders of each submission and the number of repeats, for a design in clusters."""
    if people.grouped:
        largest, members = Counter(people.submission_of.tolist()).most_common(1)[0]
        raise DesignError(
            f"Clusters need as many submissions as students, but the {members} members of group "
            f"{people.group[largest]} submit once."
        )
    names = people.section or ("",) * len(people.student)
    ring = ring_of_clusters(names, size, sections, met, rng)
    graders_of = np.empty((len(people.submission), size), dtype=np.int64)
    again = 0
    for cluster, following in ring:
        graders_of[people.submission_of[following]] = cluster
        again += int(met[np.ix_(cluster, following)].sum())
    return graders_of, again


def _met(people: Roster, earlier: Sequence[Any]) -> NDArray[np.bool_]:
    """Mask of the students (rows) who have graded other students (columns) before."""
    number = {name: place for place, name in enumerate(people.student)}
    met = np.zeros((len(number), len(number)), dtype=np.bool_)
    for one in earlier:
        frame, source = _opened(one, "")
        table, where = readable(frame, "earlier designs", ["grader", "author"], source)
        pairs = zip(_texts(table, "grader"), _texts(table, "author"), strict=True)
        for row, (grader, author) in enumerate(pairs):
            if grader is None or author is None:
                lacking = "grader" if grader is None else "author"
                raise TableError(f"{where(row)} has no {lacking}; fill it in or drop the row.")
            # Pairs with students who have left the class are ignored.
            for name in [author] if author in number else author.split(AUTHOR_SEPARATOR):
                if grader in number and name in number:
                    met[number[grader], number[name]] = True
    return met


def _opened(given: Any, source: str) -> tuple[pl.DataFrame, str]:
    """Load a table from a frame or a file; return it with its name for messages."""
    if isinstance(given, str | Path):
        return read_frame(given), str(given)
    return as_polars(given), source


def _lower(frame: pl.DataFrame) -> dict[str, str]:
    """Mapping from lower-case names to the columns of a table."""
    return {name.strip().lower(): name for name in reversed(frame.columns)}


def _student_column(frame: pl.DataFrame, source: str) -> str:
    found = _lower(frame)
    for name in STUDENT_COLUMNS:
        if name in found:
            return found[name]
    accepted = f"{', '.join(STUDENT_COLUMNS[:-1])} or {STUDENT_COLUMNS[-1]}"
    raise TableError(
        f"{source or 'The table of students'} has no column that names the students; {accepted} is "
        f"accepted, and it has {', '.join(frame.columns) or 'none'}."
    )


def _texts(frame: pl.DataFrame, column: str) -> list[str | None]:
    """A column as text, with None for blank cells or if the column is missing."""
    found = _lower(frame).get(column.strip().lower())
    if found is None:
        return [None] * frame.height
    return [
        None if cell is None or not str(cell).strip() else str(cell)
        for cell in frame[found].to_list()
    ]
