"""Measure the integrity of mechanisms in honest classes that are not like the paper's model.

Run ``python -m benchmarks.honest_classes [SPEC ...]``. It writes ``benchmarks/honest_classes.md``.
Specs are added to the mechanisms that are compared by default. It takes about a minute on one core
with the default mechanisms.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, DesignError
from peergauge.core.randomness import derived_seed
from peergauge.lab.bench.experiments import integrity, middles, running_error, running_pay
from peergauge.lab.bench.suite import SUITE, SuiteSetting, honest_setting, suite_setting
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.simulate import NormalStyles, Setting, UniformStyles

PAGE = Path(__file__).with_suffix(".md")

DEFAULT_SPECS = (
    "guarded-merit", "guarded-merit:strength=0.5", "mls:form=strict", "mls", "sne", "pmi", "mse-p",
    "mse",
)  # fmt: skip
"""Mechanisms that are always compared; the last one is what others are compared with."""

DEFAULT_SEMESTERS = 100
BOARD_SEED = 700_001
"""Seed that was not used to tune any mechanism."""

PAPER_SETTING = replace(honest_setting("paper", "The paper's model", "", Setting()), honest=False)
"""The paper's model in classes of the same size as the honest ones."""


def _styled(name: str, label: str, styles: NormalStyles | UniformStyles) -> SuiteSetting:
    return replace(honest_setting(name, label, "", Setting(styles=styles)), honest=False)


OTHER_STYLES = (
    _styled("whole-0.15", "N(1, 0.15²), whole signal", NormalStyles(0.15, whole_signal=True)),
    _styled("whole-0.2", "N(1, 0.2²), whole signal", NormalStyles(0.2, whole_signal=True)),
    _styled("whole-0.316", "N(1, 0.316²), whole signal", NormalStyles(0.316, whole_signal=True)),
    _styled("whole-0.5", "N(1, 0.5²), whole signal", NormalStyles(0.5, whole_signal=True)),
    _styled("whole-u", "U(0.4, 1.3), whole signal", UniformStyles(whole_signal=True)),
    _styled("score-0.15", "N(1, 0.15²), true score", NormalStyles(0.15)),
    _styled("score-0.2", "N(1, 0.2²), true score", NormalStyles(0.2)),
    _styled("score-0.316", "N(1, 0.316²), true score", NormalStyles(0.316)),
    _styled("score-0.5", "N(1, 0.5²), true score", NormalStyles(0.5)),
    _styled("score-u", "U(0.4, 1.3), true score", UniformStyles()),
)
"""Response styles of several widths, of both kinds."""


class Measured(NamedTuple):
    """Binary AUC of one mechanism in the semesters of one setting; empty if it cannot pay them."""

    auc: Floats

    @property
    def mean(self) -> float:
        """Mean over semesters."""
        return float(self.auc.mean()) if len(self.auc) else float("nan")

    @property
    def text(self) -> str:
        """Mean and standard error."""
        return plus_minus(self.auc)


def plus_minus(values: Floats, sign: str = "") -> str:
    """Format a mean and its standard error."""
    if not len(values):
        return "–"
    error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{values.mean():{sign}.3f} ± {error:.3f}".replace("-", "−")


def measured(
    setting: SuiteSetting, chosen: Sequence[Mechanism], semesters: int, seed: int
) -> dict[str, Measured]:
    """Integrity of each mechanism, averaged over all prefixes of the semester."""
    found: dict[str, list[float]] = {one.spec: [] for one in chosen}
    for number in range(semesters * setting.semesters):
        own = derived_seed(seed, "honest", setting.name, number)
        simulated = setting.integrity_class(own)
        for mechanism in chosen:
            try:
                semester = simulated.semester(mechanism.facts.design)
                suited = setting.environment.with_prior(mechanism, semester.reports)
                rewards = score(suited, semester.reports, seed=own)
            except DesignError:
                continue
            pay = running_pay(rewards, simulated.source.uneven)
            error = running_error(semester.reports, semester.truth)
            ends = middles(setting.assignments, 0)
            found[mechanism.spec].append(integrity(pay, error, ends)["binary-auc"])
    return {spec: Measured(np.array(values)) for spec, values in found.items()}


def ranks_by_load(
    chosen: Sequence[Mechanism], semesters: int, seed: int
) -> dict[str, dict[bool, tuple[Floats, Floats]]]:
    """Mean ranks of the thirds of graders with the fewest and the most reviews.

    They are measured in classes with missing reviews, by whether mechanisms know what was assigned.
    The best rank is 100.
    """
    setting = suite_setting("irregular")
    found: dict[str, dict[bool, tuple[Floats, Floats]]] = {}
    for mechanism in chosen:
        found[mechanism.spec] = {}
        for known in (False, True):
            fewest, most = [], []
            for number in range(semesters):
                own = derived_seed(seed, "load", number)
                draw = setting.deviation_class if known else setting.integrity_class
                simulated = draw(own)
                try:
                    reports = simulated.semester(mechanism.facts.design).reports
                    pay = setting.environment.pay(mechanism, reports, own)
                except DesignError:
                    break
                # The load is uncorrelated with accuracy, so ranks should not depend on it.
                load = np.bincount(reports.grader, minlength=reports.graders)
                rank = 100 * (rankdata(np.nan_to_num(pay, nan=-np.inf)) - 0.5) / len(pay)
                order = np.argsort(load, kind="stable")
                third = len(order) // 3
                fewest.append(float(rank[order[:third]].mean()))
                most.append(float(rank[order[-third:]].mean()))
            found[mechanism.spec][known] = np.array(fewest), np.array(most)
    return found


# ---------------------------------------------------------------------------------- the page


