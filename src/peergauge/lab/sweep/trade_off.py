"""Measurement integrity against robustness, from the values of a sweep."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.lab.sweep.grid import STRATEGIC
from peergauge.metrics import DeviationMetric, RewardMetric, metrics
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.statistics import mean_with_error

if TYPE_CHECKING:
    from peergauge.lab.sweep.result import SweepResult


class TradeOff(NamedTuple):
    """One mechanism by measurement integrity and robustness.

    Parameters
    ----------
    mechanism, label
        Spec and label of the mechanism.
    integrity, integrity_error
        Mean of a measure of rewards, and its standard error; None after a single repetition.
    robustness, robustness_error
        Minus the mean rank gain of a grader who deviates, and its standard error.
    """

    mechanism: str
    label: str
    integrity: float
    integrity_error: float | None
    robustness: float
    robustness_error: float | None


def integrity_measure(measures: Iterable[str]) -> str | None:
    """The first measure of rewards for which higher values are better."""
    for spec in measures:
        made = metrics.make(spec)
        if isinstance(made, RewardMetric) and made.facts.better == "higher":
            return spec
    return None


def gain_measure(measures: Iterable[str]) -> str | None:
    """The first measure of a deviation, a rank gain if there is one."""
    made = [metrics.make(spec) for spec in measures]
    found = [one for one in made if isinstance(one, DeviationMetric)]
    found.sort(key=lambda one: not isinstance(one, RankGain))
    return found[0].spec if found else None


def trade_off(result: SweepResult) -> list[TradeOff]:
    """Integrity and robustness of every mechanism that has both.

    Integrity is averaged over the points at which nobody follows the strategy if there are any, and
    over all points otherwise; robustness is averaged over all points. Points share the random
    numbers of a repetition, so the average of each repetition is one value, and the standard error
    is that of these values. A repetition counts if the measure is defined at all points.
    """
    integrity, gain = integrity_measure(result.measures), gain_measure(result.measures)
    if integrity is None or gain is None:
        return []
    honest = [
        point
        for point in range(len(result.grid))
        if result.grid.coordinates(point).get(STRATEGIC, 0.0) == 0.0
    ]
    everywhere = list(range(len(result.grid)))
    found = []
    for row, mechanism in enumerate(result.grid.mechanisms):
        values = result.values[:, row]
        accuracy = _mean(values[honest or everywhere, result.measures.index(integrity)])
        gained = _mean(-values[everywhere, result.measures.index(gain)])
        if accuracy is not None and gained is not None:
            found.append(TradeOff(mechanism.spec, mechanism.label, *accuracy, *gained))
    return found


def _mean(values: Floats) -> tuple[float, float | None] | None:
    """Mean and standard error of the averages over points, which are the rows; None without any."""
    found = mean_with_error(np.asarray(values.mean(axis=0)))
    if not found.n:
        return None
    # Adding zero turns a negative zero into zero.
    return found.mean + 0.0, None if np.isnan(found.error) else found.error
