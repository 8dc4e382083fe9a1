"""Write the whole leaderboard, at publication precision, as a page.

Run ``python -m benchmarks.leaderboard FOLDER``. Results are kept in the folder, so a run that was
stopped can continue; the page is written beside this file. ``--class NAME=FOLDER`` adds a real
class; the page contains its name and its measurements, and nothing else. ``--ship`` also replaces
the measured rows that are shipped with the package, from which mechanisms are recommended, and the
frontier figure beside this file.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import peergauge
from peergauge import advice
from peergauge.advice.measures import (
    ALONE,
    BY_MEASURE,
    BY_TYPE,
    MEASURES,
    SEARCHED_COLUMNS,
    TOGETHER,
    WORST_DIFFERENCE,
    WORST_SETTING,
    Measure,
)
from peergauge.advice.rule import TYPE_WORDS, strategy_in_words
from peergauge.advice.standing import Standing
from peergauge.lab.bench import Bench, bench
from peergauge.lab.bench.board import is_honest, shown_measures
from peergauge.lab.bench.frontier import write_frontier
from peergauge.lab.bench.measured_rows import measured_rows
from peergauge.pages.bench_folder import write

BOARD_SEED = 900_003
"""Seed that was not used to tune any mechanism."""

OTHER_SETTING_MEASURES = ("binary-auc", "mse-difference", "tau", "robustness", *SEARCHED_COLUMNS)
"""Measures shown for settings other than the first."""

HIDDEN_MEASURES = ("mse-difference", "mean-auc", "quinary-auc", "pearson")
"""Measures that the page does not show for the first setting; leaderboard.csv has them."""

MAX_MECHANISMS_SHOWN = 12
"""Number of mechanisms shown for settings other than the first."""


def listed(standings: Sequence[Standing], measures: Sequence[Measure]) -> list[str]:
    """Format a Markdown table with a row for each mechanism."""
    known = {one.name for one in shown_measures(standings)} | set(SEARCHED_COLUMNS)
    shown = [one for one in measures if one.name in known]
    return [
        "| | mechanism | " + " | ".join(one.label for one in shown) + " | needs |",
        "|---:|---|" + "---:|" * len(shown) + "---|",
        *(
            f"| {place} | `{each.spec}` | "
            + " | ".join(_cell(each, one.name) for one in shown)
            + f" | {', '.join(each.needs.words) or '–'} |"
            for place, each in enumerate(standings, 1)
        ),
    ]


def _cell(one: Standing, measure: str) -> str:
    """A cell with the setting behind a value over several settings."""
    value = one.values.get(measure)
    where = f" ({value.where})" if value is not None and value.where else ""
    return one.cell(measure) + where


def attacks(standings: Sequence[Standing], measure: str) -> list[str]:
    """The best attack on each mechanism in one column, in words, where it was not withstood."""
    lines = []
    for each in standings:
        found = each.values.get(measure)
        if found is None or found.withstood:
            continue
        who = TYPE_WORDS.get(found.type, "a grader gains").rsplit(" ", 1)[0]
        joined = f", with {found.others} others" if found.others else ""
        words = strategy_in_words(found.strategy)
        lines.append(
            f"- `{each.spec}`, {each.cell(measure)} ranks ({who}{joined}): "
            f"{words[:1].lower()}{words[1:]}."
        )
    return lines or ["- none"]


def worst_settings(found: Bench) -> list[str]:
    """A Markdown table of binary AUC in every honest setting, for all mechanisms."""
    names = [name for name in found.settings if is_honest(name)]
    boards = {name: {one.spec: one for one in found.standings(name)} for name in names}
    overall = found.standings(found.settings[0])
    ordered = sorted(overall, key=lambda one: -np.nan_to_num(one.get(WORST_SETTING), nan=-9.0))
    shown = (WORST_SETTING, WORST_DIFFERENCE, "mean-auc")
    rows = []
    for one in ordered:
        cells = [
            f"{boards[name][one.spec].get('binary-auc'):.3f}" if one.spec in boards[name] else "–"
            for name in names
        ]
        total = [_cell(one, measure) for measure in shown]
        rows.append(f"| `{one.spec}` | " + " | ".join([*total, *cells]) + " |")
    labels = [BY_MEASURE[measure].label for measure in shown]
    return [
        "| mechanism | " + " | ".join([*labels, *names]) + " |",
        "|---|" + "---:|" * (len(labels) + len(names)),
        *rows,
    ]


def not_attacked(found: Bench) -> list[str]:
    """Sentences on what was not attacked."""
    lines = []
    for setting in found.settings:
        standings = found.standings(setting)
        lacking = {
            name: [one for one in standings if name not in one.values] for name in SEARCHED_COLUMNS
        }
        words = [
            f"{BY_MEASURE[name].label.lower()}: "
            + ("all" if len(some) == len(standings) else f"{len(some)} of {len(standings)}")
            for name, some in lacking.items()
            if some
        ]
        if words:
            lines.append(f"- {found.label(setting)}: {'; '.join(words)}.")
    return lines or ["- Every mechanism was attacked in every way in every setting."]


def page(found: Bench, seed: int, size: str) -> str:
    """Format the results as a Markdown page."""
    first, *others = found.settings
    standings = found.standings(first)
    lines = [
        "# Leaderboard",
        "",
        "Written by `python -m benchmarks.leaderboard FOLDER`; do not edit this page, run the "
        "script again. `peergauge bench` writes the same results as an interactive page.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}; seed {seed:,}, which was not used to tune "
        f"any mechanism; {size} size. ± is one standard error. "
        "[How to rank your own mechanism](../docs/how-to/rank-your-own-mechanism.md) defines the "
        "columns. *Withstood the search* means that the gain of the best attack found plus two "
        "standard errors is at most three ranks out of 100. It does not mean that there is no "
        "attack.",
        "",
        *(f"- **{one.label}**: {one.meaning}." for one in MEASURES),
        "",
        "![Integrity in the worst honest setting against the gain by type](frontier.svg)",
        "",
        f"## {found.label(first)}",
        "",
        *listed(standings, [one for one in MEASURES if one.name not in HIDDEN_MEASURES]),
        "",
        *(f"- {one.sentence}" for one in found.recommendations(first)),
        "",
        "## Honest settings",
        "",
        "Binary AUC in the settings in which all graders are honest, but differ from the paper's "
        "model in a way that real classes do. The worst setting and the setting of the worst "
        "difference to MSE are named.",
        "",
        *worst_settings(found),
    ]
    for measure in (ALONE, TOGETHER, BY_TYPE):
        lines += [
            "",
            f"## Best attacks: {BY_MEASURE[measure].label.lower()}",
            "",
            "Attacks that were not withstood:",
            "",
            *attacks(standings, measure),
        ]
    few = [one for one in MEASURES if one.name in OTHER_SETTING_MEASURES]
    for setting in others:
        if is_honest(setting):
            continue
        lines += [
            "",
            f"## {found.label(setting)}",
            "",
            *(f"- {one.sentence}" for one in found.recommendations(setting)),
            "",
            *listed(found.standings(setting)[:MAX_MECHANISMS_SHOWN], few),
        ]
    lines += ["", "## What was not attacked", "", *not_attacked(found)]
    return "\n".join([*lines, ""])


def main() -> None:
    """Compare all mechanisms and write the page beside this file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where results are kept")
    parser.add_argument("--seed", type=int, default=BOARD_SEED)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--class", dest="classes", action="append", default=[])
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    parser.add_argument("--quick", action="store_true", help="measure roughly")
    parser.add_argument("--ship", action="store_true", help="replace the rows of the package")
    given = parser.parse_args()
    classes = dict(one.split("=", 1) for one in given.classes)
    found = bench(
        given.folder, classes=classes, seed=given.seed, workers=given.workers, quick=given.quick
    )
    write(found, given.folder)
    size = "quick" if given.quick else "full"
    given.out.write_text(page(found, given.seed, size), encoding="utf-8")
    print(given.out)
    if given.ship:
        rows = measured_rows(found, given.seed, size)
        figures = write_frontier(found.standings(found.settings[0]), given.out.parent)
        for path in (*rows.write(Path(advice.__file__).parent), *figures):
            print(path)


if __name__ == "__main__":
    main()
