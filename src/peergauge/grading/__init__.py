"""From a class to grades, grades for the graders, and what to make of them.

:func:`grade` does all of it; everything that is written, printed or shown comes from what it
returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.errors import ParameterError, TableError
from peergauge.grading.earned import Earned, earned_for
from peergauge.grading.points import Points
from peergauge.grouping import Floats
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms import score as pay
from peergauge.models.posterior import PG1Posterior, Posterior, Traits
from peergauge.tables import Reports, Rewards, Truth

if TYPE_CHECKING:
    from peergauge.data.validation import Classroom
    from peergauge.grading.flags import Flags
    from peergauge.grading.gaming import Gaming
    from peergauge.grading.second_look import SecondLook

__all__ = ["Earlier", "Graded", "Settings", "grade"]

USUAL = "mse-p:bias=estimate"
"""The mechanism that is taken where none is asked for."""


@dataclass(frozen=True)
class Settings:
    """What an instructor may choose.

    Parameters
    ----------
    mechanism
        The spec of the mechanism that pays graders; the recommended one by default.
    points
        How what they earned becomes points or letters; see :class:`Points`.
    level
        The probability of intervals.
    budget
        How many submissions and graders staff can look at again.
    model
        How true scores are estimated.
    seed
        The same seed gives the same numbers.
    """

    mechanism: str = ""
    points: str = "5..10"
    level: float = 0.9
    budget: int = 10
    model: PG1Posterior = field(default_factory=PG1Posterior)
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ParameterError(f"The level of intervals is between 0 and 1, not {self.level}.")
        if self.budget < 0:
            raise ParameterError("The budget is the number of submissions to look at again.")
        Points.parse(self.points)
        if self.mechanism:
            mechanisms.make(self.mechanism)


class Earlier(NamedTuple):
    """What an earlier run of the same course knows: of its graders, by name.

    ``assignments`` were graded then, and are not graded again.
    """

    graders: tuple[str, ...]
    traits: Traits
    assignments: tuple[str, ...]
    reviews: NDArray[np.int64]
    """How many reviews of each grader were paid."""

    earned: Floats
    """What they earned for a review on average."""

    mechanism: str


@dataclass(frozen=True, eq=False)
class Graded:
    """A class with everything that was found out about it.

    Parameters
    ----------
    room
        The class.
    settings
        What was asked for.
    posterior
        Estimated true scores and graders' traits.
    beside
        What other ways of estimating make of each submission, by their names.
    mechanism, reason
        What pays graders, and why.
    rewards, earned
        What it pays, and what that says of graders.
    points
        What each grader gets; None for one without reviews.
    second_look, flags, gaming
        What staff should check, what stands out, and whether the class could game it.
    """

    room: Classroom
    settings: Settings
    posterior: Posterior
    beside: dict[str, Floats]
    mechanism: Mechanism
    reason: str
    rewards: Rewards
    earned: Earned
    points: Sequence[float | str | None]
    second_look: SecondLook
    flags: Flags
    gaming: Gaming | None = None
    earlier: Earlier | None = None

    @property
    def reports(self) -> Reports:
        """What the graders said."""
        return self.room.reports
