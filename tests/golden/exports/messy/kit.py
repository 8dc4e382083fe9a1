"""Small classes of invented people, writers for their files, and what a person reads in them.

A case is a function that is decorated with :func:`case`. It writes one or several files into an
empty folder and returns what a careful person understands: an :class:`Expected`, or a
:class:`Refused` if the files hold no peer review that a person could use.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

FIRST_NAMES = [
    "Ada",
    "Ben",
    "Chloé",
    "Dario",
    "Elif",
    "Finn",
    "Greta",
    "Hugo",
    "Ines",
    "Jonas",
    "Kira",
    "Léon",
    "Mara",
    "Nils",
    "Olga",
    "Pablo",
    "Quinn",
    "Rosa",
    "Sven",
    "Tilda",
    "Umut",
    "Vera",
    "Willem",
    "Xenia",
    "Yusuf",
    "Zoë",
    "Anouk",
    "Björn",
    "Carla",
    "Dmitri",
    "Edda",
    "Fabio",
    "Gesa",
    "Henrik",
    "Ilse",
    "Jesper",
    "Katya",
    "Lotte",
    "Mirko",
    "Noor",
]
LAST_NAMES = [
    "Ashdown",
    "Birke",
    "Castell",
    "Dornfeld",
    "Eskola",
    "Fontane",
    "Grünwald",
    "Hollis",
    "Ibsenius",
    "Jarrow",
    "Kestrel",
    "Lindqvist",
    "Marlow",
    "Nordahl",
    "Oakes",
    "Pellegrin",
    "Quast",
    "Rosso",
    "Stavik",
    "Tremaine",
    "Ulmer",
    "Vasquetti",
    "Winterbourne",
    "Xander",
    "Yarrow",
    "Zeller",
    "Aldous",
    "Brandt",
    "Corvin",
    "Dalby",
    "Ellery",
    "Farrow",
    "Garnet",
    "Haldane",
    "Imhof",
    "Junkers",
    "Kessel",
    "Larkspur",
    "Mondragon",
    "Neville",
]
FIRST_DAY = datetime(2026, 3, 2, 9, 12, 31)


@dataclass(frozen=True)
class Person:
    """An invented student or teacher."""

    first: str
    last: str
    number: int

    @property
    def name(self) -> str:
        return f"{self.first} {self.last}"

    @property
    def turned(self) -> str:
        """The name as ``Last, First``."""
        return f"{self.last}, {self.first}"

    @property
    def email(self) -> str:
        return f"{plain(self.first)}.{plain(self.last)}@uni.example"

    @property
    def login(self) -> str:
        return f"{plain(self.first)[0]}{plain(self.last)[:6]}{self.number % 10}"

    @property
    def matriculation(self) -> str:
        return str(4_102_300 + 37 * self.number)

    @property
    def names(self) -> tuple[str, ...]:
        """Everything by which a file may name the person."""
        return (self.name, self.turned, self.email, self.login, self.matriculation)


@dataclass(frozen=True)
class Work:
    """A submission, and the people who made it."""

    label: str
    authors: tuple[Person, ...] = ()
    also: tuple[str, ...] = ()
    """Other names of the submission."""

    @property
    def names(self) -> tuple[str, ...]:
        """Everything by which a file may name the submission; its only author is one of these."""
        last = self.label.split()[-1]
        number = (last,) if last.isdigit() and last != self.label else ()
        author = self.authors[0].names if len(self.authors) == 1 else ()
        return (self.label, *number, *author, *self.also)


@dataclass(frozen=True)
class Mark:
    """One review: a grader, a work and the grades on each criterion."""

    grader: Person
    work: Work
    parts: tuple[float, ...]
    assignment: str = ""

    @property
    def grade(self) -> float:
        return sum(self.parts)


def plain(name: str) -> str:
    """A name in small letters without diacritics, as in an e-mail address."""
    return name.lower().translate(str.maketrans("éëöüä", "eeoua"))


def students(count: int, seed: int = 0) -> list[Person]:
    """Students whose first names all differ, and whose last names all differ."""
    rng = random.Random(f"students {seed}")
    first, last = rng.sample(FIRST_NAMES, count), rng.sample(LAST_NAMES, count)
    return [Person(a, b, i + 1) for i, (a, b) in enumerate(zip(first, last, strict=True))]


def own_works(people: Sequence[Person]) -> list[Work]:
    """One submission for each person, named after the person."""
    return [Work(person.name, (person,)) for person in people]


def team_works(people: Sequence[Person], teams: int, label: str = "Project") -> list[Work]:
    """Projects 1, 2, … of teams of about equal size."""
    return [Work(f"{label} {i + 1}", tuple(people[i::teams])) for i in range(teams)]


def graded(
    graders: Sequence[Person],
    works: Sequence[Work],
    each: int,
    scale: str = "1..5",
    *,
    criteria: int = 1,
    step: float = 1,
    seed: int = 0,
    assignment: str = "",
    on_self: bool = False,
) -> list[Mark]:
    """Every grader grades *each* works of others, with noise and leniency of a real class.

    With *on_self*, every grader grades the own work too.
    """
    rng = random.Random(f"grades {seed}")
    low, high = (float(end) for end in scale.split(".."))
    middle, spread = low + 0.62 * (high - low), 0.17 * (high - low)
    quality = {work: rng.gauss(middle, spread) for work in works}
    load = dict.fromkeys(works, 0)
    marks = []
    for grader in graders:
        others = [work for work in works if grader not in work.authors]
        rng.shuffle(others)
        chosen = sorted(others, key=lambda work: load[work])[:each]
        chosen = [work for work in works if work in chosen]
        if on_self:
            chosen += [work for work in works if grader in work.authors]
        lenience = rng.gauss(0, 0.06 * (high - low))
        for work in chosen:
            load[work] += 1
            parts = []
            for _ in range(criteria):
                wish = quality[work] + lenience + rng.gauss(0, 0.14 * (high - low))
                parts.append(min(high, max(low, low + step * round((wish - low) / step))))
            marks.append(Mark(grader, work, tuple(parts), assignment))
    # Both ends of the scale are used once, as in most classes.
    for place, end in ((1, low), (len(marks) - 2, high)):
        first = marks[place]
        marks[place] = Mark(first.grader, first.work, (end,) * criteria, assignment)
    return marks


def by_grader(marks: Iterable[Mark]) -> dict[Person, list[Mark]]:
    """The reviews of each grader, in order."""
    found: dict[Person, list[Mark]] = {}
    for mark in marks:
        found.setdefault(mark.grader, []).append(mark)
    return found


def shuffled(items: Iterable[Any], seed: int = 0) -> list[Any]:
    """The items in an arbitrary order that is always the same."""
    found = list(items)
    random.Random(f"order {seed}").shuffle(found)
    return found


def short(number: float) -> str:
    """A number without a needless fraction."""
    return f"{number:g}"


def comma(number: float, places: int | None = None) -> str:
    """A number with a decimal comma."""
    return (f"{number:g}" if places is None else f"{number:.{places}f}").replace(".", ",")


def moment(i: int, day: int = 0) -> datetime:
    """The time of the i-th answer."""
    return FIRST_DAY + timedelta(days=day, minutes=17 * i, seconds=(i * 37) % 60)


def stamp(i: int, day: int = 0, style: str = "google") -> str:
    """The time of the i-th answer, as a program writes it."""
    time = moment(i, day)
    return {
        "google": f"{time.month}/{time.day}/{time.year} {time.hour}:{time:%M:%S}",
        "iso": f"{time:%Y-%m-%d %H:%M:%S}",
        "german": f"{time:%d.%m.%Y %H:%M:%S}",
        "french": f"{time:%d/%m/%Y %H:%M}",
        "american": f"{time.month}/{time.day}/{time:%y} {time:%I:%M %p}",
    }[style]


REMARKS = (
    "Good structure, but the conclusion is short.",
    "nice work!!",
    "I liked the figures; the sources are missing.",
    "",
    "Well done, clear and easy to follow",
    "Some parts were hard to read, e.g. section 2.",
    "see comments in the PDF",
    "ok",
)


def remark(i: int) -> str:
    """A comment of a student."""
    return REMARKS[i % len(REMARKS)]


# ------------------------------------------------------------------------------------------- files

Cell: TypeAlias = str | float | datetime | None
Rows: TypeAlias = Sequence[Sequence[Cell]]
Line: TypeAlias = list[Any]
Table: TypeAlias = list[Line]
"""Rows of cells while they are put together."""


def text(rows: Rows, delimiter: str = ",", ends: str = "\r\n") -> str:
    """Rows as delimited text."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=ends)
    for row in rows:
        writer.writerow(["" if cell is None else _said(cell) for cell in row])
    return buffer.getvalue()


