"""Gains of fixed strategies, as several pages measure them."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence

from peergauge.core.lazy import pl
from peergauge.engine.environment import Environment
from peergauge.engine.runner import run
from peergauge.lab.exploit.deviations import RANK_GAIN, Deviations
from peergauge.lab.exploit.types import EVERYBODY, GraderType
from peergauge.metrics.statistics import mean_with_error


def mean_gains(
    mechanism: str,
    environment: Environment,
    others: int,
    strategies: Sequence[str],
    semesters: int,
    *,
    seed: int,
    drawn: str,
    deviators: int = 8,
    types: tuple[GraderType, ...] = (EVERYBODY,),
    metric: str = RANK_GAIN.facts.name,
) -> pl.DataFrame:
    """Mean gains with standard errors, by strategy and type: columns strategy, type, mean, error.

    Parameters
    ----------
    others
        Number of others out of 100 who follow the same strategy.
    drawn
        Name of the random streams of the semesters.
    metric
        The gain: in ranks, or another measure of :class:`Deviations`.
    """
    experiment = Deviations(
        semesters,
        mechanism=mechanism,
        environment=environment,
        deviators=deviators,
        drawn=drawn,
        candidates=((others, tuple(strategies)),),
        types=types,
    )
    with tempfile.TemporaryDirectory() as folder:
        rows = run([experiment], folder, seed=seed, workers=1)
    found = []
    kept = rows.filter(pl.col("metric") == metric)
    for (strategy, type_), part in kept.group_by("strategy", "type", maintain_order=True):
        mean, error, _ = mean_with_error(part["value"].to_numpy())
        found.append({"strategy": strategy, "type": type_, "mean": mean, "error": error})
    return pl.DataFrame(found)


def with_error(mean: float, error: float) -> str:
    """A gain with its standard error, with a real minus sign."""
    return f"{mean:+.1f} ± {error:.1f}".replace("-", "−")
