"""Basins of attraction: the share of starting mixtures from which classes reach each fate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.lab.learning import MIXED_FATE, MOVING_FATE, TRUTHFUL, fate

SHARE_METRIC = "share"
"""Measure: share of students who follow a strategy."""

REGRET_METRIC = "external-regret"
"""Measure: mean rank of the best single strategy minus that of the class, out of 100."""

ANY_START = "anywhere"
"""Kind of start that is drawn evenly from all mixtures."""

MIN_NAMED_SHARE = 0.1
"""Share of a mix from which on a strategy is named."""


@dataclass(frozen=True)
class Basin:
    """Fates of classes with the same kind of start, under one mechanism and one dynamic.

    Parameters
    ----------
    experiment, mechanism, dynamic
        Name of the experiment, and specs of the mechanism and of the dynamic.
    near
        Spec of the strategy near which the classes started; empty if they started anywhere.
    strategies
        Specs of the strategies.
    fates
        Fate of each class.
    ends
        Final mixture of each class.
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
        """Share of starts from which the class became truthful."""
        return self.share(TRUTHFUL)

    def share(self, fate: str) -> float:
        """Share of starts with this fate."""
        return self.fates.count(fate) / len(self.fates)

    def error(self, fate: str = TRUTHFUL) -> float:
        """Standard error of the share, after one success and one failure are added (Laplace)."""
        count = len(self.fates) + 2
        likely = (self.fates.count(fate) + 1) / count
        return float(np.sqrt(likely * (1 - likely) / count))

    def shares(self) -> dict[str, float]:
        """Share of starts with each fate, the most frequent first."""
        return {one: n / len(self.fates) for one, n in Counter(self.fates).most_common()}

    def composition(self, fate: str) -> dict[str, float]:
        """Mean mixture of the classes with a fate, without rare strategies."""
        rows = [ended == fate for ended in self.fates]
        mean = self.ends[rows].mean(axis=0) if any(rows) else np.zeros(len(self.strategies))
        order = np.argsort(-mean, kind="stable")
        return {self.strategies[i]: float(mean[i]) for i in order if mean[i] >= MIN_NAMED_SHARE}

    def in_words(self) -> str:
        """The shares of all fates in one sentence."""
        start = f"mixtures near {self.near}" if self.near else "starting mixtures"
        parts = [
            f"From {100 * self.truthful:.0f} ± {100 * self.error():.0f} % of {start} the class "
            "becomes truthful"
        ]
        for one, share in self.shares().items():
            mixture = ", ".join(
                f"{100 * p:.0f} % {name}" for name, p in self.composition(one).items()
            )
            if one == MIXED_FATE:
                parts.append(f"{100 * share:.0f} % end in a mix ({mixture})")
            elif one == MOVING_FATE:
                parts.append(f"{100 * share:.0f} % are still moving ({mixture})")
            elif one != TRUTHFUL:
                parts.append(f"from {100 * share:.0f} % nearly all students end with {one}")
        return "; ".join(parts) + "."


def basins(results: pl.DataFrame) -> list[Basin]:
    """All basins in the results of a run, in the order of their rows."""
    if "generation" not in results.columns:
        return []
    own = results.filter(pl.col("metric") == SHARE_METRIC, pl.col("generation").is_not_null())
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


def regret_in_words(results: pl.DataFrame, dynamic: str) -> list[str]:
    """The mean external regret of all classes under a dynamic, in a sentence; none if unknown."""
    own = results.filter(pl.col("metric") == REGRET_METRIC, pl.col("dynamic") == dynamic)["value"]
    values = own.drop_nulls().drop_nans().to_numpy()
    if len(values) < 2:
        return []
    error = values.std(ddof=1) / np.sqrt(len(values))
    return [
        f"On their way, classes earned {values.mean():.1f} ± {error:.1f} ranks out of 100 less "
        "than the best single strategy would have (external regret)."
    ]


def _mixtures(rows: pl.DataFrame, time: int, strategies: Sequence[str]) -> Floats:
    """Mixtures of all repetitions after one generation: repetitions × strategies."""
    at = rows.filter(pl.col("generation") == time)
    columns = [
        at.filter(pl.col("strategy") == one).sort("repetition")["value"].to_numpy()
        for one in strategies
    ]
    return np.column_stack(columns)
