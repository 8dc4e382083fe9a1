"""Files of users' own mechanisms, good ones and bad ones."""

from __future__ import annotations

from pathlib import Path

HEAD = '''"""Pay graders for being close to the median."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards


@mechanism(
    {name!r}, label="MAD", source="me", family="baseline", equilibrium=Equilibrium.NONE,
    assumption="–"{facts},
)
@dataclass(frozen=True)
class MedianDistance({base}):
    """Minus the distance of each report to the median of its submission's reports."""

    weight: float = 1.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
'''

GOOD = """
        part = np.full(len(reports), np.nan)
        bounds = reports.submission_bounds
        for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
            if end - begin > 1:
                grades = reports.grade[begin:end]
                part[begin:end] = -self.weight * np.abs(grades - np.median(grades))
        return Rewards.from_parts(reports, part)
"""


def written(
    folder: Path,
    body: str = GOOD,
    *,
    name: str = "my-mad",
    facts: str = "",
    base: str = "Mechanism",
    file: str = "mine.py",
) -> Path:
    """A file with one mechanism, whose method does what *body* says."""
    path = folder / file
    head = HEAD.format(name=name, facts=facts, base=base)
    path.write_text(head + body, encoding="utf-8")
    return path
