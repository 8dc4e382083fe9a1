"""Parsing grades as people write them in a cell: 8/10, 85%, 4 - Good, Good (4), B+, 7½, ~8."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from itertools import product
from typing import NamedTuple

from peergauge.exports.formats.opening import number
from peergauge.exports.formats.times import MONTH_NAMES


class Mark(NamedTuple):
    """A grade, and the highest possible grade if the cell states it."""

    score: float
    highest: float | None = None


_NUMBER = r"[+\-−]?\d[\d.,'\u00a0\u202f]*(?:\s*%)?"
_UNIT = (
    r"(?:\s*(?:points?|pts?\.?|punkte?|pkte?\.?|p\.|puntos?|punti|marks?|stars?|sterne?|étoiles?"
    r"|★))?"
)
_OUT_OF = r"(?:/|out\s+of|of|von|sur|sobre|su|de)"
_PLAIN = rf"({_NUMBER}){_UNIT}(?:\s*{_OUT_OF}\s*({_NUMBER}){_UNIT})?"
_WORD = r"[^\W\d_].*"
_BARE = re.compile(_PLAIN, re.IGNORECASE)
_LABELLED = (
    re.compile(rf"[(\[]?{_PLAIN}[)\]]?\s*[-–—:=.)\]]\s*{_WORD}", re.IGNORECASE | re.DOTALL),
    re.compile(rf"{_WORD}[(\[]\s*{_PLAIN}\s*[)\]]", re.IGNORECASE | re.DOTALL),
)

MAX_MARK_LETTERS = 120
"""Longest cell that can be a grade: a longer one is a comment."""


def mark(text: str | None) -> Mark | None:
    """Parse the grade in a cell: a number, with a maximum or a word; None if it is not a grade.

    >>> mark("7,5"), mark("8 / 10 pts"), mark("8 out of 10")
    (Mark(score=7.5, highest=None), Mark(score=8.0, highest=10.0), Mark(score=8.0, highest=10.0))
    >>> mark("4 - Good"), mark("Good (4)"), mark("85%")
    (Mark(score=4.0, highest=None), Mark(score=4.0, highest=None), Mark(score=85.0, highest=100.0))
    """
    if text is None or len(text) > MAX_MARK_LETTERS or date_in(text) is not None:
        return None
    text = tidied(text)
    if _APART.search(text) is not None:
        return None  # 7 5 is neither 75 nor 7.5
    if _ORDINAL.fullmatch(text):
        text = text[:-2]
    if (plain := number(text)) is not None:
        return Mark(plain, 100.0 if "%" in text else None)
    found = _BARE.fullmatch(text) or next(
        filter(None, (p.fullmatch(text) for p in _LABELLED)), None
    )
    if found is None or (score := number(found[1])) is None:
        word = NUMBER_WORDS.get(said(text))
        return None if word is None else Mark(float(word))
    if found[2] is None:
        return Mark(score, 100.0 if "%" in found[1] else None)
    highest = number(found[2])
    return Mark(score, highest) if highest is not None and highest > 0 else None


_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)", re.IGNORECASE)

_APART = re.compile(r"\d\s+\d(?!\d{2}(?!\d))")
"""Two numbers, and not the groups of three digits of one number."""

_FRACTIONS = {"½": ".5", "¼": ".25", "¾": ".75"}

_AROUND = re.compile(r"^[~≈'’`´]+\s*|^(?:ca\.?|about|approx\.?|etwa|circa)\s+|\s*[?!*~.]+$")
"""Signs around a number that do not change it."""

_REMARK = re.compile(r"^([^()\[\]]*\d[^()\[\]]*?)\s*[(\[][^()\[\]\d]+[)\]]$")
"""A number, and a remark without numbers in brackets."""


def tidied(text: str) -> str:
    """A cell without signs and remarks around its number.

    >>> tidied("~8"), tidied("8!"), tidied("'8"), tidied("8 (late)"), tidied("7 1/2"), tidied("７½")
    ('8', '8', '8', '8', '7.5', '7.5')
    """
    text = text.strip()
    for sign, digits in _FRACTIONS.items():
        if sign in text:
            text = re.sub(rf"(\d)\s*{sign}", rf"\g<1>{digits}", text).replace(sign, f"0{digits}")
    text = unicodedata.normalize("NFKC", text).strip()
    if _MIXED_NUMBER.fullmatch(text):
        whole, above, below = (int(one) for one in re.findall(r"\d+", text))
        if 0 < above < below:
            text = f"{whole + above / below:g}"
    if any(one.isdigit() for one in text):
        if _LETTERS_FOR_DIGITS.fullmatch(text):
            text = text.translate(str.maketrans("OolI", "0011"))
        text = _AROUND.sub("", _AROUND.sub("", text))
        if found := _REMARK.fullmatch(text):
            text = found[1]
    return text


_LETTERS_FOR_DIGITS = re.compile(r"[\dOolI]{1,3}")
"""Numbers with a letter for a digit, such as 1O."""

_MIXED_NUMBER = re.compile(r"\d+\s+\d/\d")

NUMBER_WORDS = {
    word: number
    for words in (
        "zero one two three four five six seven eight nine ten",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn",
        "zéro un deux trois quatre cinq six sept huit neuf dix",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez",
        "zero uno due tre quattro cinque sei sette otto nove dieci",
    )
    for number, word in enumerate(words.split())
    if word != "null"
}
"""Numbers up to ten as words in five languages; "null" rather says that there is no number."""

_NO_GRADE = (
    "- -- --- . ? ?? x n/a na n.a. n_a. n/d nd n.d. nan none null nil tbd absent abs absent(e) "
    "missing pending skip skipped excused blank empty no_grade not_graded ungraded no_answer "
    "not_applicable did_not_submit not_submitted no_submission nicht_bewertet keine_angabe k.a. "
    "k._a. keine fehlt abwesend entschuldigt absente néant non_noté non_évalué sin_nota ausente "
    "no_aplica no_presentado assente non_valutato #n/a not_seen did_not_see own_team my_own_team "
    "own_group my_own_group own_work my_own_work nicht_gesehen eigene_gruppe pas_vu non_visto"
)
NO_GRADE_WORDS = frozenset(word.replace("_", " ") for word in _NO_GRADE.split())
"""Cells that say that no grade was given, in five languages."""


def is_ordinal(text: str) -> bool:
    """Whether a cell holds a place such as 1st or 2nd."""
    return _ORDINAL.fullmatch(text.strip()) is not None


def says_no_grade(text: str) -> bool:
    """Whether a cell says that no grade was given.

    >>> says_no_grade("N/A"), says_no_grade("—"), says_no_grade("keine Angabe"), says_no_grade("8")
    (True, True, True, False)
    """
    words = said(text)
    return words in NO_GRADE_WORDS or re.sub(r"\s*[(\[].*[)\]]$", "", words) in NO_GRADE_WORDS


class DateCell(NamedTuple):
    """The day and the month of a date in a cell where a grade was expected."""

    day: int
    month: int


_NAMED_DATES = (
    re.compile(r"(?P<day>\d{1,2})\s?[-./ ]{1,2}(?P<name>[^\W\d_]{3,10})\.?(?:[-./ ]+\d{2,4})?"),
    re.compile(r"(?P<name>[^\W\d_]{3,10})\.?[-./ ](?P<day>\d{1,2})(?:,?[-./ ]\d{4})?"),
)
_ISO_DATE = re.compile(r"\d{4}-(?P<month>\d{2})-(?P<day>\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2})?.*)?")
_PLAIN_DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(?:\d{4}|\d{2})(?:\s+\d{1,2}:\d{2}.*)?")


def date_in(text: str) -> DateCell | None:
    """The date in a cell; None if it is none. A spreadsheet makes dates of grades such as 3/4.

    >>> date_in("4-Mar"), date_in("2026-03-04 00:00:00"), date_in("03. Apr")
    (DateCell(day=4, month=3), DateCell(day=4, month=3), DateCell(day=3, month=4))
    >>> date_in("4 - Marginal"), date_in("3/4")
    (None, None)
    """
    text = text.strip()
    if not text or len(text) > 40:
        return None
    if found := _ISO_DATE.fullmatch(text):
        return _existing(int(found["day"]), int(found["month"]))
    if found := _PLAIN_DATE.fullmatch(text):
        first, second = int(found[1]), int(found[3])
        # Only slashes stand between a month and a day, in this order.
        by_month = found[2] == "/" and first <= 12
        return _existing(second, first) if by_month else _existing(first, second)
    for pattern in _NAMED_DATES:
        if found := pattern.fullmatch(text):
            plain = unicodedata.normalize("NFKD", found["name"].casefold())
            name = "".join(one for one in plain if not unicodedata.combining(one))
            if name in MONTH_NAMES:
                return _existing(int(found["day"]), MONTH_NAMES[name])
    return None


def _existing(day: int, month: int) -> DateCell | None:
    return DateCell(day, month) if 1 <= day <= 31 and 1 <= month <= 12 else None


_RANGE = re.compile(
    r"(.{1,12}?)\s*(?:-|–|—|/|\bto\b|\bor\b|\bbis\b|\boder\b|\bà\b|\bou\b)\s*(.{1,12})"
)


def range_in(text: str, values: Mapping[str, float]) -> tuple[float, float] | None:
    """The two grades in a cell such as 7-8 or B+/A-; None if there are not two.

    >>> range_in("7-8", {}), range_in("B/A", {"a": 4, "b": 3}), range_in("3/4", {})
    ((7.0, 8.0), (3, 4), None)
    """
    found = _RANGE.fullmatch(said(text))
    if found is None:
        return None
    ends = [values.get(part.strip()) for part in found.groups()]
    if None in ends and "/" not in text:
        ends = [number(part) for part in found.groups()]
    first, second = ends
    if first is None or second is None or (first >= second and "/" not in text):
        return None
    return first, second


def labelled(text: str) -> bool:
    """Whether a cell has a word beside its grade; names with a number look the same."""
    return number(text) is None and _BARE.fullmatch(text.strip()) is None


def _orders() -> list[dict[str, float]]:
    """The usual orders of letter grades, the shortest first; F is 0 in each."""
    found = []
    for signs, with_e, top in product((False, True), (False, True), (False, True)):
        if top and not signs:
            continue
        order = ["F"]
        for letter in "EDCBA" if with_e else "DCBA":
            order += [f"{letter}-", letter, f"{letter}+"] if signs else [letter]
        if signs and not top:
            order.remove("A+")
        found.append({letter: float(place) for place, letter in enumerate(order)})
    return found


LETTER_ORDERS = _orders()
"""Letter grades from F to A, with and without E, signs and A+."""


def said(text: str) -> str:
    """A word or a letter in the form in which it is compared: lower case, plain spaces, dashes."""
    return " ".join(re.sub("[−–—]", "-", text).casefold().split())


def letters_of(cells: Collection[str]) -> dict[str, float]:
    """The values of letter grades: their ranks in the shortest order that has all of them.

    >>> letters_of(["B", "A", "F"])
    {'F': 0.0, 'D': 1.0, 'C': 2.0, 'B': 3.0, 'A': 4.0}
    >>> letters_of(["B+", "A"])["A"], letters_of(["A+", "A"])["A+"], letters_of(["A", "pass"])
    (11.0, 12.0, {})
    """
    found = {said(cell) for cell in cells}
    fitting = (order for order in LETTER_ORDERS if found <= {letter.casefold() for letter in order})
    return dict(next(fitting, {})) if found else {}


def _ordered(*words: str) -> tuple[str, ...]:
    return words


WORD_ORDERS = (
    _ordered("very poor", "poor", "fair", "good", "very good", "excellent", "outstanding"),
    _ordered("poor", "fair", "good", "very good", "excellent"),
    _ordered("very poor", "poor", "fair", "good", "very good"),
    _ordered("very poor", "poor", "average", "good", "very good"),
    _ordered("very bad", "bad", "ok", "good", "very good"),
    _ordered("poor", "fair", "average", "good", "excellent"),
    _ordered("poor", "below average", "average", "above average", "good", "excellent"),
    _ordered("unsatisfactory", "needs improvement", "satisfactory", "good", "very good"),
    _ordered("unsatisfactory", "satisfactory", "good", "excellent"),
    _ordered("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    _ordered("strongly disagree", "disagree", "neither agree nor disagree", "agree")
    + _ordered("strongly agree"),
    _ordered("never", "rarely", "sometimes", "often", "always"),
    _ordered("beginning", "developing", "proficient", "exemplary"),
    _ordered("sehr schlecht", "schlecht", "mittel", "gut", "sehr gut"),
    _ordered("stimme gar nicht zu", "stimme nicht zu", "neutral", "stimme zu")
    + _ordered("stimme voll zu"),
    _ordered("insuffisant", "passable", "assez bien", "bien", "tres bien", "excellent"),
    _ordered("muy malo", "malo", "regular", "bueno", "muy bueno", "excelente"),
    _ordered("insufficiente", "sufficiente", "discreto", "buono", "distinto", "ottimo"),
)
"""Usual words for grades, each list from the worst to the best."""


MAX_WHOLE_ORDER = 5
"""Longest order of words that counts as a whole, also if some of its words do not occur."""


def words_in_order(cells: Collection[str]) -> dict[str, float]:
    """The values of words for grades: their places in the shortest usual order that has them.

    >>> words_in_order(["Good", "poor", "Excellent"])
    {'poor': 1.0, 'fair': 2.0, 'good': 3.0, 'very good': 4.0, 'excellent': 5.0}
    >>> words_in_order(["Good", "blue"])
    {}
    """
    plain = {_without_accents(said(cell)) for cell in cells}
    fitting = [order for order in WORD_ORDERS if plain <= set(order)]
    if not fitting or len(plain) < 2:
        return {}
    order = min((one for one in fitting if len(one) <= MAX_WHOLE_ORDER), key=len, default=None)
    if order is None:
        # Of a long order, only the words that occur count.
        order = tuple(word for word in min(fitting, key=len) if word in plain)
    return {word: float(place) for place, word in enumerate(order, 1)}


def words_value(cell: str, values: Mapping[str, float]) -> float | None:
    """The value of a word for a grade; None if it has none."""
    return values.get(_without_accents(said(cell)))


def _without_accents(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text)
    return "".join(one for one in plain if not unicodedata.combining(one))


def worth(text: str | None, values: Mapping[str, float]) -> Mark | None:
    """Parse the grade in a cell; *values* are the values of words and letters."""
    if text is not None and (value := values.get(said(text))) is not None:
        return Mark(value)
    return mark(text)
