"""Names of the assignments whose reviews points are for."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_LISTED_ASSIGNMENTS = 3
"""Assignments up to which a period lists all names."""


def period_name(assignments: Sequence[str]) -> str:
    """The assignments of a run as one name; empty if they have no names.

    Runs that continue each other share no assignment, so that their periods have different names.

    >>> period_name(["Week 2"]), period_name(["Week 2", "Week 3"])
    ('Week 2', 'Week 2 and Week 3')
    >>> period_name([f"Week {n}" for n in range(1, 7)])
    'Week 1 to Week 6 (6 assignments)'
    """
    names = [
        name
        for name in dict.fromkeys(_on_one_line(one) for one in dict.fromkeys(assignments))
        if name
    ]
    if len(names) > MAX_LISTED_ASSIGNMENTS:
        return f"{names[0]} to {names[-1]} ({len(names)} assignments)"
    *before, last = names or [""]
    return f"{', '.join(before)} and {last}" if before else last


def _on_one_line(name: str) -> str:
    """A name without line breaks and other control characters."""
    return " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff]", " ", name).split())
