"""Classes that learn, as experiments: they resume, refuse what cannot be, and tell the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.engine.experiment import Point, experiments, reproduced
from peergauge.engine.results import to_frame
from peergauge.engine.runner import run
from peergauge.lab.beyond.learning import LearningClasses, stretches
from peergauge.lab.beyond.learning_three import ThreeStrategies
from peergauge.lab.beyond.learning_two import TwoStrategies
from peergauge.lab.learning.basins import basins
from peergauge.lab.learning.phase import lines_of

TINY = (
    "learn:repetitions=3,mechanisms=mse+dmi,students=16,assignments=4,strategies=hedge+prior,"
    "near=1,generations=10,semesters=1,classes=2"
)


@pytest.mark.slow
def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path) -> None:
    run([TINY], tmp_path / "whole", seed=2, workers=1, per_piece=1)
    run([TINY], tmp_path / "begun", seed=2, workers=1, per_piece=1)
    pieces = sorted((tmp_path / "begun" / "pieces").iterdir())
    for lost in pieces[::2]:
        lost.unlink()
    (tmp_path / "begun" / "results.parquet").unlink()
    run([TINY], tmp_path / "begun", seed=2, workers=2, per_piece=1)
    whole, begun = (tmp_path / one / "results.parquet" for one in ("whole", "begun"))
    assert whole.read_bytes() == begun.read_bytes()


def test_every_start_dynamic_and_mechanism_has_its_shares() -> None:
    results = run([TINY], seed=2, workers=1)
    found = basins(results)
    assert len(found) == 4 * 2 * 2
    assert {one.near for one in found} == {"", *found[0].strategies}
    assert {len(one.fates) for one in found} == {3, 4, 1}
    keys = ("dynamic", "mechanism", "near", "generation", "repetition")
    shares = results.filter(pl.col("metric") == "share")
    sums = shares.group_by(keys).agg(pl.col("value").sum())["value"]
    np.testing.assert_allclose(sums.to_numpy(), 1)
    # One regret, in ranks out of 100, of each class under each dynamic and mechanism.
    regret = results.filter(pl.col("metric") == "external-regret")
    assert regret.height == (3 + 4 + 1 + 1) * 2 * 2
    assert regret["value"].abs().max() <= 100  # type: ignore[operator]


def test_mechanisms_and_dynamics_begin_alike_and_where_they_should() -> None:
    chosen = experiments.make(TINY)
    rows = to_frame(chosen.run(Point(1, kind="near"), 0, 5)).filter(pl.col("generation") == 0)
    begun = rows.pivot("strategy", index=["dynamic", "mechanism"], values="value")
    assert begun.height == 4
    assert begun.select("truthful", "hedge", "prior").unique().height == 1
    # Nine tenths, and something of the rest, less what the others' one student takes.
    assert 0.8 < begun["hedge"][0] <= 1


def test_a_path_is_told_by_its_start_and_by_means_over_tenths() -> None:
    path = np.column_stack([np.arange(21.0), 20 - np.arange(21.0)])
    told = stretches(path)
    assert list(told) == [0, *range(2, 21, 2)]
    assert told[0].tolist() == [0, 20]
    assert told[2].tolist() == [1.5, 18.5]
    assert told[20].tolist() == [19.5, 0.5]


def test_two_strategies_are_tried_from_one_follower_to_all_but_one() -> None:
    chosen = TwoStrategies(
        repetitions=4, mechanisms=("mse",), students=20, assignments=3, strategies=("all-tens",)
    )
    results = run([chosen], seed=1, workers=1)
    line = lines_of(results)["all-tens"]
    assert line.share[[0, -1]].tolist() == [0.05, 0.95]
    # Few who report 10s are far from the others; if nearly all do, the truthful are.
    assert line.mean[0] < -30
    assert line.mean[-1] > 30
    (rest,) = line.rest_points
    assert not rest.stable
    assert line.basin == pytest.approx(rest.share)


def test_a_lone_follower_is_drawn_ten_times() -> None:
    chosen = TwoStrategies(repetitions=1, mechanisms=("mse",), students=20, assignments=2)
    asked: list[int] = []

    class Counting:
        def fitness(self, _m: object, counts: object, _n: int, time: int) -> object:
            asked.append(time)
            return np.array([0.0, np.nan if time else 0.25])

    assert chosen.lead(Counting(), chosen, 1) == 25  # type: ignore[arg-type]
    assert asked == list(range(10))


def test_three_strategies_have_a_lead_in_every_mixture() -> None:
    chosen = ThreeStrategies(
        repetitions=1, mechanisms=("mse",), students=16, assignments=2, steps=2
    )
    rows = to_frame(chosen.run(Point(), 0, 3))
    wide = {
        metric: rows.filter(pl.col("metric") == metric)
        .pivot("strategy", index="mixture", values="value")
        .select(chosen.every)
        .to_numpy()
        for metric in ("share", "lead-over-class")
    }
    share, lead = wide.values()
    assert share.shape == (6, 3)
    np.testing.assert_allclose(share[0], [14 / 16, 1 / 16, 1 / 16])
    np.testing.assert_allclose((share * lead).sum(axis=1), 0, atol=1e-9)


def test_students_who_learn_alone_have_shares_and_a_basin() -> None:
    spec = (
        "learn-alone:repetitions=2,mechanisms=mse,students=16,assignments=2,strategies=all-tens,"
        "semesters=60,classes=3"
    )
    (found,) = basins(run([spec], seed=2, workers=1))
    assert found.dynamic == "exp3"
    assert found.strategies == ("truthful", "all-tens")
    np.testing.assert_allclose(found.ends.sum(axis=1), 1)
    # Exploration leaves something to every strategy.
    assert found.ends.min() > 0.01
    with pytest.raises(ParameterError, match="At least 10 semesters"):
        experiments.make("learn-alone:semesters=9")


def test_what_cannot_learn_is_refused() -> None:
    with pytest.raises(ParameterError, match="7 strategies need a class of more than 30"):
        LearningClasses(students=30)
    with pytest.raises(ParameterError, match="Truthful reporting is always included"):
        LearningClasses(strategies=("truthful",))
    with pytest.raises(UnknownNameError, match="dynamic"):
        experiments.make("learn:dynamics=replicater")
    with pytest.raises(ParameterError, match="At least 10 generations"):
        LearningClasses(generations=9)
    with pytest.raises(ParameterError, match="one dynamic, one semester and one class"):
        LearningClasses(dynamics=())
    with pytest.raises(ParameterError, match="not 1"):
        ThreeStrategies(strategies=("hedge",))


def test_the_paper_is_reproduced_without_them() -> None:
    names = {one.facts.name for one in reproduced()}
    assert not names & {"learn", "learn-unaware", "learn-two", "learn-three"}


def test_unaware_classes_lack_what_takes_knowing_ones_bias() -> None:
    every = experiments.make("learn").every  # type: ignore[attr-defined]
    unaware = experiments.make("learn-unaware").every  # type: ignore[attr-defined]
    assert set(every) - set(unaware) == {"fix-bias"}
