"""Cheap signals: one joins, one returns, and pay is held against squared error."""

from __future__ import annotations

import numpy as np

from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.cheap_signals import JOINING, RETURNING, CheapSignalsPay

SMALL = CheapSignalsPay(students=20, assignments=2, mechanisms=("mse", "sne", "dmi"))


def test_all_four_are_measured_for_every_mechanism() -> None:
    rows = to_frame(SMALL.run(Point(10, kind="0.5"), 0, seed=1))
    measured = {"Binary AUCs", "Taus", JOINING, RETURNING}
    assert {(m, k) for m, k in rows.select("spec", "metric").rows()} == {
        (spec, metric) for spec in SMALL.mechanisms for metric in measured
    }


def test_nobody_returns_where_nobody_left() -> None:
    rows = to_frame(SMALL.run(Point(0, kind="0.5"), 0, seed=1))
    assert RETURNING not in rows["metric"].to_list()


def test_a_majority_on_a_worthless_signal_draws_others_in() -> None:
    """90 of 100: joining gains some 60 ranks under MSE, with a deviation of 30 between classes."""
    chosen = CheapSignalsPay(assignments=4, mechanisms=("mse",))
    gains = [
        to_frame(chosen.run(Point(90, kind="0"), repetition, seed=1)).filter(metric=JOINING)[
            "value"
        ][0]
        for repetition in range(8)
    ]
    assert np.mean(gains) > 20
