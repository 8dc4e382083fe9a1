"""Measures of rewards, one in each file of this folder."""

from __future__ import annotations

import inspect
import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.brief import brief
from peergauge.core.errors import ParameterError
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.metrics.statistics import both_known, quantile_classes
from peergauge.tables import Reports, Rewards, Truth, frozen

__all__ = [
    "AccuracyMetric",
    "DeviationMetric",
    "EstimateMetric",
    "Metric",
    "MetricFacts",
    "RepeatMetric",
    "RewardMetric",
    "measure",
    "metric",
    "metrics",
]

LOWEST_INT64, HIGHEST_INT64 = -(2.0**63), 2.0**63 - 1
"""The range of a 64-bit integer."""


@dataclass(frozen=True, kw_only=True)
class MetricFacts(Facts):
    """The facts that a measure declares about itself.

    Parameters
    ----------
    of
        The input: the ``rewards`` of a class, the rewards before and after a ``deviation``,
        ``estimates`` of true scores, or ``repeats`` of one class.
    needs
        The information that it needs besides: true scores, effort, who is active, who is strategic.
    lowest, highest
        The range of its values.
    better
        Whether higher or lower values are better for a mechanism.

    Examples
    --------
    >>> MetricFacts(name="mine", better="higher", lowest=0, highest=1)
    MetricFacts(name='mine', label='mine', lowest=0, highest=1, better='higher')
    """

    of: Literal["rewards", "deviation", "estimates", "repeats"] = "rewards"
    needs: str = "true scores"
    lowest: float = -math.inf
    highest: float = math.inf
    better: Literal["higher", "lower"]

    __repr__ = brief


class Metric(Plugin):
    """A measure: one number, NaN where it is undefined in a class.

    Examples
    --------
    >>> metrics["binary-auc"].facts.better, isinstance(metrics["rank-gain"], Metric)
    ('higher', True)
    """

    facts: ClassVar[MetricFacts]


@dataclass(frozen=True)
class RewardMetric(Metric):
    """A measure of the rewards of one class.

    Graders without any reward are left out.

    Parameters
    ----------
    per
        ``semester`` compares totals, ``report`` compares means over reports, for classes in which
        some graders grade more than others. Totals that evaluate all reports as one are not
        divided.
    int64
        Clip totals to the range of a 64-bit integer, and count a missing total as 0, as the
        authors' published numbers were computed.

    Examples
    --------
    >>> import peergauge
    >>> @metric("example-paid", better="higher", lowest=0, highest=1)
    ... @dataclass(frozen=True)
    ... class Paid(RewardMetric):
    ...     '''Share of the graders who are paid anything.'''
    ...     def measure(self, rewards, truth):
    ...         return float(np.mean(~np.isnan(self.totals(rewards))))
    >>> semester = peergauge.simulate(students=6, assignments=2, graders=3, seed=1)
    >>> peergauge.measure("example-paid", peergauge.score("oa", semester.reports), semester.truth)
    1.0
    >>> metrics.forget(Paid.__module__)
    """

    per: Literal["semester", "report"] = "semester"
    int64: bool = False

    @abstractmethod
    def measure(self, rewards: Rewards, truth: Truth) -> float:
        """The value in one class."""

    def totals(self, rewards: Rewards) -> Floats:
        """The total of each grader at the end, by the parameters of this measure."""
        key = "totals", self.per, self.int64
        return rewards.derived(key, lambda: self._totals(rewards))

    def _totals(self, rewards: Rewards) -> Floats:
        total = rewards.per_report if self.per == "report" else rewards.total
        if self.int64:
            total = np.clip(np.where(np.isnan(total), 0.0, total), LOWEST_INT64, HIGHEST_INT64)
        return frozen(np.asarray(total))

    def errors(self, rewards: Rewards, truth: Truth) -> Floats:
        """The squared error of each grader's reports, NaN where no true score is known.

        The error of a label is 1 if it is wrong and 0 if it is right.
        """
        reports = rewards.reports
        return truth.derived(("errors", self.per), lambda: self._errors(reports, truth), of=reports)

    def _errors(self, reports: Reports, truth: Truth) -> Floats:
        reports = reports.paid_only
        score = truth.scores_of(reports)[reports.submission]
        error = reports.scale.error(reports.grade, score)
        known = ~np.isnan(error)
        times = np.bincount(reports.grader[known], minlength=reports.graders)
        total = np.bincount(reports.grader[known], error[known], minlength=reports.graders)
        divisor = times if self.per == "report" else np.ones_like(times)
        mean = np.divide(total, divisor, out=np.full(reports.graders, np.nan), where=times > 0)
        return frozen(np.asarray(mean))

    def by_quantile(
        self, rewards: Rewards, truth: Truth, classes: int
    ) -> tuple[Floats, NDArray[np.int64]]:
        """Totals of graders with a known error, and their quantile classes from the worst."""
        total, error = self.totals(rewards), self.errors(rewards, truth)
        known = both_known(total, error)
        key = "classes by error", self.per, classes, known.tobytes()
        return total[known], truth.derived(
            key, lambda: frozen(quantile_classes(-error[known], classes)), of=rewards.reports
        )


