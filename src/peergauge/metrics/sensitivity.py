"""How strongly do rewards respond to effort, compared with their noise?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.metrics import RewardMetric, metric
from peergauge.metrics.statistics import both_known
from peergauge.tables import Rewards, Truth

MIN_NOISE_SHARE = 1e-12
"""Smallest share of the variance of rewards, given effort, that is not a rounding error."""


@metric(
    "sensitivity",
    label="Sensitivity",
    source="Zhang & Schoenebeck 2023b",
    of="rewards",
    needs="effort",
    lowest=-np.inf,
    highest=np.inf,
    better="higher",
)
@dataclass(frozen=True)
class Sensitivity(RewardMetric):
    r"""Standard deviations by which the expected reward grows with one unit of effort.

    .. math:: \delta = \frac{d\,E[\text{reward}] / d\,\text{effort}}{\text{sd}(\text{reward})}

    A unit of effort is one more draw of the signal on average. The derivative is the slope of the
    linear regression of rewards on effort over the graders of the class, and the standard deviation
    is that of the residuals, with *n* − 2 degrees of freedom. It contains whatever else makes
    rewards of equally diligent graders differ, such as their biases and luck. Multiplying all
    rewards by a number, or adding one, changes nothing.

    The sensitivity decides how much a payment scheme has to pay for effort: with twice the
    sensitivity, half of the spread of payments gives the same incentive. It is undefined if a
    reward is infinite, if effort does not vary, or if rewards are a linear function of effort.

    **Source.** Yichi Zhang and Grant Schoenebeck (2023). *High-Effort Crowds: Limited Liability via
    Tournaments*. Proceedings of WWW 2023.
    """

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total, effort = self.totals(rewards), truth.trait("effort", rewards.reports)
        known = both_known(total, effort)
        return slope_per_deviation(total[known], np.asarray(effort[known], dtype=np.float64))


def slope_per_deviation(value: Floats, effort: Floats) -> float:
    """Slope of the regression of values on effort, divided by the deviation of its residuals."""
    if len(value) < 3 or not np.isfinite(value).all() or np.ptp(effort) == 0 or np.ptp(value) == 0:
        return float("nan")
    # Sorted, so that the order of graders does not even change rounding errors.
    order = np.lexsort((value, effort))
    # Rewards can be so large that their squares overflow.
    y = value[order] / np.abs(value).max()
    y, x = y - y.mean(), effort[order] - effort.mean()
    slope = (x @ y) / (x @ x)
    noise = y - slope * x
    variance = (noise @ noise) / (len(y) - 2)
    if noise @ noise <= MIN_NOISE_SHARE * (y @ y):
        return float("nan")
    return float(slope / np.sqrt(variance))
