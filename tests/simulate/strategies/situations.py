"""Situations written by hand, for tests of strategies."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, strategies
from peergauge.tables import Scale


def situation(signal: ArrayLike, **changes: Any) -> Situation:
    """One grader for each signal on 0..10, where 7 is expected; every other one grades too low."""
    seen = np.array(signal, dtype=np.float64)
    usual = Situation(
        signal=seen,
        grader=np.arange(len(seen), dtype=np.int32),
        assignment=np.zeros(len(seen), dtype=np.int32),
        scale=Scale(),
        prior_mean=7.0,
        bias_sign=np.where(np.arange(len(seen)) % 2, -1.0, 1.0),
        bias_deviation=1.0,
        normal=lambda per, part: np.random.default_rng([len(per), *part.encode()]).standard_normal(
            len(seen)
        ),
        cheap=7.0 + (np.arange(len(seen)) % 3).astype(np.float64),
    )
    return replace(usual, **changes)


def reported(spec: str, where: Situation) -> Floats:
    """What is reported there, on the scale."""
    return where.scale.nearest(strategies.make(spec).report(where))


def reports_of_all_signals(spec: str, scale: Scale, prior_mean: float) -> list[float]:
    """The report for each signal of *scale*, in order."""
    where = situation(scale.values(), scale=scale, prior_mean=prior_mean)
    return list(reported(spec, where))
