"""Learners without regret: which mechanisms lead a class to the truth under them.

Run ``python -m benchmarks.learners``. Writes ``learners.md`` beside this file. Classes begin with
the same mixtures under every mechanism and learner, and no student knows their own bias.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.experiments import cpu_seconds
from peergauge.core.lazy import pl
from peergauge.engine.runner import run
from peergauge.lab.beyond.learning import UnawareClasses
from peergauge.lab.beyond.learning_alone import LearningAlone
from peergauge.lab.learning import TRUTHFUL
from peergauge.lab.learning.basins import REGRET_METRIC, Basin, basins
from peergauge.mechanisms import mechanisms

RUN_SEED = 20_222
"""Seed of all classes."""

GENERATION_COUNT = 240
"""Generations of a mixture, because learners with ever smaller steps need time."""

MECHANISMS = ("mse-p", "pts", "ca", "guarded-mse-p", "pmi", "mls")
DYNAMICS = ("replicator", "multiplicative-weights", "regret-matching")


def together(starts: int) -> UnawareClasses:
    """Classes whose mixture learns from the fitness of all strategies."""
    return UnawareClasses(
        repetitions=starts,
        near=0,
        mechanisms=MECHANISMS,
        dynamics=DYNAMICS,
        generations=GENERATION_COUNT,
        semesters=2,
    )


def alone(starts: int, semesters: int) -> LearningAlone:
    """Classes of students who know their own rank only; Fix Bias is left out as well."""
    return LearningAlone(
        repetitions=starts,
        mechanisms=MECHANISMS,
        strategies=UnawareClasses().others,
        semesters=semesters,
    )


def otherwise(basin: Basin) -> str:
    """The other fates of a basin, with their shares in %."""
    rest = [
        f"{fate} {100 * share:.0f}" for fate, share in basin.shares().items() if fate != TRUTHFUL
    ]
    return ", ".join(rest) or "–"


def regret_of(results: pl.DataFrame, mechanism: str, dynamic: str) -> str:
    """Mean and standard error of the regret."""
    rows = results.filter(
        pl.col("metric") == REGRET_METRIC,
        pl.col("mechanism") == mechanism,
        pl.col("dynamic") == dynamic,
    )["value"].to_numpy()
    return f"{rows.mean():.1f} ± {rows.std(ddof=1) / np.sqrt(len(rows)):.1f}"


def table_together(results: pl.DataFrame) -> list[str]:
    """The rows of the first table."""
    return [
        f"| {mechanisms.label_of(one.mechanism)} | {one.dynamic} "
        f"| {100 * one.truthful:.0f} ± {100 * one.error():.0f} | {otherwise(one)} "
        f"| {regret_of(results, one.mechanism, one.dynamic)} |"
        for one in sorted(basins(results), key=lambda one: MECHANISMS.index(one.mechanism))
    ]


def table_alone(results: pl.DataFrame) -> list[str]:
    """The rows of the second table."""
    rows = []
    for one in basins(results):
        share = 100 * one.ends[:, one.strategies.index(TRUTHFUL)]
        error = share.std(ddof=1) / np.sqrt(len(share))
        means = dict(zip(one.strategies, (100 * one.ends.mean(axis=0)).tolist(), strict=True))
        second = max((spec for spec in means if spec != TRUTHFUL), key=lambda spec: means[spec])
        rows.append(
            f"| {mechanisms.label_of(one.mechanism)} | {share.mean():.0f} ± {error:.0f} "
            f"| {second} {means[second]:.0f} |"
        )
    return rows


def page(starts: int, alone_starts: int, semesters: int) -> str:
    """Run both experiments and write the page."""
    begun = cpu_seconds()
    first, second = together(starts), alone(alone_starts, semesters)
    together_rows = run([first], seed=RUN_SEED, workers=1)
    alone_rows = run([second], seed=RUN_SEED, workers=1)
    return "\n".join(
        [
            "# Learners without regret",
            "",
            "Written by `python -m benchmarks.learners`. See "
            "[how to let a class learn](../docs/how-to/let-a-class-learn.md) for the method.",
            "",
            f"## One mixture, {first.generations} generations of {first.semesters} semesters",
            "",
            f"Share of {starts} starting mixtures, in %, from which an unaware class becomes "
            "truthful, the fates of the others, and the external regret of the path in ranks out "
            "of 100 (mean over starts).",
            "",
            "| mechanism | learner | truthful | otherwise | regret |",
            "|---|---|---|---|---|",
            *table_together(together_rows),
            "",
            f"## Every student alone (EXP3), {semesters} semesters",
            "",
            f"Share of truthful reporting in the last tenth of the semesters, in %, as a mean over "
            f"{alone_starts} starting mixtures, and the most frequent other strategy.",
            "",
            "| mechanism | truthful | next |",
            "|---|---|---|",
            *table_alone(alone_rows),
            "",
            f"Seed {RUN_SEED}; {cpu_seconds() - begun:.0f} seconds of processor time.",
            "",
        ]
    )


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--starts", type=int, default=40)
    parser.add_argument("--alone-starts", type=int, default=4)
    parser.add_argument("--semesters", type=int, default=6000)
    given = parser.parse_args()
    text = page(given.starts, given.alone_starts, given.semesters)
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
