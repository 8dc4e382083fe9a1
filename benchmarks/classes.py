"""Measurement integrity (E2) and robustness (E5) in the classes of a folder.

Run ``python -m benchmarks.classes FOLDER``. The page contains summary statistics only; nothing else
of the classes is copied into it except their names and sizes.
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
from peergauge.core.errors import PeergaugeError
from peergauge.engine.results import cells, merged
from peergauge.engine.runner import run
from peergauge.lab.bench.entrants import found
from peergauge.lab.paper.classes import GradedClass
from peergauge.lab.paper.e02_integrity_in_classes import IntegrityInClasses
from peergauge.lab.paper.e05_deviation_in_classes import DeviationInClasses
from peergauge.lab.paper.e13_tables import data_summary
from peergauge.lab.paper.roster import NON_PARAMETRIC, for_any_class, normalised, variant_of
from peergauge.mechanisms import mechanisms, score
from peergauge.simulate import strategies

AS_IN_PAPER = frozenset(normalised((*for_any_class("ignore"), *for_any_class("correct"))))
"""Mechanisms with the treatment of bias that the paper has in E2 (ignore) and E5 (correct)."""

NON_PARAMETRIC_NAMES = frozenset(mechanisms.make(spec).facts.name for spec in NON_PARAMETRIC)
"""Mechanisms that the paper's experiments compare already, and that have no treatment of bias."""

MEASURES = {"tau": "Kendall τ_B", "binary-auc": "binary AUC"}

ORDER = ("mse", "oa", "pts", "mse-p", "phi-div", "phi-div-p")
"""Order of the paper's mechanisms in tables; other mechanisms follow, ordered by their specs."""

STRATEGIES = ("noise", "merge", "prior", "all-tens", "hedge")
"""Order of the strategies in tables."""


