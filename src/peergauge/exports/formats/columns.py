"""Column maps: what each column of a table holds, and answers to questions about a class.

A map is a small TOML file that people can edit::

    [[column]]
    name = "Clarity (1-10)"
    is = "grade"
    criterion = "Clarity"
    lowest = 1
    highest = 10

    [[column]]
    name = "Overall"
    is = "grade"
    values = { "poor" = 1, "fair" = 2, "good" = 3 }

It also stores answers to questions about the class::

    [answers]
    duplicates = "newest"
"""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from peergauge.core.errors import TableError
from peergauge.core.files import write_bytes
from peergauge.core.text import composed
from peergauge.exports.formats.headers import details_of
from peergauge.exports.formats.marks import said as _as_compared
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.questions import Question, map_line
from peergauge.exports.records import Role

MAX_MAP_BYTES = 2**26
"""Largest column map in bytes."""


SHEET_COLUMN = "sheet name"
"""A column that holds the name of the sheet: a map may say what that name is."""


class Part(StrEnum):
    """What a column of a table can hold."""

    ASSIGNMENT = "assignment"
    SUBMISSION = "submission"
    AUTHOR = "author"
    GRADER = "grader"
    GRADE = "grade"
    CRITERION = "criterion"
    ROLE = "role"
    STATE = "state"
    WEIGHT = "weight"
    TIME = "time"
    SELF = "self"
    MAXIMUM = "maximum"
    OWN = "own submission"
    TRUTH = "truth"
    NAME = "name"
    FIRST_NAME = "first name"
    LAST_NAME = "last name"
    EMAIL = "email"
    SIS = "sis"
    LMS = "lms"
    LOGIN = "login"
    SECTION = "section"
    COMMENT = "comment"
    PRIVATE_COMMENT = "private comment"
    UNUSED = "unused"


PERSON_PARTS = (
    Part.SIS,
    Part.LOGIN,
    Part.LMS,
    Part.EMAIL,
    Part.NAME,
    Part.FIRST_NAME,
    Part.LAST_NAME,
    Part.SECTION,
)
"""Details about a person, beginning with the one that identifies a person best."""

COMMENT_PARTS = (Part.COMMENT, Part.PRIVATE_COMMENT)
"""What reviewers wrote: for the author of the submission, or for staff only."""

OPTIONAL_PARTS = (Part.UNUSED, *COMMENT_PARTS)
"""Parts of a column map that a table need not have."""

FIRST_AND_LAST = {Part.FIRST_NAME, Part.LAST_NAME}
"""Two columns that name a person together."""

SINGLE_PARTS = (
    Part.ASSIGNMENT,
    Part.SUBMISSION,
    Part.CRITERION,
    Part.ROLE,
    Part.STATE,
    Part.WEIGHT,
    Part.TIME,
    Part.SELF,
    Part.OWN,
)
"""Parts that only one column of a table can hold."""


