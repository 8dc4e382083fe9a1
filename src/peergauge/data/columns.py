"""Which column of a table is what: guessed from headers and cells, shown, corrected and kept.

A map is a small TOML file that people can edit::

    [[column]]
    name = "Clarity (1-10)"
    is = "grade"
    criterion = "Clarity"
    lowest = 1
    highest = 10
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from peergauge.data.headers import (
    ASSIGNMENTS,
    AUTHORS,
    CRITERIA,
    GRADERS,
    GRADES,
    IDS,
    OTHERS,
    PEOPLE,
    ROLES,
    SMALL,
    STAFF,
    STATES,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    WEIGHTS,
    Scale,
    scale_of,
    words_of,
)
from peergauge.data.opening import Opened, RawTable, number
from peergauge.data.records import Role
from peergauge.errors import TableError
from peergauge.frames import write_bytes


class Part(StrEnum):
    """What a column of a table can be."""

    ASSIGNMENT = "assignment"
    SUBMISSION = "submission"
    AUTHOR = "author"
    GRADER = "grader"
    GRADE = "grade"
    CRITERION = "criterion"
    ROLE = "role"
    STATE = "state"
    WEIGHT = "weight"
    TRUTH = "truth"
    UNUSED = "unused"


ONCE = (
    Part.ASSIGNMENT,
    Part.SUBMISSION,
    Part.AUTHOR,
    Part.CRITERION,
    Part.ROLE,
    Part.STATE,
    Part.WEIGHT,
)
"""Parts that only one column can have."""


@dataclass(frozen=True)
class Column:
    """One column of a table and what it is.

    Parameters
    ----------
    name
        Its header; repeated headers are numbered, as in ``Score (2)``.
    part
        What it is.
    criterion
        What is judged, if its cells are grades or true scores; empty for the whole.
    lowest, highest
        The ends of its scale, where they are known.
    by
        The column that says who gave its grades, if there is one for each column of grades.
    grader
        Who gave its grades, if every column has the grades of one grader.
    role
        In what role its graders grade, if all do in the same.
    """

    name: str
    part: Part = Part.UNUSED
    criterion: str = ""
    lowest: float | None = None
    highest: float | None = None
    by: str = ""
    grader: str = ""
    role: str = ""

    def describe(self) -> str:
        """One line that says what it is."""
        if self.part is Part.UNUSED:
            return f"'{self.name}' is not used"
        told = f"'{self.name}' is the {self.part.value}"
        if self.criterion:
            told += f" for '{self.criterion}'"
        if self.highest is not None:
            low = "" if self.lowest is None else f"from {self.lowest:g} "
            told += f", {low}up to {self.highest:g}"
        if self.by:
            told += f", given by '{self.by}'"
        if self.grader:
            told += f", given by {self.grader}"
        return told + (f", as {self.role}" if self.role else "")


@dataclass(frozen=True)
class ColumnMap:
    """What each column of a table is.

    Parameters
    ----------
    columns
        The columns; those that are not listed are not used.
    assignment
        The name of the assignment, if no column says it.
    """

    columns: tuple[Column, ...]
    assignment: str = ""

    def __post_init__(self) -> None:
        times = Counter(column.name for column in self.columns)
        if repeated := next((name for name in times if times[name] > 1), None):
            raise TableError(f"The column map lists '{repeated}' twice; keep one.")
        for part in ONCE:
            if len(both := self.of(part)) > 1:
                raise TableError(
                    f"The column map has two columns for the {part.value}, '{both[0].name}' and "
                    f"'{both[1].name}'; keep one."
                )
        graders = {column.name for column in self.of(Part.GRADER)}
        for column in self.columns:
            if column.by and column.by not in graders:
                raise TableError(
                    f"The column map says that '{column.by}' gave the grades of '{column.name}', "
                    "but does not list it as a grader; add it."
                )

    def of(self, *parts: Part) -> tuple[Column, ...]:
        """The columns that are one of *parts*."""
        return tuple(column for column in self.columns if column.part in parts)

    def name_of(self, part: Part) -> str | None:
        """The name of the first column that is *part*, or None."""
        return next((column.name for column in self.of(part)), None)

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """What no column says and a table of reviews or true scores needs."""
        gone = []
        if not self.of(Part.SUBMISSION, Part.AUTHOR):
            gone.append("submission")
        if not self.of(Part.TRUTH):
            grades = self.of(Part.GRADE)
            signed = self.of(Part.GRADER) or (grades and all(one.grader for one in grades))
            gone += ["grader"] * (not signed) + ["grade"] * (not grades)
        return tuple(gone)

    def describe(self) -> str:
        """What each column is, a line each."""
        return "\n".join(column.describe() for column in self.columns)

    @classmethod
    def guess(cls, table: RawTable) -> ColumnMap:
        """What the columns of a table are, as far as headers and cells tell.

        Grades that nobody signed, one for each submission, are what staff say.
        """
        found = cls(_Guess(table).columns())
        place = [one.name for one in found.of(Part.ASSIGNMENT, Part.SUBMISSION)]
        if found.missing != ("grader",) or found.name_of(Part.SUBMISSION) is None:
            return found
        if table.frame.select(place).is_duplicated().any():
            return found
        told = (
            replace(one, part=Part.TRUTH) if one.part is Part.GRADE else one
            for one in found.columns
        )
        return replace(found, columns=tuple(told))

    @classmethod
    def of_file(cls, path: Path | str) -> ColumnMap:
        """What the columns of a file are, as far as headers and cells tell."""
        file = Opened(Path(path))
        if file.table is None:
            raise TableError(f"{path} is not a table; give a CSV file or a workbook.")
        return cls.guess(file.table)

    def write(self, path: Path | str) -> None:
        """Write the map as TOML, to be edited and used again."""
        lines = ["# What each column is: " + ", ".join(part.value for part in Part) + "."]
        if self.assignment:
            lines.append(f"assignment = {_quoted(self.assignment)}")
        for column in self.columns:
            lines += ["", "[[column]]", f"name = {_quoted(column.name)}", f'is = "{column.part}"']
            for field in fields(Column)[2:]:
                value = getattr(column, field.name)
                if value != field.default:
                    told = _quoted(value) if isinstance(value, str) else repr(float(value))
                    lines.append(f"{field.name} = {told}")
        write_bytes(("\n".join(lines) + "\n").encode(), Path(path))

    @classmethod
    def read(cls, path: Path | str) -> ColumnMap:
        """Read a map from TOML."""
        try:
            said = tomllib.loads(Opened(Path(path)).read(2**26).decode("utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise TableError(f"{path} is not a column map in TOML: {reason}.") from error
        assignment, listed = said.get("assignment", ""), said.get("column", [])
        if not isinstance(assignment, str) or not isinstance(listed, list) or not listed:
            raise TableError(
                f"{path} lists no columns; write [[column]] with name and is for each."
            )
        return cls(tuple(_column_of(one, str(path)) for one in listed), assignment)

    def fitting(self, table: RawTable, file: str) -> ColumnMap:
        """The map with every column of a table; refused where the table lacks one of its own."""
        have = table.frame.columns
        known = {column.name: column for column in self.columns}
        for name, column in known.items():
            if name not in have and column.part is not Part.UNUSED:
                raise TableError(
                    f"{file} has no column '{name}', which the column map calls the "
                    f"{column.part.value}, only {listed(have)}; correct the map."
                )
        return replace(self, columns=tuple(known.get(name, Column(name)) for name in have))


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names in quotes for a sentence, and how many more there are."""
    every = list(names)
    shown = ", ".join(f"'{' '.join(name[:60].split())}'" for name in every[:most])
    return shown + (f" and {len(every) - most} more" if len(every) > most else "")


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda c: f"\\u{ord(c.group()):04x}", escaped) + '"'


