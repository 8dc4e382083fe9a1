"""The parameters of a sweep as people type them: on the command line and on the web page."""

from __future__ import annotations

import re
from collections.abc import Iterable

from peergauge.core.errors import ParameterError

MAX_VALUES_OF_RANGE = 1000
"""Number of values that a range may have."""


def over_of(given: Iterable[str]) -> dict[str, list[int | float | str]]:
    """Read parameters and their values as users write them.

    >>> over_of(["graders=2..4", "mechanism.bias=correct,ignore", "strategic=0..0.4:0.2"])
    {'graders': [2, 3, 4], 'mechanism.bias': ['correct', 'ignore'], 'strategic': [0.0, 0.2, 0.4]}
    """
    found: dict[str, list[int | float | str]] = {}
    for text in given:
        name, equals, values = (part.strip() for part in text.partition("="))
        if not equals or not name or not values:
            raise ParameterError(
                "A parameter of a sweep is given as NAME=VALUES, such as graders=2..8, but "
                f"'{text}' was given."
            )
        if name in found:
            raise ParameterError(f"The parameter '{name}' is given twice; write all of its values.")
        # Values of a scale look like ranges, and specs of strategies may contain commas.
        if name == "scale":
            found[name] = [part.strip() for part in values.split(",")]
        elif name == "strategy":
            found[name] = [part.strip() for part in values.split("+")]
        else:
            found[name] = [one for part in values.split(",") for one in _values(part.strip())]
    return found


def _values(text: str) -> list[int | float | str]:
    """The values that one part of a list stands for: a number, a word, or a range."""
    number = r"-?[0-9]{1,300}(?:\.[0-9]{1,300})?"
    match = re.fullmatch(rf"({number})\.\.({number})(?::({number}))?", text)
    if match is None:
        return [_number(text)]
    low, high, step = (float(one) if "." in one else int(one) for one in match.groups("1"))
    if step <= 0 or high < low or (high - low) / step >= MAX_VALUES_OF_RANGE:
        raise ParameterError(
            f"A range is LOW..HIGH or LOW..HIGH:STEP with at most {MAX_VALUES_OF_RANGE} values, "
            f"such as 2..8 or 0..1:0.1, but '{text}' was given."
        )
    count = int((high - low) / step + 1e-9) + 1
    if all(isinstance(one, int) for one in (low, step)):
        return [low + place * step for place in range(count)]
    # Rounded, so that 0.1 + 2 × 0.1 is 0.3.
    return [round(low + place * step, 12) for place in range(count)]


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
