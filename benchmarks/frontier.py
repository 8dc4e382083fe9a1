"""Integrity, robustness and cost of mechanisms that judge a semester, beside those of the paper.

Run ``python -m benchmarks.frontier``. Integrity is E1's: AUC of pay with the better half by squared
error, in the mean over the first 1 to 15 assignments of semesters of 500 students. Robustness is
E3's: minus the ranks that one of 100 graders gains by joining 10 to 90 who follow a strategy, in
the mean over these and over the strategies. Further attacks, which the paper does not have, are
counted in ranks too. Every mechanism is paid for the same semesters.
"""

from __future__ import annotations

import argparse
import itertools
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import peergauge
from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import stream
from peergauge.mechanisms import mechanisms, score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import Setting, simulate, strategies
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports

SPECS = (
    "sne:form=linear",
    "sne:form=linear,error=distance",
    "sne",
    "sne:form=strict",
    "sne:prior=mean",
    "sne:prior=mean-and-variance",
    "pmi",
    "pmi:slack=2.5,strength=5",
    "pmi:prior=mean",
    "pmi:prior=mean-and-variance",
    "pmi:share=1",
    "mls",
    "mls:form=strict",
    "mls:prior=mean",
    "mls:form=strict,prior=mean",
    "mls:prior=mean-and-variance",
    "mls:form=strict,prior=mean-and-variance",
    "guarded-mse-p",
    "guarded-mse-p:quantile=0.2",
    "mse-p:bias=estimate",
    "mse-p",
    "phi-div-p:bias=estimate,divergence=kl",
)
ASSIGNMENTS = 15
FIRST_SEED = 60_000_000
"""Far from every seed that the forms were looked at with."""

PRIOR_MEAN = 7.0
Attack = Callable[[Floats, Ints], Floats]
"""What graders report, from what they saw and who they are."""


def stretched(factor: float, shift: float = 0.0) -> Attack:
    """Signals stretched around the prior mean, and shifted."""
    return lambda signal, _: PRIOR_MEAN + factor * (signal - PRIOR_MEAN) + shift


def calibrated(signal: Floats, grader: Ints) -> Floats:
    """Signals less what the mean of all one's own is above the prior mean."""
    mean = np.bincount(grader, signal) / np.maximum(np.bincount(grader), 1)
    return np.asarray(signal - (mean[grader] - PRIOR_MEAN))


ATTACKS: dict[str, tuple[Attack, int, int]] = {
    "hedge by 0.8, 1 assignment": (stretched(0.8), 0, 1),
    "hedge by 0.8, 3 assignments": (stretched(0.8), 0, 3),
    "hedge by 0.8": (stretched(0.8), 0, 10),
    "hedge by 0.7, with 90": (stretched(0.7), 90, 10),
    "own bias taken off": (calibrated, 0, 10),
    "one point less, with 90": (stretched(1.0, -1.0), 90, 10),
    "two points more, with 90": (stretched(1.0, 2.0), 90, 10),
    "upside down, with 60": (stretched(-1.0), 60, 10),
    "upside down and hedged, with 90": (stretched(-0.5), 90, 10),
}
"""What is reported, how many others report it too, and over how many assignments."""

STRATEGIES = tuple(tempting())


@dataclass
class Findings:
    """What was measured of one mechanism.

    ``auc`` and ``tau`` have a number for each semester and each number of assignments, ``gain``
    one for each strategy, tenth of strategic graders and semester, ``attack`` one for each
    attack and semester.
    """

    auc: list[list[float]] = field(default_factory=list)
    tau: list[list[float]] = field(default_factory=list)
    gain: dict[str, list[list[float]]] = field(default_factory=dict)
    attack: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = np.inf


def measure(semesters: int, classes: int) -> dict[str, Findings]:
    """Measure every mechanism."""
    found = {spec: Findings() for spec in SPECS}
    seeds = itertools.count(FIRST_SEED)
    measure_integrity(found, itertools.islice(seeds, semesters))
    for strategy in STRATEGIES:
        for strategic in range(10, 100, 10):
            measure_gain(found, strategy, strategic, itertools.islice(seeds, classes))
    for name in ATTACKS:
        measure_attack(found, name, itertools.islice(seeds, 4 * classes))
    reports = simulate(Setting(students=500, assignments=ASSIGNMENTS), next(seeds)).reports
    # In turns, so that a busy moment of the machine does not fall on one of them.
    for _ in range(30):
        for spec, one in found.items():
            one.seconds = min(one.seconds, timed(spec, reports))
    return found


def measure_integrity(found: dict[str, Findings], seeds: Iterable[int]) -> None:
    """Pay semesters of honest graders, after each assignment."""
    for seed in seeds:
        semester = simulate(Setting(students=500, assignments=ASSIGNMENTS), seed)
        for spec, one in found.items():
            rewards = score(spec, semester.reports, seed=seed)
            first = [rewards.first(n) for n in range(1, ASSIGNMENTS + 1)]
            one.auc.append([BinaryAUC().measure(each, semester.truth) for each in first])
            one.tau.append([KendallTau().measure(each, semester.truth) for each in first])


def measure_gain(
    found: dict[str, Findings], strategy: str, strategic: int, seeds: Iterable[int]
) -> None:
    """Let one grader join so many who follow a strategy of the paper."""
    setting = Setting(students=100, assignments=10, strategies={strategy: strategic})
    gains: dict[str, list[float]] = {spec: [] for spec in found}
    for seed in seeds:
        semester = simulate(setting, seed)
        deviant = semester.redo(semester.deviator, strategy)
        for spec in found:
            gains[spec].append(gain(spec, semester.reports, deviant, semester.deviator, seed))
    for spec, one in found.items():
        one.gain.setdefault(strategy, []).append(gains[spec])


