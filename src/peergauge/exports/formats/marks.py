"""Parsing grades as people write them in a cell: 8/10, 85%, 4 - Good, Good (4), B+."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from itertools import product
from typing import NamedTuple

from peergauge.exports.formats.opening import number


class Mark(NamedTuple):
    """A grade, and the highest possible grade if the cell states it."""

    score: float
    highest: float | None = None


_NUMBER = r"[+\-−]?\d[\d.,'\u00a0\u202f]*(?:\s*%)?"
_UNIT = r"(?:\s*(?:points?|pts?\.?|punkte?|puntos?|punti|marks?|stars?))?"
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
    if text is None or len(text) > MAX_MARK_LETTERS:
        return None
    if (plain := number(text)) is not None:
        return Mark(plain, 100.0 if "%" in text else None)
    text = text.strip()
    found = _BARE.fullmatch(text) or next(
        filter(None, (p.fullmatch(text) for p in _LABELLED)), None
    )
    if found is None or (score := number(found[1])) is None:
        return None
    if found[2] is None:
        return Mark(score, 100.0 if "%" in found[1] else None)
    highest = number(found[2])
    return Mark(score, highest) if highest is not None and highest > 0 else None


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


def worth(text: str | None, values: Mapping[str, float]) -> Mark | None:
    """Parse the grade in a cell; *values* are the values of words and letters."""
    if text is not None and (value := values.get(said(text))) is not None:
        return Mark(value)
    return mark(text)
