"""Spot checks: who lies, what is checked, and what is measured."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.spot_checks import CHECKED_PERCENTS, LIES, MECHANISMS, SpotChecks, joined
from peergauge.simulate import CheapSignals, Setting, simulate

SMALL = SpotChecks(students=20, assignments=2)
SEMESTER = simulate(Setting(50, 3, cheap=CheapSignals(0.5)), seed=2)


def test_integrity_is_measured_where_nobody_lies_and_gains_where_somebody_does() -> None:
    honest = to_frame(SMALL.run(Point(10), 0, seed=1))
    assert honest["metric"].unique(maintain_order=True).to_list() == ["binary-auc", "tau"]
    assert set(honest["mechanism"]) == set(MECHANISMS)
    lying = to_frame(SMALL.run(Point(10, "mirror-60"), 0, seed=1))
    assert lying["metric"].unique().to_list() == ["rank-gain"]
    assert lying["value"].is_finite().all()


def test_without_checks_the_distance_to_staff_is_not_paid() -> None:
    rows = to_frame(SMALL.run(Point(0, "hedge-90"), 0, seed=1))
    assert rows["mechanism"].to_list() == [one for one in MECHANISMS if one != "staff-distance"]


def test_every_share_is_paid_on_the_same_class() -> None:
    seeds = {
        to_frame(SMALL.run(Point(x, "hedge-90"), 0, seed=1))["seed"][0] for x in CHECKED_PERCENTS
    }
    assert len(seeds) == 1


@pytest.mark.parametrize("name", LIES)
def test_one_more_lies_and_nothing_else_changes(name: str) -> None:
    lie = LIES[name]
    before, after, (joins,), _ = joined(SEMESTER, lie, seed=3)
    told = SEMESTER.redo(np.arange(50), lie.strategy).grade
    own = after.grader == joins
    assert np.array_equal(before.grade[~own], after.grade[~own])
    assert np.array_equal(before.grade[own], SEMESTER.signal[own])
    assert np.array_equal(after.grade[own], told[own])
    liars = {k for k in range(50) if (before.grade != SEMESTER.signal)[before.grader == k].any()}
    assert len(liars) == 5 * lie.tenths


def test_upside_down_is_around_the_prior_mean_and_kept_on_the_scale() -> None:
    told = SEMESTER.redo(np.arange(50), LIES["mirror-60"].strategy).grade
    np.testing.assert_array_equal(told, np.clip(14 - SEMESTER.signal, 0, 10))
