"""Grade a class: grades for submissions, points for graders, and what staff should check.

:func:`grade` does all of it. Files, pages and printed lines are made from the :class:`GradedClass`
that it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.again import Delayed, DelayedField, StageRecords, StageRunner
from peergauge.classroom.grade.awarded import AwardedGrades, award, rule_sentences
from peergauge.classroom.grade.class_groups import ClassGroups, groups_of
from peergauge.classroom.grade.deciding import apply_decisions
from peergauge.classroom.grade.decisions import Action, AppliedDecisions, Decisions
from peergauge.classroom.grade.earlier import EarlierRun
from peergauge.classroom.grade.estimate import GradeEstimate, estimate_grades
from peergauge.classroom.grade.final_mark import FinalMarks, check_final_marks, final_marks
from peergauge.classroom.grade.forgiving import (
    DEFAULT_MECHANISM,
    LeniencyRule,
    forgives_leniency,
    leniency_words,
    with_leniency,
)
from peergauge.classroom.grade.leniency import GraderLeniency, grader_leniency
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.payment import Payment, pay_graders
from peergauge.classroom.grade.period import period_name
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.reward_per_review import RewardPerReview
from peergauge.classroom.grade.semester import Semester, semester_of
from peergauge.classroom.grade.settings import PointsPeriod, Settings
from peergauge.classroom.grade.size import check_memory
from peergauge.classroom.grade.staff_level import staff_to_follow, unfollowed_sentences
from peergauge.core.acceleration import plain_numpy_if
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.text import counted, percent
from peergauge.exports.assigned_numbers import known_assigned
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms.priors import (
    brief_label,
    lacks_prior,
    rounded_prior,
    with_prior,
    without_prior,
)
from peergauge.models import models
from peergauge.models.halfway import HalfwayEstimates, halfway_grades
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.tables import Reports, Rewards

if TYPE_CHECKING:
    from peergauge.classroom.grade.flags import Flags
    from peergauge.classroom.grade.gaming import GamingResult
    from peergauge.classroom.grade.influence import Influence
    from peergauge.classroom.grade.second_look import SecondLook
    from peergauge.classroom.grade.settings import FollowStaff
    from peergauge.exports.validate import OpenedClass

__all__ = ["EarlierRun", "GradedClass", "Settings", "grade"]

COMPARED_MODELS = ("mean", "median", "trimmed-mean", "vancouver", "pg1")
"""Models whose estimates are shown beside the grades."""

POINTS_SENTENCES = {
    "week": "Points are for the reviews of this run alone; graders.csv has points for all weeks so "
    "far in a column of its own.",
    "semester": "Points are for the reviews of all weeks so far, and replace the points of earlier "
    "weeks; graders.csv has points for this run alone in a column of its own.",
}
"""What points are for, if there is an earlier run."""

GRADING_STEPS = 5

GAMING_HINT = (
    "Graders can gain by hedging, however: run the gaming test (--game) to see whether yours could."
)
"""What the reason for the default mechanism ends with, unless the gaming test was run."""

MAX_PLAIN_REVIEWS = 250_000
"""Reviews up to which plain NumPy takes less time than compiling the functions of the models."""

MIN_MENTIONED_SHIFT = 0.05
"""Smallest difference between peers and staff that is mentioned, in points of 0..10."""

Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and how much there is to do."""


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
    payment
        Rewards of the graders in this run, and what they are computed from.
    second_look, flags, gaming
        What staff should check, which graders are flagged, and the result of the gaming test.
    influence
        How much colluding reviewers move a grade, and reviews the own grade of their author.
    earlier
        The run that this one continues.
    decisions
        Decisions of staff that were applied to the class; None if there were none.
    assigned
        Assigned reviews by person and assignment; None if the number is not known.
    stages
        What each stage of the grading was computed from, by which
        :func:`~peergauge.classroom.grade.again.grade_again` decides what to reuse.
    """

    opened: OpenedClass
    settings: Settings
    posterior: Posterior
    grades: GradeEstimate
    leniency: GraderLeniency
    model_scores: dict[str, Floats]
    mechanism: Mechanism
    reason: str
    payment: Payment
    second_look: SecondLook
    flags: Flags
    influence: DelayedField[Influence] = DelayedField()
    gaming: GamingResult | None = None
    earlier: EarlierRun | None = None
    decisions: AppliedDecisions | None = None
    assigned: pl.DataFrame | None = None
    stages: StageRecords = field(default_factory=dict, repr=False)

    @property
    def reports(self) -> Reports:
        """Reports of the graders."""
        return self.opened.reports

    @cached_property
    def names(self) -> ClassNames:
        """Names of the submissions, authors and graders."""
        made = self.stages.get(ClassNames)
        if made is not None and made.arguments[0] is self.opened:
            names: ClassNames = made.result
            return names
        return ClassNames(self.opened)

    @cached_property
    def groups(self) -> ClassGroups:
        """The parts and sections of the class."""
        return groups_of(self)

    @cached_property
    def semester(self) -> Semester:
        """The semester up to this run."""
        return semester_of(self)

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
    def awarded(self) -> AwardedGrades:
        """The grades that students get, after the curve, rounding and letters."""
        reports = self.reports
        return award(
            self.grades.score, reports.assignment_of_submission, reports.scale, self.settings.grades
        )

    @cached_property
    def final(self) -> FinalMarks | None:
        """The final marks; None if the settings ask for none."""
        return final_marks(self, self.assigned) if self.settings.final.use else None

    def excluded_reviews_of(self) -> dict[str, int]:
        """Number of reviews that staff excluded, by grader."""
        return {} if self.decisions is None else self.decisions.excluded_by_grader()

    def decided(self) -> Iterator[str]:
        """Decisions of staff, in sentences for the teacher."""
        if self.decisions is not None:
            yield from self.decisions.lines()
        yield from self._forgotten_exclusions()

    def _forgotten_exclusions(self) -> Iterator[str]:
        """Graders whom the earlier run excluded from all assignments, and whom this one counts."""
        paid = {self.names.graders[one].id for one in np.unique(self.reports.grader).tolist()}
        for decision, _ in () if self.earlier is None else self.earlier.decisions:
            everywhere = decision.action is Action.EXCLUDE_GRADER and not decision.assignment
            if everywhere and decision.grader in paid:
                yield (
                    f"The earlier run excluded all reviews by {decision.grader}, and this run "
                    "counts the new ones; give the decision again to exclude them, too."
                )

    @cached_property
    def earlier_rewards(self) -> tuple[NDArray[np.int64], Floats]:
        """Number of earlier rewarded reviews of each grader, and their mean reward."""
        if self.earlier is None:
            graders = self.reports.graders
            return np.zeros(graders, dtype=np.int64), np.full(graders, np.nan)
        return self.earlier.rewards_of(self.reports)

    @property
    def rewards(self) -> Rewards:
        """Rewards of the graders in this run, as the mechanism computed them."""
        return self.payment.rewards

    @cached_property
    def semester_reward_per_review(self) -> RewardPerReview:
        """Mean reward per review over all weeks so far."""
        week = self.payment.estimated
        return week if self.earlier is None else week.with_earlier(*self.earlier_rewards)

    def reward_per_review_over(self, period: str) -> RewardPerReview:
        """Mean reward per review of each grader over the week or over the semester."""
        return self.payment.estimated if period == "week" else self.semester_reward_per_review

    @property
    def reward_per_review(self) -> RewardPerReview:
        """Mean reward per review of each grader, over the reviews that points are for."""
        return self.reward_per_review_over(self.settings.points_over)

    def points_rule_over(self, period: str) -> PointsRule:
        """The rule by which rewards become points, fitted to the rewards of a period."""
        found = self.reward_per_review_over(period)
        return PointsRule.parse(self.settings.points).fitted(
            found.class_mean, found.between_variance, found.estimate, found.digits
        )

    def points_over(self, period: str) -> list[float | str | None]:
        """Points or letter of each grader over the week or over the semester."""
        estimate = self.reward_per_review_over(period).estimate
        return self.points_rule_over(period).of(estimate)

    @cached_property
    def points_by_period(self) -> dict[str, list[float | str | None]]:
        """Points or letters of all graders by period."""
        return {period: self.points_over(period) for period in get_args(PointsPeriod)}

    @cached_property
    def period(self) -> str:
        """The reviews that points are for, in words: the assignments of this run, or all weeks."""
        if self.settings.points_over == "semester":
            return "all weeks so far"
        return period_name(self.names.assignments) or "this run"

    @cached_property
    def points_rule(self) -> PointsRule:
        """The rule by which rewards become points, fitted to this class."""
        return self.points_rule_over(self.settings.points_over)

    @cached_property
    def points(self) -> Sequence[float | str | None]:
        """Points or letter of each grader; None for a grader without rewarded reviews."""
        return self.points_rule.of(self.reward_per_review.estimate)

    @property
    def points_summary(self) -> str:
        """How many graders get the highest and the lowest number of points; empty for letters."""
        return self.points_rule.summary(
            self.reward_per_review.estimate, squared=self.payment.pays_squared_distances
        )

    @property
    def forgives_leniency(self) -> bool | None:
        """Whether leniency is forgiven; None if the mechanism has no parameter that says so."""
        return forgives_leniency(self.mechanism)

    @property
    def leniency_words(self) -> str:
        """What leniency does to the points, in a few sentences."""
        return leniency_words(self.mechanism)

    def continued(self, most: int = 8) -> Iterator[str]:
        """How the class continues the earlier run, with at most *most* names in each sentence."""
        if self.earlier is not None and self.earlier.continuation is not None:
            yield from self.earlier.continuation.lines(most)

    def headlines(self) -> Iterator[str]:
        """Summary of the class in a few sentences."""
        yield from self._grade_headlines()
        yield f"Graders are paid by {brief_label(self.mechanism.spec)}. {self.reason}"
        if self.points_summary:
            yield self.points_summary
        elif self.reward_per_review.between_variance <= 0:
            yield "Their rewards do not differ by more than chance, so all of them get the same."
        if self.earlier is not None:
            yield POINTS_SENTENCES[self.settings.points_over]
        if self.second_look.submissions:
            checked = counted(len(self.second_look.submissions), "submission")
            known = int((~np.isnan(self.grades.score)).sum())
            before, after = self.second_look.typical_errors(known)
            yield (
                f"If staff check the {checked} listed in the report, the typical error of all "
                f"grades is expected to fall from {before:.2f} to {after:.2f}."
            )
        flagged = len({flag.grader for flag in self.flags.found})
        expected = sum(one.expected for one in self.flags.false_flags)
        yield (
            f"{counted(flagged, 'grader')} {'is' if flagged == 1 else 'are'} flagged as unusual. "
            f"In an honest class like this one, {expected:.1f} flags are expected by chance."
        )
        if self.gaming is not None:
            yield f"{self.gaming.recommendation} {self.gaming.reason}"
        yield from rule_sentences(self.settings.grades, self.reports.scale)
        if self.final is not None:
            yield from self.final.lines()

    def shift_sentences(self) -> Iterator[str]:
        """Whether and how the grades by peers follow the level of staff grades, by assignment."""
        grades = self.grades
        yield from unfollowed_sentences(
            self.reports, grades.staff, grades.followed, grades.peer_score
        )
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
    decisions: Decisions | None = None,
    assigned: pl.DataFrame | None = None,
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
    decisions
        Decisions of staff, which are applied before anything is estimated.
    assigned
        Assigned reviews, as :func:`peergauge.exports.assigned_numbers.assigned_reviews` counts
        them; by default the numbers of the export, if it has any.
    game
        Whether to run the gaming test, which takes much longer than the rest.
    progress
        Called whenever a step begins.
    """
    return grade_in_stages(
        opened,
        settings or Settings(),
        earlier=earlier,
        decisions=decisions,
        assigned=assigned,
        game=game,
        progress=progress,
    )


