"""The whole leaderboard at publication precision, as a page.

Run ``python -m benchmarks.leaderboard FOLDER``. Results are kept in the folder, so that a run that
was stopped goes on; the page is written beside this file. Classes can be added by
``--class NAME=FOLDER``; the page has their names and what was measured in them, and nothing else.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import peergauge
from peergauge.lab.bench import FULL, Bench, bench
from peergauge.lab.bench.board import MEASURES, Measure, Standing, plus_minus
from peergauge.pages.bench_folder import write

SEED = 900_003
"""No mechanism was tuned with it."""

ELSEWHERE = ("binary-auc", "kendall-tau", "robustness", "exploit")
"""What is told of settings other than the first."""

BEST = 12
"""How many mechanisms are told of there."""


def listed(standings: Sequence[Standing], measures: Sequence[Measure]) -> list[str]:
    """A table of Markdown, a row for each mechanism."""
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
    """The best plain attack on each, in words."""
    from peergauge.simulate import strategies

    lines = []
    for each in standings:
        found = each.values.get("exploit")
        if found is not None and found.strategy and found.value > 2 * np.nan_to_num(found.error):
            words = strategies.make(found.strategy).in_words()
            told = plus_minus(each, "exploit")
            lines.append(f"- `{each.spec}`, {told} ranks: {words[:1].lower()}{words[1:]}.")
    return lines


def page(found: Bench, seed: int) -> str:
    """Everything as Markdown."""
    first, *others = found.settings
    lines = [
        "# Leaderboard",
        "",
        "Written by `python -m benchmarks.leaderboard FOLDER`; run it again rather than edit this "
        "page. `peergauge bench` gives the same as a page to explore.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}; seed {seed:,}, which no mechanism was "
        f"tuned with. Standard errors beside. Integrity: {FULL.integrity} semesters in the first "
        "setting, half as many in others. What the columns are, and what is called safe, is said "
        "in [how to rank a mechanism](../docs/how-to/rank-your-own-mechanism.md).",
        "",
        *(f"- **{one.label}**: {one.meaning}." for one in MEASURES),
        "",
        f"## {found.label(first)}",
        "",
        *listed(found.standings(first), MEASURES),
        "",
        *(f"- {one.sentence}" for one in found.recommendations(first)),
        "",
        "What gains most among truthful others, where something clearly does:",
        "",
        *attacks(found.standings(first)),
    ]
    few = [one for one in MEASURES if one.name in ELSEWHERE]
    for case in others:
        standings = found.standings(case)
        lines += [
            "",
            f"## {found.label(case)}",
            "",
            *(f"- {one.sentence}" for one in found.recommendations(case)),
            "",
            *listed(standings[:BEST], few),
        ]
    return "\n".join([*lines, ""])


def main() -> None:
    """Compare, and write the page beside this file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="where results are kept")
    parser.add_argument("--seed", type=int, default=SEED)
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
