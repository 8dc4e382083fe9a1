"""From a class to grades, grades for the graders, and what to make of them.

:func:`grade` does all of it; everything that is written, printed or shown comes from what it
returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.errors import ParameterError
from peergauge.grading.earned import Earned, earned_for
from peergauge.grading.points import Points
from peergauge.grouping import Floats
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms import score as pay
from peergauge.models import models
from peergauge.models.posterior import PG1Posterior, Posterior, Traits
from peergauge.tables import Reports, Rewards, named

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

    def traits_of(self, reports: Reports) -> Traits:
        """What is known of the graders of *reports*, in their order."""
        names = named(np.arange(reports.graders), reports.grader_names)
        place = {name: number for number, name in enumerate(self.graders)}
        found = np.array([place.get(str(name), -1) for name in names])
        return Traits(*(np.where(found >= 0, one[found], np.nan) for one in self.traits))


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

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Between what bounds each score lies; a score that staff gave is certain."""
        return self.posterior.interval(self.settings.level)

    @property
    def points_map(self) -> Points:
        """How what was earned becomes points."""
        return Points.parse(self.settings.points)


BESIDE = ("mean", "median", "trimmed-mean", "vancouver", "pg1")
"""The models whose estimates are always shown beside ours."""


def grade(
    room: Classroom,
    settings: Settings | None = None,
    *,
    earlier: Earlier | None = None,
    game: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Graded:
    """Estimate true grades, grade the graders, and find out what to make of it.

    Parameters
    ----------
    room
        A class that passed validation. Its true scores, where there are any, are taken for what
        staff gave.
    earlier
        What an earlier run of the same course knows.
    game
        Whether to find out if the class could game it, which takes much longer than the rest.
    progress
        Told what is going on, how much of it is done, and of how much.
    """
    from peergauge.grading.flags import find_flags
    from peergauge.grading.gaming import play
    from peergauge.grading.second_look import second_look

    settings = settings or Settings()
    tell = progress or _say_nothing
    steps = 5
    tell("estimating", 0, steps)
    reports = room.reports
    staff = None if room.truth is None else room.truth.scores_of(reports)
    traits = None if earlier is None else earlier.traits_of(reports)
    posterior = replace(settings.model, seed=settings.seed).fit(reports, staff, traits)
    beside = {name: models.make(name).fit(reports).score for name in BESIDE}
    tell("paying the graders", 1, steps)
    chosen, reason = _mechanism(settings)

    def again(some: Reports) -> Rewards:
        return pay(chosen, some, seed=settings.seed, truth=room.truth)

    rewards = again(reports)
    earned = earned_for(rewards, again)
    tell("looking for what stands out", 2, steps)
    flags = find_flags(reports, posterior, room.submissions, seed=settings.seed)
    tell("ranking what to look at again", 3, steps)
    look = second_look(reports, posterior, settings.budget)
    gaming = None
    if game:
        tell("gaming", 4, steps)
        gaming = play(
            reports, posterior, chosen.spec, seed=settings.seed,
            progress=None if progress is None else lambda done, of: tell("gaming", done, of),
        )  # fmt: skip
    tell("done", steps, steps)
    return Graded(
        room=room,
        settings=settings,
        posterior=posterior,
        beside=beside,
        mechanism=chosen,
        reason=reason,
        rewards=rewards,
        earned=earned,
        points=Points.parse(settings.points).of(earned.estimate),
        second_look=look,
        flags=flags,
        gaming=gaming,
        earlier=earlier,
    )


def _mechanism(settings: Settings) -> tuple[Mechanism, str]:
    """The mechanism that was asked for, or the usual one, and why."""
    if settings.mechanism:
        return mechanisms.make(settings.mechanism), "It was asked for."
    return mechanisms.make(USUAL), (
        "It ranks graders by their accuracy best where there are few reviews of each, and says "
        "what every review adds. Graders can gain by hedging: see whether yours could game it."
    )


def _say_nothing(what: str, done: int, of: int) -> None:
    """For those who do not want to be told."""
