"""Mixed profiles of strategies in E3, E4 and E11."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.randomness import stream
from peergauge.engine.experiment import Experiment, Point, experiments
from peergauge.engine.results import to_frame
from peergauge.lab.paper.e03_deviation_gain import DeviationGain
from peergauge.lab.paper.strategic import Profile
from peergauge.simulate.strategies import tempting


def test_profiles_by_hand() -> None:
    assert Profile.parse("hedge").counts(7) == {"hedge": 7}
    assert Profile.parse("hedge&noise").counts(10) == {"hedge": 5, "noise": 5}
    assert Profile.parse("3*hedge & noise:deviation=2").counts(8) == {
        "hedge": 6,
        "noise:deviation=2": 2,
    }
    anything = Profile.parse("any").counts(14)
    assert list(anything) == tempting()
    assert sorted(anything.values()) == [2, 2, 2, 2, 3, 3]


def test_who_joins_draws_by_the_shares() -> None:
    """Of 400 draws 300 ± 9 hedge: within four of these errors."""
    profile = Profile.parse("3*hedge&noise")
    drawn = [profile.drawn(stream(i, "joins")) for i in range(400)]
    assert 264 < drawn.count("hedge") < 336
    assert set(drawn) == {"hedge", "noise"}


@pytest.mark.parametrize("spec", ["e3", "e4", "e11"])
def test_a_profile_of_one_strategy_is_the_papers_experiment(spec: str) -> None:
    small = f"{spec}:students=20,assignments=3,mechanisms=mse"
    usual, same = experiments.make(small), experiments.make(f"{small},profiles=hedge")
    point = Point(6, "hedge")
    assert point in usual.points()
    assert point in same.points()
    mine, theirs = (to_frame(one.run(point, 1, 4)) for one in (same, usual))
    assert mine.drop("strategy").equals(theirs.drop("strategy"))
    assert theirs["strategy"].unique().to_list() == ["hedge"]


@pytest.mark.parametrize("spec", ["e3", "e4", "e11"])
def test_mixed_profiles_run_under_any_mechanism(spec: str) -> None:
    chosen = experiments.make(
        f"{spec}:students=20,assignments=3,mechanisms=mse+sne,profiles=hedge&noise+any"
    )
    assert isinstance(chosen, Experiment)
    assert experiments.make(chosen.spec) == chosen
    assert not chosen.as_in_the_paper
    points = chosen.points()
    assert {one.strategy for one in points} == {"hedge&noise", "any"}
    rows = to_frame(chosen.run(next(one for one in points if one.x == 10), 0, 1))
    assert rows["strategy"].unique().to_list() == ["hedge&noise"]
    assert rows["mechanism"].to_list() == ["mse", "sne"]
    assert rows.filter(pl.col("value").is_nan()).is_empty()


def test_a_class_has_the_strategies_of_its_profile() -> None:
    chosen = DeviationGain(students=40, profiles=("3*hedge&noise",))
    setting = chosen.setting(Point(16, "3*hedge&noise"))
    assert dict(setting.strategies) == {"hedge": 12, "noise": 4}


def test_profiles_that_cannot_be_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'hedge'"):
        experiments.make("e4:profiles=hege&noise")
    with pytest.raises(ParameterError, match="named twice"):
        experiments.make("e3:profiles=hedge&hedge")
    with pytest.raises(ParameterError, match="numbers above 0"):
        experiments.make("e11:profiles=0*hedge&noise")
    with pytest.raises(ParameterError, match="'half' was given"):
        experiments.make("e11:profiles=half*hedge&noise")
