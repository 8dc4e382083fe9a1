"""Direct measurement, in many semesters, of the strategies that come closest to a gain.

Run ``python -m benchmarks.nearest``. A search measures a few finalists in some semesters; gains of
a fraction of a rank need more semesters. These strategies were finalists of searches in other
semesters, or are similar to finalists. Small stretches are rounded up or down at random: rounded to
the nearest grade, a factor of 0.9 about 7 leaves every signal from 3 to 10 as it is, and would
measure nothing. Eight graders deviate in each semester, one at a time.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import peergauge
from peergauge.engine.runner import run
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.exploit import OTHERS_OUT_OF_100
from peergauge.lab.exploit.deviations import Deviations
from peergauge.lab.exploit.search import Trial, measured

RUN_SEED = 61_000_000
"""Seed that is far from all seeds used to design and tune the mechanisms."""

HEDGING_SPECS = (
    "dither:steps=stretch:factor=0.85", "dither:steps=stretch:factor=0.9",
    "dither:steps=stretch:factor=0.95", "clip:lowest=4", "clip:lowest=0,highest=9", "random",
)  # fmt: skip
EXAGGERATING_SPECS = (
    "dither:steps=stretch:factor=1.1", "dither:steps=stretch:factor=1.2", "stretch:factor=1.5",
    "extremes:centre=7.5",
)  # fmt: skip
ATTACKS_BY_SETTING = {
    "paper": (
        ("mls", "mls:form=strict"),
        (*HEDGING_SPECS, EXAGGERATING_SPECS[0]),
        OTHERS_OUT_OF_100,
    ),
    "irregular": (("mls", "mls:form=strict", "pmi"), EXAGGERATING_SPECS, (0,)),
}
"""For each setting: mechanisms, strategies, and numbers of others with the same strategy."""


def table(
    setting: str, specs: Sequence[str], tried: tuple[str, ...], others: Sequence[int], count: int
) -> list[str]:
    """Rank gain of each strategy, with a row for each mechanism and population."""
    lines = [
        "| mechanism | others with the same strategy | "
        + " | ".join(f"`{one}`" for one in tried)
        + " |",
        "|---|---:|" + "---:|" * len(tried),
    ]
    for spec in specs:
        experiment = Deviations(
            count, mechanism=spec, environment=suite_setting(setting).environment, deviators=8,
            drawn="nearest",
            candidates=tuple((one, tried) for one in others),
        )  # fmt: skip
        found = measured(run([experiment], seed=RUN_SEED))
        for one in others:
            gains = (found[Trial(one, name)] for name in tried)
            cells = " | ".join(f"{gain.mean:+.2f} ± {gain.error:.2f}" for gain in gains)
            lines.append(f"| `{spec}` | {one} | {cells} |")
    return lines


def page(count: int) -> str:
    """Format the results as a Markdown page."""
    lines = [
        "# Attacks that come closest to a gain",
        "",
        "Written by `python -m benchmarks.nearest`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}; seed {RUN_SEED:,}. Mean rank gain (out of "
        f"100) of one grader, over {count} semesters with eight deviators each, with standard "
        "errors. Small stretches are rounded up or down at random (`dither`), because most of them "
        "would change no report otherwise.",
    ]
    for setting, (specs, tried, others) in ATTACKS_BY_SETTING.items():
        chosen = suite_setting(setting)
        lines += ["", f"## {chosen.label}", "", chosen.sentence, ""]
        lines += table(setting, specs, tried, others, count)
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semesters", type=int, default=400)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    text = page(given.semesters)
    print(text)
    given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
