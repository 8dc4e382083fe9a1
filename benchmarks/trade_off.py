"""The trade-off between integrity in honest classes and gains by type, along one parameter.

Run ``python -m benchmarks.trade_off``. The strength of guarded merit is varied. Integrity is
measured in some honest settings of the suite, and the gains of a fixed list of attacks by quarter
of ability, alone and with others who do the same. Then the weight of the penalty for borrowed
biases is varied. The list was written down before the runs; a
search finds other attacks, see the leaderboard.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.gains import mean_gains, with_error
from benchmarks.honest_classes import measured
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed
from peergauge.engine.environment import Environment
from peergauge.lab.bench.suite import honest_setting, suite_setting
from peergauge.lab.exploit.deviations import StrategicSemester
from peergauge.lab.exploit.types import ABILITY_TYPES, EVERYBODY
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms.semester.guarded_merit import USUAL_WEIGHTS, GuardedMerit
from peergauge.metrics.statistics import mean_with_error
from peergauge.simulate import Setting

RUN_SEED = 83_000_000
"""Seed that is far from all seeds used to design and tune the mechanisms."""

STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)
HONEST_SETTINGS = ("paper", "unbiased", "ceiling", "mild-styles", "styles", "stand-in", "edx-4")
HEDGES = (
    "stretch:factor=0.5", "stretch:factor=0.7", "stretch:factor=0.8",
    "dither:steps=stretch:factor=0.8", "dither:steps=stretch:factor=0.9",
    "clip:lowest=4,highest=10", "clip:lowest=5,highest=9",
    "clip:lowest=0,highest=9", "merge", "quantise:levels=0-2-4-6-8-10", "extremes-own", "noise",
    "stretch:factor=1.2", "random",
)  # fmt: skip
SHIFTS = ("shift:by=-2", "shift:by=-1", "shift:by=1", "shift:by=2")
OTHERS = (0, 30, 60, 90)


BORROWED_WEIGHTS = (0.0, 0.6, 1.2, 2.4)
DISGUISED_SPEC = "in-turn:steps=copy:sources=2+noise"
DISGUISED_DEVIATORS = 8


def gains(spec: str, others: int, strategies: tuple[str, ...], semesters: int) -> pl.DataFrame:
    """Mean gains with standard errors, by strategy and type."""
    return mean_gains(
        spec,
        suite_setting("paper").environment,
        others,
        strategies,
        semesters,
        seed=RUN_SEED,
        drawn="trade-off",
        deviators=16,
        types=(EVERYBODY, *ABILITY_TYPES),
    )


def weighing(borrowed: float) -> Mechanism:
    """Guarded merit with another weight of borrowed biases."""

    class Weighing(GuardedMerit):
        weights = USUAL_WEIGHTS._replace(borrowed=borrowed)

    return Weighing()


def borrowed_biases(semesters: int) -> list[str]:
    """What the penalty for borrowed biases costs, and what it prevents."""
    lines = [
        "",
        "## The penalty for borrowed biases",
        "",
        "Its weight ψ is varied. Integrity: as above, in the paper's classes of 100 students and "
        "10 assignments. Gain of a lone grader who reports the mean of two co-graders plus a point "
        "of noise; the same minus the change of the grader's rank by true squared error.",
        "",
        "| ψ | integrity | difference to ψ = 0 | gain | undeserved |",
        "|---:|---:|---:|---:|---:|",
    ]
    setting = replace(honest_setting("paper", "The paper's model", "", Setting()), honest=False)
    without: Floats | None = None
    for weight in BORROWED_WEIGHTS:
        mechanism = weighing(weight)
        auc = measured(setting, [mechanism], 2 * semesters, RUN_SEED)[mechanism.spec].auc
        without = auc if without is None else without
        found = []
        for number in range(semesters):
            seed = derived_seed(RUN_SEED, "borrowed", number)
            semester = StrategicSemester.draw(
                Environment(), mechanism, seed, 0.0, DISGUISED_DEVIATORS
            )
            gain = semester.gains(DISGUISED_SPEC)[EVERYBODY]
            found.append((gain.ranks, gain.undeserved))
        ranks, undeserved = (mean_with_error(np.array(one)) for one in zip(*found, strict=True))
        lost, mean = mean_with_error(auc - without), mean_with_error(auc)
        lines.append(
            f"| {weight:g} | {mean.mean:.4f} ± {mean.error:.4f} "
            f"| {lost.mean:+.4f} ± {lost.error:.4f} | {with_error(ranks.mean, ranks.error)} "
            f"| {with_error(undeserved.mean, undeserved.error)} |".replace("-", "−")
        )
    return lines


def largest(found: pl.DataFrame, type_: str) -> str:
    """The largest gain of a type, with its strategy."""
    best = found.filter(pl.col("type") == type_).sort("mean", descending=True).row(0, named=True)
    return f"{with_error(best['mean'], best['error'])} (`{best['strategy']}`)"


def spec_of(strength: float) -> str:
    """Spec of guarded merit with a strength."""
    return "guarded-merit" if strength == 1 else f"guarded-merit:strength={strength:g}"


def page(semesters: int) -> str:
    """Format the page."""
    specs = [spec_of(one) for one in STRENGTHS]
    compared = [*specs, "mse"]
    lines = [
        "# Integrity against gains by type",
        "",
        "Written by `python -m benchmarks.trade_off`; do not edit this page, run the script again.",
        "",
        f"± is one standard error; seed {RUN_SEED:,}, which was not used to tune any mechanism. "
        "`strength` multiplies the suspicion of `guarded-merit`; the default is 1.",
        "",
        "## Integrity",
        "",
        "Binary AUC against squared error, averaged over the first 1, 2, … assignments.",
        "",
        "| setting | " + " | ".join(f"`{one}`" for one in compared) + " |",
        "|---|" + "---:|" * len(compared),
    ]
    for name in HONEST_SETTINGS:
        # The paper's classes of the suite are larger, and need fewer semesters.
        count = max(4, semesters // 5) if name in {"paper", "unbiased"} else semesters
        setting = suite_setting(name)
        values = measured(setting, [mechanisms.make(one) for one in compared], count, RUN_SEED)
        texts = " | ".join(values[one].text for one in compared)
        lines.append(f"| {setting.label} | {texts} |")
    lines += [
        "",
        "## Largest gain of a fixed list of attacks, by quarter of ability",
        "",
        f"Attacks: {', '.join(f'`{one}`' for one in HEDGES)}. The largest of {len(HEDGES)} means "
        "is biased upwards by about one standard error. Quarter 1 is the most accurate.",
        "",
        "| mechanism | others with the same strategy | everybody | quarter 1 | 2 | 3 | 4 |",
        "|---|---:|---|---|---|---|---|",
    ]
    for spec in specs:
        for others in OTHERS if spec in {"guarded-merit", "guarded-merit:strength=0.5"} else (0,):
            found = gains(spec, others, HEDGES, semesters if others == 0 else semesters // 2)
            cells = [largest(found, one) for one in (EVERYBODY, *ABILITY_TYPES)]
            lines.append(f"| `{spec}` | {others} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## Shifting all grades",
        "",
        "A shift makes half of the biased graders better and half of them worse. The least "
        "accurate quarter has little to lose, so that a shift in either direction pays on average, "
        "under every mechanism that pays for a small bias.",
        "",
        "| mechanism | everybody | quarter 1 | 2 | 3 | 4 |",
        "|---|---|---|---|---|---|",
    ]
    for spec in ("guarded-merit", "mls", "pmi", "mse-p", "mse"):
        found = gains(spec, 0, SHIFTS, semesters)
        cells = [largest(found, one) for one in (EVERYBODY, *ABILITY_TYPES)]
        lines.append(f"| `{spec}` | " + " | ".join(cells) + " |")
    lines += borrowed_biases(semesters)
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semesters", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given.out.write_text(page(given.semesters), encoding="utf-8")
    print(given.out)


if __name__ == "__main__":
    main()