def _is_small(opened: OpenedClass) -> bool:
    """Whether plain NumPy grades a class, and not compiled functions."""
    return len(opened.reports) <= MAX_PLAIN_REVIEWS


@plain_numpy_if(_is_small)
def grade_in_stages(
    opened: OpenedClass,
    settings: Settings,
    *,
    earlier: EarlierRun | None = None,
    decisions: Decisions | None = None,
    assigned: pl.DataFrame | None = None,
    game: bool = False,
    progress: Progress | None = None,
    before: StageRecords | None = None,
) -> GradedClass:
    """Grade a class as :func:`grade` does, and reuse stages of an earlier grading.

    Each stage gets exactly the settings that it reads, so that it is computed again if and only if
    one of them, or a result that it is computed from, is another one.

    Parameters
    ----------
    opened, settings, earlier, decisions, assigned, game, progress
        As in :func:`grade`.
    before
        Stages of an earlier grading. If None, the influence of dishonest reviews is measured at
        once, and otherwise when it is first asked for.
    """
    from peergauge.classroom.grade.continuing import continue_class
    from peergauge.classroom.grade.flags import find_flags
    from peergauge.classroom.grade.gaming import measure_gaming
    from peergauge.classroom.grade.second_look import second_look

    check_memory(opened.reports)
    plain, seed = _is_small(opened), settings.seed
    stages, step = StageRunner(before or {}, plain=plain), progress or _ignore_progress
    step("estimating", 0, GRADING_STEPS)
    if earlier is not None and earlier.continuation is None:
        opened, earlier = stages.run(continue_class, opened, earlier)
    assigned = stages.run(known_assigned, opened) if assigned is None else assigned
    check_final_marks(opened, settings, assigned)
    opened = stages.run(_with_staff_of_export, opened, settings.ignore_staff)
    applied = None
    if decisions is not None:
        opened, applied = stages.run(apply_decisions, opened, decisions, earlier)
    reports = opened.reports
    staff, anchor = stages.run(_staff_grades, opened, applied, settings.follow_staff)
    fitted = stages.run(_fit, reports, anchor, earlier, replace(settings.model, seed=seed))
    posterior = stages.run(Posterior.with_staff, fitted, staff)
    halfway = stages.run(_halfway, reports, posterior, anchor, earlier)
    grades = stages.run(
        estimate_grades, reports, posterior, halfway, settings.estimator, settings.level
    )
    model_scores = stages.run(_compared_scores, reports)
    step("paying the graders", 1, GRADING_STEPS)
    _refuse_another_period(settings.points_over, earlier)
    chosen, reason = stages.run(
        _choose_mechanism, settings.mechanism, settings.leniency, earlier, posterior
    )
    payment = stages.run(pay_graders, chosen, opened, seed)
    step("looking for unusual graders", 2, GRADING_STEPS)
    flags = stages.run(find_flags, reports, posterior, opened.submissions, seed=seed)
    step("ranking what to check", 3, GRADING_STEPS)
    look = stages.run(second_look, reports, posterior, settings.budget)
    influence = stages.run(
        _delayed_influence, reports, posterior, halfway, stages.run(ClassNames, opened),
        settings.estimator, settings.model, seed, plain,
    )  # fmt: skip
    if before is None:
        _ = influence.value
    gaming = stages.recalled(measure_gaming, reports, posterior, chosen.spec, seed=seed)
    if game and gaming is None:
        step("testing strategies", 4, GRADING_STEPS)
        result = measure_gaming(
            reports, posterior, chosen.spec, seed=seed,
            progress=lambda done, of: step("testing strategies", done, of),
        )  # fmt: skip
        gaming = stages.keep(measure_gaming, result, reports, posterior, chosen.spec, seed=seed)
    tested = None if gaming is None else gaming.result
    step("done", GRADING_STEPS, GRADING_STEPS)
    return GradedClass(
        opened=opened,
        settings=settings,
        posterior=posterior,
        grades=grades,
        leniency=stages.run(grader_leniency, reports, halfway, settings.level),
        model_scores=model_scores,
        mechanism=chosen,
        reason=reason if tested is None else reason.removesuffix(GAMING_HINT).rstrip(),
        payment=payment,
        second_look=look,
        flags=flags,
        influence=influence,
        gaming=tested,
        earlier=earlier,
        decisions=applied,
        assigned=assigned,
        stages=stages.records,
    )