def listed(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Format a Markdown table whose columns, except the first, are right-aligned."""
    rule = ["---", *("---:" for _ in head[1:])]
    return [f"| {' | '.join(map(str, row))} |" for row in (head, rule, *rows)]


def name_of(spec: str) -> str:
    """The label of a mechanism with the paper's settings; the spec of any other."""
    return mechanisms.label_of(variant_of(spec)) if spec in AS_IN_PAPER else spec


def beyond(taught: GradedClass) -> tuple[list[str], dict[str, str]]:
    """Mechanisms that pay a class, besides those of the paper's experiments, and reasons why not.

    They are all that need no true scores and no clusters, in all their variants; every mechanism
    that takes a prior is given that of the class.
    """
    paying, refused = [], {}
    for made in found():
        known = made.spec in AS_IN_PAPER or made.facts.name in NON_PARAMETRIC_NAMES
        if made.facts.design == "clusters" or known:
            continue
        try:
            pay = score(taught.suited(made), taught.reports).total
        except PeergaugeError as error:
            refused[made.spec] = str(error)
            continue
        if np.isnan(pay).all():
            refused[made.spec] = "It pays nobody."
        else:
            paying.append(made.spec)
    return paying, refused


def named(results: pl.DataFrame) -> pl.DataFrame:
    """Results with mechanisms by their names in tables, in the order of tables."""
    specs = results["mechanism"].unique(maintain_order=True).to_list()

    def place(spec: str) -> tuple[int, str]:
        name = mechanisms.make(spec).facts.name
        return (ORDER.index(name), "") if name in ORDER else (len(ORDER), spec)

    names = {spec: name_of(spec) for spec in sorted(specs, key=place)}
    order = list(dict.fromkeys(names.values()))
    return results.with_columns(pl.col("mechanism").replace_strict(names)).sort(
        pl.col("mechanism").replace_strict({name: place for place, name in enumerate(order)}),
        maintain_order=True,
    )


def summary(classes: Sequence[GradedClass]) -> list[str]:
    """The data summary, with a column for each class."""
    rows = data_summary(classes).rows
    head = ["", *(row["class"] for row in rows)]
    return listed(head, [[key, *(row[key] for row in rows)] for key in rows[0] if key != "class"])


def integrity(results: pl.DataFrame, names: Sequence[str], metric: str) -> list[str]:
    """Mean over draws after the last block, ± the bootstrap standard error over students."""
    found = cells(results.filter(experiment="e2", metric=metric))
    rows = []
    for mechanism in found["mechanism"].unique(maintain_order=True):
        row = [mechanism]
        for name in names:
            own = found.filter(pl.col("class") == name, pl.col("mechanism") == mechanism)
            if own.is_empty():
                row.append("–")
                continue
            own = own.filter(pl.col("block") == pl.col("block").max())
            mean = own.filter(~pl.col("resampled"))["mean"].item()
            error = own.filter(pl.col("resampled"))["sd"].item()
            row.append(f"{mean:z.2f} ± {error:.2f}")
        rows.append(row)
    return listed(["", *names], rows)


def gains(results: pl.DataFrame, name: str) -> list[str]:
    """Mean gain in ranks out of 100 ± its standard error, by mechanism and strategy."""
    own = results.filter(pl.col("class") == name, experiment="e5", out_of=100)
    found = {
        (mechanism, strategy): (n, mean, sd)
        for mechanism, strategy, n, mean, sd in cells(own)
        .select("mechanism", "strategy", "n", "mean", "sd")
        .rows()
    }
    rows = []
    for mechanism in own["mechanism"].unique(maintain_order=True):
        here = [found[mechanism, strategy] for strategy in STRATEGIES]
        shown = [
            "–" if mean is None or sd is None else f"{mean:+.1f} ± {sd / np.sqrt(n):.1f}"
            for n, mean, sd in here
        ]
        rows.append([mechanism, here[0][0], *shown])
    return listed(["", "students", *map(strategies.label_of, STRATEGIES)], rows)


def reservations(classes: Sequence[GradedClass]) -> list[str]:
    """Limits of each class that follow from its shape."""
    found = []
    rows = data_summary(classes).rows
    if short := [row["class"] for row in rows if row["assignments"] == 1]:
        found.append(
            f"- One assignment has no blocks ({', '.join(short)}): the growth of integrity over a "
            "semester cannot be measured, and all students count, including those with only two "
            "grades. PTS has no history to learn from, and ranks students as OA does."
        )
    for taught, row in zip(classes, rows, strict=True):
        if 1 < row["assignments"] < 4:
            found.append(f"- {taught.name} has {row['assignments']} assignments, so fewer blocks.")
        if row["with true grade"] < row["submissions"]:
            found.append(
                f"- {taught.name} has true grades for {row['with true grade']} out of "
                f"{row['submissions']} submissions: {row['measured']} students are measured, by "
                "their grades with a known true grade, while all of their grades are rewarded. If "
                "staff did not select those submissions at random, the fitted prior differs from "
                "that of the class and misleads everything that uses it (parametric mechanisms, "
                "Hedge, Revert to the Prior)."
            )
        if 2 * row["paid by pairing"] < row["students"]:
            found.append(
                f"- In {taught.name}, mechanisms with penalty tasks can reward only "
                f"{row['paid by pairing']} out of {row['students']} students: every other student "
                "shares both of their submissions with each co-grader. The numbers for Φ-Div and "
                "Φ-Div_P describe those few students, and cannot be compared with the other "
                "mechanisms."
            )
    return found


def shown(results: pl.DataFrame, names: Sequence[str]) -> list[str]:
    """Clear results of each class: τ_B two errors above 0, gains three errors above 0."""
    found = cells(results)
    mean, error = pl.col("mean"), pl.col("sd")
    taus = found.filter(experiment="e2", metric="tau")
    key = ["class", "mechanism", "block"]
    resampled = taus.filter(pl.col("resampled")).select(*key, error="sd")
    measured = taus.filter(~pl.col("resampled")).join(resampled, on=key)
    measured = measured.filter(mean > 2 * pl.col("error"))
    gained = found.filter(experiment="e5", out_of=100).filter(mean > 3 * error / pl.col("n").sqrt())
    order = found["mechanism"].unique(maintain_order=True).to_list()
    lines = []
    for name in names:
        clear = measured.filter(pl.col("class") == name)["mechanism"]
        agreeing = [one for one in order if one in clear]
        lines.append(
            f"- {name}: rewards agree with accuracy under {', '.join(agreeing) or 'none'}."
        )
        tempting = gained.filter(pl.col("class") == name)
        by_strategy = [
            f"{strategies.label_of(strategy)} ({', '.join(one for one in order if one in own)})"
            for strategy in STRATEGIES
            if len(own := tempting.filter(pl.col("strategy") == strategy)["mechanism"])
        ]
        lines.append(f"  Deviations that pay: {'; '.join(by_strategy) or 'none'}.")
    return lines


def page(folder: Path, seed: int, workers: int | None) -> str:
    """Run both experiments and return the page as Markdown."""
    e2 = IntegrityInClasses(classes=str(folder), bias="ignore")
    e5 = DeviationInClasses(classes=str(folder), bias="correct")
    taught = e2.taught()
    names = [one.name for one in taught]
    before = cpu_seconds()
    classes = [e2.load(one, seed) for one in taught]
    parts, refused = [run([e2, e5], seed=seed, workers=workers)], {}
    for loaded in classes:
        paying, refused[loaded.name] = beyond(loaded)
        where = str(folder if len(classes) == 1 else folder / loaded.name)
        own = [replace(one, mechanisms=tuple(paying), classes=where) for one in (e2, e5)]
        parts.append(run(own, seed=seed, workers=workers))
    results = named(merged(parts))
    # The CPU time of a worker is known only after it has ended.
    for worker in multiprocessing.active_children():
        worker.join()
    took = cpu_seconds() - before
    lines = [
        "# Real classes",
        "",
        "Written by `python -m benchmarks.classes FOLDER`; do not edit this page, run the script "
        "again.",
        "",
        f"peergauge {peergauge.__version__}, seed {seed}; E2 and E5 on {len(names)} classes took "
        f"{took:.0f} core-seconds.",
        "",
        "## The classes",
        "",
        "After the paper's preprocessing, on 0..10. The prior is fitted by maximum likelihood, as "
        "in the paper, and by minimum divergence to a normal distribution rounded to 0..10.",
        "",
        *summary(classes),
        "",
        "## Clear results",
        "",
        "τ_B at least two standard errors above 0, and gains at least three standard errors above "
        "0:",
        "",
        *shown(results, names),
        "",
        "## Limits",
        "",
        *reservations(classes),
        "- The reports of students are treated as their signals. Students who were already "
        "strategic are treated as truthful.",
        "- Staff grades are treated as true grades, and staff make errors too.",
        *(
            f"- {name}: {len(why)} mechanisms cannot pay this class ("
            + "; ".join(f"`{spec}`: {words}" for spec, words in why.items())
            + ")."
            for name, why in refused.items()
            if why
        ),
        "",
        "## Measurement integrity (E2)",
        "",
        "Mean reward against mean squared error, after the last block; means over 50 draws of "
        "random mechanisms, ± one bootstrap standard error over students. Differences of less than "
        "two standard errors are not significant. A mean reward is the mean over all rewarded "
        "grades of a student; versions before 0.2 divided the rewards of MSE, MSE_P and guarded "
        "MSE_P by the number of grades twice. Φ-Div_P and MSE_P ignore bias, as in the paper; "
        "`mse-p` is MSE_P with its default, which estimates biases. All other mechanisms that pay "
        "from reports alone and need no clusters are listed by their specs, with the prior of the "
        "class if they take one.",
    ]
    for metric, label in MEASURES.items():
        lines += ["", f"### {label}", "", *integrity(results, names, metric)]
    lines += [
        "",
        "## Gain of a deviator (E5)",
        "",
        "Mean gain in ranks, scaled to a hundred rewarded students, ± one standard error over the "
        "rewarded students; every student deviates in turn, while all others stay truthful. The "
        "strategy pays if the gain is positive. Φ-Div_P and MSE_P correct for bias, as in the "
        "paper; `mse-p` is MSE_P with its default, which estimates biases.",
    ]
    for name in names:
        lines += ["", f"### {name}", "", *gains(results, name)]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write the page beside this file."""
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
