"""What screens and the programming interface show, as plain values."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel, ConfigDict

MAX_ROWS_PER_PAGE = 50


class View(BaseModel):
    """Base class of all views."""

    model_config = ConfigDict(frozen=True)


def number(value: Any, digits: int = 6) -> float | None:
    """A number for JSON; None if it is missing or not finite."""
    if value is None or not math.isfinite(value):
        return None
    return round(float(value), digits)


class Bar(View):
    """One bar of a histogram."""

    label: str
    count: int
    share: float
    """Height in percent of the highest bar."""


def bars(counts: dict[str, int]) -> list[Bar]:
    """A histogram from counts by label."""
    highest = max(counts.values(), default=0) or 1
    return [
        Bar(label=label, count=count, share=round(100 * count / highest, 2))
        for label, count in counts.items()
    ]
