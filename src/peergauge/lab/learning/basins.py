"""From where classes end up truthful, and what becomes of the others: a summary of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.lab.learning import MIX, MOVING, TRUTHFUL, fate

SHARE = "share"
"""Measure: the share of students who follow a strategy."""

ANYWHERE = "anywhere"
PRESENT = 0.1
"""The share of a mix from which on a strategy is named."""


@dataclass(frozen=True)
class Basin:
    """Where classes ended that began alike, under one mechanism and one dynamic.

    Parameters
    ----------
    experiment, mechanism, dynamic
        The experiment, and the specs of the mechanism and of the dynamic.
    near
        The strategy near which they began; empty if they began anywhere.
    strategies
        Which there were.
    fates
        What became of each class.
    ends
        The mixture that each ended in.
    """

    experiment: str
    mechanism: str
    dynamic: str
    near: str
    strategies: tuple[str, ...]
    fates: tuple[str, ...]
    ends: Floats

    @property
    def truthful(self) -> float:
        """The share of starts from which the class ended up truthful."""
        return self.share(TRUTHFUL)

    def share(self, fate: str) -> float:
        """The share of starts that ended so."""
        return self.fates.count(fate) / len(self.fates)

    def error(self, fate: str = TRUTHFUL) -> float:
        """Its standard error, as if one more had ended so and one more not: none is ever sure."""
        count = len(self.fates) + 2
        likely = (self.fates.count(fate) + 1) / count
        return float(np.sqrt(likely * (1 - likely) / count))

    def shares(self) -> dict[str, float]:
        """The share of starts with each fate, the most frequent first."""
        return {one: n / len(self.fates) for one, n in Counter(self.fates).most_common()}

    def composition(self, fate: str) -> dict[str, float]:
        """The mean mixture of the classes with a fate, as far as it can be named."""
        rows = [ended == fate for ended in self.fates]
        mean = self.ends[rows].mean(axis=0) if any(rows) else np.zeros(len(self.strategies))
        order = np.argsort(-mean, kind="stable")
        return {self.strategies[i]: float(mean[i]) for i in order if mean[i] >= PRESENT}

    def in_words(self) -> str:
        """What a teacher would want to know."""
        begun = f"mixtures near {self.near}" if self.near else "starting mixtures"
        told = [
            f"From {100 * self.truthful:.0f} ± {100 * self.error():.0f} % of {begun} the class "
            "ends up truthful"
        ]
        for one, share in self.shares().items():
            if one in (MIX, MOVING):
                parts = (f"{100 * p:.0f} % {name}" for name, p in self.composition(one).items())
                told.append(f"{100 * share:.0f} % end in {one} ({', '.join(parts)})")
            elif one != TRUTHFUL:
                told.append(f"from {100 * share:.0f} % nearly all follow {one}")
        return "; ".join(told).replace(f"end in {MOVING}", f"are {MOVING}") + "."


def basins(results: pl.DataFrame) -> list[Basin]:
    """Every basin that *results*, the rows of a run, have the numbers for, in their order."""
    if "generation" not in results.columns:
        return []
    own = results.filter(pl.col("metric") == SHARE, pl.col("generation").is_not_null())
    found = []
    names = ("experiment", "dynamic", "mechanism", "near")
    for key, rows in own.group_by(names, maintain_order=True):
        experiment, dynamic, mechanism, near = map(str, key)
        strategies = rows["strategy"].unique(maintain_order=True).to_list()
        times = sorted(rows["generation"].unique().to_list())
        before, end = (_mixtures(rows, time, strategies) for time in (times[-2:] * 2)[:2])
        found.append(
            Basin(
                experiment,
                mechanism,
                dynamic,
                near,
                tuple(strategies),
                tuple(fate(strategies, *pair) for pair in zip(before, end, strict=True)),
                end,
            )
        )
    return found


def _mixtures(rows: pl.DataFrame, time: int, strategies: Sequence[str]) -> Floats:
    """Repetitions × strategies."""
    at = rows.filter(pl.col("generation") == time)
    columns = [
        at.filter(pl.col("strategy") == one).sort("repetition")["value"].to_numpy()
        for one in strategies
    ]
    return np.column_stack(columns)
