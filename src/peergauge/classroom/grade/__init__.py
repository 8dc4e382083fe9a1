"""Grade a class: grades for submissions, points for graders, and what staff should check.

:func:`grade` does all of it. Files, pages and printed lines are made from the :class:`GradedClass`
that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.earlier import EarlierRun
from peergauge.classroom.grade.estimate import (
    DEFAULT_ESTIMATOR,
    ESTIMATORS,
    GradeEstimate,
    estimate_grades,
)
from peergauge.classroom.grade.leniency import GraderLeniency, grader_leniency
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.reward_per_review import RewardPerReview, reward_per_review
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.text import counted, percent
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.mechanisms.priors import rounded_prior, with_prior
from peergauge.models import models
from peergauge.models.hedged import HedgedEstimates, hedge
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.tables import Reports, Rewards

if TYPE_CHECKING:
    from peergauge.classroom.grade.flags import Flags
    from peergauge.classroom.grade.gaming import GamingResult
    from peergauge.classroom.grade.second_look import SecondLook
    from peergauge.exports.validate import OpenedClass

__all__ = ["EarlierRun", "GradedClass", "Settings", "grade"]

DEFAULT_MECHANISM = "mse-p"
"""The mechanism that pays graders if none is asked for.

This is MSE_P with its default ``bias=estimate``: a grader's leniency or severity is an error that
costs pay. It gets the mean and variance of scores that were estimated from the class, because the
paper's prior can be far off.
"""

COMPARED_MODELS = ("mean", "median", "trimmed-mean", "vancouver", "pg1")
"""Models whose estimates are shown beside the grades."""

GRADING_STEPS = 5

MIN_MENTIONED_SHIFT = 0.05
"""Smallest difference between peers and staff that is mentioned, in points of 0..10."""

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and how much there is to do."""


@dataclass(frozen=True)
class Settings:
    """Choices of the instructor.

    Parameters
    ----------
    mechanism
        Spec of the mechanism that pays graders; the recommended one by default.
    points
        Rule by which rewards become points or letters; see :class:`PointsRule`.
    estimator
        How grades are made of reviews: one of
        :data:`~peergauge.classroom.grade.estimate.ESTIMATORS`.
    level
        Probability that an interval contains the value that it is about.
    budget
        Number of submissions, and of graders, that staff can check.
    model
        Model that estimates the traits of graders and the distribution of true scores.
    seed
        Seed of all random numbers; the same seed gives the same numbers.
    """

    mechanism: str = ""
    points: str = "5..10"
    estimator: str = DEFAULT_ESTIMATOR
    level: float = 0.9
    budget: int = 10
    model: PG1Posterior = field(default_factory=PG1Posterior)
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.level < 1:
            raise ParameterError(
                f"The level of intervals is a probability between 0 and 1, not {self.level}."
            )
        if self.budget < 0:
            raise ParameterError(
                f"The budget is a number of submissions that staff can check, not {self.budget}."
            )
        if self.estimator not in ESTIMATORS:
            raise UnknownNameError("estimator", self.estimator, list(ESTIMATORS))
        PointsRule.parse(self.points)
        if self.mechanism:
            mechanisms.make(self.mechanism)