def _column_of(said: Any, path: str) -> Column:
    """A column from its TOML table."""
    if not isinstance(said, dict) or not isinstance(said.get("name"), str):
        raise TableError(f"{path} has a [[column]] without a name; give the header that it has.")
    name = said["name"]
    if said.get("is") not in list(Part):
        raise TableError(
            f"{path} says that '{name}' is {said.get('is')!r}, which is none of "
            f"{', '.join(part.value for part in Part)}."
        )
    given: dict[str, Any] = {}
    for key, value in said.items():
        if key in ("lowest", "highest") and isinstance(value, int | float):
            given[key] = float(value)
        elif (key in ("criterion", "by", "grader") and isinstance(value, str)) or (
            key == "role" and value in list(Role)
        ):
            given[key] = value
        elif key not in ("name", "is"):
            raise TableError(
                f"{path} says {key} = {value!r} of '{name}'; a column has name, is, criterion, "
                "lowest, highest, by, grader and role."
            )
    return Column(name, Part(said["is"]), **given)


# ---------------------------------------------------------------------------------- guessing

SAMPLE = 2000
"""Cells that are looked at to tell what a column is."""


class _Look(NamedTuple):
    """What headers and cells tell of one column."""

    place: int
    name: str
    scale: Scale
    words: list[str]
    filled: int
    numeric: bool
    whole: bool
    distinct: bool
    sparse: bool

    def says(self, known: dict[str, int]) -> bool:
        return self.rank(known) is not None

    def rank(self, known: dict[str, int]) -> tuple[int, int, int] | None:
        """How well it fits: its surest word, then headers that say it is an identifier."""
        found = [known[word] for word in map(_singular(known), self.words) if word in known]
        if not found:
            return None
        return min(found), not self.identifies, self.place

    @property
    def identifies(self) -> bool:
        """Whether its header says that it is an identifier."""
        return any(word in IDS for word in self.words)

    @property
    def numbered(self) -> str | None:
        """The one number in its header."""
        found = [word for word in self.words if word.isdigit()]
        return found[0] if len(found) == 1 else None

    @property
    def rest(self) -> list[str]:
        """What its header says beyond that it is a grade."""
        plain = [GRADES, TOTALS, TRUTHS, STAFF, SMALL, IDS]
        return [
            word
            for word in self.words
            if not any(_singular(known)(word) in known for known in plain)
        ]


