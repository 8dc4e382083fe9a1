"""What payment rules do to integrity, to the incentive to work, and to the gain of a deviator.

Run ``python -m benchmarks.payments``. Writes ``payments.md`` beside this file.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.experiments import cpu_seconds
from peergauge.core.lazy import pl
from peergauge.engine.runner import run
from peergauge.lab.beyond.second_stage import (
    DEVIATION_METRIC,
    DRAWN_METRIC,
    EFFORT_METRIC,
    INTEGRITY_METRIC,
    MECHANISMS,
    NEGATIVE_METRIC,
    POOR_METRIC,
    RULES,
    SENSITIVITY_METRIC,
    SecondStageOfPay,
)
from peergauge.mechanisms import mechanisms
from peergauge.simulate.strategies import strategies

RUN_SEED = 20_223
"""Seed of all classes."""

SEMESTER_LENGTHS = (10, 2)
"""Numbers of assignments of the two tables of deviations."""


HEDGE = "hedge"
"""Strategy whose gain is shown under every rule."""


class Cell(NamedTuple):
    """A mean with its standard error."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: np.ndarray) -> Cell:
        """The mean of values of independent classes."""
        return cls(float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values))))

    def shown(self, digits: int = 0) -> str:
        """Mean ± standard error."""
        return f"{self.mean:.{digits}f} ± {self.error:.{digits}f}"


def cell(rows: pl.DataFrame, mechanism: str, payment: str, metric: str, strategy: str = "") -> Cell:
    """The mean of one measure."""
    own = rows.filter(
        pl.col("mechanism") == mechanism,
        pl.col("payment") == payment,
        pl.col("metric") == metric,
        pl.col("strategy") == strategy,
    )
    return Cell.of(own["value"].to_numpy())


def best(rows: pl.DataFrame, mechanism: str, payment: str, metric: str) -> str:
    """The strategy that gains most in even repetitions, with its gain in odd ones."""
    own = rows.filter(
        pl.col("mechanism") == mechanism,
        pl.col("payment") == payment,
        pl.col("metric") == metric,
    )
    chosen = own.filter(pl.col("repetition") % 2 == 0).group_by("strategy")
    means = chosen.agg(pl.col("value").mean()).sort("value", "strategy")
    spec = str(means["strategy"][-1])
    again = own.filter(pl.col("repetition") % 2 == 1, pl.col("strategy") == spec)
    label = strategies.label_of(spec)
    return f"{label} {Cell.of(again['value'].to_numpy()).shown()}"


def incentives(rows: pl.DataFrame) -> list[str]:
    """The rows of the table of integrity and effort."""
    return [
        f"| {mechanisms.label_of(mechanism)} | {payment} "
        f"| {cell(rows, mechanism, payment, INTEGRITY_METRIC).shown(3)} "
        f"| {cell(rows, mechanism, payment, DRAWN_METRIC).shown(3)} "
        f"| {cell(rows, mechanism, payment, EFFORT_METRIC).shown(1)} "
        f"| {cell(rows, mechanism, payment, SENSITIVITY_METRIC).shown(1)} "
        f"| {cell(rows, mechanism, payment, NEGATIVE_METRIC).shown(1)} |"
        for mechanism in MECHANISMS
        for payment in RULES
    ]


def deviations(rows: pl.DataFrame) -> list[str]:
    """The rows of a table of deviations."""
    return [
        f"| {mechanisms.label_of(mechanism)} | {payment} "
        f"| {best(rows, mechanism, payment, DEVIATION_METRIC)} "
        f"| {best(rows, mechanism, payment, POOR_METRIC)} "
        f"| {cell(rows, mechanism, payment, DEVIATION_METRIC, HEDGE).shown()} |"
        for mechanism in MECHANISMS
        for payment in RULES
    ]


def page(repetitions: int, deviators: int) -> str:
    """Run the experiment for both lengths and write the page."""
    begun = cpu_seconds()
    found = {
        length: run(
            [SecondStageOfPay(repetitions=repetitions, deviators=deviators, assignments=length)],
            seed=RUN_SEED,
            workers=1,
        )
        for length in SEMESTER_LENGTHS
    }
    longest = SEMESTER_LENGTHS[0]
    parts = [
        "# Payments as a second stage",
        "",
        "Written by `python -m benchmarks.payments`; the experiment is `second-stage`. Truthful "
        f"classes of 100 students ({repetitions} of them, {deviators} graders changed one at a "
        "time in each). All rules pay 1 to the average grader. See "
        "[how to reward a class](../docs/how-to/pay-a-class.md) for the rules.",
        "",
        f"## Integrity and the incentive to work, {longest} assignments",
        "",
        "- *AUC* and *AUC drawn*: how well expected pay, and pay as drawn, tell the more accurate "
        "half of the graders from the others.",
        "- *Effort*: rise of expected pay with one unit of effort, in % of mean pay.",
        "- *Per risk*: the same rise in % of the standard deviation of expected pay among graders. "
        "For linear pay this is the sensitivity of the scores.",
        "- *Negative*: share of graders with negative pay, in %.",
        "",
        "| mechanism | payment | AUC | AUC drawn | effort | per risk | negative |",
        "|---|---|---|---|---|---|---|",
        *incentives(found[longest]),
    ]
    for length, rows in found.items():
        parts += [
            "",
            f"## The best deviation, {length} assignments",
            "",
            "Rise of the expected pay of a single deviator in a truthful class, in % of mean pay: "
            "of a random grader, and of one from the less accurate half. The strategy is chosen "
            "among the paper's six, extremes and strong noise in one half of the classes and "
            "measured in the other half. The last column is the gain of a random grader who "
            "hedges.",
            "",
            "| mechanism | payment | random grader | less accurate grader | hedging |",
            "|---|---|---|---|---|",
            *deviations(rows),
        ]
    parts += ["", f"Seed {RUN_SEED}; {cpu_seconds() - begun:.0f} seconds of processor time.", ""]
    return "\n".join(parts)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=150)
    parser.add_argument("--deviators", type=int, default=8)
    given = parser.parse_args()
    text = page(given.repetitions, given.deviators)
    Path(__file__).with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