def _with_staff_of_export(opened: OpenedClass, ignore_staff: bool) -> OpenedClass:
    """The class, without the staff grades of its export if they are ignored."""
    if ignore_staff and opened.truth is not None:
        return replace(opened, truth=None)
    return opened


def _staff_grades(
    opened: OpenedClass, decisions: AppliedDecisions | None, follow_staff: FollowStaff
) -> tuple[Floats, Floats]:
    """Staff grades, all of which are final, and those whose level the grades by peers follow."""
    reports = opened.reports
    staff = np.full(reports.submissions, np.nan)
    if opened.truth is not None:
        staff = opened.truth.scores_of(reports)
    return staff, staff_to_follow(reports, staff, decisions, follow_staff)


def _fit(
    reports: Reports, anchor: Floats, earlier: EarlierRun | None, model: PG1Posterior
) -> Posterior:
    """Fit the model to the reports, followed staff grades and the traits from the earlier run."""
    traits = None if earlier is None else earlier.traits_of(reports)
    return model.fit(reports, anchor, traits)


def _halfway(
    reports: Reports, posterior: Posterior, anchor: Floats, earlier: EarlierRun | None
) -> HalfwayEstimates:
    """Grades of the default estimator, with the leniency of graders from the earlier run."""
    prior = None if earlier is None else earlier.leniency_of(reports)
    return halfway_grades(reports, posterior, prior=prior, anchor=anchor)


