"""Cells: numbers as platforms read them, and text that no spreadsheet takes for a formula."""

from __future__ import annotations

import re
from decimal import Decimal

# What a spreadsheet skips before it looks whether a cell is a formula, and what it looks for.
_SKIPPED = "[\\s'\"`‘’“”\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*"
_FORMULA = re.compile(_SKIPPED + "[=+\\-@\t\r＝＋－＠﹦﹢﹣﹫−]")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)\s*")


def like_a_formula(text: str) -> bool:
    """Whether a spreadsheet might compute *text* instead of showing it."""
    return _FORMULA.match(text) is not None


def guarded(text: str) -> str:
    """*text* with an apostrophe before it, if a spreadsheet might compute it.

    >>> guarded("=1+1"), guarded("Ada")
    ("'=1+1", 'Ada')
    """
    return f"'{text}" if like_a_formula(text) else text


def unguarded(text: str) -> str:
    """What was guarded.

    Text that looks guarded is guarded too, so that nothing else loses its apostrophe.

    >>> unguarded(guarded("'=1+1")), unguarded("'t Hooft")
    ("'=1+1", "'t Hooft")
    """
    return text[1:] if text.startswith("'") and like_a_formula(text[1:]) else text


def number_text(number: float, decimal: str = ".") -> str:
    """A number in as few digits as tell it exactly, never with an exponent.

    >>> number_text(8.0), number_text(-0.25, ","), number_text(1e-7)
    ('8', '-0,25', '0.0000001')
    """
    if number == int(number):
        return str(int(number))
    return f"{Decimal(repr(number)):f}".replace(".", decimal)


def text_number(text: str) -> float | None:
    """The number that a cell holds, with a decimal point or comma; None if it holds none."""
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None
