"""What probe papers do to attacks that no mechanism without ground truth can prevent.

Run ``python -m benchmarks.probes``. Staff know the true score of some submissions, and graders do
not know which (probe papers, as in PEQA of Chakraborty et al. 2024; here they are spot checks). The
gain is that of a grader who joins so many others with the same strategy.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from benchmarks.gains import mean_gains, with_error
from peergauge.core.errors import ConvergenceWarning
from peergauge.engine.environment import Environment
from peergauge.simulate import Setting, strategies
from peergauge.simulate.source import SemesterSource

RUN_SEED = 84_000_000
"""Seed that is far from all seeds used to design and tune the mechanisms."""

CHECKED_SHARES = (0.0, 0.01, 0.02, 0.05, 0.1)
SPECS = ("guarded-merit", "pmi", "mse-p", "mse")
ATTACKS = (
    (60, "stretch:factor=-1"),
    (90, "stretch:factor=-1"),
    (90, "shift:by=-2"),
    (90, "later:steps=all-tens,begin=0.6"),
    (60, "mix-cheap:weight=1,correlation=0"),
    (90, "mix-cheap:weight=1,correlation=0"),
    (90, "copy"),
    (0, "copy"),
    (0, "in-turn:steps=copy:sources=2+noise"),
    (0, "sabotage"),
)
"""Numbers of others with the same strategy, and strategies."""


def gain(spec: str, others: int, strategy: str, checked: float, semesters: int) -> str:
    """Mean rank gain with its standard error."""
    environment = Environment(SemesterSource(Setting()), checked=checked)
    found = mean_gains(
        spec, environment, others, (strategy,), semesters, seed=RUN_SEED, drawn="probes"
    )
    return with_error(found["mean"][0], found["error"][0])


def page(semesters: int) -> str:
    """Format the page."""
    lines = [
        "# Probe papers",
        "",
        "Written by `python -m benchmarks.probes`; do not edit this page, run the script again.",
        "",
        "Rank gains, out of 100, of a grader who joins others with the same strategy, if staff "
        f"know the true score of a share of the submissions. {semesters} semesters of 100 students "
        f"and 10 assignments, 8 graders in each; ± is one standard error; seed {RUN_SEED:,}.",
    ]
    for spec in SPECS:
        lines += [
            "",
            f"## `{spec}`",
            "",
            "| strategy | others | "
            + " | ".join(f"{one:.0%} known".replace("%", " %") for one in CHECKED_SHARES)
            + " |",
            "|---|---:|" + "---:|" * len(CHECKED_SHARES),
        ]
        for others, strategy in ATTACKS:
            words = strategies.make(strategy).in_words()
            cells = (gain(spec, others, strategy, one, semesters) for one in CHECKED_SHARES)
            lines.append(f"| {words} | {others} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semesters", type=int, default=30)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given.out.write_text(page(given.semesters), encoding="utf-8")
    print(given.out)


if __name__ == "__main__":
    main()
