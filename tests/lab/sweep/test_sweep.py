"""Sweeps in one call: equal to comparisons, resumed, and the same whoever computes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import peergauge
from peergauge.core.errors import ParameterError, PeergaugeError, TableError, TimeLimitError
from peergauge.core.randomness import derived_seed
from peergauge.engine.environment import Environment
from peergauge.lab.sweep import SweepResult
from peergauge.mechanisms import Equilibrium, Mechanism, MechanismFacts, mechanisms
from peergauge.mechanisms.paper.output_agreement import OutputAgreement
from peergauge.metrics import metrics
from peergauge.simulate import NormalBias, Participation, Setting
from peergauge.simulate.source import SemesterSource
from peergauge.tables import Reports, Rewards

SMALL = Setting(students=20, assignments=3)


def small(**changes: Any) -> SweepResult:
    given: dict[str, Any] = {
        "over": {"graders": [2, 4]},
        "mechanisms": ["mse", "oa"],
        "measures": ["tau"],
        "where": SMALL,
        "repetitions": 4,
        "seed": 7,
    }
    return peergauge.sweep(**{**given, **changes})


def compared(table: pl.DataFrame) -> dict[tuple[str, str], tuple[float, float, int]]:
    """Mean, error and number of values by mechanism and measure."""
    names = [name for name in ("value", "mean") if name in table.columns]
    return {
        (row["mechanism"], row["metric"]): (row[names[0]], row["standard_error"], row["n"])
        for row in table.iter_rows(named=True)
    }


@pytest.mark.parametrize("where", [SMALL, Setting(20, 3, participation=Participation(0.5))])
def test_every_point_has_the_numbers_of_a_comparison_with_the_same_seed(where: Setting) -> None:
    measures = ["binary-auc", "tau"]
    specs = ["mse", "oa", "pts"]
    found = small(over={"graders": [2, 3, 4]}, mechanisms=specs, measures=measures, where=where)
    for graders in (2, 3, 4):
        table = peergauge.compare(
            specs, replace(where, graders=graders), measures=measures, semesters=4, seed=7
        )
        # Equal to the last bit.
        assert compared(found.frame.filter(pl.col("graders") == graders)) == compared(table)


def test_spot_checks_of_an_environment_count_as_in_a_comparison() -> None:
    found = small(over={"checked": [0.0, 0.5]}, mechanisms=["mse"])
    checked = Environment(SemesterSource(SMALL), checked=0.5)
    table = peergauge.compare(["mse"], checked, measures=["tau"], semesters=4, seed=7)
    at = {share: compared(found.frame.filter(pl.col("checked") == share)) for share in (0.0, 0.5)}
    assert at[0.5] == compared(table)
    assert at[0.5] != at[0.0]


def test_rank_gain_is_that_of_the_same_grader_before_and_after() -> None:
    found = small(
        over={"strategic": [0.0, 0.3]}, measures=["rank-gain"], strategy="hedge", deviators=2
    )
    for point, followers in enumerate((0, 6)):
        for repetition in range(4):
            own = derived_seed(7, "compare", repetition)
            setting = Setting(20, 3, strategies={"hedge": followers})
            semester = peergauge.simulate(setting, own)
            before = peergauge.score("mse", semester.reports, seed=own)
            order = peergauge.stream(own, "deviator").permutation(20)
            truthful = [one for one in order if semester.population.strategy[one] == 0][:2]
            assert truthful[0] == semester.deviator
            gains = [
                peergauge.measure(
                    "rank-gain",
                    before,
                    peergauge.score("mse", semester.redo(one, "hedge"), seed=own),
                    one,
                )
                for one in map(int, truthful)
            ]
            assert found.values[point, 0, 0, repetition] == np.mean(gains)


def test_a_strategy_can_act_on_the_standing_that_a_mechanism_shows() -> None:
    found = small(
        over={"strategy": ["when-ahead", "hedge"]}, measures=["rank-gain"], mechanisms=["mse"]
    )
    assert found.frame["n"].to_list() == [4, 4]


def test_points_have_as_much_in_common_as_their_classes() -> None:
    """The table of the how-to page, one line after the other."""

    def drawn(**changes: Any) -> Any:
        return peergauge.simulate(replace(SMALL, **changes), 5)

    base = drawn()
    longer = drawn(assignments=5)
    rows = len(base.reports)
    assert (longer.reports.grade[:rows] == base.reports.grade).all()
    assert (longer.reports.grader[:rows] == base.reports.grader).all()
    more = drawn(graders=6)
    assert (more.population.effort == base.population.effort).all()
    assert (more.truth.score == base.truth.score).all()
    larger = drawn(students=30)
    assert (larger.population.effort[:20] == base.population.effort).all()
    assert (larger.truth.score[:20] == base.truth.score[:20]).all()
    biased = drawn(bias=NormalBias(2.0))
    np.testing.assert_allclose(biased.population.bias, 2 * base.population.bias)
    assert (biased.design.grader == base.design.grader).all()
    few, many = drawn(strategies={"hedge": 4}), drawn(strategies={"hedge": 8})
    assert set(np.flatnonzero(few.population.strategy)) < set(
        np.flatnonzero(many.population.strategy)
    )
    assert (few.signal == many.signal).all()


def test_a_sweep_that_is_stopped_goes_on_and_ends_with_the_same_numbers(tmp_path: Path) -> None:
    def stop(done: int, of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        small(folder=tmp_path / "run", repetitions=10, progress=stop)
    files = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "run/pieces").iterdir()}
    assert len(files) == 3
    told: list[tuple[int, int]] = []
    resumed = small(
        folder=tmp_path / "run", repetitions=10, progress=lambda *count: told.append(count)
    )
    assert told[0] == (3, 4)
    for name, time in files.items():
        assert (tmp_path / "run/pieces" / name).stat().st_mtime_ns == time
    np.testing.assert_array_equal(resumed.values, small(repetitions=10, progress=False).values)


@pytest.mark.parametrize(
    "changes",
    [
        {"repetitions": 5},
        {"over": {"graders": [2, 6]}},
        {"mechanisms": ["mse", "oa:prize=2"]},
        {"measures": ["pearson"]},
        {"where": Setting(students=22, assignments=3)},
        {"seed": 8},
    ],
)
def test_a_folder_of_another_sweep_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    small(folder=tmp_path)
    with pytest.raises(TableError, match="another run"):
        small(folder=tmp_path, **changes)


def test_any_executor_gives_the_same_numbers() -> None:
    with ThreadPoolExecutor(2) as threads:
        found = small(executor=threads)
    np.testing.assert_array_equal(found.values, small().values)


@pytest.mark.slow
def test_several_workers_give_the_same_numbers() -> None:
    np.testing.assert_array_equal(small(workers=2).values, small().values)


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_numbers() -> None:
    found = small(cluster="local", workers=1)
    np.testing.assert_array_equal(found.values, small().values)


def test_a_mechanism_without_the_parameter_is_the_same_at_all_points() -> None:
    biased = small(over={"mechanism.bias": ["estimate", "ignore"]}, mechanisms=["mse", "mse-p"])
    np.testing.assert_array_equal(biased.values[0, 0], biased.values[1, 0])
    assert (biased.values[0, 1] != biased.values[1, 1]).any()


@dataclass(frozen=True)
class Coins(Mechanism):
    """Rewards each report at random; it is in no registry."""

    facts = type(mechanisms.make("oa")).facts.__class__(
        name="coins",
        label="Coins",
        source="",
        family="own",
        equilibrium=Equilibrium.NONE,
        assumption="–",
        random=True,
    )

    size: float = 1.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, self.size * rng.random(len(reports)))


def test_objects_are_as_good_as_specs_and_need_no_registry() -> None:
    by_object = small(mechanisms=[mechanisms.make("mse"), OutputAgreement()],
                      measures=metrics.make("tau"))  # fmt: skip
    assert by_object.frame.equals(small().frame)
    own = small(mechanisms=Coins(), over={"mechanism.size": [1.0, 2.0]})
    assert own.frame["label"].to_list() == ["Coins", "Coins"]
    assert own.differences(Coins()).height == 0


def test_a_mechanism_that_needs_clusters_has_no_value_where_there_are_none() -> None:
    found = small(over={"graders": [4, 6]}, mechanisms=["mse", "dmi"])
    assert found.frame["n"].to_list() == [4, 4, 4, 0]
    assert "1 of 4 cells without a value" in repr(found)


def test_nothing_is_printed_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    small()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mechanisms": []}, "at least one mechanism"),
        ({"measures": []}, "one measure"),
        ({"mechanisms": ["msee"]}, "did you mean 'mse'"),
        ({"repetitions": 1}, "number of repetitions is a whole number from 2 up"),
        ({"deviators": 0}, "number of deviators"),
        ({"workers": 0}, "At least one worker"),
        ({"where": 3}, "give a Setting, not int"),
        ({"measures": ["score-mse"]}, "is one of estimates"),
        ({"measures": ["rank-gain"]}, "needs the strategy that a grader deviates to"),
        ({"strategy": "hedge"}, "Nobody follows the strategy"),
        ({"cluster": "local", "executor": ThreadPoolExecutor(1)}, "not both"),
    ],
)
def test_what_cannot_be_swept_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(PeergaugeError, match=words):
        small(**changes)


def test_a_refusal_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="The point graders=20 is impossible"):
        small(over={"graders": [2, 20]}, folder=tmp_path / "run")
    assert not (tmp_path / "run").exists()


@dataclass(frozen=True)
class Endless(Mechanism):
    """Never pays; it is in no registry."""

    facts = MechanismFacts(name="endless")

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        while True:
            pass


def test_a_mechanism_that_takes_too_long_is_named() -> None:
    with pytest.raises(TimeLimitError, match="The mechanism 'endless' took longer"):
        small(mechanisms=Endless(), time_limit=0.3)
