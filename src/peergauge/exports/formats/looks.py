"""What the header and the cells of a column say about it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import FIRST_AND_LAST, PERSON_PARTS, Part
from peergauge.exports.formats.headers import (
    ABOUT_REVIEWS,
    ANSWERS,
    ASSIGNMENTS,
    AUTHORS,
    DERIVED_GRADES,
    GRADERS,
    GRADES,
    IDS,
    OTHERS,
    PEOPLE,
    POSSIBLE_TRAITS,
    RATINGS,
    REVIEWER_TRAITS,
    ROLES,
    SMALL,
    STAFF,
    STATES,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    WEEKS,
    Scale,
    aim_of,
    counts_something,
    detail_of,
    details_of,
    scale_of,
    words_of,
)
from peergauge.exports.formats.marks import (
    LETTER_ORDERS,
    date_in,
    labelled,
    mark,
    says_no_grade,
    words_in_order,
)
from peergauge.exports.formats.marks import said as _as_compared
from peergauge.exports.formats.opening import RawTable, number

SAMPLE_ROWS = 2000
"""Rows that are used to guess what a column holds."""

YOURSELF_WORDS = frozenset(
    ("yourself", "myself", "oneself", "selbst", "selber", "soi", "mismo", "misma", "stesso")
)
"""Words of columns in which graders grade themselves."""

GROUP_WORDS = frozenset(("group", "team", "project", "gruppe", "projekt", "equipe", "grupo"))
"""Words for submissions that often have numbers as names."""

MAX_ASSIGNMENTS = 30
"""Largest number of values of a column that names assignments."""

ASSIGNMENT_WORDS = frozenset(
    (
        *("essay", "session", "draft", "final", "revision", "first", "second", "third"),
        *("sitzung", "termin", "entwurf", "endfassung", "seance", "brouillon"),
        *("sesion", "borrador", "bozza"),
    )
)
"""Words of cells that name an assignment."""

SAMPLE_CELLS = 200
"""Cells of a column that are parsed one by one."""

MAX_WORDED_STEPS = 12
"""Largest number of words in a scale of words."""

_EVERY_LETTER = {letter.casefold() for letter in max(LETTER_ORDERS, key=len)}

_TITLED = re.compile(r"\(\d{4,}\)$|\((real|percentage|letter)\)$", re.IGNORECASE)
"""The ends of assignment titles in the gradebooks of platforms."""

_THING = re.compile(r"[^\W\d_]+[\s#.:_-]*\d{1,4}")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([T ,].*)?|"
    r"(4[0-9]|5[0-9])\d{3}\.\d+|\d{1,2}[ .-]*[A-Za-zé]{3,9}\.?[ ,.-]*\d{4}.*|"
    r"[A-Z][a-z]{2,8}\.? \d{1,2},? \d{4}.*|1[5-9]\d{8}(\.\d+)?"
)
_TIME_WORDS = re.compile(
    r"\b(timestamp|time|date|submitted|completed|completion|created|modified|zeitstempel|datum|"
    r"zeit|abgegeben|horodateur|heure|marca temporal|fecha|hora|cronologiche|ora|recorded)\b"
)


@dataclass(frozen=True, eq=False)
class Look:
    """What the header and the cells say about one column.

    Parameters
    ----------
    place
        The position of the column in the table.
    name
        The name of the column.
    header
        The header as it is in the file.
    scale
        The header without its scale, and the ends of the scale.
    cells
        The cells that are not empty, from the first rows.
    sparse
        Whether more than a quarter of the cells are empty.
    letters
        All letter grades in the column; empty if most cells are none.
    column
        The cells of all rows.
    detail
        The detail about a person that the header names.
    """

    place: int
    name: str
    header: str
    scale: Scale
    cells: pl.Series
    sparse: bool
    letters: frozenset[str]
    column: pl.Series
    detail: str | None

    @cached_property
    def some(self) -> list[str]:
        """The first cells."""
        return self.cells.head(SAMPLE_CELLS).to_list()

    @cached_property
    def given(self) -> list[str]:
        """The first cells without those that say that no grade was given."""
        return [cell for cell in self.some if not says_no_grade(cell)]

    @cached_property
    def words(self) -> list[str]:
        """The words of the header, without its scale."""
        return words_of(self.scale.name)

    @cached_property
    def filled(self) -> int:
        """The number of cells that are not empty."""
        return len(self.cells)

    @cached_property
    def distinct(self) -> bool:
        """Whether no cell is repeated in any row."""
        if not self.filled or self.cells.n_unique() < self.filled:
            return False
        # A long table may list one review of everybody before the second one of anybody.
        every = self.column.drop_nulls()
        return every.n_unique() == len(every)

    @cached_property
    def kinds(self) -> int:
        """The number of different cells."""
        return self.cells.n_unique()

    @cached_property
    def numbers(self) -> list[float]:
        """The numbers among the first cells."""
        return [value for value in map(number, self.some) if value is not None]

    @cached_property
    def numeric(self) -> bool:
        """Whether most cells are grades or other numbers, apart from those that say no grade."""
        return 2 * _marks_in(self.given) > len(self.given) and not self.dated

    @cached_property
    def whole(self) -> bool:
        """Whether all numbers are whole."""
        return all(value == int(value) for value in self.numbers)

    @cached_property
    def counting(self) -> bool:
        """Whether the cells only number the rows, or are too large to be grades."""
        if not self.numbers or 2 * len(self.numbers) <= len(self.some) or not self.whole:
            return False
        steps = {after - before for before, after in pairwise(self.numbers)}
        rising = len(self.numbers) > 4 and steps == {1.0}
        return rising or min(self.numbers) > 1000

    @cached_property
    def aim(self) -> str:
        """Whom the header means: the giver of grades, their target, or the giver's own work."""
        return aim_of(self.header)

    @cached_property
    def addresses(self) -> bool:
        """Whether most cells are e-mail addresses."""
        return 2 * sum(_ADDRESS.fullmatch(one) is not None for one in self.some) > len(self.some)

    @cached_property
    def things(self) -> bool:
        """Whether most cells are a word with a number, such as "Team 3"."""
        return 2 * sum(_THING.fullmatch(one) is not None for one in self.some) > len(self.some)

    @cached_property
    def names_assignments(self) -> bool:
        """Whether every cell names an assignment: a small number, "Week 2", "Draft"."""
        known = ASSIGNMENTS.keys() | WEEKS.keys() | ASSIGNMENT_WORDS
        return self.kinds <= MAX_ASSIGNMENTS and all(
            any(word in known or word.removesuffix("s") in known for word in words_of(cell))
            or re.fullmatch(r"[A-Za-z]?\d{1,2}", cell.strip())
            for cell in self.some
        )

    @cached_property
    def dated(self) -> bool:
        """Whether the header says that it is a time, and most cells are dates or times."""
        if not _TIME_WORDS.search(" ".join(words_of(self.header))):
            return False
        return 2 * sum(_DATE.fullmatch(one) is not None for one in self.some) > len(self.some)

    @cached_property
    def answers(self) -> bool:
        """Whether all cells answer yes or no."""
        said = {_plain(one) for one in self.some}
        return bool(said) and said <= ANSWERS.keys()

    @cached_property
    def titled(self) -> bool:
        """Whether the column is an item of a platform's gradebook."""
        return self.numeric and _TITLED.search(self.header) is not None

    @cached_property
    def marked(self) -> bool:
        """Whether most cells can only be grades: with a maximum, or a word that grades."""
        return self.numeric and 2 * sum(map(_marked, self.given)) > len(self.given)

    @cached_property
    def worded(self) -> tuple[str, ...]:
        """The words in the cells, if they could be grades."""
        return () if self.numeric or self.letters else _words_in(self.words, self.some)

    @cached_property
    def spoilt(self) -> bool:
        """Whether the header says grade, but most cells are dates that were 3/4 before."""
        if not self.says(GRADES) or self.numeric:
            return False
        dates = sum(date_in(one) is not None or mark(one) is not None for one in self.some)
        return 2 * dates > len(self.some)

    @cached_property
    def ordered(self) -> dict[str, float]:
        """The values of the words in the cells, if these are usual words for grades."""
        if self.numeric or self.letters or self.kinds > MAX_WORDED_STEPS:
            return {}
        every = [cell for cell in self.cells.unique().to_list() if not says_no_grade(cell)]
        return words_in_order(every)

    @property
    def graded(self) -> bool:
        """Whether its cells can be grades."""
        return self.numeric or bool(self.letters) or bool(self.ordered)

    @property
    def scaled(self) -> bool:
        """Whether the header or the cells state a scale."""
        return self.scale.highest is not None or self.marked or bool(self.ordered)

    @property
    def rates(self) -> bool:
        """Whether the words in the cells are grades, by the header or by the words."""
        words = {word for cell in self.worded for word in words_of(cell)}
        return bool(self.worded) and (self.says(GRADES) or not words.isdisjoint(RATINGS))

    @cached_property
    def about_reviewer(self) -> bool:
        """Whether the column measures the reviewer or the review: confidence, expertise, counts."""
        words = {one for word in words_of(self.header) for one in (word, word.removesuffix("s"))}
        spoken = not ABOUT_REVIEWS.keys().isdisjoint(words)
        trait = self.says(REVIEWER_TRAITS) and (spoken or len(self.words) == 1 or self.giver_trait)
        trait = trait or (self.says(POSSIBLE_TRAITS) and spoken and "review" in words)
        trait = trait or (self.says(POSSIBLE_TRAITS) and "feedback" in words)
        trait = trait or not YOURSELF_WORDS.isdisjoint(self.words)
        trait = trait or {"your", "own"} <= words or {"my", "own"} <= words
        return trait or (
            self.numeric and self.scale.highest is None and counts_something(self.header)
        )

    @property
    def giver_trait(self) -> bool:
        """Whether the header names a trait of the one who gives grades."""
        return self.aim == "giver"

    @property
    def names_groups(self) -> bool:
        """Whether the header has a word for submissions that often have numbers as names."""
        return not GROUP_WORDS.isdisjoint(word.removesuffix("s") for word in self.words)

    @cached_property
    def derived(self) -> bool:
        """Whether the column was computed from grades, such as a percentile."""
        return self.numeric and self.says(DERIVED_GRADES)

    @cached_property
    def states_staff(self) -> bool:
        """Whether the header names staff, also in brackets."""
        return not STAFF.keys().isdisjoint(words_of(self.header))

    def says(self, known: Mapping[str, int]) -> bool:
        """Whether the header has one of some words."""
        return self.rank(known) is not None

    def rank(self, known: Mapping[str, int]) -> tuple[int, int, int, int] | None:
        """How well the column fits: by its most specific word, then by headers of identifiers.

        Addresses and names come last, since they are details about a person named elsewhere.
        """
        found = [known[word] for word in map(singular(known), self.words) if word in known]
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
            if not any(singular(known)(word) in known for known in plain)
        ]


