"""Guessing what each column of a table holds, from its header and its cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import (
    FIRST_AND_LAST,
    PERSON_PARTS,
    Column,
    ColumnMap,
    Part,
    listed,
)
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    AUTHORS,
    CRITERIA,
    GRADERS,
    GRADES,
    HIGHEST,
    IDS,
    OTHERS,
    PEOPLE,
    RATINGS,
    ROLES,
    SMALL,
    STAFF,
    STATES,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    WEIGHTS,
    Scale,
    detail_of,
    scale_of,
    words_of,
)
from peergauge.exports.formats.marks import LETTER_ORDERS, labelled, letters_of, mark
from peergauge.exports.formats.marks import said as _as_compared
from peergauge.exports.formats.opening import Opened, RawTable, number
from peergauge.exports.records import Role


def guess_columns(table: RawTable) -> ColumnMap:
    """Guess what the columns of a table hold, from headers and cells.

    Grades without a grader, one for each submission, are true scores.
    """
    found = ColumnMap(_Guess(table).columns())
    if points := points_of(table):
        other = ColumnMap(_Guess(points.left_out_of(table), points.sure).columns())
        found = points.on(other) if points.fit(other) else found
    place = [one.name for one in found.of(Part.ASSIGNMENT, Part.SUBMISSION)]
    if found.missing != ("grader",) or found.name_of(Part.SUBMISSION) is None:
        return found
    if table.frame.select(place).is_duplicated().any():
        return found
    told = (
        replace(one, part=Part.TRUTH) if one.part is Part.GRADE else one for one in found.columns
    )
    return replace(found, columns=tuple(told))


def guess_of_file(path: Path | str, sheet: str | None = None) -> ColumnMap:
    """Guess what the columns of a file hold, from headers and cells.

    Parts may be :attr:`ColumnMap.missing`. For a workbook, the sheet that would be read is used.
    """
    return guess_of(Opened(Path(path)), sheet)[1]


class Points(NamedTuple):
    """A row of a table that holds no review, but the highest possible grades."""

    place: int
    label: str
    highest: Mapping[str, float]

    @property
    def sure(self) -> Mapping[str, float]:
        """The highest grades, unless the label may be the name of a person."""
        return {} if words_of(self.label) == ["max"] else self.highest

    def fit(self, columns: ColumnMap) -> bool:
        """Whether the row fits: apart from its label, it names neither people nor submissions."""
        named = columns.of(Part.GRADER, Part.SUBMISSION, Part.AUTHOR)
        return not any(one.name in self.highest for one in named)

    def left_out_of(self, table: RawTable) -> RawTable:
        """The table with an empty row instead, so that other rows keep their numbers."""
        here = pl.int_range(pl.len()) == self.place
        return table._replace(frame=table.frame.with_columns(pl.when(~here).then(pl.all())))

    def on(self, columns: ColumnMap) -> ColumnMap:
        """The map with the highest grades added where it has none."""
        told = (
            replace(one, highest=self.highest[one.name])
            if one.part in (Part.GRADE, Part.TRUTH)
            and one.highest is None
            and one.name in self.highest
            else one
            for one in columns.columns
        )
        return replace(columns, columns=tuple(told))


def points_of(table: RawTable) -> Points | None:
    """Find a row below the header with a label such as "Points possible", and numbers."""
    for place, row in enumerate(table.frame.head(3).iter_rows(named=True)):
        cells = {name: (cell, mark(cell)) for name, cell in row.items() if cell}
        texts = [cell for cell, found in cells.values() if found is None]
        highest = {name: found.score for name, (_, found) in cells.items() if found is not None}
        label = next(filter(_says_highest, texts), None)
        if label is not None and highest and min(highest.values()) > 0:
            points = Points(place, label, highest)
            if points.sure or len(texts) == 1:
                return points
    return None


def _says_highest(cell: str) -> bool:
    """Whether a cell only says that the other cells in its row are the highest grades."""
    words = words_of(cell)
    known = (HIGHEST, GRADES, TOTALS, SMALL)
    return any(word in HIGHEST for word in words) and all(
        any(_singular(one)(word) in one for one in known) for word in words
    )


def guess_of(file: Opened, sheet: str | None = None) -> tuple[RawTable, ColumnMap]:
    """The table of a file to read, and its guessed column map.

    Of several sheets, the first with reviews or true scores is read, or else the first roster.
    """
    sheets = sheets_of(file, sheet)
    guesses = [(one, guess_columns(one)) for one in sheets.values()]
    whole = [one for one in guesses if not one[1].missing]
    graded = [one for one in whole if not one[1].is_roster]
    return (graded or whole or guesses)[0]


def sheets_of(file: Opened, sheet: str | None = None) -> dict[str, RawTable]:
    """The tables of a file by sheet, or only the requested one; refused if there is none."""
    sheets = file.sheets
    if not sheets:
        what = f"{file.kind}, not a table" if file.kind else "not a table"
        raise TableError(f"{file.name} is {what}; save the grades as CSV or XLSX, and give that.")
    if sheet is None:
        return sheets
    if sheet not in sheets:
        raise TableError(
            f"{file.name} has no table on a sheet '{sheet}', only on {listed(sheets)}; name one of "
            "these."
        )
    return {sheet: sheets[sheet]}


def words_for_grades(
    table: RawTable, columns: ColumnMap, *, sure: bool = False
) -> dict[str, tuple[str, ...]]:
    """Words that could be grades if they had values, by column, the most likely first."""
    free = {one.name for one in columns.of(Part.UNUSED)}
    looks = [look for look in _look(table) if look.name in free and look.worded]
    looks.sort(key=lambda look: not look.rates)
    return {look.name: look.worded for look in looks if look.rates or not sure}


SAMPLE_ROWS = 2000
"""Rows that are used to guess what a column holds."""


class _Look(NamedTuple):
    """What the header and the cells say about one column."""

    place: int
    name: str
    scale: Scale
    words: list[str]
    filled: int
    numeric: bool
    whole: bool
    distinct: bool
    sparse: bool
    letters: frozenset[str]
    worded: tuple[str, ...]
    detail: str | None
    titled: bool
    marked: bool

    @property
    def graded(self) -> bool:
        """Whether its cells can be grades."""
        return self.numeric or bool(self.letters)

    @property
    def scaled(self) -> bool:
        """Whether the header or the cells state a scale."""
        return self.scale.highest is not None or self.marked

    @property
    def rates(self) -> bool:
        """Whether the words in the cells are grades, by the header or by the words."""
        words = {word for cell in self.worded for word in words_of(cell)}
        return bool(self.worded) and (self.says(GRADES) or not words.isdisjoint(RATINGS))

    def says(self, known: dict[str, int]) -> bool:
        return self.rank(known) is not None

    def rank(self, known: dict[str, int]) -> tuple[int, int, int, int] | None:
        """How well the column fits: by its most specific word, then by headers of identifiers.

        Addresses and names come last, since they are details about a person named elsewhere.
        """
        found = [known[word] for word in map(_singular(known), self.words) if word in known]
        if not found:
            return None
        about = 0 if self.detail is None else 1 + PERSON_PARTS.index(Part(self.detail))
        return min(found), not self.identifies, about, self.place

    @property
    def identifies(self) -> bool:
        """Whether the header says that the column holds identifiers."""
        return any(word in IDS for word in self.words)

    @property
    def numbered(self) -> str | None:
        """The only number in the header; None if there are none or several."""
        found = [word for word in self.words if word.isdigit()]
        return found[0] if len(found) == 1 else None

    @property
    def rest(self) -> list[str]:
        """The words of the header that do not only say that it is a grade."""
        plain = [GRADES, TOTALS, TRUTHS, STAFF, SMALL, IDS]
        return [
            word
            for word in self.words
            if not any(_singular(known)(word) in known for known in plain)
        ]


def _singular(known: dict[str, int]) -> Callable[[str], str]:
    return lambda word: word if word in known else word.removesuffix("s")


def _look(table: RawTable, highest: Mapping[str, float] | None = None) -> list[_Look]:
    frame = table.frame.head(SAMPLE_ROWS)
    looks = []
    for place, (name, header) in enumerate(zip(frame.columns, table.header, strict=True)):
        cells = frame[name].drop_nulls()
        some = cells.head(200).to_list()
        numbers = [value for value in map(number, some) if value is not None]
        numeric = 2 * _marks_in(some) > len(some)
        scale = scale_of(header)
        titled = _TITLED.search(header) is not None
        if scale.highest is not None and scale.highest > 1000 and scale.lowest is None:
            scale = Scale(header)  # rather an id that a platform gave the column
        elif scale.highest is None and highest:
            scale = scale._replace(highest=highest.get(name))
        words = words_of(scale.name)
        letters = frozenset(one for one in some if _as_compared(one) in _EVERY_LETTER)
        if 2 * sum(one in letters for one in some) > len(some):
            every = table.frame[name].drop_nulls().unique()
            letters = frozenset(one for one in every if _as_compared(one) in _EVERY_LETTER)
        else:
            letters = frozenset()
        looks.append(
            _Look(
                place,
                name,
                scale,
                words,
                len(cells),
                numeric,
                all(value == int(value) for value in numbers),
                bool(len(cells)) and cells.n_unique() == len(cells),
                4 * len(cells) < 3 * frame.height,
                letters,
                () if numeric or letters else _words_in(words, some),
                detail_of(header),
                titled and numeric,
                numeric and 2 * sum(map(_marked, some)) > len(some),
            )
        )
    return looks


_EVERY_LETTER = {letter.casefold() for letter in max(LETTER_ORDERS, key=len)}

_TITLED = re.compile(r"\(\d{4,}\)$|\((real|percentage|letter)\)$", re.IGNORECASE)
"""The ends of assignment titles in the gradebooks of platforms."""

MAX_WORDED_STEPS = 12
"""Largest number of words in a scale of words."""


def _marks_in(cells: list[str]) -> int:
    """The number of cells that are grades; many different words with numbers are names."""
    marked = [cell for cell in cells if mark(cell) is not None]
    worded = [cell for cell in marked if labelled(cell)]
    return len(marked) - (len(worded) if len(set(worded)) > MAX_WORDED_STEPS else 0)


def _marked(cell: str) -> bool:
    """Whether a cell can only be a grade: with a maximum, or with a word that grades."""
    if (found := mark(cell)) is None:
        return False
    return found.highest is not None or not RATINGS.keys().isdisjoint(words_of(cell))


def _words_in(header: list[str], cells: list[str]) -> tuple[str, ...]:
    """The words in cells, if there are few that repeat, or if the header says that they grade."""
    found = tuple(dict.fromkeys(cell for cell in cells if not number(cell)))
    known = any(_singular(one)(word) in one for one in (GRADES, TOTALS) for word in header)
    other = any(
        _singular(one)(word) in one
        for one in (OTHERS, GRADERS, SUBMISSIONS, PEOPLE, ROLES, STATES, ASSIGNMENTS, AUTHORS)
        for word in header
    )
    short = (
        bool(found) and len(found) <= MAX_WORDED_STEPS and all(len(cell) <= 40 for cell in found)
    )
    rated = any(word in RATINGS for cell in found[:MAX_WORDED_STEPS] for word in words_of(cell))
    return found if short and (known or (not other and (rated or len(found) < len(cells)))) else ()


class _Guess:
    """Guesses what each column of a table holds, one part after the other."""

    def __init__(self, table: RawTable, highest: Mapping[str, float] | None = None):
        self.looks = _look(table, highest)
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
        # If there are staff grades and no grader column, the other numbers are aggregates.
        if signed and (self.has(Part.GRADER) or not self.has(Part.TRUTH)):
            self.take_grades(questions)
        self.take_by_content()
        if not self.has(Part.GRADE, Part.TRUTH):
            self.take_for_roster()
        self.join_names()
        self.find_people()
        self.value_letters()
        return tuple(self.found.get(look.place, Column(look.name)) for look in self.looks)

    def take(self, look: _Look, part: Part, **more: Any) -> None:
        """Decide what a column holds."""
        self.found[look.place] = Column(look.name, part, **more)

    def take_grade(self, look: _Look, **more: str) -> None:
        """Decide that a column holds grades, on the scale that its header states."""
        self.take(look, Part.GRADE, lowest=look.scale.lowest, highest=look.scale.highest, **more)

    def take_best(self, part: Part, known: dict[str, int], among: Iterable[_Look]) -> bool:
        """Decide which of some columns holds *part*, if a header says so."""
        ranked = [(rank, look) for look in among if (rank := look.rank(known)) is not None]
        if ranked:
            self.take(min(ranked, key=lambda one: one[0])[1], part)
        return bool(ranked)

    def has(self, *parts: Part) -> bool:
        """Whether a column holds one of *parts*."""
        return any(column.part in parts for column in self.found.values())

    def free(self) -> list[_Look]:
        """The columns that are not decided."""
        return [look for look in self.looks if look.place not in self.found]

    def ids(self) -> list[_Look]:
        """The columns that are not decided and do not look like grades."""
        return [look for look in self.free() if look.place not in self.graded]

    def leave_others(self) -> None:
        """Leave out gradebook columns, and comments and dates without a scale."""
        for look in self.looks:
            judged = look.numeric and look.scale.highest is not None
            if look.titled or (look.says(OTHERS) and not judged):
                self.take(look, Part.UNUSED)

    def find_grades(self) -> None:
        """Find true scores and possible grades."""
        for look in self.free():
            staff = look.says(STAFF) and not look.says(GRADERS)
            staff = staff and (look.numeric or look.says(GRADES))  # letters may be names of staff
            if look.graded and (look.says(TRUTHS) or staff):
                criterion = look.scale.name if look.rest else ""
                self.take(look, Part.TRUTH, criterion=criterion, highest=look.scale.highest)
        self.grades = [
            look
            for look in self.free()
            if (look.graded or not look.filled)
            and not look.says(WEIGHTS)
            and (look.says(GRADES) or look.says(TOTALS) or look.scaled)
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
        """Find role, state and weight of reviews."""
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
            if look.numbered and (look.graded or not look.filled) and not look.identifies
        ]
        if not lone and len(each) > 1 and not self.has(Part.GRADE):
            for look in each:
                scaled = look.scale.highest is not None
                self.take_grade(look, grader=look.scale.name if scaled else look.name)

    def find_grader(self) -> None:
        """Find the column of graders."""
        plain = [look for look in self.ids() if not look.says(SUBMISSIONS)]
        if not self.take_best(Part.GRADER, GRADERS, plain):
            self.take_best(Part.GRADER, GRADERS, self.ids())
        staff = [look for look in self.ids() if not look.numeric and look.says(STAFF)]
        if staff and not self.has(Part.GRADER):
            self.take(staff[0], Part.GRADER, role=Role.STAFF.value)

    def find_things(self, ids: list[_Look], signed: bool) -> None:
        """Find submission, assignment and author."""

        def free() -> list[_Look]:
            return [look for look in ids if look.place not in self.found]

        things = [look for look in ids if not look.says(GRADERS)]
        self.take_best(Part.SUBMISSION, SUBMISSIONS, things)
        self.take_best(Part.ASSIGNMENT, ASSIGNMENTS, free())
        self.take_best(Part.AUTHOR, AUTHORS, free())
        # A student beside a submission is its grader, unless there is another grader.
        only_truth = self.has(Part.TRUTH) and not self.grades
        named = self.has(Part.SUBMISSION, Part.AUTHOR) and not self.has(Part.GRADER)
        if named and signed and not only_truth:
            self.take_best(Part.GRADER, PEOPLE, free())
        elif not self.has(Part.AUTHOR):
            self.take_best(Part.AUTHOR, PEOPLE, free())

    def take_grades(self, questions: list[_Look]) -> None:
        """Separate the grade of the whole review from those of criteria."""
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
        """Decide by the cells where headers leave only one choice open."""
        free = [
            look
            for look in self.free()
            if look.filled and not look.identifies and (look.detail is None or look.says(GRADES))
        ]
        numbers = [look for look in free if look.numeric]
        if self.has(Part.SUBMISSION) and not numbers:
            numbers = [look for look in free if look.letters]
        if not self.has(Part.GRADE, Part.TRUTH):
            if self.has(Part.GRADER):
                for look in numbers:
                    self.take_grade(look, criterion=look.name if len(numbers) > 1 else "")
            elif len(numbers) > 2 and all(look.sparse for look in numbers):
                # Nobody grades everything, so that columns of graders have gaps.
                for look in numbers:
                    self.take_grade(look, grader=look.name)
        if self.has(Part.SUBMISSION, Part.AUTHOR) or not self.has(Part.GRADE, Part.TRUTH):
            return
        left = [look for look in self.free() if look.filled and look.whole]
        if self.has(Part.TRUTH) or any(column.grader for column in self.found.values()):
            left = [look for look in left if look.distinct]
        if len(left) == 1 or (left and left[0].place == 0 and left[0].distinct):
            self.take(left[0], Part.SUBMISSION)

    def take_for_roster(self) -> None:
        """In a table without grades, find people, and the group or submission of each."""
        if any(look.says(GRADERS) or look.rates for look in self.looks):
            return
        people = [
            look
            for part in PERSON_PARTS[:-1]
            for look in self.looks
            if look.detail == part and look.filled and not look.says(SUBMISSIONS)
        ]
        if len(people) < 2 - self.has(Part.SUBMISSION):
            return
        for look in self.looks:
            if self.found.get(look.place, Column("")).part in (Part.GRADER, Part.AUTHOR):
                del self.found[look.place]
        self.take(people[0], Part.AUTHOR)

    def join_names(self) -> None:
        """Join first and last names: a first name alone does not identify a person."""
        for part in (Part.GRADER, Part.AUTHOR):
            one = next((look for look in self.looks if self.is_(look, part)), None)
            if one is None or one.detail not in FIRST_AND_LAST:
                continue
            [other] = FIRST_AND_LAST - {one.detail}
            both = [look for look in self.free() if look.detail == other]
            both = [look for look in both if look.says(GRADERS) == one.says(GRADERS)]
            if both:
                self.take(both[0], part, role=self.found[one.place].role)

    def find_people(self) -> None:
        """Find details about graders and authors: names, ids and addresses."""
        named = {
            part: [look for look in self.looks if self.is_(look, part)]
            for part in (Part.GRADER, Part.AUTHOR)
        }
        if any(column.by for column in self.found.values()):
            named[Part.GRADER] = []
        # A detail of a student belongs to the person with that header; if two have it, to neither.
        known = [part for part, looks in named.items() if looks]
        students = [part for part in known if not named[part][0].says(GRADERS | AUTHORS)]
        plain = (students or known) if len(students or known) == 1 else []
        taken = set()
        for look in self.looks:
            unused = look.place not in self.found or look.detail == Part.SECTION
            if look.detail is None or not look.filled or not unused:
                continue
            said = [
                part
                for part, words in ((Part.GRADER, GRADERS), (Part.AUTHOR, AUTHORS))
                if look.says(words)
            ]
            whose = [part for part in (said or plain) if part in known]
            if whose and (look.detail, whose[0]) not in taken:
                taken.add((look.detail, whose[0]))
                self.take(look, Part(look.detail), whose=whose[0].value)

    def value_letters(self) -> None:
        """Give the letters of all columns values on one scale."""
        lettered = [
            look
            for look in self.looks
            if look.letters and (self.is_(look, Part.GRADE) or self.is_(look, Part.TRUTH))
        ]
        values = letters_of({letter for look in lettered for letter in look.letters})
        for look in lettered:
            self.found[look.place] = replace(self.found[look.place], values=values)

    def is_(self, look: _Look, part: Part) -> bool:
        """Whether a column is decided to hold *part*."""
        return look.place in self.found and self.found[look.place].part is part
