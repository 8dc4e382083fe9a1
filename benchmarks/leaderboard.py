"""Write the whole leaderboard, at publication precision, as a page.

Run ``python -m benchmarks.leaderboard FOLDER``. Results are kept in the folder, so a run that was
stopped can continue; the page is written beside this file. ``--class NAME=FOLDER`` adds a real
class; the page contains its name and its measurements, and nothing else.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import peergauge
from peergauge.lab.bench import FULL_SIZE, Bench, bench
from peergauge.lab.bench.board import MEASURES, Measure, Standing, plus_minus
from peergauge.pages.bench_folder import write

BOARD_SEED = 900_003
"""Seed that was not used to tune any mechanism."""

OTHER_SETTING_MEASURES = ("binary-auc", "tau", "robustness", "exploit")
"""Measures shown for settings other than the first."""

MAX_MECHANISMS_SHOWN = 12
"""Number of mechanisms shown for settings other than the first."""


def listed(standings: Sequence[Standing], measures: Sequence[Measure]) -> list[str]:
    """Format a Markdown table with a row for each mechanism."""
    shown = [one for one in measures if any(one.name in each.values for each in standings)]
    return [
        "| | mechanism | " + " | ".join(one.label for one in shown) + " | needs | safe |",
        "|---:|---|" + "---:|" * len(shown) + "---|---|",
        *(
            f"| {place} | `{each.spec}` | "
            + " | ".join(plus_minus(each, one.name) for one in shown)
            + f" | {', '.join(each.needs.words) or '–'} | {each.safe_in_words} |"
            for place, each in enumerate(standings, 1)
        ),
    ]


def attacks(standings: Sequence[Standing]) -> list[str]:
    """The best plain attack on each mechanism, in words."""
    from peergauge.simulate import strategies

    lines = []
    for each in standings:
        found = each.values.get("exploit")
        if found is not None and found.strategy and found.value > 2 * np.nan_to_num(found.error):
            words = strategies.make(found.strategy).in_words()
            gain = plus_minus(each, "exploit")
            lines.append(f"- `{each.spec}`, {gain} ranks: {words[:1].lower()}{words[1:]}.")
    return lines


def page(found: Bench, seed: int) -> str:
    """Format the results as a Markdown page."""
    first, *others = found.settings
    lines = [
        "# Leaderboard",
        "",
        "Written by `python -m benchmarks.leaderboard FOLDER`; do not edit this page, run the "
        "script again. `peergauge bench` writes the same results as an interactive page.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}; seed {seed:,}, which was not used to tune "
        f"any mechanism. ± is one standard error. Integrity: {FULL_SIZE.integrity} semesters in "
        "the first setting, half as many in the others. "
        "[How to rank your own mechanism](../docs/how-to/rank-your-own-mechanism.md) defines the "
        "columns and the word *safe*.",
        "",
        *(f"- **{one.label}**: {one.meaning}." for one in MEASURES),
        "",
        f"## {found.label(first)}",
        "",
        *listed(found.standings(first), MEASURES),
        "",
        *(f"- {one.sentence}" for one in found.recommendations(first)),
        "",
        "The best attack among truthful others, where it clearly gains:",
        "",
        *attacks(found.standings(first)),
    ]
    few = [one for one in MEASURES if one.name in OTHER_SETTING_MEASURES]
    for setting in others:
        standings = found.standings(setting)
        lines += [
            "",
            f"## {found.label(setting)}",
            "",
            *(f"- {one.sentence}" for one in found.recommendations(setting)),
            "",
            *listed(standings[:MAX_MECHANISMS_SHOWN], few),
        ]
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
    given = parser.parse_args()
    classes = dict(one.split("=", 1) for one in given.classes)
    found = bench(given.folder, classes=classes, seed=given.seed, workers=given.workers)
    write(found, given.folder)
    given.out.write_text(page(found, given.seed), encoding="utf-8")
    print(given.out)


if __name__ == "__main__":
    main()