def singular(known: Mapping[str, int]) -> Callable[[str], str]:
    """Return a word as it stands in a list of words: without the s of a plural."""
    return lambda word: word if word in known else word.removesuffix("s")


def looks_of(table: RawTable, highest: Mapping[str, float] | None = None) -> list[Look]:
    """Look at every column of a table; *highest* are maxima that a row of the table states."""
    frame = table.frame.head(SAMPLE_ROWS)
    looks = []
    details = _details(table)
    for place, (name, header) in enumerate(zip(frame.columns, table.header, strict=True)):
        cells = frame[name].drop_nulls()
        scale = scale_of(header)
        if scale.highest is not None and scale.highest > 1000 and scale.lowest is None:
            scale = Scale(header)  # rather an id that a platform gave the column
        elif scale.highest is None and highest:
            scale = scale._replace(highest=highest.get(name))
        some = cells.head(SAMPLE_CELLS).to_list()
        letters = frozenset(one for one in some if _as_compared(one) in _EVERY_LETTER)
        if 2 * sum(one in letters for one in some) > len(some):
            every = table.frame[name].drop_nulls().unique()
            letters = frozenset(one for one in every if _as_compared(one) in _EVERY_LETTER)
        else:
            letters = frozenset()
        sparse = 4 * len(cells) < 3 * frame.height
        every = table.frame[name]
        looks.append(
            Look(place, name, header, scale, cells, sparse, letters, every, details[place])
        )
    return looks


