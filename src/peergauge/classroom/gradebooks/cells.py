"""Conversion of cells: numbers, and text that spreadsheets must not evaluate as a formula."""

from __future__ import annotations

import re
from decimal import Decimal

# Characters that a spreadsheet skips at the start of a cell, and characters that start a formula.
_SKIPPED = "[\\s'\"`‘’“”\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]*"
_FORMULA = re.compile(_SKIPPED + "[=+\\-@\t\r＝＋－＠﹦﹢﹣﹫−]")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)\s*")


def like_a_formula(text: str) -> bool:
    """Whether a spreadsheet might evaluate *text* as a formula."""
    return _FORMULA.match(text) is not None


def guarded(text: str) -> str:
    """Return *text* with a leading apostrophe if a spreadsheet might evaluate it.

    >>> guarded("=1+1"), guarded("Ada")
    ("'=1+1", 'Ada')
    """
    return f"'{text}" if like_a_formula(text) else text


def unguarded(text: str) -> str:
    """Return the text before :func:`guarded` was applied.

    Text that looks guarded is guarded too, so no other text loses its apostrophe.

    >>> unguarded(guarded("'=1+1")), unguarded("'t Hooft")
    ("'=1+1", "'t Hooft")
    """
    return text[1:] if text.startswith("'") and like_a_formula(text[1:]) else text


def number_text(number: float, decimal: str = ".") -> str:
    """Format a number with the fewest digits that represent it exactly, without an exponent.

    >>> number_text(8.0), number_text(-0.25, ","), number_text(1e-7)
    ('8', '-0,25', '0.0000001')
    """
    if number == int(number):
        return str(int(number))
    return f"{Decimal(repr(number)):f}".replace(".", decimal)


def text_number(text: str) -> float | None:
    """Parse the number in a cell, with a decimal point or comma; None if there is no number."""
    return float(text.replace(",", ".")) if _NUMBER.fullmatch(text) else None
