"""The newer mechanisms of the literature, by the paper's measures and by newer ones.

Run ``python -m benchmarks.newer_measures``. Integrity is the AUC of rewards for the better half of
graders by squared error, averaged over the first 1 to 10 assignments. Robustness is minus the mean
rank gain of one of 100 graders who joins a strategic group of 10 to 90, averaged over group sizes
and the paper's strategies. Sensitivity, Spot Check Equivalence and stochastic dominance are
explained in docs/explanation/newer-measures.md. All mechanisms pay the same classes.
"""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

import numpy as np

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed
from peergauge.engine.results import to_frame
from peergauge.lab.bench.experiments import seconds
from peergauge.lab.beyond.dominance import DominanceOfHonestPay, violations
from peergauge.lab.beyond.roster import NEWER_MECHANISMS, NEWER_ROSTER
from peergauge.lab.beyond.spot_check_equivalence import SpotCheckEquivalence, equivalents
from peergauge.mechanisms import mechanisms, score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.statistics import mean_with_error
from peergauge.simulate import Setting, strategies
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import tempting

SEED = 20_260
SPECS = (*NEWER_ROSTER[: len(NEWER_MECHANISMS)], "ea:threshold=every", "ea:rounding=lottery",
         *NEWER_ROSTER[len(NEWER_MECHANISMS) :])  # fmt: skip
ASSIGNMENTS = 10
MAX_P_VALUE = 0.01
"""Largest p-value at which a violation of dominance is printed as found."""


def integrity(semesters: int) -> dict[str, list[float]]:
    """AUC of each mechanism in each semester, averaged over numbers of assignments."""
    found: dict[str, list[float]] = {spec: [] for spec in SPECS}
    for number in range(semesters):
        own = derived_seed(SEED, "integrity", number)
        simulated = SemesterSource(Setting(assignments=ASSIGNMENTS)).draw(own)
        for spec, values in found.items():
            semester = simulated.semester(mechanisms.make(spec).facts.design)
            rewards = score(spec, semester.reports, seed=own)
            each = (rewards.first(n) for n in range(1, ASSIGNMENTS + 1))
            values.append(float(np.nanmean([BinaryAUC().measure(r, semester.truth) for r in each])))
    return found


def gains(classes: int) -> dict[str, Floats]:
    """Rank gain of one more grader who joins: strategies and group sizes × classes."""
    cells = [(strategy, size) for strategy in tempting() for size in range(10, 100, 10)]
    found = {spec: np.full((len(cells), classes), np.nan) for spec in SPECS}
    for place, (strategy, size) in enumerate(cells):
        source = SemesterSource(Setting(assignments=ASSIGNMENTS, strategies={strategy: size}))
        for number in range(classes):
            own = derived_seed(SEED, "gain", strategy, size, number)
            simulated = source.draw(own)
            for spec, values in found.items():
                semester = simulated.semester(mechanisms.make(spec).facts.design)
                after = semester.redo(semester.deviator, strategy)
                before, then = (score(spec, one, seed=own) for one in (semester.reports, after))
                values[place, number] = RankGain().measure(before, then, semester.deviator)
    return found


def milliseconds() -> dict[str, float]:
    """Shortest of ten times to pay a class of 100 students and 10 assignments."""
    simulated = SemesterSource(Setting(assignments=ASSIGNMENTS)).draw(SEED)
    made = {spec: mechanisms.make(spec) for spec in SPECS}
    return {
        spec: 1e3
        * min(seconds(one, simulated.semester(one.facts.design).reports) for _ in range(10))
        for spec, one in made.items()
    }


def rows_of(experiment: SpotCheckEquivalence | DominanceOfHonestPay, count: int) -> pl.DataFrame:
    """The rows of so many repetitions of an experiment."""
    (point,) = experiment.points()
    return to_frame(row for number in range(count) for row in experiment.run(point, number, SEED))


