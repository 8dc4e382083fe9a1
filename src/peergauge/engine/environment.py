"""Environments: simulated classes together with the prior that mechanisms are given in them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, Self, TypeAlias

from peergauge.core.arrays import Floats
from peergauge.core.brief import concise
from peergauge.mechanisms import Mechanism, PaysTotals, score, total_pay
from peergauge.mechanisms.priors import lacks_prior, with_prior
from peergauge.mechanisms.semester.spread_normalised_error import SpreadNormalisedError
from peergauge.simulate import Semester
from peergauge.simulate.source import SemesterSource, SimulatedClass
from peergauge.simulate.spot_checks import checks_of, draw_checks
from peergauge.tables import Reports, Rewards, Truth

PriorRule: TypeAlias = Literal["paper", "true", "estimated"]


@dataclass(frozen=True)
class Environment:
    """Simulated classes, and the prior that mechanisms are given in them.

    An environment is sent to other processes, and its fields are part of the manifest of a run.

    Parameters
    ----------
    source
        Where the classes come from.
    prior
        The prior of mechanisms that need one and have none of their own: the ``paper`` prior (mean
        at 70 % of the scale), the ``true`` prior of the setting, or the prior ``estimated`` from
        the mean of all reports and the covariance of reports on the same submission.
    assignment_known
        Whether mechanisms are told which reviews were assigned. If not, nobody can know that a
        review was not done.
    checked
        Share of the submissions that staff check too, unknown to the graders. Mechanisms that use
        spot checks are given the true scores of these submissions.
    """

    source: SemesterSource = field(default_factory=SemesterSource)
    prior: PriorRule = "paper"
    assignment_known: bool = True
    checked: float = 0.0

    __repr__ = concise

    def draw(self, seed: int, repeat: int = 0) -> SimulatedClass:
        """Draw the class of a seed."""
        return self.source.draw(seed, repeat)

    def semester(self, mechanism: Mechanism, seed: int) -> Semester:
        """Draw the semester of a seed, by the design that *mechanism* needs."""
        return self.draw(seed).semester(mechanism.facts.design)

    def with_prior(self, mechanism: Mechanism, reports: Reports) -> Mechanism:
        """Return the mechanism with the prior of this environment, if it needs one."""
        if self.prior == "paper" or not lacks_prior(mechanism):
            return mechanism
        if self.prior == "true":
            return with_prior(mechanism, *self.source.setting.prior)
        return with_prior(mechanism, *prior_of_reports(reports))

    def pay(
        self, mechanism: Mechanism, reports: Reports, seed: int, truth: Truth | None = None
    ) -> Floats:
        """Pay of each grader over the semester, by which graders are ranked.

        Pay is per report where some students grade more than others. It is NaN for graders who
        cannot be paid.
        """
        if isinstance(mechanism, PaysTotals):
            suited, given, checks = self._given(mechanism, reports, seed, truth)
            return total_pay(suited, given, seed=seed, truth=truth, checks=checks)
        rewards = self.rewards(mechanism, reports, seed, truth)
        return rewards.per_report if self.source.uneven else rewards.total

    def running_pay(
        self, mechanism: Mechanism, reports: Reports, seed: int, truth: Truth | None = None
    ) -> Floats:
        """Pay of each grader after each assignment: assignments × graders."""
        rewards = self.rewards(mechanism, reports, seed, truth)
        return rewards.running_per_report if self.source.uneven else rewards.running

    def rewards(
        self, mechanism: Mechanism, reports: Reports, seed: int, truth: Truth | None = None
    ) -> Rewards:
        """Rewards of a mechanism that is given what it may know in this environment."""
        suited, given, checks = self._given(mechanism, reports, seed, truth)
        return score(suited, given, seed=seed, truth=truth, checks=checks)

    def _given(
        self, mechanism: Mechanism, reports: Reports, seed: int, truth: Truth | None
    ) -> tuple[Mechanism, Reports, Truth | None]:
        """The mechanism with its prior, the reports that it may see, and the spot checks.

        The checked submissions depend on the seed and on which submissions have reports, and not
        on the grades.
        """
        given = reports
        if not self.assignment_known and reports.assigned is not None:
            given = reports.with_assigned(None)
        checks = None
        if self.checked and truth is not None and mechanism.facts.uses_checks:
            chosen = draw_checks(given, self.checked, seed=seed)
            checks = checks_of(truth, given, chosen) if len(chosen) else None
        return self.with_prior(mechanism, given), given, checks

    def truthful(self) -> Self:
        """Return the same environment with all graders truthful."""
        return replace(self, source=self.source.truthful())


def prior_of_reports(reports: Reports) -> tuple[float, float]:
    """Mean of all reports, and covariance of reports on the same submission, as SNE estimates them.

    The covariance is at least half a squared point of 0..10.
    """
    scale = reports.scale
    points = (reports.grade - scale.lowest) / scale.unit
    mean, variance = SpreadNormalisedError(prior="mean-and-variance").priors(reports, points)
    return scale.lowest + float(mean[-1]) * scale.unit, float(variance[-1]) * scale.unit**2
