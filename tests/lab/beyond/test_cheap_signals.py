"""Cheap signals: one joins, one returns, and pay is held against squared error."""

from __future__ import annotations

import numpy as np

from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.cheap_signals import CheapSignalsPay

SMALL = CheapSignalsPay(students=20, assignments=2, mechanisms=("mse", "sne", "dmi"))


def test_all_four_are_measured_for_every_mechanism() -> None:
    rows = to_frame(SMALL.run(Point(10, kind="0.5"), 0, seed=1))
    measured = {
        ("binary-auc", None),
        ("tau", None),
        ("rank-gain", "joining"),
        ("rank-gain", "returning"),
    }
    assert set(rows.select("mechanism", "metric", "change").rows()) == {
        (spec, *one) for spec in SMALL.mechanisms for one in measured
    }
    assert set(rows["correlation"]) == {0.5}
    assert set(rows["strategic"]) == {10}


def test_nobody_returns_where_nobody_left() -> None:
    rows = to_frame(SMALL.run(Point(0, kind="0.5"), 0, seed=1))
    assert "returning" not in rows["change"].to_list()


def test_a_majority_on_a_worthless_signal_draws_others_in() -> None:
    """90 of 100: joining gains some 60 ranks under MSE, with a deviation of 30 between classes."""
    chosen = CheapSignalsPay(assignments=4, mechanisms=("mse",))
    gains = [
        to_frame(chosen.run(Point(90, kind="0"), repetition, seed=1)).filter(change="joining")[
            "value"
        ][0]
        for repetition in range(8)
    ]
    assert np.mean(gains) > 20


def test_half_of_a_worthless_signal_draws_others_in_earlier() -> None:
    """30 of 100 under MLS: joining those who report it alone loses some 35 ranks, joining those who
    mix it half and half gains some 5; between classes the deviation is about 25 ranks, so that the
    means of 12 are known to 7."""
    chosen = CheapSignalsPay(mechanisms=("mls",))
    alone, mixed = (
        np.mean(
            [
                to_frame(chosen.run(Point(30, kind=kind), number, seed=1)).filter(change="joining")[
                    "value"
                ][0]
                for number in range(12)
            ]
        )
        for kind in ("0", "0-half")
    )
    assert mixed > alone + 15
