"""What the classes in a folder show of measurement integrity (E2) and robustness (E5).

Run ``python -m benchmarks.classes FOLDER``. The page has figures only; nothing of the classes is
copied into it but their names and sizes.
"""

from __future__ import annotations

import argparse
import multiprocessing
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import peergauge
from benchmarks.experiments import cpu_seconds
from peergauge.engine.results import cells
from peergauge.engine.runner import run
from peergauge.lab.figures import looks_of, strategy_looks
from peergauge.lab.paper.classes import GradedClass
from peergauge.lab.paper.e02_integrity_in_classes import AGAIN, IntegrityInClasses
from peergauge.lab.paper.e05_deviation_in_classes import DeviationInClasses
from peergauge.lab.paper.e13_tables import data_summary
from peergauge.metrics.rank_gain import PER_100

BEYOND = (
    "guarded-mse-p",
    "sne:form=linear",
    "sne",
    "sne:form=strict",
    "pmi",
    "pmi:share=1",
    "mls",
    "mls:form=strict",
    "ca",
    "ptsc",
    "phi-div-p-averaged:divergence=tvd",
    "phi-div-p-averaged:divergence=kl",
)
"""Mechanisms that the paper does not have; they are told the prior of a class too."""

MEASURES = {"Taus": "Kendall τ_B", "Binary AUCs": "binary AUC"}


def listed(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """A table of Markdown; numbers stand to the right."""
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(map(str, row))} |" for row in (head, rule, *rows)]


def called(mechanism: str, label: str) -> str:
    """The label of a figure, or the whole name where that was cut short."""
    return mechanism if label.endswith("…") else label


def summary(classes: Sequence[GradedClass]) -> list[str]:
    """The data summary, a column for each class."""
    rows = data_summary(classes).rows
    head = ["", *(row["class"] for row in rows)]
    return listed(head, [[key, *(row[key] for row in rows)] for key in rows[0] if key != "class"])


def integrity(results: pl.DataFrame, names: Sequence[str], metric: str) -> list[str]:
    """Mean over draws after the last block, ± the deviation over students drawn again."""
    found = cells(results)
    rows = []
    for mechanism, look in looks_of(found["mechanism"]).items():
        row = [called(mechanism, look.label)]
        for name in names:
            own = found.filter(
                pl.col("experiment") == f"real-integrity_{name}", pl.col("mechanism") == mechanism
            ).filter(pl.col("x") == pl.col("x").max())
            mean = own.filter(pl.col("metric") == metric)["mean"].item()
            error = own.filter(pl.col("metric") == metric + AGAIN)["sd"].item()
            row.append(f"{mean:z.2f} ± {error:.2f}")
        rows.append(row)
    return listed(["", *names], rows)


def gains(results: pl.DataFrame, name: str) -> list[str]:
    """Mean gain in ranks of a hundred ± its standard error, by mechanism and strategy."""
    own = results.filter(pl.col("experiment") == f"real-gain_{name}", pl.col("metric") == PER_100)
    found = {
        (mechanism, strategy): (n, mean, sd)
        for mechanism, strategy, n, mean, sd in cells(own)
        .select("mechanism", "strategy", "n", "mean", "sd")
        .rows()
    }
    strategies = strategy_looks(own["strategy"])
    rows = []
    for mechanism, look in looks_of(own["mechanism"]).items():
        here = [found[mechanism, strategy] for strategy in strategies]
        told = [f"{mean:+.1f} ± {sd / np.sqrt(n):.1f}" for n, mean, sd in here]
        rows.append([called(mechanism, look.label), here[0][0], *told])
    return listed(["", "students", *(one.label for one in strategies.values())], rows)


def reservations(classes: Sequence[GradedClass]) -> list[str]:
    """What each class cannot show, as far as its shape tells."""
    found = []
    rows = data_summary(classes).rows
    if short := [row["class"] for row in rows if row["assignments"] == 1]:
        found.append(
            f"- One assignment has no blocks ({', '.join(short)}): nothing is shown of how "
            "integrity grows over a semester, and everybody counts, also who gave two grades. PTS "
            "has no history to learn from, and ranks students as OA does."
        )
    for taught, row in zip(classes, rows, strict=True):
        if 1 < row["assignments"] < 4:
            found.append(f"- {taught.name} has {row['assignments']} assignments, so fewer blocks.")
        if row["with true grade"] < row["submissions"]:
            found.append(
                f"- {taught.name} has true grades of {row['with true grade']} of "
                f"{row['submissions']} submissions: {row['measured']} students are measured, by "
                "the grades whose truth is known, while all of their grades are paid. If staff did "
                "not pick those submissions at random, the prior is not that of the class, and "
                "whatever uses it (parametric mechanisms, Hedge, Revert to the Prior) is told "
                "wrong."
            )
        if 2 * row["paid by pairing"] < row["students"]:
            found.append(
                f"- {taught.name} lets mechanisms with penalty tasks pay {row['paid by pairing']} "
                f"of {row['students']} students: the others share both of their submissions with "
                "whoever they share one. Numbers of Φ-Div and Φ-Div_P are about those few, and "
                "cannot be set against those of the other mechanisms."
            )
    return found


