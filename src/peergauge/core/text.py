"""Names in the order in which people count."""

from __future__ import annotations

import re


def as_counted(name: str) -> list[str | int]:
    """A key that sorts numbers within names by their value.

    >>> sorted(["e10", "e2", "e1"], key=as_counted)
    ['e1', 'e2', 'e10']
    """
    # Split at a group, every second piece is a run of digits.
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if odd % 2 else piece for odd, piece in enumerate(pieces)]


def folder_name(name: str) -> str:
    """A name that a folder may have anywhere.

    >>> folder_name("Clarity / style?"), folder_name("Größe"), folder_name("..")
    ('Clarity-style', 'Größe', '-')
    """
    return re.sub(r"[^\w.,()+-]+|^\.+", "-", name).strip("- ") or "-"


def percent(share: float, digits: int = 0) -> str:
    """A share in percent.

    >>> percent(0.326, 1), percent(0.9)
    ('32.6 %', '90 %')
    """
    return f"{100 * share:.{digits}f} %"


def counted(number: int, thing: str) -> str:
    """So many things, in words.

    >>> counted(1, "grader"), counted(2, "grader"), counted(0, "grader")
    ('1 grader', '2 graders', '0 graders')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
