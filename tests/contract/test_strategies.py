"""The contract of strategies, checked for every strategy that is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.lab.paper.published import STRATEGY_NAMES, shipped_cells
from peergauge.simulate.strategies import Strategy, strategies
from peergauge.testing import parametrize_with_checks
from peergauge.testing.promises import Check

ALL = strategies.all()


@parametrize_with_checks(ALL)
def test_contract(plugin: Strategy, check: Check) -> None:
    check(plugin)


@pytest.mark.parametrize("strategy", ALL, ids=str)
def test_there_is_a_test_file_for_its_file(strategy: Strategy) -> None:
    file = type(strategy).__module__.rpartition(".")[2]
    folder = Path(__file__).parents[1] / "simulate" / "strategies"
    assert (folder / f"test_{file}.py").is_file()


@pytest.mark.parametrize("fact", ["name", "label"])
def test_no_two_strategies_share_a_name(fact: str) -> None:
    called = [getattr(cls.facts, fact) for cls in strategies.classes().values()]
    called = [name for name in called if name]
    assert len(set(called)) == len(called)


def test_no_two_strategies_share_a_published_name() -> None:
    assert len(set(STRATEGY_NAMES.values())) == len(STRATEGY_NAMES)


def test_every_strategy_in_the_published_results_is_found() -> None:
    named = set(shipped_cells()["strategy"]) - {""}
    assert named <= set(STRATEGY_NAMES.values())
    assert len(named) == 6