def shown(results: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """What is clear in each class: τ_B two errors above 0, gains three errors above 0."""
    found = cells(results)
    mean, error = pl.col("mean"), pl.col("sd")
    taus, again = (found.filter(pl.col("metric") == one) for one in ("Taus", f"Taus{AGAIN}"))
    key = ["experiment", "mechanism", "x"]
    measured = taus.join(again.select(*key, error="sd"), on=key).filter(mean > 2 * pl.col("error"))
    gained = found.filter(pl.col("metric") == PER_100, mean > 3 * error / pl.col("n").sqrt())
    looks = looks_of(found["mechanism"])
    strategies = strategy_looks(gained["strategy"])
    lines = []
    for name in names:
        clear = measured.filter(pl.col("experiment") == f"real-integrity_{name}")["mechanism"]
        told = [called(one, looks[one].label) for one in looks if one in clear]
        lines.append(f"- {name}: pay goes with accuracy under {', '.join(told) or 'none'}.")
        tempting = gained.filter(pl.col("experiment") == f"real-gain_{name}")
        by_strategy = [
            f"{look.label} ("
            f"{', '.join(called(one, looks[one].label) for one in looks if one in own)})"
            for strategy, look in strategies.items()
            if len(own := tempting.filter(pl.col("strategy") == strategy)["mechanism"])
        ]
        lines.append(f"  Deviations that pay: {'; '.join(by_strategy) or 'none'}.")
    return lines


def page(folder: Path, seed: int, workers: int | None) -> str:
    """Run both experiments and write about them."""
    e2, e5 = IntegrityInClasses(classes=str(folder)), DeviationInClasses(classes=str(folder))
    names = e2.names()
    before = cpu_seconds()
    own = [replace(one, mechanisms=BEYOND) for one in (e2, e5)]
    results = pl.concat(
        [run([e2, e5], seed=seed, workers=workers), run(own, seed=seed, workers=workers)]
    )
    # The CPU time of a worker is known when it has ended.
    for worker in multiprocessing.active_children():
        worker.join()
    took = cpu_seconds() - before
    classes = [e2.load(name, seed) for name in names]
    lines = [
        "# Real classes",
        "",
        "Written by `python -m benchmarks.classes FOLDER`; run it again rather than edit this "
        "page.",
        "",
        f"peergauge {peergauge.__version__}, seed {seed}; E2 and E5 on {len(names)} classes took "
        f"{took:.0f} core-seconds.",
        "",
        "## The classes",
        "",
        "After the paper's preprocessing, on 0..10. The prior is fitted by likelihood, as in the "
        "paper, and by least divergence to a normal that is rounded to 0..10.",
        "",
        *summary(classes),
        "",
        "## What they show",
        "",
        "τ_B at least two standard errors above 0, and gains at least three above 0:",
        "",
        *shown(results, names),
        "",
        "## What they cannot show",
        "",
        *reservations(classes),
        "- Grades that students gave are taken for what they saw. Who was strategic already is "
        "taken for truthful.",
        "- A true grade here is what staff gave, and staff err too.",
        "",
        "## Measurement integrity (E2)",
        "",
        "Average pay against average squared error, after the last block; means over 50 draws of "
        "random mechanisms, ± one standard error over students drawn again. Differences of less "
        "than two such errors say nothing.",
    ]
    for metric, label in MEASURES.items():
        lines += ["", f"### {label}", "", *integrity(results, names, metric)]
    lines += [
        "",
        "## Gain of a deviator (E5)",
        "",
        "Mean gain in ranks, as if a hundred students were paid, ± one standard error over the "
        "students who are paid; every student deviates in turn. Above zero the strategy pays.",
    ]
    for name in names:
        lines += ["", f"### {name}", "", *gains(results, name)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the page beside this file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a class, or a folder of classes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=None)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    chosen.out.write_text(page(chosen.folder, chosen.seed, chosen.workers), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
