"""Pay graders for reports close to the estimated true scores, minus a penalty for low variance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.mechanisms import ComparesWithReference, Equilibrium, ShowsProgress, mechanism
from peergauge.mechanisms.paper.parametric_mean_squared_error import ParametricMeanSquaredError
from peergauge.mechanisms.shared.parametric import Parametric
from peergauge.mechanisms.shared.statement import statement
from peergauge.models.pg1 import RELIABILITY_RATE, RELIABILITY_SHAPE
from peergauge.tables import Comparison, Reports, Rewards

RELIABILITY_VALUES = 64
"""Number of equally likely reliabilities over which a probability is averaged."""


@mechanism(
    "guarded-mse-p",
    label="Guarded MSE_P",
    source="peergauge; MSE_P of Burrell & Schoenebeck 2022",
    family="guarded MSE",
    uses_checks=True,
    semester=True,
    equilibrium=Equilibrium.NONE,
    assumption="–",
    prior="given",
)
@dataclass(frozen=True)
class GuardedMeanSquaredError(Parametric, ShowsProgress, ComparesWithReference):
    r"""MSE_P minus a penalty when a grader's reports vary less than 95 % of honest graders' would.

    Hedging pays under MSE_P: a grader who reports the usual grade is close to most estimates. But
    such reports vary little. After *A* assignments with *T* reports in all, whose variance (divisor
    *T* − 1) is *V*, a grader has what MSE_P pays, minus

    .. math:: \lambda A \max(0, V_q - V).

    :math:`V_q` is the *q*-quantile of the variance of *T* honest reports under the prior alone.
    Given a reliability τ, a report is normal around the grader's own mean with variance
    :math:`\sigma^2 + 1/\tau`, the sum of the variances of true scores and of noise; a bias only
    moves that mean. So :math:`(T - 1) V / (\sigma^2 + 1/\tau)` is chi-squared with *T* − 1 degrees
    of freedom. The probability of a smaller *V* is averaged over 64 equally likely values of τ, the
    midpoints of 64 parts of its prior :math:`\Gamma(10/1.05, 10)`, and solved for *q*. True scores
    are treated as independent, and rounding to grades and the ends of the scale are neglected.

    Per report, a grader has the mean over all reports of what MSE_P pays, minus
    :math:`\lambda \max(0, V_q - V)`, since a total is a sum of *A* means.

    A share *q* of honest graders falls below the threshold and is penalised: *q* trades robustness
    against measurement integrity. A single report has no variance, and no penalty.

    Like MSE_P it counts a grader's bias as an error unless ``bias=correct``, since that is the
    error that pay should measure.

    **Spot checks.** Submissions that staff checked count with their staff scores, as under MSE_P.
    The penalty does not use the checks.

    **Known attacks.** The mechanism assumes the prior: if the work of a class varies less than
    :math:`\sigma^2`, honest graders are penalised. It does not stop variance without information,
    such as added noise, nor hedging that stays just above the threshold, which still gains ranks.

    **Source.** The penalty is ours. For MSE_P see Noah Burrell and Grant Schoenebeck (2022).
    *Measurement Integrity in Peer Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Parameters
    ----------
    quantile
        The probability *q* that an honest grader is penalised.
    strength
        λ, the penalty per assignment for each squared point by which the variance is too small.
    """

    bias: Literal["correct", "estimate", "ignore"] = "estimate"
    quantile: float = 0.05
    strength: float = 4.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 < self.quantile < 1:
            raise ParameterError(f"A quantile lies between 0 and 1, but is {self.quantile:g}.")
        if not 0 <= self.strength < np.inf:
            raise ParameterError(f"The strength is 0 or more, but is {self.strength:g}.")

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        unguarded = self.unguarded().score(reports, rng)
        penalty = self.penalty(reports)
        # The total is a sum of means over assignments, so that a mean over reports has the penalty
        # of one assignment.
        assignments = np.maximum(spread_so_far(reports)[2], 1.0)
        return Rewards(
            unguarded.amount - np.diff(penalty, axis=0, prepend=0.0),
            reports,
            mean_so_far=unguarded.running_per_report - penalty / assignments,
        )

    def comparison(self, reports: Reports) -> Comparison | None:
        compared = self.unguarded().comparison(reports)
        if compared is None:
            return None
        words = (
            "because grades that vary less than those of honest graders can be close to all "
            "estimates by hedging alone"
        )
        return replace(compared, deduction_words=words)

    def unguarded(self) -> ParametricMeanSquaredError:
        """MSE_P with the same parameters."""
        return ParametricMeanSquaredError(
            self.prior_mean, self.prior_variance, self.bias, self.start
        )

    def progress(self, reports: Reports, grader: int | None = None) -> pl.DataFrame:
        """The total of each grader after each assignment, and the parts of its change.

        The part that comes from error is final; the penalty shrinks again if later reports vary
        more.
        """
        counted = reports.paid_only
        unused = np.random.default_rng(0)
        unguarded, paid = (one.score(counted, unused) for one in (self.unguarded(), self))
        columns = {
            "total": paid.running,
            "change": paid.amount,
            "from_error": unguarded.amount,
            "from_penalty": paid.amount - unguarded.amount,
        }
        return statement(counted, grader, columns)

    def penalty(self, reports: Reports) -> Floats:
        """The penalty of each grader after each assignment: assignments × graders."""
        unit = reports.scale.unit
        count, spread, taken_part = spread_so_far(reports)
        known = count > 1
        variance = np.divide(spread, count - 1, out=np.zeros_like(spread), where=known)
        prior = self.prior(reports)[1] / unit**2
        different, place = np.unique(count, return_inverse=True)
        least = np.array(
            [least_variance(int(n), self.quantile, prior) * unit**2 for n in different]
        )[place.reshape(count.shape)]
        short = np.where(known, np.maximum(0.0, least - variance), 0.0)
        return self.strength * taken_part * short


def spread_so_far(reports: Reports) -> tuple[Floats, Floats, Floats]:
    """The reports, sum of squared deviations and assignments graded of each grader so far.

    Each is assignments × graders.
    """
    shape = reports.assignments, reports.graders
    group = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    # Measured from the middle of the scale, so that squares stay small.
    y = reports.grade - (reports.scale.lowest + reports.scale.highest) / 2

    def total(values: Floats) -> Floats:
        return np.bincount(group, values, shape[0] * shape[1]).reshape(shape).astype(np.float64)

    here = total(np.ones(len(y)))
    n, one, two = (column.cumsum(axis=0) for column in (here, total(y), total(y * y)))
    spread = np.maximum(two - one**2 / np.maximum(n, 1.0), 0.0)
    return n, spread, (here > 0).cumsum(axis=0).astype(np.float64)


@lru_cache(maxsize=4096)
def least_variance(reports: int, quantile: float, variance: float) -> float:
    """The quantile of the variance of this many honest reports, in squared points of 0..10.

    *variance* is the variance of true scores. The result is 0 for a single report.
    """
    from scipy.optimize import brentq
    from scipy.special import chdtr, gammaincinv

    if reports < 2:
        return 0.0
    middle = (np.arange(RELIABILITY_VALUES) + 0.5) / RELIABILITY_VALUES
    one = variance + RELIABILITY_RATE / gammaincinv(RELIABILITY_SHAPE, middle)
    freedom = reports - 1

    def too_likely(least: float) -> float:
        return float(chdtr(freedom, freedom * least / one).mean()) - quantile

    above = float(one.max())
    while too_likely(above) < 0:
        above *= 2
    return float(brentq(too_likely, 0.0, above))