def _compared_scores(reports: Reports) -> dict[str, Floats]:
    """Scores by the compared models."""
    return {name: models.make(name).fit(reports).score for name in COMPARED_MODELS}


def _delayed_influence(
    reports: Reports,
    posterior: Posterior,
    halfway: HalfwayEstimates,
    names: ClassNames,
    estimator: str,
    model: PG1Posterior,
    seed: int,
    plain: bool,
) -> Delayed[Influence]:
    """Influence of dishonest reviews, which is measured when it is first asked for."""
    from peergauge.classroom.grade.influence import measure_influence

    compute = partial(
        measure_influence, reports, posterior, halfway, names,
        estimator=estimator, model=model, seed=seed,
    )  # fmt: skip
    return Delayed(compute, plain=plain)


def _refuse_another_period(points_over: PointsPeriod, earlier: EarlierRun | None) -> None:
    """Raise an error if the earlier run gave points over another period."""
    if earlier is None:
        return
    if points_over == "semester" and earlier.points_over == "week":
        raise ParameterError(
            "The earlier run gave points week by week, so that points for all weeks so far "
            "would count the earlier weeks twice in a gradebook; keep --points-over week, or "
            "grade the earlier weeks again with --points-over semester."
        )
    if points_over == "week" and earlier.points_over == "semester":
        raise ParameterError(
            "The earlier run gave points for all weeks so far, and the next run would leave "
            "its column in the gradebook as it is; keep --points-over semester, or grade the "
            "earlier weeks again with --points-over week."
        )