def _details(table: RawTable) -> list[str | None]:
    """The detail about a person that each column holds, by headers and cells.

    A column called name holds the whole name, and not the other part of it, if its cells have the
    part that another column holds.
    """
    alone = list(map(detail_of, table.header))
    found = details_of(table.header)
    names = table.frame.columns
    for place, detail in enumerate(found):
        if detail == alone[place]:
            continue
        [other] = FIRST_AND_LAST - {detail}
        part = next(one for one, known in enumerate(alone) if known == other)
        both = table.frame.head(SAMPLE_CELLS).select(names[place], names[part]).drop_nulls()
        held = sum(set(words_of(one)) <= set(words_of(whole)) for whole, one in both.iter_rows())
        if 2 * held > both.height:
            found[place] = alone[place]
    return found


def _plain(cell: str) -> str:
    return " ".join(words_of(cell)) or cell.strip().casefold()


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
    known = any(singular(one)(word) in one for one in (GRADES, TOTALS) for word in header)
    other = any(
        singular(one)(word) in one
        for one in (OTHERS, GRADERS, SUBMISSIONS, PEOPLE, ROLES, STATES, ASSIGNMENTS, AUTHORS)
        for word in header
    )
    short = (
        bool(found) and len(found) <= MAX_WORDED_STEPS and all(len(cell) <= 40 for cell in found)
    )
    rated = any(word in RATINGS for cell in found[:MAX_WORDED_STEPS] for word in words_of(cell))
    return found if short and (known or (not other and (rated or len(found) < len(cells)))) else ()
