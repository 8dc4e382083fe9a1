"""Graders who stand out: how, by what evidence, and how often an honest one would."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from peergauge.models.posterior import Posterior
from peergauge.tables import Reports

if TYPE_CHECKING:
    import polars as pl

KINDS = {
    "inflates": "grades higher than others do",
    "hedges": "keeps close to the middle",
    "constant": "gives nearly always the same grade",
    "copies": "agrees with somebody more than the work explains",
    "favours": "is kinder to somebody than the work explains",
}


class Flag(NamedTuple):
    """One grader who stands out."""

    grader: int
    kind: str
    """One of ``KINDS``."""

    evidence: str
    """What was seen, in words with its numbers."""

    chance: float
    """How often an honest grader of such a class would stand out as much."""

    other: int | None = None
    """The other grader, where there is one."""


class Alarm(NamedTuple):
    """How often a kind of flag is raised in an honest class of this shape."""

    kind: str
    expected: float
    """False flags to expect in an honest class."""

    error: float
    """Standard error of that."""


@dataclass(frozen=True)
class Flags:
    """Everything that stands out, and how many of those flags honest classes would raise."""

    found: tuple[Flag, ...]
    alarms: tuple[Alarm, ...]
    classes: int
    """How many honest classes were simulated."""


def find_flags(
    reports: Reports,
    posterior: Posterior,
    authors: pl.DataFrame,
    *,
    seed: int = 0,
    classes: int = 100,
    rate: float = 0.01,
) -> Flags:
    """Look for graders who stand out.

    Parameters
    ----------
    authors
        Who wrote what: columns assignment, submission, author, as names; may be empty.
    classes
        How many honest classes of the same shape to compare with.
    rate
        How often an honest grader may be flagged, for each kind.
    """
    raise NotImplementedError
