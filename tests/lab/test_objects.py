"""Plug-ins as objects, which need not be registered, wherever a spec is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, TableError
from peergauge.engine.experiment import experiments
from peergauge.engine.runner import run
from peergauge.lab.bench import bench
from peergauge.lab.exploit import exploit
from peergauge.lab.exploit.search import Effort
from peergauge.lab.learning.dynamics import Dynamic, DynamicFacts
from peergauge.mechanisms import Equilibrium, Mechanism, MechanismFacts, mechanisms
from peergauge.metrics import MetricFacts, RewardMetric
from peergauge.simulate.strategies import Situation, Strategy, StrategyFacts
from peergauge.tables import Reports, Rewards, Truth


def facts(name: str) -> MechanismFacts:
    return MechanismFacts(
        name=name, label=name, source="", family="", assumption="", equilibrium=Equilibrium.NONE
    )


@dataclass(frozen=True)
class Loose(Mechanism):
    """Minus the squared distance to the mean, times a weight."""

    facts: ClassVar[MechanismFacts] = facts("loose")

    weight: float = 1.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        mean = np.bincount(reports.submission, reports.grade) / np.bincount(reports.submission)
        return Rewards.from_parts(
            reports, -self.weight * (reports.grade - mean[reports.submission]) ** 2
        )


@dataclass(frozen=True)
class Opposite(Loose):
    """The same with the opposite sign."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = super().score(reports, rng).part
        assert part is not None
        return Rewards.from_parts(reports, -part)


@dataclass(frozen=True)
class MeanPay(RewardMetric):
    """Mean pay."""

    facts: ClassVar[MetricFacts] = MetricFacts(
        name="loose-mean", label="", source="", of="rewards", needs="", lowest=-np.inf,
        highest=np.inf, better="higher",
    )  # fmt: skip

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return float(np.nanmean(rewards.total))


@dataclass(frozen=True)
class Threes(Strategy):
    """Report a three."""

    facts: ClassVar[StrategyFacts] = StrategyFacts(
        name="loose-threes", label="Threes", source="", informed=False
    )

    def report(self, situation: Situation) -> Floats:
        return np.full(len(situation.signal), 3.0)


@dataclass(frozen=True)
class Stay(Dynamic):
    """Nobody learns."""

    facts: ClassVar[DynamicFacts] = DynamicFacts(
        name="loose-stay", label="", source="", innovative=False
    )

    def step(self, mixture: Floats, fitness: Floats) -> Floats:
        return mixture


@pytest.fixture(autouse=True)
def _unregistered() -> Iterator[None]:
    yield
    assert "loose" not in mechanisms.classes()


def test_score_measure_and_simulate() -> None:
    semester = peergauge.simulate(students=12, assignments=2, strategies={Threes(): 12}, seed=1)
    assert set(semester.reports.grade) == {3.0}
    semester = peergauge.simulate(students=12, assignments=2, seed=1)
    one, two = (peergauge.score(Loose(w), semester.reports) for w in (1.0, 2.0))
    np.testing.assert_allclose(two.total, 2 * one.total)
    assert peergauge.measure(MeanPay(), one, semester.truth) == pytest.approx(one.total.mean())


def test_compare() -> None:
    table = peergauge.compare(
        [Loose(), Loose(2.0), "mse"],
        peergauge.Setting(students=12),
        measures=[MeanPay(), "tau"],
        semesters=2,
    )
    assert set(table["mechanism"]) == {"loose", "loose:weight=2", "mse"}
    assert set(table["metric"]) == {"loose-mean", "tau"}
    with pytest.raises(ParameterError, match="Two different mechanisms have the spec 'loose'"):
        peergauge.compare([Loose(), Opposite()], semesters=2)


def test_run_keeps_two_objects_of_one_name_apart(tmp_path: Path) -> None:
    def paid_by(mechanism: Mechanism) -> list[float]:
        chosen = experiments.make(
            "e8", mechanisms=(mechanism,), repetitions=1, students=20, assignments=2
        )
        return run([chosen], tmp_path / "run", workers=1)["value"].to_list()

    first = paid_by(Loose())
    assert paid_by(Loose()) == first
    with pytest.raises(TableError, match="its experiments differ"):
        paid_by(Opposite())


def test_learn() -> None:
    chosen = experiments.make(
        "learn", mechanisms=(Loose(),), strategies=(Threes(),), dynamics=(Stay(),), repetitions=1,
        near=0, students=12, assignments=2, generations=10, classes=1, semesters=1,
    )  # fmt: skip
    found = run([chosen], workers=1)
    assert found["mechanism"].unique().to_list() == ["loose"]
    assert found["dynamic"].unique().to_list() == ["loose-stay"]
    assert set(found["strategy"]) == {"", "truthful", "loose-threes"}


@pytest.mark.slow
def test_exploit() -> None:
    effort = Effort(
        short=True, deviators=2, screen=1, rescreen=1, keep=0.1, rounds=0, playoff=0, contenders=2,
        finalists=1, type_finalists=1, error=9.0, batch=2, max_semesters=2, final_deviators=2,
        policies=(), parallel=False,
    )  # fmt: skip
    small = peergauge.Setting(students=12, assignments=2)
    found = exploit(Loose(), setting=small, others=(0,), kinds=("plain",), effort=effort)
    opposite = exploit(Opposite(), setting=small, others=(0,), kinds=("plain",), effort=effort)
    assert found.mechanism == opposite.mechanism == "loose"
    # Who pays for distance pays more for strategies that are far off.
    assert opposite.best().ranks > found.best().ranks


@pytest.mark.slow
def test_bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Searching for attacks is tested with files; here it would take most of the time.
    monkeypatch.setattr("peergauge.lab.bench._searches", lambda *_: iter(()))
    found = bench(
        tmp_path / "board", mechanisms=[Loose(), "mse"], settings=["three"], quick=True, workers=1
    )
    assert found.own == ("loose",)
    assert set(found.board["mechanism"]) == {"loose", "mse"}