def measure_attack(found: dict[str, Findings], name: str, seeds: Iterable[int]) -> None:
    """Let one grader join those who attack."""
    attack, others, assignments = ATTACKS[name]
    for seed in seeds:
        honest = simulate(Setting(students=100, assignments=assignments), seed).reports
        order = stream(seed, "attackers").permutation(100)
        joined = attacked(honest, attack, order[:others])
        deviant = attacked(honest, attack, order[: others + 1])
        for spec, one in found.items():
            gained = gain(spec, joined, deviant, int(order[others]), seed)
            one.attack.setdefault(name, []).append(gained)


def gain(spec: str, before: Reports, after: Reports, grader: int, seed: int) -> float:
    """The ranks that a grader gains from the one to the other."""
    return RankGain().measure(score(spec, before, seed=seed), score(spec, after, seed=seed), grader)


def attacked(reports: Reports, attack: Attack, graders: NDArray[np.int64]) -> Reports:
    """The reports, had *graders* attacked."""
    told = reports.scale.nearest(attack(reports.grade, reports.grader))
    return reports.with_grades(np.where(np.isin(reports.grader, graders), told, reports.grade))


def timed(spec: str, reports: Reports) -> float:
    """The seconds that scoring keeps the processor busy, as if nobody had scored before."""
    for derived in ("_of_design", "level", "_derived"):
        reports.__dict__.pop(derived, None)
    begin = time.process_time()
    score(spec, reports)
    return time.process_time() - begin


def over_semesters(values: list[list[float]], digits: int = 3) -> str:
    """The mean, with its standard error from the means of the semesters."""
    means = np.mean(values, axis=1)
    error = means.std(ddof=1) / np.sqrt(len(means))
    return f"{means.mean():.{digits}f} ± {error:.{digits}f}"


def over_cells(cells: list[list[float]]) -> tuple[float, float]:
    """The mean over cells, with its standard error from the classes of each."""
    table = np.array(cells)
    error = np.sqrt((table.var(axis=1, ddof=1) / table.shape[1]).sum()) / len(table)
    return float(table.mean()), float(error)


def report(found: dict[str, Findings], semesters: int, classes: int) -> str:
    """The whole result as a page of Markdown."""
    usual = found["mse-p:bias=estimate"].seconds
    some = (1, 3, 5, 10, 15)
    lines = [
        "# Mechanisms that judge a semester",
        "",
        "Written by `python -m benchmarks.frontier`; run it again rather than edit this page.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}. Integrity: {semesters} semesters of 500 "
        f"students and {ASSIGNMENTS} assignments, in the mean over the first 1 to {ASSIGNMENTS}. "
        f"Robustness: {classes} classes of 100 students and 10 assignments for each strategy and "
        f"each tenth of strategic graders. Seeds from {FIRST_SEED:,} on. Standard errors beside. "
        "The numbers of SNE, PMI and MLS were tuned on this model of classes, though not on these "
        "seeds. "
        f"Cost: 500 students and {ASSIGNMENTS} assignments, with the running totals after each, in "
        "multiples of MSE_P that estimates biases, in the same run "
        f"({usual * 1e3:.1f} ms).",
        "",
        "| mechanism | spec | binary AUC | τ_B | robustness | cost |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for spec, one in found.items():
        gain, error = over_cells([cell for cells in one.gain.values() for cell in cells])
        lines.append(
            f"| {mechanisms.make(spec).label} | `{spec}` | {over_semesters(one.auc)} "
            f"| {over_semesters(one.tau)} | {-gain:.1f} ± {error:.1f} "
            f"| {one.seconds / usual:.1f} |"
        )
    lines += [
        "",
        "## Ranks that a deviator gains, by strategy",
        "",
        "| spec | " + " | ".join(strategies.make(name).label for name in STRATEGIES) + " |",
        "|---|" + "---:|" * len(STRATEGIES),
    ]
    for spec, one in found.items():
        gains = [over_cells(one.gain[name]) for name in STRATEGIES]
        cells = " | ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in gains)
        lines.append(f"| `{spec}` | {cells} |")
    lines += [
        "",
        "## Ranks that further attacks gain",
        "",
        "Reports are stretched around the prior mean or shifted by one grader, who joins as many "
        f"others as are told; {4 * classes} classes of 100 students, 10 assignments unless told.",
        "",
        "| spec | " + " | ".join(ATTACKS) + " |",
        "|---|" + "---:|" * len(ATTACKS),
    ]
    for spec, one in found.items():
        gains = [over_cells([one.attack[name]]) for name in ATTACKS]
        cells = " | ".join(f"{mean:.1f} ± {error:.1f}" for mean, error in gains)
        lines.append(f"| `{spec}` | {cells} |")
    lines += [
        "",
        "## Binary AUC after so many assignments",
        "",
        "| spec | " + " | ".join(map(str, some)) + " |",
        "|---|" + "---:|" * len(some),
    ]
    for spec, one in found.items():
        means = np.mean(one.auc, axis=0)
        lines.append(f"| `{spec}` | " + " | ".join(f"{means[n - 1]:.3f}" for n in some) + " |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semesters", type=int, default=40)
    parser.add_argument("--classes", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    page = report(measure(given.semesters, given.classes), given.semesters, given.classes)
    print(page)
    given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