def results_table(
    settings: Sequence[SuiteSetting],
    found: dict[str, dict[str, Measured]],
    specs: Sequence[str],
) -> list[str]:
    """A row for each setting, with a column for each mechanism; the best mean is in bold."""
    lines = ["| classes | " + " | ".join(f"`{spec}`" for spec in specs) + " |"]
    lines.append("|---|" + "---:|" * len(specs))
    for setting in settings:
        here = found[setting.name]
        best = np.nanmax([here[spec].mean for spec in specs])
        cells = [
            f"**{here[spec].text}**" if here[spec].mean == best else here[spec].text
            for spec in specs
        ]
        lines.append(f"| {setting.label} | " + " | ".join(cells) + " |")
    return lines


def worst_table(
    settings: Sequence[SuiteSetting],
    found: dict[str, dict[str, Measured]],
    specs: Sequence[str],
) -> list[str]:
    """The worst setting of each mechanism, by integrity and by the difference to MSE."""
    beside = DEFAULT_SPECS[-1]
    lines = [
        f"| mechanism | mean | worst integrity | where | worst difference to `{beside}` | where |",
        "|---|---:|---:|---|---:|---|",
    ]
    for spec in specs:
        able = [one for one in settings if len(found[one.name][spec].auc)]
        if not able:
            continue
        mean = float(np.mean([found[one.name][spec].mean for one in able]))
        low = min(able, key=lambda one: found[one.name][spec].mean)
        gaps = {one.name: found[one.name][spec].auc - found[one.name][beside].auc for one in able}
        far = min(able, key=lambda one: float(gaps[one.name].mean()))
        behind = "–" if spec == beside else plus_minus(gaps[far.name], "+")
        where = "–" if spec == beside else far.label
        lines.append(
            f"| `{spec}` | {mean:.3f} | {found[low.name][spec].text} | {low.label} | {behind} | "
            f"{where} |"
        )
    return lines


def load_table(ranks: dict[str, dict[bool, tuple[Floats, Floats]]]) -> list[str]:
    """Mean ranks by the number of reviews that were done."""
    lines = [
        "| mechanism | fewest reviews, assignment unknown | most | fewest, known | most |",
        "|---|---:|---:|---:|---:|",
    ]
    for spec, by_known in ranks.items():
        cells = []
        for known in (False, True):
            for values in by_known[known]:
                if not len(values):
                    cells.append("–")
                    continue
                error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
                cells.append(f"{values.mean():.1f} ± {error:.1f}")
        lines.append(f"| `{spec}` | " + " | ".join(cells) + " |")
    return lines


def page(specs: Sequence[str], semesters: int, seed: int) -> str:
    """Measure everything, and format the results as a Markdown page."""
    chosen = [mechanisms.make(spec) for spec in specs]
    honest = [one for one in SUITE if one.honest]
    everything = [PAPER_SETTING, *honest, *OTHER_STYLES]
    found = {one.name: measured(one, chosen, semesters, seed) for one in everything}
    return "\n".join(
        [
            "# Integrity in honest classes",
            "",
            "Written by `python -m benchmarks.honest_classes`; do not edit this page, run the "
            "script again.",
            "",
            "All graders are truthful. Integrity is the binary AUC of pay against squared error, "
            "averaged over the first 1, 2, … assignments, ± one standard error over "
            f"{semesters} semesters or more; seed {seed:,}. Classes have 100 students and 10 "
            "assignments unless stated. Mechanisms that need a prior are given the mean and "
            "variance of the true scores of the class. The settings are those of the leaderboard "
            "that count for the worst honest setting "
            "([list](../docs/how-to/rank-your-own-mechanism.md#honest-settings)). The spread of "
            "heavy-tailed biases, the size of the misleading error and the effort of idle graders "
            "are free parameters. They were chosen so that today's mechanisms measure about as "
            "well as in an earlier study of such classes, so these rows do not confirm that study.",
            "",
            *results_table([PAPER_SETTING, *honest], found, specs),
            "",
            "## Worst honest settings",
            "",
            f"Differences to `{DEFAULT_SPECS[-1]}` are paired: both pay the same classes.",
            "",
            *worst_table(honest, found, specs),
            "",
            "## Response styles",
            "",
            "Slopes of graders about the prior mean, of several widths. *Whole signal*: bias and "
            "noise are compressed, too, and rounded, which is what a hedger does. *True score*: "
            "bias and noise stay as they are. [Slopes in real classes](slopes.md) are estimated "
            "on another page.",
            "",
            *results_table([PAPER_SETTING, *OTHER_STYLES], found, specs),
            "",
            "## Missing reviews",
            "",
            "Mean rank by pay (100 is best) of the thirds of graders with the fewest and with the "
            "most reviews, where each assigned review is done with a probability that is uniform "
            "between 0.2 and 1 over graders and has nothing to do with accuracy. If mechanisms do "
            "not know what was assigned, both ranks should be 50. If they know it, reviews that "
            "were not done cost pay.",
            "",
            *load_table(ranks_by_load(chosen, max(semesters // 2, 2), seed)),
            "",
        ]
    )


def main() -> None:
    """Measure the mechanisms and write the page beside this file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("specs", nargs="*", help="mechanisms besides those of the default")
    parser.add_argument("--semesters", type=int, default=DEFAULT_SEMESTERS)
    parser.add_argument("--seed", type=int, default=BOARD_SEED)
    parser.add_argument("--out", type=Path, default=PAGE)
    given = parser.parse_args()
    begin = time.process_time()
    specs = [mechanisms.make(spec).spec for spec in (*given.specs, *DEFAULT_SPECS)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        text = page(list(dict.fromkeys(specs)), given.semesters, given.seed)
    given.out.write_text(text, encoding="utf-8")
    print(f"{given.out}: {time.process_time() - begin:.0f} s of processor time")


if __name__ == "__main__":
    main()
