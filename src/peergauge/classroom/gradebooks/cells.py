"""Conversion of cells to numbers and back."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)\s*")


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
