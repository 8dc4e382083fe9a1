"""A sweep as an experiment: seeds, what its manifest records, and its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import ParameterError
from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.sweep import planned
from peergauge.lab.sweep.experiment import Sweep, deviators_of
from peergauge.metrics import DeviationMetric, MetricFacts
from peergauge.simulate import ListedScores, Setting
from peergauge.tables import Rewards

SMALL = Setting(students=12, assignments=2)


def plan(over: dict[str, Any], where: Setting = SMALL, **more: Any) -> Sweep:
    measures = more.pop("measures", ["tau"])
    return planned(over, ["mse"], measures, where, repetitions=3, **more)


def test_rows_stand_alone() -> None:
    over = {"graders": [2, 4], "strategy": ["hedge", "noise"]}
    experiment = plan(over, measures=["rank-gain"])
    frame = to_frame(experiment.run(Point(3), 1, 5))
    (row,) = frame.rows(named=True)
    assert (row["point"], row["graders"], row["strategy"]) == (3, 4, "noise")
    assert (row["mechanism"], row["metric"], row["repetition"]) == ("mse", "rank-gain", 1)


def test_all_points_have_the_same_seeds_and_repetitions_other_ones() -> None:
    experiment = plan({"graders": [2, 4]})
    seeds = {(x, r): experiment.own_seed(9, Point(x), r) for x in (0, 1) for r in (0, 1)}
    assert seeds[0, 0] == seeds[1, 0] != seeds[0, 1] == seeds[1, 1]


def test_the_manifest_tells_distributions_apart_that_print_alike() -> None:
    scores = [np.linspace(1, 9, 2000), np.linspace(1, 9, 2000)]
    scores[1][1000] += 1e-12
    texts = [
        plan(
            {"graders": [2]}, Setting(students=12, true_scores=ListedScores(tuple(one)))
        ).recorded()
        for one in scores
    ]
    assert texts[0] != texts[1]


@dataclass(frozen=True)
class PayGain(DeviationMetric):
    """Pay that a deviator gains; a measure that is in no registry."""

    facts = MetricFacts(
        name="pay-gain", label="Pay gain", source="", of="deviation", needs="rewards before and "
        "after", lowest=-np.inf, highest=np.inf, better="lower",
    )  # fmt: skip

    def measure(self, before: Rewards, after: Rewards, grader: int) -> float:
        return float(after.total[grader] - before.total[grader])


def test_a_measure_of_a_deviation_of_ones_own_is_given_rewards_before_and_after() -> None:
    experiment = plan({"graders": [4]}, measures=[PayGain()], strategy="all-tens")
    (row,) = experiment.run(Point(0), 0, 5)
    semester = peergauge.simulate(SMALL, row.seed)
    one = semester.deviator
    before, after = (
        peergauge.score("mse", reports, seed=row.seed).total[one]
        for reports in (semester.reports, semester.redo(one, "all-tens"))
    )
    assert row.value == after - before


def test_deviators_are_truthful_graders() -> None:
    semester = peergauge.simulate(Setting(students=12, strategies={"hedge": 10}), 1)
    found = deviators_of(semester, 5)
    assert sorted(found) == np.flatnonzero(semester.population.strategy == 0).tolist()
    with pytest.raises(ParameterError, match="No grader is truthful"):
        deviators_of(peergauge.simulate(Setting(students=12, strategies={"hedge": 12}), 1), 1)