@dataclass(frozen=True)
class AccuracyMetric(RewardMetric):
    """A measure of how rewards depend on accuracy.

    Examples
    --------
    >>> isinstance(metrics["pearson"], AccuracyMetric)
    True
    """

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return self.compare(*self.known(rewards, truth))

    @abstractmethod
    def compare(self, pay: Floats, error: Floats) -> float:
        """The value for the pay and the squared errors of some graders, all of them known."""

    def known(self, rewards: Rewards, truth: Truth) -> tuple[Floats, Floats]:
        """Pay and squared error of the graders for whom both are known."""
        total, error = self.totals(rewards), self.errors(rewards, truth)
        known = both_known(total, error)
        return total[known], error[known]


class DeviationMetric(Metric):
    """A measure of the gain of one grader from deviating.

    Examples
    --------
    >>> [one.spec for one in metrics.all() if isinstance(one, DeviationMetric)]
    ['rank-gain']
    """

    @abstractmethod
    def measure(self, before: Rewards, after: Rewards, grader: int) -> float:
        """The value of one deviation."""


class EstimateMetric(Metric):
    """A measure of estimated true scores.

    Examples
    --------
    >>> [one.spec for one in metrics.all() if isinstance(one, EstimateMetric)]
    ['score-mse']
    """

    @abstractmethod
    def measure(self, estimates: Floats, reports: Reports, truth: Truth) -> float:
        """The value in one class."""


class RepeatMetric(Metric):
    """A measure of several repeats of one class.

    Examples
    --------
    >>> [one.spec for one in metrics.all() if isinstance(one, RepeatMetric)]
    ['tau-variance']
    """

    @abstractmethod
    def measure(self, repeats: Sequence[tuple[Rewards, Truth]]) -> float:
        """The value over all repeats together."""


metrics: Registry[Metric] = Registry("metric", __name__, MetricFacts)
metric = metrics.register


def measure(metric: str | Metric, *inputs: Any) -> float:
    """Return the value of a measure, named by its spec string or given as is.

    Most measures take rewards and true scores: ``measure("binary-auc", rewards, truth)``. Others
    take what they declare: ``measure("rank-gain", before, after, grader)`` for a deviation,
    ``measure("score-mse", estimates, reports, truth)`` for estimated scores, and
    ``measure("tau-variance", [(rewards, truth), …])`` for repeats of one class. The value is NaN
    where the class leaves it undefined.

    Examples
    --------
    >>> import peergauge
    >>> semester = peergauge.simulate(students=50, seed=1)
    >>> rewards = peergauge.score("mse", semester.reports)
    >>> round(peergauge.measure("binary-auc", rewards, semester.truth), 2)
    0.91
    >>> after = peergauge.score("mse", semester.redo(3, "hedge"))
    >>> peergauge.measure("rank-gain", rewards, after, 3)
    4.0
    """
    made: Any = metrics.make(metric)
    needed = list(inspect.signature(made.measure).parameters)
    if len(inputs) != len(needed):
        raise ParameterError(
            f"The measure '{made.facts.name}' takes {len(needed)} inputs ({', '.join(needed)}), "
            f"but {len(inputs)} were given."
        )
    return float(made.measure(*inputs))


def __dir__() -> list[str]:
    return __all__