@dataclass(frozen=True, eq=False)
class GradedClass:
    """A class with its grades, rewards, flags and recommendations.

    Parameters
    ----------
    opened
        The class as it was read from an export.
    settings
        Choices of the instructor.
    posterior
        Posterior distributions of true scores and of the traits of graders.
    grades
        Final grades of the submissions, and the parts that they are made of.
    leniency
        How much higher each grader grades than others.
    model_scores
        Scores by other models, by the name of the model.
    mechanism, reason
        The mechanism that pays graders, and the reason for choosing it.
    rewards, reward_per_review
        Rewards of the graders, and their estimated mean per review.
    second_look, flags, gaming
        What staff should check, which graders are flagged, and the result of the gaming test.
    earlier
        The run that this one continues.
    """

    opened: OpenedClass
    settings: Settings
    posterior: Posterior
    grades: GradeEstimate
    leniency: GraderLeniency
    model_scores: dict[str, Floats]
    mechanism: Mechanism
    reason: str
    rewards: Rewards
    reward_per_review: RewardPerReview
    second_look: SecondLook
    flags: Flags
    gaming: GamingResult | None = None
    earlier: EarlierRun | None = None

    @property
    def reports(self) -> Reports:
        """Reports of the graders."""
        return self.opened.reports

    @cached_property
    def names(self) -> ClassNames:
        """Names of the submissions, authors and graders."""
        return ClassNames(self.opened)

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper bounds of the grades; staff grades are certain."""
        return self.grades.low, self.grades.high

    @property
    def staff_graded(self) -> NDArray[np.bool_]:
        """Which submissions staff graded."""
        return self.grades.by_staff

    @property
    def peer_graded(self) -> NDArray[np.bool_]:
        """Which submissions have a grade that was estimated from reviews."""
        return self.grades.by_peers

    @cached_property
    def earlier_rewards(self) -> tuple[NDArray[np.int64], Floats]:
        """Number of earlier rewarded reviews of each grader, and their mean reward."""
        if self.earlier is None:
            graders = self.reports.graders
            return np.zeros(graders, dtype=np.int64), np.full(graders, np.nan)
        return self.earlier.rewards_of(self.reports)

    @property
    def points_rule(self) -> PointsRule:
        """The rule by which rewards become points, fitted to this class."""
        estimated = self.reward_per_review
        rule = PointsRule.parse(self.settings.points)
        return rule.fitted(estimated.class_mean, estimated.between_variance, estimated.own_mean)

    @cached_property
    def points(self) -> Sequence[float | str | None]:
        """Points or letter of each grader; None for a grader without rewarded reviews."""
        return self.points_rule.of(self.reward_per_review.estimate)

    def continued(self, most: int = 8) -> Iterator[str]:
        """How the class continues the earlier run, with at most *most* names in each sentence."""
        if self.earlier is not None and self.earlier.continuation is not None:
            yield from self.earlier.continuation.lines(most)

    def headlines(self) -> Iterator[str]:
        """Summary of the class in a few sentences."""
        yield from self._grade_headlines()
        yield f"Graders are paid by {self.mechanism.label}. {self.reason}"
        if self.reward_per_review.between_variance <= 0:
            yield "Their rewards do not differ by more than chance, so all of them get the same."
        if self.second_look.submissions:
            checked = counted(len(self.second_look.submissions), "submission")
            saved = sum(check.error_reduction for check in self.second_look.submissions)
            yield (
                f"If staff check the {checked} listed in the report, the squared error of all "
                f"grades is expected to fall by {percent(saved / self.second_look.error)}."
            )
        flagged = len({flag.grader for flag in self.flags.found})
        expected = sum(one.expected for one in self.flags.false_flags)
        yield (
            f"{counted(flagged, 'grader')} {'is' if flagged == 1 else 'are'} flagged as unusual. "
            f"In an honest class like this one, {expected:.1f} flags are expected by chance."
        )
        if self.gaming is not None:
            yield self.gaming.reason

    def shift_sentences(self) -> Iterator[str]:
        """How the grades by peers were moved to the level of the staff grades, by assignment."""
        names = self.reports.assignment_names
        for number, shift in enumerate(self.grades.shift.tolist()):
            if abs(shift) < MIN_MENTIONED_SHIFT * self.reports.scale.unit:
                continue
            where = f" in {names[number]}" if names and len(names) > 1 else ""
            yield (
                f"Peers graded about {abs(shift):.2f} points {'higher' if shift > 0 else 'lower'} "
                f"than staff{where}, so {abs(shift):.2f} points are "
                f"{'subtracted from' if shift > 0 else 'added to'} every review there."
            )

    def _grade_headlines(self) -> Iterator[str]:
        reports, by_staff = self.reports, int(self.staff_graded.sum())
        yield (
            f"{counted(reports.submissions, 'submission')} graded from "
            f"{counted(len(reports), 'review')}; the mean grade is "
            f"{np.nanmean(self.grades.score):.2f}."
        )
        if by_staff:
            yield (
                f"Staff graded {by_staff} of them, and the staff grade is the final grade; use "
                "--ignore-staff to see the grades by peers alone."
            )
            yield from self.shift_sentences()
        if self.peer_graded.any():
            low, high = self.interval
            half_width = np.median((high - low)[self.peer_graded]) / 2
            yield (
                "With a probability of "
                f"{percent(self.settings.level)}, half of the grades by peers are within "
                f"{half_width:.2f} of the mean that many more such peers would give."
            )


def grade(
    opened: OpenedClass,
    settings: Settings | None = None,
    *,
    earlier: EarlierRun | None = None,
    game: bool = False,
    progress: Progress | None = None,
) -> GradedClass:
    """Estimate true grades, pay the graders, and find what staff should check.

    Parameters
    ----------
    opened
        A class that passed validation. Its true scores, if there are any, are staff grades.
    settings
        Choices of the instructor.
    earlier
        An earlier run of the same course to continue. A question about it that is not answered,
        such as whether a grader was renamed, is refused: open the class by
        :func:`peergauge.classroom.grade.continuing.interpret_class_after` to answer it.
    game
        Whether to run the gaming test, which takes much longer than the rest.
    progress
        Called whenever a step begins.
    """
    from peergauge.classroom.grade.continuing import continue_class
    from peergauge.classroom.grade.flags import find_flags
    from peergauge.classroom.grade.gaming import measure_gaming
    from peergauge.classroom.grade.second_look import second_look

    settings = settings or Settings()
    step = progress or _ignore_progress
    step("estimating", 0, GRADING_STEPS)
    if earlier is not None and earlier.continuation is None:
        opened, earlier = continue_class(opened, earlier)
    reports = opened.reports
    posterior = _fit(opened, settings, earlier)
    hedged = _hedge(reports, posterior, earlier)
    grades = estimate_grades(reports, posterior, hedged, settings.estimator, settings.level)
    model_scores = {name: models.make(name).fit(reports).score for name in COMPARED_MODELS}
    step("paying the graders", 1, GRADING_STEPS)
    chosen, reason = _choose_mechanism(settings, earlier, posterior)
    rewards, estimated = _pay(chosen, opened, settings, earlier)
    step("looking for unusual graders", 2, GRADING_STEPS)
    flags = find_flags(reports, posterior, opened.submissions, seed=settings.seed)
    step("ranking what to check", 3, GRADING_STEPS)
    look = second_look(reports, posterior, settings.budget)
    gaming = None
    if game:
        step("testing strategies", 4, GRADING_STEPS)
        gaming = measure_gaming(
            reports, posterior, chosen.spec, seed=settings.seed,
            progress=lambda done, of: step("testing strategies", done, of),
        )  # fmt: skip
    step("done", GRADING_STEPS, GRADING_STEPS)
    return GradedClass(
        opened=opened,
        settings=settings,
        posterior=posterior,
        grades=grades,
        leniency=grader_leniency(reports, hedged, settings.level),
        model_scores=model_scores,
        mechanism=chosen,
        reason=reason,
        rewards=rewards,
        reward_per_review=estimated,
        second_look=look,
        flags=flags,
        gaming=gaming,
        earlier=earlier,
    )


def _fit(opened: OpenedClass, settings: Settings, earlier: EarlierRun | None) -> Posterior:
    """Fit the model to the reports, the staff grades and the traits from the earlier run."""
    reports = opened.reports
    staff = None if opened.truth is None else opened.truth.scores_of(reports)
    traits = None if earlier is None else earlier.traits_of(reports)
    return replace(settings.model, seed=settings.seed).fit(reports, staff, traits)


def _hedge(reports: Reports, posterior: Posterior, earlier: EarlierRun | None) -> HedgedEstimates:
    """Grades of the default estimator, with the leniency of graders from the earlier run."""
    return hedge(
        reports, posterior, prior=None if earlier is None else earlier.leniency_of(reports)
    )


def _pay(
    mechanism: Mechanism, opened: OpenedClass, settings: Settings, earlier: EarlierRun | None
) -> tuple[Rewards, RewardPerReview]:
    """Rewards of the graders, and their mean per review including the earlier run."""

    def pay(some: Reports) -> Rewards:
        return score(mechanism, some, seed=settings.seed, truth=opened.truth, rubric=opened.rubric)

    rewards = pay(opened.reports)
    estimated = reward_per_review(rewards, pay)
    if earlier is not None:
        estimated = estimated.with_earlier(*earlier.rewards_of(opened.reports))
    return rewards, estimated


def _choose_mechanism(
    settings: Settings, earlier: EarlierRun | None, posterior: Posterior
) -> tuple[Mechanism, str]:
    """The mechanism that was asked for, that of the earlier run, or the default; and the reason."""
    prior = rounded_prior(*posterior.moments())
    if settings.mechanism:
        asked = with_prior(settings.mechanism, *prior)
        if earlier is None:
            return asked, "You chose this mechanism."
        same = asked.spec, mechanisms.make(settings.mechanism).spec
        if mechanisms.make(earlier.mechanism).spec not in same:
            raise ParameterError(
                f"The earlier run paid graders by '{earlier.mechanism}', and its rewards cannot be "
                f"added to those by '{settings.mechanism}'; keep the earlier mechanism, or grade "
                "the whole class again without --after."
            )
    if earlier is not None:
        return mechanisms.make(earlier.mechanism), "The earlier run used this mechanism, too."
    return with_prior(DEFAULT_MECHANISM, *prior), (
        "In real classes this mechanism ranked graders best by their accuracy, and it gives a "
        "reward for every single review. A grader's leniency or severity counts as an error, and "
        "the prior is estimated from the class. Graders can gain by hedging, however: run the "
        "gaming test (--game) to see whether yours could."
    )


def _ignore_progress(what: str, done: int, of: int) -> None:
    """Show no progress."""
