"""What headers and cells say about the columns of a table with several reviews in a row."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from peergauge.exports.formats.columns import Column, Part
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    AUTHORS,
    CRITERIA,
    GRADERS,
    GRADES,
    IDS,
    OTHERS,
    PEOPLE,
    RATINGS,
    SUBMISSIONS,
    WEEKS,
    WEIGHTS,
    Scale,
    aim_of,
    names_something,
    scale_of,
    words_of,
)
from peergauge.exports.formats.layouts.words import CRITERION_NAMES, NOT_GRADES, REMARKS
from peergauge.exports.formats.marks import LETTER_ORDERS, mark, said, says_no_grade
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.formats.tidying import label_of

RowOf: TypeAlias = Literal["grader", "submission", "review"]

DIRECTION_KEY = "direction of the matrix"
RATED_KEY = "rated columns"
BLOCKS_KEY = "direction of the blocks"

SAMPLE_CELLS = 200
"""Cells of a column that are used to find the layout."""

MAX_LETTERS_OF_A_NAME = 150
"""Longest cell that may name a person or the members of a group."""

MAX_KNOWN_NAMES = 2000
"""Names in the cells of a table that are compared with its headers."""


@dataclass(frozen=True)
class Layout:
    """The grade columns of a table with several reviews in a row.

    Parameters
    ----------
    name
        ``blocks``, ``ratees``, ``matrix`` or ``assignments``.
    row_of
        What a row is about: all its grades are by one grader, or of one submission, or both.
    columns
        The columns that the layout decides, by name.
    row_column
        The column that names the grader or the submission of the row, if the layout knows it.
    row_part
        What *row_column* holds.
    """

    name: str
    row_of: RowOf
    columns: Mapping[str, Column] = field(hash=False)
    row_column: str = ""
    row_part: Part = Part.GRADER


class Look(NamedTuple):
    """What the header and the cells say about one column."""

    name: str
    text: str
    scale: Scale
    words: list[str]
    cells: list[str]
    graded: bool
    height: int
    is_named: bool = False
    """Whether another column has the header in a cell, as a matrix of people does."""

    @property
    def filled(self) -> int:
        return len(self.cells)

    def says(self, *known: Iterable[str]) -> bool:
        """Whether the header has one of some words."""
        every = {word for one in known for word in one}
        return any(word in every or word.removesuffix("s") in every for word in self.words)

    @property
    def remarks(self) -> bool:
        """Whether the column holds what somebody wrote, such as "Feedback for the author"."""
        return self.says(REMARKS) or any(len(cell) > MAX_LETTERS_OF_A_NAME for cell in self.cells)

    @property
    def aggregates(self) -> bool:
        """Whether the column holds means or totals of other columns."""
        if self.is_named:
            return False
        if label_of(self.text) is not None:
            return True
        means = {"average", "avg", "mean", "median", "durchschnitt", "mittelwert", "schnitt"}
        means |= {"moyenne", "mediane", "promedio", "media", "mediana", "stdev", "std"}
        return not means.isdisjoint(self.words) or "ø" in self.text.casefold()

    @property
    def may_grade(self) -> bool:
        """Whether the column may hold grades: by its cells, and not excluded by its header."""
        if not self.graded and self.filled:
            return False
        if self.aggregates or self.says(NOT_GRADES, IDS, WEIGHTS):
            return False
        if self.scale.highest is not None:
            return True
        # "Week 1 / Team 3" is a column of grades, and "Week 1" alone is not.
        others = set(OTHERS) - set(WEEKS) if thing_in(self.text) is not None else OTHERS
        return not self.says(others)


_PIPED = re.compile(r"\$\{[a-z]+://[^}]*?([^}/]*)\}|\[Field[-_ ]([^\]]*)\]", re.IGNORECASE)


def _field(found: re.Match[str]) -> str:
    """A field that a survey puts into a question, as the ratee of that number."""
    number = re.search(r"\d+", found[1] or found[2] or "")
    return f"ratee {number[0]}" if number else "ratee"


def looks_of(table: RawTable) -> list[Look]:
    """What headers and cells say about each column."""
    frame = table.frame.head(10 * SAMPLE_CELLS)
    scales = [scale_of(header) for header in table.header]
    # Numbers in brackets that differ between otherwise equal headers are no scales.
    tops = Counter(
        name for name, _ in {(one.name, one.highest) for one in scales if one.lowest is None}
    )
    found = []
    for name, header, stated in zip(frame.columns, table.header, scales, strict=True):
        several = stated.lowest is None and stated.highest is not None and tops[stated.name] > 1
        scale = Scale(header) if several else stated
        text = " ".join(_PIPED.sub(_field, scale.name if header else "").split())
        cells = frame[name].drop_nulls().head(SAMPLE_CELLS).to_list()
        given = [cell for cell in cells if not says_no_grade(cell)]
        graded = bool(given) and (
            2 * sum(mark(cell) is not None for cell in given) > len(given) or _are_words(given)
        )
        found.append(Look(name, text, scale, words_of(text), cells, graded, frame.height))
    people = {cell for look in found if not look.graded for cell in look.cells}
    labels = ("max", "min", "media")  # means below a matrix have the same name as those beside it
    return [
        look._replace(is_named=look.text in people and look.text.casefold() in labels)
        for look in found
    ]


_LETTERS = {letter.casefold() for letter in max(LETTER_ORDERS, key=len)}


def _are_words(cells: Sequence[str]) -> bool:
    """Whether cells are letter grades or words that express grades."""
    if all(said(cell) in _LETTERS for cell in cells):
        return True
    distinct = set(cells)
    rated = sum(not RATINGS.keys().isdisjoint(words_of(cell)) for cell in distinct)
    return len(distinct) <= 12 and 2 * rated > len(distinct)


def tokens_of(text: str) -> list[str]:
    """The words and numbers of a header as they are written.

    >>> tokens_of("Peer1_name: your 2nd rating?")
    ['Peer', '1', 'name', 'your', '2nd', 'rating']
    """
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", text[:400])
    return re.findall(r"\d+(?:st|nd|rd|th|er|ère|ere|ème|eme)\b|[^\W\d_]+|\d+", apart)


def plain_word(token: str) -> str:
    """A word in lower case and without accents."""
    apart = unicodedata.normalize("NFKD", token)
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


_THING_WORDS = "|".join(sorted(SUBMISSIONS, key=len, reverse=True))
_THING = re.compile(
    rf"\b((?:{_THING_WORDS})s?)\s*(?:no\.?|nr\.?|number|nummer|#|n°)?\s*[-_]?\s*"
    r"(\d{1,4}[a-z]?|[a-z]|[ivx]{1,4})\b(?![-'’])",
    re.IGNORECASE,
)


def thing_in(text: str) -> tuple[str, str] | None:
    """The submission that a header names by number, and the rest of the header.

    >>> thing_in("How would you grade Team 4?"), thing_in("Project B - Clarity")
    (('Team 4', 'How would you grade ?'), ('Project B', '- Clarity'))
    >>> thing_in("Rate each project [Project 3]"), thing_in("Group work"), thing_in("Project a")
    (('Project 3', 'Rate each project []'), None, None)
    """
    found = [
        one
        for one in _THING.finditer(text)
        if one[2][0].isdigit() or (one[2].isupper() and len(one[2]) < 5)
    ]
    if not found or len({said(one[0]) for one in found}) > 1:
        return None
    one = found[-1]
    rest = text[: one.start()] + text[one.end() :]
    return " ".join(one[0].split()), " ".join(rest.split())


def without_signs(text: str) -> str:
    """A part of a header without the signs around it; brackets in pairs stay."""
    text = re.sub(r"\[\s*\]|\(\s*\)", " ", text)
    plain = text.strip(" \t-–—:/|?.,;>")
    while plain and plain[0] in "[({" and not re.search(r"[\])}]", plain):
        plain = plain[1:].strip()
    while plain and plain[-1] in "])}" and not re.search(r"[\[({]", plain):
        plain = plain[:-1].strip()
    return " ".join(plain.split())


def name_key(name: str) -> frozenset[str]:
    """The words of a name in any order: "Lin, Ada" is "Ada Lin"; an address has those before @."""
    return frozenset(plain_word(token) for token in tokens_of(name.partition("@")[0]))


class Known:
    """Names of people in the cells of a table.

    Parameters
    ----------
    looks
        The columns to search for names.
    any_header
        Whether columns count whose header names a thing, such as "Whose essay did you read?".
    """

    def __init__(self, looks: Iterable[Look], *, any_header: bool = False):
        cells = {
            cell
            for look in looks
            if not look.graded
            and look.filled
            and (
                any_header
                or look.says(PEOPLE, GRADERS, AUTHORS)
                or aim_of(look.text) == "giver"
                or not names_something(look.text)
            )
            for cell in look.cells
            if len(cell) < 60
        }
        self.keys = {name_key(cell) for cell in list(cells)[:MAX_KNOWN_NAMES]} - {frozenset()}

    def has(self, name: str) -> bool:
        """Whether a cell names this person, perhaps with more names."""
        key = name_key(name)
        return bool(key) and any(key <= one or (len(one) > 1 and one <= key) for one in self.keys)


def is_name_like(text: str) -> bool:
    """Whether a text may be the name of a person: one to four capitalised words, or an address."""
    if re.fullmatch(r"\S+@\S+", text):
        return True
    words = text.replace(",", " ").split()
    return (
        0 < len(words) < 5
        and all(word[:1].isupper() for word in words)
        and not any(
            word in CRITERION_NAMES or word in CRITERIA or word in ASSIGNMENTS or word in GRADES
            for word in words_of(text)
        )
    )


def is_time(look: Look) -> bool:
    """Whether a column says when a form was filled in."""
    return look.says(
        ("timestamp", "zeitstempel", "horodateur", "temporal", "cronologiche", "completion")
    )
