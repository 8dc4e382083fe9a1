"""Formatting and sorting of text."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from itertools import count
from pathlib import Path

MAX_NAME_BYTES = 200
"""Longest name of a folder in bytes: file systems allow 255, and an ending may follow."""


def as_counted(name: str) -> list[str | tuple[int, str]]:
    """Return a sort key that orders numbers within names by value (natural order).

    >>> sorted(["e10", "e2", "e1"], key=as_counted)
    ['e1', 'e2', 'e10']
    """
    # re.split with a group returns runs of digits at odd positions.
    pieces = re.split(r"([0-9]+)", name)
    return [_value(piece) if odd % 2 else piece for odd, piece in enumerate(pieces)]


def _value(digits: str) -> tuple[int, str]:
    """A sort key of the value of a whole number, which Python may refuse to compute."""
    bare = digits.lstrip("0")
    return len(bare), bare


def folder_name(name: str) -> str:
    """Return a folder name that is valid on every operating system.

    >>> folder_name("Clarity / style?"), folder_name("Größe"), folder_name("..")
    ('Clarity-style', 'Größe', '-')
    """
    plain = re.sub(r"[^\w.,()+-]+|^\.+", "-", name).strip("- ")
    short = plain.encode("utf-8", "replace")[:MAX_NAME_BYTES].decode(errors="ignore")
    return short.strip("- ") or "-"


def folder_names(names: Iterable[str]) -> dict[str, str]:
    """Return a folder for each name, no two of which are one folder on any operating system.

    >>> folder_names(["Style?", "style", "Clarity"])
    {'Style?': 'Style', 'style': 'style-2', 'Clarity': 'Clarity'}
    """
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in names:
        plain = folder_name(name)
        tries = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
        # Some file systems do not tell capitals, or composed and decomposed letters, apart.
        found[name] = next(one for one in tries if _as_one_folder(one) not in taken)
        taken.add(_as_one_folder(found[name]))
    return found


def _as_one_folder(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def composed(text: str) -> str:
    """Return the text with every letter composed, so that two spellings of é are one.

    >>> composed("Zoe\u0308") == "Zo\u00eb"
    True
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def path_text(path: Path | str) -> str:
    r"""A path as text that every file can hold; bytes that are no text are shown by their codes.

    >>> path_text(os.fsdecode(b"class\xff.csv"))
    'class\\xff.csv'
    """
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def json_bytes(text: str) -> bytes:
    r"""JSON as bytes; half of a surrogate pair, as in undecodable paths, becomes its escape.

    >>> json_bytes('["\udcff"]')
    b'["\\udcff"]'
    """
    return text.encode("utf-8", "backslashreplace")


BIDIRECTIONAL_CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Invisible characters that change the direction in which the letters around them are shown."""


def visible(text: str) -> str:
    r"""Return the text with visible names of its bidirectional control characters.

    With them, a name could be shown as another one, and reorder the words beside it.

    >>> visible("Ada"), visible("\u202eadA")
    ('Ada', '[U+202E]adA')
    """
    return BIDIRECTIONAL_CONTROLS.sub(lambda found: f"[U+{ord(found[0]):04X}]", text)


def percent(share: float, digits: int = 0) -> str:
    """Format a share in percent.

    >>> percent(0.326, 1), percent(0.9)
    ('32.6 %', '90 %')
    """
    return f"{100 * share:.{digits}f} %"


def counted(number: int, thing: str) -> str:
    """Format a count with its noun in singular or plural.

    >>> counted(1, "grader"), counted(2, "grader"), counted(0, "grader")
    ('1 grader', '2 graders', '0 graders')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
