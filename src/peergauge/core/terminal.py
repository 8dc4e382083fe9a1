"""Text for a terminal: without control characters, and measured in cells of the screen."""

from __future__ import annotations

import codecs
import io
import unicodedata
from collections.abc import Sequence
from typing import Any

JOINER = "\N{ZERO WIDTH JOINER}"
ELLIPSIS = "…"
CONTROL_PICTURES = 0x2400
"""First of the characters that show control characters, such as ␛ for the escape character."""


def printable(text: str) -> str:
    r"""Replace every character that could control a terminal or hide text.

    Escape sequences from a file could otherwise clear the screen or forge lines.

    >>> printable("\x1b[2JAda\n")
    '␛[2JAda␊'
    """
    if text.isprintable():
        return text
    return "".join(_shown(one) for one in text)


def _shown(character: str) -> str:
    if character.isprintable() or character == JOINER:
        return character
    if character == "\N{NO-BREAK SPACE}" or unicodedata.category(character) == "Zs":
        return " "
    if character == "\x7f":
        return "␡"
    if ord(character) < 0x20:
        return chr(CONTROL_PICTURES + ord(character))
    return "\N{REPLACEMENT CHARACTER}"


PLAIN_SIGNS = {
    "±": "+/-", "−": "-", "–": "-", "—": "-", "…": "...", "×": "x", "≥": ">=", "≤": "<=",
    "“": '"', "”": '"', "‘": "'", "’": "'", "→": "->", "·": ".", "•": "*", "∞": "inf",
    "\N{NO-BREAK SPACE}": " ", "█": "#", "▏": "|", "│": "|", "─": "-", "√": "sqrt ",
}  # fmt: skip
"""Signs in ASCII, for an output whose encoding does not have them."""


class PlainOutput:
    """Writes letters that an encoding does not have in other signs, or by their codes."""

    name = "peergauge-plain"

    def __init__(self) -> None:
        self.shown_codes = False
        """Whether a letter was shown by its code, such as ``\\xeb``."""

    def replaced(self, error: UnicodeError) -> tuple[str | bytes, int]:
        """Replace what cannot be written; as an error handler of :mod:`codecs`."""
        if not isinstance(error, UnicodeEncodeError):
            raise error
        wrong = error.object[error.start : error.end]
        found = []
        for letter in wrong:
            sign = PLAIN_SIGNS.get(letter)
            self.shown_codes = self.shown_codes or sign is None
            found.append(sign or letter.encode("ascii", "backslashreplace").decode())
        return "".join(found), error.end

    def take(self, *streams: Any) -> None:
        """Let streams never fail because of their encodings."""
        codecs.register_error(self.name, self.replaced)
        for stream in streams:
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors=self.name)


def cell_width(text: str) -> int:
    r"""Number of cells that a text takes on the screen.

    >>> cell_width("Ada"), cell_width("漢字"), cell_width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character) or character == JOINER:
        return 0
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def shortened(text: str, width: int) -> str:
    """The text in at most *width* cells; an ellipsis replaces what does not fit.

    >>> shortened("Ada Lovelace", 8)
    'Ada Lov…'
    """
    if cell_width(text) <= width:
        return text
    found, used = [], 1
    for character in text:
        used += _width(character)
        if used > width:
            break
        found.append(character)
    return "".join(found).rstrip() + ELLIPSIS


def wrapped(text: str, width: int, most: int) -> list[str]:
    """The words of a text in at most *most* lines of at most *width* cells.

    >>> wrapped("one two three four", 9, 2)
    ['one two', 'three fo…']
    """
    lines: list[str] = []
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if not line or cell_width(longer) <= width:
            line = longer
            continue
        if len(lines) == most - 1:
            return [*lines, shortened(longer, width)]
        lines.append(shortened(line, width))
        line = word
    return [*lines, shortened(line, width)] if line else lines


def table_lines(rows: Sequence[Sequence[str]], width: int, most_cells: int = 32) -> list[str]:
    """Rows of a small table in aligned columns, in at most *width* cells.

    >>> table_lines([["row", "grader"], ["2", "Ada"]], 40)
    ['row  grader', '2    Ada']
    """
    if not rows:
        return []
    columns = list(zip(*rows, strict=True))
    widths = [min(most_cells, max(map(cell_width, column))) for column in columns]
    gaps = 2 * (len(columns) - 1)
    while sum(widths) + gaps > width and max(widths) > 1:
        widths[widths.index(max(widths))] -= 1
    return [
        "  ".join(_padded(cell, size) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _padded(text: str, width: int) -> str:
    fitting = shortened(text, width)
    return fitting + " " * (width - cell_width(fitting))
