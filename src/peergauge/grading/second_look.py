"""What staff should look at again: where a check is expected to change most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from peergauge.models.posterior import Posterior
from peergauge.tables import Reports


class Check(NamedTuple):
    """One submission or one grader to be looked at."""

    place: int
    """The number of the submission or the grader."""

    change: float
    """By how much the check is expected to lower the summed squared error of all grades."""

    why: str


@dataclass(frozen=True)
class SecondLook:
    """What to look at, the most worthwhile first.

    Parameters
    ----------
    submissions, graders
        Each given that those before it are looked at too.
    error
        The summed squared error of all grades that is expected without any check.
    """

    submissions: tuple[Check, ...]
    graders: tuple[Check, ...]
    error: float


def second_look(reports: Reports, posterior: Posterior, budget: int) -> SecondLook:
    """Rank what staff should look at again, for so many submissions and graders."""
    raise NotImplementedError