def write(
    path: Path, rows: Rows, *, delimiter: str = ",", encoding: str = "utf-8", ends: str = "\r\n"
) -> None:
    """Write rows as delimited text in an encoding."""
    path.write_bytes(text(rows, delimiter, ends).encode(encoding))


def workbook(
    path: Path,
    sheets: Mapping[str, Rows],
    *,
    merged: Mapping[str, Sequence[str]] | None = None,
    hidden: Sequence[str] = (),
) -> None:
    """Write a workbook, with merged ranges and hidden sheets."""
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(["" if cell is None else cell for cell in row])
        for cells in sheet.iter_rows():
            for cell in cells:
                if cell.value == "":
                    cell.value = None
        for area in (merged or {}).get(name, ()):
            sheet.merge_cells(area)
        if name in hidden:
            sheet.sheet_state = "hidden"
    book.save(path)


def _said(cell: str | float | datetime) -> str:
    return short(cell) if isinstance(cell, int | float) else str(cell)


# --------------------------------------------------------------------------------- interpretations


@dataclass(frozen=True)
class Expected:
    """The class that a careful person reads in the files.

    Parameters
    ----------
    marks
        The reviews of peers that count.
    scale
        The ends of the scale of a mark's grade, as in ``1..5``, if the files or common sense tell
        them; grades are then compared by their place between the ends. Otherwise the grades
        themselves are compared. The first end is the worst grade, so ``6..1`` has 1 as its best.
    truth
        The score that staff gave to each work, on the scale of the marks.
    free
        Kinds of names that the files leave open: ``grader``, ``submission``.
    one_assignment
        Whether it does not matter how works are divided among assignments.
    authors
        Whether the files tell the authors of works.
    mentioned
        Words of which the report must contain each, such as the name of a sheet that is not used.
    """

    marks: tuple[Mark, ...]
    scale: str = ""
    truth: tuple[tuple[str, Work, float], ...] = ()
    free: frozenset[str] = frozenset()
    one_assignment: bool = False
    authors: bool = False
    mentioned: tuple[str, ...] = ()