@dataclass(frozen=True)
class Column:
    """One column of a table and what it holds.

    Parameters
    ----------
    name
        The header; repeated headers are numbered, as in ``Score (2)``.
    part
        What the column holds.
    criterion
        The criterion of grades, true scores or comments; empty for the whole review.
    lowest, highest
        The ends of the scale, if they are known.
    by
        The column with the graders of these grades, if each column of grades has one.
    grader
        The grader of all grades in the column, if every grader has a column.
    of
        The column with the submissions of these grades, if each column of grades has one. For a
        maximum, the column of grades that it belongs to; all of them if empty.
    submission
        The submission of all grades in the column, if every submission has a column. With
        ``whose = "author"`` it is a person, whose own work or contribution is graded.
    assignment
        The assignment of all grades in the column, if every assignment has columns of its own.
    role
        The role of the graders, if all have the same.
    values
        The values of words or letters, if the grades are not numbers.
    weight
        The weight of the criterion in the whole grade; 1 if none is stated.
    whose
        The person whose name, email and so on the column holds: ``grader`` or ``author``; by
        default the grader if there is one.
    """

    name: str
    part: Part = Part.UNUSED
    criterion: str = ""
    lowest: float | None = None
    highest: float | None = None
    by: str = ""
    grader: str = ""
    of: str = ""
    submission: str = ""
    assignment: str = ""
    role: str = ""
    values: Mapping[str, float] = field(default_factory=dict, hash=False)
    weight: float = 1.0
    whose: str = ""

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The ends of the scale: as given, or else those of the values."""
        lowest = min(self.values.values(), default=None) if self.lowest is None else self.lowest
        highest = max(self.values.values(), default=None) if self.highest is None else self.highest
        return lowest, highest

    def describe(self) -> str:
        """One line that says what the column holds."""
        if self.part is Part.UNUSED:
            return f"'{self.name}' is not used"
        told = f"'{self.name}' is the {self.part.value}"
        if self.whose:
            told += f" of the {self.whose}"
        if self.criterion:
            told += f" for '{self.criterion}'"
        if self.highest is not None:
            low = "" if self.lowest is None else f"from {self.lowest:g} "
            told += f", {low}up to {self.highest:g}"
        if self.weight != 1:
            told += f", of weight {self.weight:g}"
        if self.values:
            told += f", where {told_values(self.values)}"
        if self.by:
            told += f", given by '{self.by}'"
        if self.grader:
            told += f", given by {self.grader}"
        if self.of:
            told += f", of '{self.of}'"
        if self.submission:
            told += f", of {self.submission}"
        if self.assignment:
            told += f", in {self.assignment}"
        return told + (f", as {self.role}" if self.role else "")


@dataclass(frozen=True)
class ColumnMap:
    """What each column of a table holds.

    Parameters
    ----------
    columns
        The columns; columns that are not listed are not used.
    assignment
        The name of the assignment, if no column holds it.
    answers
        Answers to questions about the class: see :mod:`peergauge.exports.questions`.
    """

    columns: tuple[Column, ...]
    assignment: str = ""
    answers: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        times = Counter(column.name for column in self.columns)
        if repeated := next((name for name in times if times[name] > 1), None):
            raise TableError(f"The column map lists '{repeated}' twice; keep one.")
        blocks = {column.of for column in self.columns if column.of}
        for part in SINGLE_PARTS:
            both = tuple(one for one in self.of(part) if one.name not in blocks)
            if len(both) > 1:
                raise TableError(
                    f"The column map has two columns for the {part.value}, '{both[0].name}' and "
                    f"'{both[1].name}'; keep one."
                )
        for part, whose in Counter((one.part, one.whose) for one in self.of(*PERSON_PARTS)):
            both = tuple(one for one in self.of(part) if one.whose == whose)
            if len(both) > 1:
                raise TableError(
                    f"The column map has two columns for the {part.value} of one person, "
                    f"'{both[0].name}' and '{both[1].name}'; keep one."
                )
        for part in (Part.GRADER, Part.AUTHOR):
            names = self.together(part)
            if len(names) > 1 and set(details_of(names)) != FIRST_AND_LAST:
                raise TableError(
                    f"The column map has two columns for the {part.value}, '{names[0]}' and "
                    f"'{names[1]}'; keep one, or say with by = which grades each of them gave."
                )
        graders = {column.name for column in self.of(Part.GRADER)}
        for column in self.columns:
            if column.by and column.by not in graders:
                raise TableError(
                    f"The column map says that '{column.by}' gave the grades of '{column.name}', "
                    "but does not list it as a grader; add it."
                )
            if column.of and column.of not in {one.name for one in self.columns}:
                raise TableError(
                    f"The column map says that '{column.name}' belongs to '{column.of}', but does "
                    "not list that column; add it."
                )

    def of(self, *parts: Part) -> tuple[Column, ...]:
        """The columns that hold one of *parts*."""
        return tuple(column for column in self.columns if column.part in parts)

    def name_of(self, part: Part) -> str | None:
        """The name of the first column that holds *part*, or None."""
        return next((column.name for column in self.of(part)), None)

    def together(self, part: Part) -> list[str]:
        """The columns that name graders or authors together, without those of pairs.

        The first name comes before the last name.
        """
        paired = {name for column in self.columns for name in (column.by, column.of) if name}
        names = [column.name for column in self.of(part) if column.name not in paired]
        return names[::-1] if details_of(names) == ["last name", "first name"] else names

    @property
    def is_roster(self) -> bool:
        """Whether the table has no grades, and lists people or authors."""
        graded = self.of(Part.GRADE, Part.TRUTH, Part.GRADER)
        return not graded and bool(self.of(Part.AUTHOR) and self.of(Part.SUBMISSION, *PERSON_PARTS))

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """The required parts that no column holds; a roster requires less."""
        if self.is_roster:
            return ()
        gone = []
        grades = self.of(Part.GRADE)
        named = bool(grades) and all(one.of or one.submission for one in grades)
        if not named and not self.of(Part.SUBMISSION, Part.AUTHOR):
            gone.append("submission")
        if not self.of(Part.TRUTH):
            signed = self.of(Part.GRADER) or (grades and all(one.grader for one in grades))
            gone += ["grader"] * (not signed) + ["grade"] * (not grades)
        return tuple(gone)

    def lines(self) -> Iterator[str]:
        """One line for each column, and one for each missing part."""
        yield from (column.describe() for column in self.columns)
        yield from (f"no column is the {what}" for what in self.missing)

    def write(self, path: Path | str, questions: Iterable[Question] = ()) -> None:
        """Write the map as TOML, to edit and use again.

        Open *questions* stand in it as comments, each with its default as an answer.
        """
        document = tomlkit.document()
        parts = ", ".join(part.value for part in Part)
        document.add(tomlkit.comment(f"What each column is: {parts}."))
        if self.assignment:
            document.add("assignment", tomlkit.item(self.assignment))
        asked = [one for one in questions if one.key not in self.answers]
        if self.answers or asked:
            document.add("answers", _answers(self.answers, asked))
        tables = tomlkit.aot()
        for column in self.columns:
            one = tomlkit.table()
            one.add("name", column.name)
            one.add("is", column.part.value)
            for fact in fields(Column)[2:]:
                value = getattr(column, fact.name)
                if isinstance(value, Mapping):
                    if value:
                        one.add(fact.name, _inline({k: float(v) for k, v in value.items()}))
                elif value != fact.default:
                    one.add(fact.name, value if isinstance(value, str) else float(value))
            tables.append(one)
        if self.columns:
            document.add("column", tables)
        write_bytes(document.as_string().encode(), Path(path))

    @classmethod
    def read(cls, path: Path | str) -> ColumnMap:
        """Read a map from TOML."""
        said = _toml(path)
        assignment, answers = said.get("assignment", ""), said.get("answers", {})
        columns = said.get("column", [])
        if not isinstance(assignment, str) or not isinstance(columns, list):
            raise TableError(
                f"{path} is not a column map; write [[column]] with name and is for each column."
            )
        if not isinstance(answers, dict) or not all(
            isinstance(one, str | int | float) for one in answers.values()
        ):
            raise TableError(
                f"{path} should have one value for each question below [answers], such as "
                'duplicates = "newest".'
            )
        if not columns and not answers and not assignment:
            raise TableError(
                f"{path} lists no columns; write [[column]] with name and is for each."
            )
        return cls(
            tuple(_column_of(one, str(path)) for one in columns),
            assignment,
            {key: _answer(value) for key, value in answers.items()},
        )

    def fits(self, tables: Iterable[RawTable]) -> bool:
        """Whether one of some tables has all columns that the map uses."""
        used = {column.name for column in self.columns if column.part not in OPTIONAL_PARTS}
        used.discard(SHEET_COLUMN)
        return bool(used) and any(used <= set(table.frame.columns) for table in tables)

    def fitting(self, table: RawTable, file: str) -> ColumnMap:
        """Extend the map to every column of a table; refused if the table lacks one of the map."""
        have = table.frame.columns
        known = {column.name: column for column in self.columns}
        for name, column in known.items():
            if name not in have and column.part not in OPTIONAL_PARTS:
                raise TableError(
                    f"{file} has no column '{name}', which the column map calls the "
                    f"{column.part.value}, only {listed(have)}; correct the map."
                )
        return replace(self, columns=tuple(known.get(name, Column(name)) for name in have))


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names in quotes for a message, and the number of further names."""
    every = list(names)
    shown = ", ".join(f"'{' '.join(name[:60].split())}'" for name in every[:most])
    return shown + (f" and {len(every) - most} more" if len(every) > most else "")