def _choose_mechanism(
    mechanism: str, leniency: LeniencyRule, earlier: EarlierRun | None, posterior: Posterior
) -> tuple[Mechanism, str]:
    """The mechanism that was asked for, that of the earlier run, or the default; and the reason."""
    asked = with_leniency(mechanism or DEFAULT_MECHANISM, leniency)
    if earlier is not None:
        before = mechanisms.make(earlier.mechanism)
        if (mechanism or leniency) and not _is_same(asked, before):
            raise ParameterError(
                f"The earlier run paid graders by '{earlier.mechanism}', and its rewards cannot be "
                f"added to those by '{asked.spec}'; keep the earlier mechanism, or grade "
                "the whole class again without --after."
            )
        return before, "The earlier run used this mechanism, too."
    chosen = with_prior(asked, *rounded_prior(*posterior.moments()))
    if mechanism:
        return chosen, "You chose this mechanism."
    if leniency == "forgiven":
        return chosen, (
            "You chose to forgive leniency, so that it is subtracted from a grader's grades before "
            "they are rewarded. The mechanism gives a reward for every single review, and the "
            f"prior is estimated from the class. {GAMING_HINT}"
        )
    return chosen, (
        "In real classes this mechanism ranked graders best by their accuracy, and it gives a "
        "reward for every single review. A grader's leniency or severity counts as an error, and "
        f"the prior is estimated from the class. {GAMING_HINT}"
    )


def _is_same(asked: Mechanism, before: Mechanism) -> bool:
    """Whether a mechanism is that of an earlier run, which may have estimated its prior."""
    if lacks_prior(asked):
        before = without_prior(before)
    return asked.spec == before.spec


def _ignore_progress(what: str, done: int, of: int) -> None:
    """Show no progress."""
