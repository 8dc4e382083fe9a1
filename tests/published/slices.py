"""Slices of the paper's experiments E1, E3 and E12, small enough to run with the tests.

A cell is (experiment, mechanism, strategy, x, metric) by the names of the authors' files, and
holds our values, one for each semester. All mechanisms are paid on the same semesters.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import RewardMetric, metrics
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.score_error import ScoreError
from peergauge.models.pg1 import PG1
from peergauge.simulate import NormalBias, Semester, Setting, simulate, strategies

Cell = tuple[str, str, str, str, str]
Values = dict[Cell, list[float]]

DIVERGENCES = ("tvd", "kl", "chi2", "h2")


def parametric(bias: str) -> list[str]:
    """MSE_P and Φ-Div_P, all with one way of treating bias."""
    return [f"mse-p:bias={bias}"] + [
        f"phi-div-p:bias={bias},divergence={divergence}" for divergence in DIVERGENCES
    ]


# Where the authors' computation differs from the text, their setting is named here.
NON_PARAMETRIC = [
    "mse",
    "oa:prize=11",
    "pts:counting=per-peer",
    "dmi",
    *(f"phi-div:divergence={divergence},unseen=int64" for divergence in DIVERGENCES),
]
INTEGRITY = {
    "payments-vs-mse_with-bias-in-model": NON_PARAMETRIC + parametric("ignore"),
    "payments-vs-mse_mse-p": ["mse-p:bias=estimate"],
    "payments-vs-mse_parametric": parametric("correct"),
}
DEVIATION = {
    "incentives_for_deviating-ce-bias": NON_PARAMETRIC + parametric("correct"),
    "incentives_for_deviating-ce-bias-parametric-bias_correct_false": parametric("estimate"),
}
MEASURES = [
    measure
    for name in ("binary-auc", "quinary-auc", "tau", "pearson")
    if isinstance(measure := metrics.make(name, int64=True), RewardMetric)
]


def measurement_integrity(seeds: Iterable[int]) -> Values:
    """E1 after 1, 4, 8 and 15 assignments, as prefixes of semesters of 15."""
    values: Values = defaultdict(list)
    for seed in seeds:
        semesters = _both_designs(Setting(students=500, assignments=15), seed)
        for experiment, mechanism in _pairs(INTEGRITY):
            semester = semesters[mechanism.facts.design]
            rewards = score(mechanism, semester.reports, seed=seed)
            for x in (1, 4, 8, 15):
                so_far = rewards.first(x)
                for measure in MEASURES:
                    cell = experiment, mechanism.published, "", str(x), measure.facts.published
                    values[cell].append(measure.measure(so_far, semester.truth))
    return values


def deviation_gain(seeds: Iterable[int]) -> Values:
    """E3 with 10, 50 and 90 strategic graders of 100, for all six strategies."""
    values: Values = defaultdict(list)
    tempted = [one for one in strategies.all() if one.facts.name != "truthful"]
    for seed in seeds:
        for strategy in tempted:
            for x in (10, 50, 90):
                semesters = _both_designs(Setting(strategies={strategy.spec: x}), seed)
                for experiment, mechanism in _pairs(DEVIATION):
                    semester = semesters[mechanism.facts.design]
                    deviator = semester.deviator
                    gain = RankGain().measure(
                        score(mechanism, semester.reports, seed=seed),
                        score(mechanism, semester.redo(deviator, strategy), seed=seed),
                        deviator,
                    )
                    cell = experiment, mechanism.published, strategy.facts.published, str(x)
                    values[(*cell, "rank gain")].append(gain)
    return values


def true_grade_recovery(seeds: Iterable[int]) -> Values:
    """E12: the consensus grade and both procedures, with biased and unbiased graders."""
    values: Values = defaultdict(list)
    for seed in seeds:
        for experiment, deviation in (
            ("true-grade-recovery", 1.0),
            ("true-grade-recovery_no-bias", 0.0),
        ):
            # Seeds are kept apart, or both experiments would err on the same side.
            setting = Setting(students=100, assignments=1, bias=NormalBias(deviation))
            semester = simulate(setting, 2 * seed + int(deviation))
            reports = semester.reports
            estimates = {
                "Consensus-Grade": np.add.reduceat(reports.grade, reports.submission_bounds[:-1])
                / np.diff(reports.submission_bounds),
                "Procedure-NB": PG1(bias=False).fit(reports).score,
                "Procedure": PG1().fit(reports).score,
            }
            for method, estimate in estimates.items():
                error = ScoreError().measure(estimate, reports, semester.truth)
                values[experiment, method, "", "", "MSE Scores"].append(error)
    return values


class Agreement(NamedTuple):
    """A published cell beside ours."""

    cell: Cell
    theirs: float
    ours: float
    error: float

    @property
    def z(self) -> float:
        """The difference in standard errors of both means; 0 where neither varies nor differs."""
        gap = self.ours - self.theirs
        return gap / self.error if self.error > 0 else 0.0 if gap == 0 else float("inf")


def compare(ours: Values, published: Path, experiments: Iterable[str]) -> list[Agreement]:
    """Compare every published cell of *experiments* with ours."""
    wanted = set(experiments)
    found = []
    with published.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["experiment"] not in wanted:
                continue
            names = ("experiment", "mechanism", "strategy", "x", "metric")
            cell = (row[names[0]], row[names[1]], row[names[2]], row[names[3]], row[names[4]])
            values = np.array(ours[cell])
            values = values[~np.isnan(values)]
            variance = values.var(ddof=1) / len(values) + float(row["sd"]) ** 2 / int(row["n"])
            found.append(
                Agreement(cell, float(row["mean"]), float(values.mean()), float(np.sqrt(variance)))
            )
    return found


def _pairs(experiments: dict[str, list[str]]) -> list[tuple[str, Mechanism]]:
    return [(name, mechanisms.make(spec)) for name, specs in experiments.items() for spec in specs]


def _both_designs(setting: Setting, seed: int) -> dict[str, Semester]:
    """The same graders and submissions, graded by a regular graph and in clusters."""
    from dataclasses import replace

    return {
        "any": simulate(setting, seed),
        "clusters": simulate(replace(setting, design="clusters"), seed),
    }
