"""What one can ask of rewards: one question in each file of this folder."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.metrics.statistics import both_known, quantile_classes
from peergauge.tables import Reports, Rewards, Truth, frozen

LOWEST_INT64, HIGHEST_INT64 = -(2.0**63), 2.0**63 - 1


@dataclass(frozen=True, kw_only=True)
class MetricFacts(Facts):
    """What a measure declares.

    Parameters
    ----------
    of
        What it takes: the ``rewards`` of a class, those before and after a ``deviation``,
        ``estimates`` of true scores, or ``repeats`` of one class.
    needs
        What it must know besides: true scores, effort, who is active, who is strategic.
    lowest, highest
        The range of its values.
    better
        Whether higher or lower is better for a mechanism, if either.
    """

    of: Literal["rewards", "deviation", "estimates", "repeats"]
    needs: str
    lowest: float
    highest: float
    better: Literal["higher", "lower"]


class Metric(Plugin):
    """A question with a number for an answer; NaN where the class leaves it undefined."""

    facts: ClassVar[MetricFacts]


@dataclass(frozen=True)
class RewardMetric(Metric):
    """A question about the rewards of one class.

    Graders without any reward are left out.

    Parameters
    ----------
    per
        ``semester`` compares totals, ``report`` compares means over reports, for classes in which
        some grade more than others. Totals that judge all reports as one stay what they are.
    int64
        Clip totals to the range of a 64-bit integer, and take a missing one as 0, as the authors'
        published numbers were computed.
    """

    per: Literal["semester", "report"] = "semester"
    int64: bool = False

    @abstractmethod
    def measure(self, rewards: Rewards, truth: Truth) -> float:
        """Answer for one class."""

    def totals(self, rewards: Rewards) -> Floats:
        """What each grader has at the end, by this measure's settings."""
        key = "totals", self.per, self.int64
        return rewards.derived(key, lambda: self._totals(rewards))

    def _totals(self, rewards: Rewards) -> Floats:
        total = rewards.per_report if self.per == "report" else rewards.total
        if self.int64:
            total = np.clip(np.where(np.isnan(total), 0.0, total), LOWEST_INT64, HIGHEST_INT64)
        return frozen(np.asarray(total))

    def errors(self, rewards: Rewards, truth: Truth) -> Floats:
        """The squared error of each grader's reports, NaN where no true score is known."""
        reports = rewards.reports
        return truth.derived(("errors", self.per), lambda: self._errors(reports, truth), of=reports)

    def _errors(self, reports: Reports, truth: Truth) -> Floats:
        reports = reports.paid_only
        error = (reports.grade - truth.scores_of(reports)[reports.submission]) ** 2
        known = ~np.isnan(error)
        times = np.bincount(reports.grader[known], minlength=reports.graders)
        total = np.bincount(reports.grader[known], error[known], minlength=reports.graders)
        divisor = times if self.per == "report" else np.ones_like(times)
        mean = np.divide(total, divisor, out=np.full(reports.graders, np.nan), where=times > 0)
        return frozen(np.asarray(mean))

    def by_quantile(
        self, rewards: Rewards, truth: Truth, classes: int
    ) -> tuple[Floats, NDArray[np.int64]]:
        """Totals where they and the errors are known, and classes from the worst to the best."""
        total, error = self.totals(rewards), self.errors(rewards, truth)
        known = both_known(total, error)
        key = "classes by error", self.per, classes, known.tobytes()
        return total[known], truth.derived(
            key, lambda: frozen(quantile_classes(-error[known], classes)), of=rewards.reports
        )


@dataclass(frozen=True)
class AccuracyMetric(RewardMetric):
    """A question about how rewards go with accuracy."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return self.compare(*self.known(rewards, truth))

    @abstractmethod
    def compare(self, pay: Floats, error: Floats) -> float:
        """Answer for the pay and the squared errors of some graders, all of them known."""

    def known(self, rewards: Rewards, truth: Truth) -> tuple[Floats, Floats]:
        """Pay and squared error of those of whom both are known."""
        total, error = self.totals(rewards), self.errors(rewards, truth)
        known = both_known(total, error)
        return total[known], error[known]


class DeviationMetric(Metric):
    """A question about what one grader gains by reporting otherwise."""

    @abstractmethod
    def measure(self, before: Rewards, after: Rewards, grader: int) -> float:
        """Answer for one deviation."""


class EstimateMetric(Metric):
    """A question about estimated true scores."""

    @abstractmethod
    def measure(self, estimates: Floats, reports: Reports, truth: Truth) -> float:
        """Answer for one class."""


class RepeatMetric(Metric):
    """A question about several repeats of one class."""

    @abstractmethod
    def measure(self, repeats: Sequence[tuple[Rewards, Truth]]) -> float:
        """Answer for all repeats together."""


metrics: Registry[Metric] = Registry("metric", __name__, MetricFacts)
metric = metrics.register


def measure(metric: str | Metric, *inputs: Any) -> float:
    """Return the value of a measure, named by its spec string or given as is.

    Most measures take rewards and true scores: ``measure("binary-auc", rewards, truth)``. Others
    take what they declare: ``measure("rank-gain", before, after, grader)`` for a deviation,
    ``measure("score-mse", estimates, reports, truth)`` for estimated scores, and
    ``measure("tau-variance", [(rewards, truth), …])`` for repeats of one class. The value is NaN
    where the class leaves it undefined.
    """
    made: Any = metrics.make(metric)
    needed = list(inspect.signature(made.measure).parameters)
    if len(inputs) != len(needed):
        raise ParameterError(
            f"The measure '{made.facts.name}' takes {len(needed)} inputs ({', '.join(needed)}), "
            f"but {len(inputs)} were given."
        )
    return float(made.measure(*inputs))
