"""From a class to grades, grades for the graders, and what to make of them.

:func:`grade` does all of it; everything that is written, printed or shown comes from what it
returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.earned import Earned, earned_for
from peergauge.classroom.grade.points import Points
from peergauge.classroom.grade.who import Who
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted, percent
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms import score as pay
from peergauge.mechanisms.priors import rounded_prior, with_prior
from peergauge.models import models
from peergauge.models.posterior import PG1Posterior, Posterior, Traits
from peergauge.tables import Reports, Rewards, named

if TYPE_CHECKING:
    from peergauge.classroom.grade.flags import Flags
    from peergauge.classroom.grade.gaming import Gaming
    from peergauge.classroom.grade.second_look import SecondLook
    from peergauge.exports.validate import OpenedClass

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
    scale: str

    def places(self, reports: Reports) -> NDArray[np.int64]:
        """Where the graders of *reports* stand here; -1 for newcomers."""
        names = named(np.arange(reports.graders), reports.grader_names)
        place = {name: number for number, name in enumerate(self.graders)}
        return np.array([place.get(str(name), -1) for name in names], dtype=np.int64)

    def traits_of(self, reports: Reports) -> Traits:
        """What is known of the graders of *reports*, in their order."""
        found = self.places(reports)
        return Traits(*(np.where(found >= 0, one[found], np.nan) for one in self.traits))

    def earned_before(self, reports: Reports) -> tuple[NDArray[np.int64], Floats]:
        """How many reviews of each grader of *reports* were paid, and their average."""
        found = self.places(reports)
        return (
            np.where(found >= 0, self.reviews[found], 0),
            np.where(found >= 0, self.earned[found], np.nan),
        )

    def new_in(self, room: OpenedClass) -> OpenedClass:
        """The class without the assignments that were graded before; their grades stay."""
        if str(room.reports.scale) != self.scale:
            raise TableError(
                f"This class is on {room.reports.scale}, but was on {self.scale} when it was "
                "graded before; give --scale, or grade it anew."
            )
        frame = room.reports.to_polars()
        old = frame["assignment"].cast(pl.String).is_in(list(self.assignments))
        if old.all():
            raise TableError(
                "Every assignment in this export was graded before; there is nothing new to grade."
            )
        if not old.any():
            return room
        reports = Reports.from_frame(frame.filter(~old), room.reports.scale)
        return replace(room, reports=reports)


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
    second_look, flags, gaming
        What staff should check, what stands out, and whether the class could game it.
    """

    room: OpenedClass
    settings: Settings
    posterior: Posterior
    beside: dict[str, Floats]
    mechanism: Mechanism
    reason: str
    rewards: Rewards
    earned: Earned
    second_look: SecondLook
    flags: Flags
    gaming: Gaming | None = None
    earlier: Earlier | None = None

    @property
    def reports(self) -> Reports:
        """What the graders said."""
        return self.room.reports

    @cached_property
    def who(self) -> Who:
        """What everybody and everything is called."""
        return Who(self.room)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Between what bounds each score lies; a score that staff gave is certain."""
        return self.posterior.interval(self.settings.level)

    @cached_property
    def earned_before(self) -> tuple[NDArray[np.int64], Floats]:
        """How many reviews of each grader were paid earlier, and their average."""
        if self.earlier is None:
            graders = self.reports.graders
            return np.zeros(graders, dtype=np.int64), np.full(graders, np.nan)
        return self.earlier.earned_before(self.reports)

    def headlines(self) -> Iterator[str]:
        """The class in a few sentences."""
        low, high = self.bounds
        reports, flagged = self.reports, {flag.grader for flag in self.flags.found}
        open_ = np.isnan(self.posterior.staff) & ~np.isnan(self.posterior.score)
        by_staff = int((~np.isnan(self.posterior.staff)).sum())
        yield (
            f"{counted(reports.submissions, 'submission')} graded from "
            f"{counted(len(reports), 'review')}: {np.nanmean(self.posterior.score):.2f} on average."
        )
        if by_staff:
            yield (
                f"Staff graded {by_staff} of them, and what they gave is the grade; "
                "--ignore-staff tells what peers alone would say."
            )
        if open_.any():
            yield (
                f"As a rule, a grade that peers gave lies within "
                f"{np.median((high - low)[open_]) / 2:.2f} of the true one with a probability of "
                f"{percent(self.settings.level)}."
            )
        yield f"Graders are paid by {self.mechanism.label}. {self.reason}"
        if self.earned.between <= 0:
            yield "What they earned does not tell them apart, so all of them get the same."
        if self.second_look.submissions:
            saved = sum(check.change for check in self.second_look.submissions)
            yield (
                f"Checking {counted(len(self.second_look.submissions), 'submission')} is expected "
                "to lower the squared error of all grades by "
                f"{percent(saved / self.second_look.error)}."
            )
        by_chance = sum(alarm.expected for alarm in self.flags.alarms)
        yield (
            f"{counted(len(flagged), 'grader')} stand out; in an honest class like this, "
            f"{by_chance:.1f} flags are raised by chance."
        )
        if self.gaming is not None:
            yield self.gaming.reason

    @property
    def points_map(self) -> Points:
        """How what was earned becomes points."""
        whole = Points.parse(self.settings.points)
        return whole.fitted(self.earned.average, self.earned.between, self.earned.own)

    @cached_property
    def points(self) -> Sequence[float | str | None]:
        """What each grader gets; None for one without reviews."""
        return self.points_map.of(self.earned.estimate)


BESIDE = ("mean", "median", "trimmed-mean", "vancouver", "pg1")
"""The models whose estimates are always shown beside ours."""


def grade(
    room: OpenedClass,
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
    from peergauge.classroom.grade.flags import find_flags
    from peergauge.classroom.grade.gaming import play
    from peergauge.classroom.grade.second_look import second_look

    settings = settings or Settings()
    tell = progress or _say_nothing
    steps = 5
    tell("estimating", 0, steps)
    if earlier is not None:
        room = earlier.new_in(room)
    reports = room.reports
    staff = None if room.truth is None else room.truth.scores_of(reports)
    traits = None if earlier is None else earlier.traits_of(reports)
    posterior = replace(settings.model, seed=settings.seed).fit(reports, staff, traits)
    beside = {name: models.make(name).fit(reports).score for name in BESIDE}
    tell("paying the graders", 1, steps)
    chosen, reason = _mechanism(settings, earlier, posterior)

    def again(some: Reports) -> Rewards:
        return pay(chosen, some, seed=settings.seed, truth=room.truth)

    rewards = again(reports)
    earned = earned_for(rewards, again)
    if earlier is not None:
        earned = earned.after(*earlier.earned_before(reports))
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
        second_look=look,
        flags=flags,
        gaming=gaming,
        earlier=earlier,
    )


def _mechanism(
    settings: Settings, earlier: Earlier | None, posterior: Posterior
) -> tuple[Mechanism, str]:
    """The mechanism that was asked for, that of the course so far, or the usual one, and why."""
    prior = rounded_prior(*posterior.moments())
    if settings.mechanism:
        asked = with_prior(settings.mechanism, *prior)
        if earlier is None:
            return asked, "It was asked for."
        if earlier.mechanism not in (asked.spec, mechanisms.make(settings.mechanism).spec):
            raise ParameterError(
                f"Graders were paid by '{earlier.mechanism}' before, and what they earn by "
                f"'{settings.mechanism}' cannot be added to that; keep to the first, or grade anew."
            )
    if earlier is not None:
        return mechanisms.make(earlier.mechanism), "Graders were paid by it before."
    return with_prior(USUAL, *prior), (
        "Of all mechanisms, it ranked the graders of real classes best by how far off they were, "
        "and it says what every review adds. Graders can gain by hedging, though: see whether "
        "yours could game it."
    )


def _say_nothing(what: str, done: int, of: int) -> None:
    """For those who do not want to be told."""