def store_answers(path: Path | str, answers: Mapping[str, str]) -> None:
    """Store answers in a column map, which keeps everything else that it has.

    The file is created if it does not exist.
    """
    path = Path(path)
    document = tomlkit.document()
    if path.exists():
        ColumnMap.read(path)  # refuses what is not a column map
        document = tomlkit.parse(Opened(path).read(MAX_MAP_BYTES).decode("utf-8-sig"))
    if "answers" not in document:
        table = tomlkit.table()
        if "column" in document:
            # Sections come after plain values, and the answers stand before the columns.
            columns = document.pop("column")
            document.add("answers", table)
            document.add("column", columns)
        else:
            document.add("answers", table)
    stored: Any = document["answers"]
    for key, value in answers.items():
        stored[key] = value
    write_bytes(document.as_string().encode(), path)


def _toml(path: Path | str) -> dict[str, Any]:
    """The values of a TOML file; refused if it is not TOML."""
    try:
        return tomllib.loads(composed(Opened(Path(path)).read(MAX_MAP_BYTES).decode("utf-8-sig")))
    except (ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise TableError(f"{path} is not a column map in TOML: {reason}.") from error


def _answer(value: str | float | bool) -> str:
    """An answer as text: people write true, 5 and "5"."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else f"{value:g}"


def _answers(answers: Mapping[str, str], questions: Iterable[Question]) -> Table:
    """The section of answers, with open questions as comments."""
    section = tomlkit.table()
    for key, value in answers.items():
        section.add(key, value)
    for question in questions:
        lines = [question.text, *(f"  {one.value}: {one.meaning}" for one in question.choices)]
        for line in (*lines, map_line(question.key, question.default)):
            section.add(tomlkit.comment(" ".join(line.split())))
    return section


def _inline(values: Mapping[str, float]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update(values)
    return table


TEXTS_OF_COLUMN = ("criterion", "by", "grader", "of", "submission", "assignment")
"""Facts about a column that are any text."""


def _column_of(said: Any, path: str) -> Column:
    """Read a column from its TOML table."""
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
        if key in ("lowest", "highest", "weight") and isinstance(value, int | float):
            given[key] = float(value)
        elif (
            (key in TEXTS_OF_COLUMN and isinstance(value, str))
            or (key == "role" and value in list(Role))
            or (key == "whose" and value in (Part.GRADER, Part.AUTHOR))
        ):
            given[key] = value
        elif key == "values" and _are_values(value):
            given[key] = {word: float(worth) for word, worth in value.items()}
        elif key not in ("name", "is"):
            raise TableError(
                f"{path} says {key} = {value!r} of '{name}'; a column has name, is, criterion, "
                "lowest, highest, by, grader, of, submission, assignment, weight, role, whose "
                '(grader or author) and values, such as { "good" = 2, "poor" = 1 }.'
            )
    return Column(name, Part(said["is"]), **given)


def _are_values(said: Any) -> bool:
    """Whether every word has exactly one number."""
    if not isinstance(said, dict) or len({_as_compared(word) for word in said}) < len(said):
        return False
    return all(isinstance(worth, int | float) and math.isfinite(worth) for worth in said.values())


def told_values(values: Mapping[str, float]) -> str:
    """The values of words for a message, the highest first."""
    ordered = sorted(values.items(), key=lambda one: -one[1])
    return ", ".join(f"{word} = {worth:g}" for word, worth in ordered)