def report(semesters: int, classes: int, deviators: int) -> str:
    """Measure everything, and format the results as a Markdown page."""
    auc, gained, cost = integrity(semesters), gains(classes), milliseconds()
    checked = rows_of(SpotCheckEquivalence(mechanisms=SPECS), semesters)
    dominated = violations(rows_of(DominanceOfHonestPay(mechanisms=SPECS), deviators), seed=SEED)
    shares = {
        measure: {row["mechanism"]: row for row in equivalents(checked, measure).to_dicts()}
        for measure in ("binary-auc", "sensitivity")
    }
    sensitivity = {
        spec: checked.filter((pl.col("mechanism") == spec) & (pl.col("metric") == "sensitivity"))
        for spec in SPECS
    }
    lines = [
        "# Newer mechanisms and measures",
        "",
        "Written by `python -m benchmarks.newer_measures`; do not edit this page, run the script "
        "again. [What the numbers mean](../docs/explanation/newer-measures.md).",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}, {platform.machine()}. The paper's setting: 100 students, {ASSIGNMENTS} "
        f"assignments, 4 reviews. Integrity, sensitivity and equivalence: {semesters} semesters. "
        f"Robustness: {classes} classes for each of 6 strategies and 9 sizes of the strategic "
        "group. ± is one standard error. Cost is the time to pay one class, in milliseconds, the "
        "shortest of ten. Equivalence is the percentage of submissions that staff would have to "
        "check so that spot checks alone have the same AUC, or the same sensitivity, at the end of "
        "the semester.",
        "",
        "| mechanism | spec | AUC | robustness | sensitivity | equivalent checks by AUC (%) "
        "| by sensitivity (%) | cost (ms) |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for spec in SPECS:
        mean, error, _ = mean_with_error(np.array(auc[spec]))
        table = gained[spec]
        wrong = np.sqrt((table.var(axis=1, ddof=1) / classes).sum()) / len(table)
        felt = mean_with_error(sensitivity[spec]["value"].to_numpy())
        lines.append(
            f"| {mechanisms.make(spec).label} | `{spec}` | {mean:.3f} ± {error:.3f} "
            f"| {-table.mean():.1f} ± {wrong:.1f} | {felt.mean:.2f} ± {felt.error:.2f} "
            f"| {percent(shares['binary-auc'][spec])} | {percent(shares['sensitivity'][spec])} "
            f"| {cost[spec]:.1f} |"
        )
    names = [strategies.make(name) for name in tempting()]
    lines += [
        "",
        "## Does honest pay stochastically dominate?",
        "",
        f"One random grader of 100 deviates alone, in {deviators} classes. The number is the "
        "largest amount by which the share of honest pay up to some level exceeds that of "
        "deviating pay (0 if honest pay dominates in the sample, 1 if every deviation pays more "
        "than every honest report). **Bold**: dominance is rejected, with a bootstrap p-value of "
        f"at most {MAX_P_VALUE:g}. There are {len(SPECS) * len(names)} tests, so that about one "
        "of them would be bold by chance if all hypotheses were just true.",
        "",
        "| spec | " + " | ".join(one.label for one in names) + " |",
        "|---|" + "---:|" * len(names),
    ]
    for spec in SPECS:
        cells = []
        for one in names:
            row = dominated.row(
                by_predicate=(pl.col("mechanism") == spec) & (pl.col("strategy") == one.spec),
                named=True,
            )
            text = f"{row['violation']:.2f}"
            cells.append(f"**{text}**" if row["p_value"] <= MAX_P_VALUE else text)
        lines.append(f"| `{spec}` | " + " | ".join(cells) + " |")
    lines += [
        "",
        "## Choosing the enforced number oneself",
        "",
        "Enforced Agreement is made for two grades. On a longer scale, a lone grader can call the "
        "best two of four submissions 10 and the others 0, so that nothing is flipped at random. "
        f"Rank gain, {deviators} classes:",
        "",
        "| spec | rank gain |",
        "|---|---:|",
    ]
    for spec, values in choosing_gains(deviators).items():
        found = mean_with_error(values)
        lines.append(f"| `{spec}` | {found.mean:.1f} ± {found.error:.1f} |")
    return "\n".join([*lines, ""])


def choosing_gains(classes: int) -> dict[str, Floats]:
    """Rank gain of a grader who gives 10 to the better half of the submissions and 0 to others."""
    specs = ("ea", "ea:flips=nearest", "ma", "ca")
    found = {spec: np.full(classes, np.nan) for spec in specs}
    for number in range(classes):
        own = derived_seed(SEED, "choosing", number)
        semester = SemesterSource(Setting(assignments=ASSIGNMENTS)).draw(own).semester("any")
        reports, who = semester.reports, semester.deviator
        grade = reports.grade.copy()
        for a in range(ASSIGNMENTS):
            rows = np.flatnonzero((reports.grader == who) & (reports.assignment == a))
            half = len(rows) // 2
            ordered = rows[np.argsort(grade[rows], kind="stable")]
            grade[ordered[:half]], grade[ordered[half:]] = 0.0, 10.0
        for spec in specs:
            before, after = (
                score(spec, one, seed=own) for one in (reports, reports.with_grades(grade))
            )
            found[spec][number] = RankGain().measure(before, after, who)
    return found


def percent(row: dict[str, float]) -> str:
    """An equivalent share with its error."""
    sign = "> " if row["beyond"] else ""
    return f"{sign}{100 * row['share']:.1f} ± {100 * row['standard_error']:.1f}"


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semesters", type=int, default=60)
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--deviators", type=int, default=150)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    page = report(given.semesters, given.classes, given.deviators)
    print(page)
    given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
