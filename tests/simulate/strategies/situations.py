"""Situations written by hand, for tests of strategies."""

from __future__ import annotations

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, strategies
from peergauge.tables import Scale
from peergauge.testing.strategies import situation

__all__ = ["reported", "reports_of_all_signals", "situation"]


def reported(spec: str, where: Situation) -> Floats:
    """What is reported there, on the scale."""
    return where.scale.nearest(strategies.make(spec).report(where))


def reports_of_all_signals(spec: str, scale: Scale, prior_mean: float) -> list[float]:
    """The report for each signal of *scale*, in order."""
    where = situation(scale.values(), scale=scale, prior_mean=prior_mean)
    return list(reported(spec, where))