def _singular(known: dict[str, int]) -> Callable[[str], str]:
    return lambda word: word if word in known else word.removesuffix("s")


def _look(table: RawTable) -> list[_Look]:
    frame = table.frame.head(SAMPLE)
    looks = []
    for place, (name, header) in enumerate(zip(frame.columns, table.header, strict=True)):
        cells = frame[name].drop_nulls()
        values = [number(cell) for cell in cells.head(200).to_list()]
        numbers = [value for value in values if value is not None]
        numeric = 2 * len(numbers) > len(values)
        scale = scale_of(header)
        if scale.highest is not None and scale.highest > 1000 and scale.lowest is None:
            scale = Scale(header)  # rather a number that a platform gave the column
        looks.append(
            _Look(
                place,
                name,
                scale,
                words_of(scale.name),
                len(cells),
                numeric,
                all(value == int(value) for value in numbers),
                bool(len(cells)) and cells.n_unique() == len(cells),
                4 * len(cells) < 3 * frame.height,
            )
        )
    return looks


class _Guess:
    """The parts that fit the columns of a table best, found one after the other."""

    def __init__(self, table: RawTable):
        self.looks = _look(table)
        self.found: dict[int, Column] = {}
        self.grades: list[_Look] = []
        self.graded: set[int] = set()

    def columns(self) -> tuple[Column, ...]:
        """Every column with its part."""
        self.leave_others()
        self.find_grades()
        self.pair()
        self.find_facts()
        self.find_columns_of_graders()
        signed = not self.has(Part.GRADE)
        if signed:
            self.find_grader()
        questions = [look for look in self.ids() if look.says(CRITERIA)]
        self.find_things([look for look in self.ids() if not look.says(CRITERIA)], signed)
        # Where staff have the word and nobody signs, the other grades were made of grades.
        if signed and (self.has(Part.GRADER) or not self.has(Part.TRUTH)):
            self.take_grades(questions)
        self.take_by_content()
        return tuple(self.found.get(look.place, Column(look.name)) for look in self.looks)

    def take(self, look: _Look, part: Part, **more: Any) -> None:
        """Settle what a column is."""
        self.found[look.place] = Column(look.name, part, **more)

    def take_grade(self, look: _Look, **more: str) -> None:
        """Settle that a column has grades, on the scale that its header names."""
        self.take(look, Part.GRADE, lowest=look.scale.lowest, highest=look.scale.highest, **more)

    def take_best(self, part: Part, known: dict[str, int], among: Iterable[_Look]) -> bool:
        """Settle which of some columns is *part*, if one says so."""
        ranked = [(rank, look) for look in among if (rank := look.rank(known)) is not None]
        if ranked:
            self.take(min(ranked, key=lambda one: one[0])[1], part)
        return bool(ranked)

    def has(self, *parts: Part) -> bool:
        """Whether there is a column for one of *parts*."""
        return any(column.part in parts for column in self.found.values())

    def free(self) -> list[_Look]:
        """The columns that are not settled."""
        return [look for look in self.looks if look.place not in self.found]

    def ids(self) -> list[_Look]:
        """The columns that are not settled and look like no grades."""
        return [look for look in self.free() if look.place not in self.graded]

    def leave_others(self) -> None:
        """Leave comments, dates and averages, unless they are judged on a scale of their own."""
        for look in self.looks:
            if look.says(OTHERS) and not (look.numeric and look.scale.highest is not None):
                self.take(look, Part.UNUSED)

    def find_grades(self) -> None:
        """Find true scores, and what may be grades."""
        for look in self.free():
            staff = look.says(STAFF) and not look.says(GRADERS)
            if look.numeric and (look.says(TRUTHS) or staff):
                criterion = look.scale.name if look.rest else ""
                self.take(look, Part.TRUTH, criterion=criterion, highest=look.scale.highest)
        self.grades = [
            look
            for look in self.free()
            if (look.numeric or not look.filled)
            and not look.says(WEIGHTS)
            and (look.says(GRADES) or look.says(TOTALS) or look.scale.highest is not None)
            and not look.identifies
        ]
        self.graded = {look.place for look in self.grades}

    def pair(self) -> None:
        """Find columns in pairs: Grade 1, Peer 1 ID, Grade 2, Peer 2 ID."""
        names = {
            look.numbered: look
            for look in reversed(self.ids())
            if look.numbered and look.says(GRADERS)
        }
        for place, look in {one.numbered: one for one in reversed(self.grades)}.items():
            if place and place in names:
                self.take(names[place], Part.GRADER)
                self.take_grade(look, by=names[place].name)

    def find_facts(self) -> None:
        """Find what is said about a review: role, state and weight."""
        for part, known in ((Part.ROLE, ROLES), (Part.STATE, STATES), (Part.WEIGHT, WEIGHTS)):
            numeric = part is Part.WEIGHT
            self.take_best(part, known, [look for look in self.ids() if look.numeric == numeric])

    def find_columns_of_graders(self) -> None:
        """Find columns for each grader: peer_1, peer_2, …"""
        named = [look for look in self.free() if look.says(GRADERS)]
        lone = any(look.numbered is None and look.place not in self.graded for look in named)
        each = [
            look
            for look in named
            if look.numbered and (look.numeric or not look.filled) and not look.identifies
        ]
        if not lone and len(each) > 1 and not self.has(Part.GRADE):
            for look in each:
                scaled = look.scale.highest is not None
                self.take_grade(look, grader=look.scale.name if scaled else look.name)

    def find_grader(self) -> None:
        """Find who gave the grades."""
        plain = [look for look in self.ids() if not look.says(SUBMISSIONS)]
        if not self.take_best(Part.GRADER, GRADERS, plain):
            self.take_best(Part.GRADER, GRADERS, self.ids())
        staff = [look for look in self.ids() if not look.numeric and look.says(STAFF)]
        if staff and not self.has(Part.GRADER):
            self.take(staff[0], Part.GRADER, role=Role.STAFF.value)

    def find_things(self, ids: list[_Look], signed: bool) -> None:
        """Find what was graded, for which assignment, and whose it is."""

        def free() -> list[_Look]:
            return [look for look in ids if look.place not in self.found]

        things = [look for look in ids if not look.says(GRADERS)]
        self.take_best(Part.SUBMISSION, SUBMISSIONS, things)
        self.take_best(Part.ASSIGNMENT, ASSIGNMENTS, free())
        self.take_best(Part.AUTHOR, AUTHORS, free())
        # A student beside a submission has graded it, unless somebody else has.
        only_truth = self.has(Part.TRUTH) and not self.grades
        named = self.has(Part.SUBMISSION, Part.AUTHOR) and not self.has(Part.GRADER)
        if named and signed and not only_truth:
            self.take_best(Part.GRADER, PEOPLE, free())
        elif not self.has(Part.AUTHOR):
            self.take_best(Part.AUTHOR, PEOPLE, free())

    def take_grades(self, questions: list[_Look]) -> None:
        """Tell the grade of the whole from those of criteria."""
        grades = [look for look in self.grades if look.place not in self.found]
        parts = [look for look in grades if look.rest]
        parts += [look for look in questions if look.numeric]
        whole = sorted(
            (look for look in grades if not look.rest),
            key=lambda look: (not look.says(TOTALS), look.rank(GRADES) or (99,), look.place),
        )
        if whole:
            self.take_grade(whole[0])
        elif len(parts) == 1 and not parts[0].says(CRITERIA):
            self.take_grade(parts[0])
            parts = []
        for look in parts:
            self.take_grade(look, criterion=look.scale.name)
        spelt = [look for look in questions if not look.numeric and look.filled]
        if spelt and len(self.grades) == 1:
            self.take(spelt[0], Part.CRITERION)

    def take_by_content(self) -> None:
        """Fill what headers leave open, where the cells leave only one choice."""
        numbers = [
            look for look in self.free() if look.filled and look.numeric and not look.identifies
        ]
        if not self.has(Part.GRADE, Part.TRUTH):
            if self.has(Part.GRADER):
                for look in numbers:
                    self.take_grade(look, criterion=look.name if len(numbers) > 1 else "")
            elif len(numbers) > 2 and all(look.sparse for look in numbers):
                # Nobody grades everything, so columns of graders have gaps.
                for look in numbers:
                    self.take_grade(look, grader=look.name)
        if self.has(Part.SUBMISSION, Part.AUTHOR) or not self.has(Part.GRADE, Part.TRUTH):
            return
        left = [look for look in self.free() if look.filled and look.whole]
        if self.has(Part.TRUTH) or any(column.grader for column in self.found.values()):
            left = [look for look in left if look.distinct]
        if len(left) == 1 or (left and left[0].place == 0 and left[0].distinct):
            self.take(left[0], Part.SUBMISSION)