@dataclass(frozen=True)
class Refused:
    """The files hold no peer review that a person could use; the message should say so."""

    why: str


Interpretation: TypeAlias = Expected | Refused


def expect(
    marks: Iterable[Mark],
    scale: str = "",
    *,
    truth: Mapping[Work, float] | Iterable[tuple[str, Work, float]] = (),
    free: Iterable[str] = (),
    one_assignment: bool = False,
    authors: bool = False,
    mentioned: Iterable[str] = (),
) -> Expected:
    """What a person reads; see :class:`Expected`."""
    known = (
        tuple(("", work, score) for work, score in truth.items())
        if isinstance(truth, Mapping)
        else tuple(truth)
    )
    return Expected(
        tuple(marks), scale, known, frozenset(free), one_assignment, authors, tuple(mentioned)
    )


@dataclass(frozen=True, eq=False)
class Case:
    """A messy export: how it is written, and whether a person could read it without asking."""

    name: str
    write: Callable[[Path], Interpretation | tuple[Expected, ...]]
    ask: bool
    """Whether a question is expected, because the files do not tell; a class is right too."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Answers in free form to questions whose key begins with these words."""
    group: str = ""

    def __str__(self) -> str:
        return self.name


Writer: TypeAlias = Callable[[Path], Interpretation | tuple[Expected, ...]]
Kind: TypeAlias = Literal["right", "ask"]


def case(
    outcome: Kind = "right", *, answers: Mapping[str, str] | None = None
) -> Callable[[Writer], Writer]:
    """Mark a function as a case of the corpus.

    It returns the interpretation, or several of which any is right; the first is the one that
    answers must be able to reach.
    """

    def marked(function: Writer) -> Writer:
        function.case = Case(  # type: ignore[attr-defined]
            function.__name__.replace("_", "-"),
            function,
            outcome == "ask",
            answers or {},
            function.__module__.rpartition(".")[2],
        )
        return function

    return marked


def cases_of(module: object) -> list[Case]:
    """The cases in a module, in the order in which they are written."""
    return [one.case for one in vars(module).values() if hasattr(one, "case")]
