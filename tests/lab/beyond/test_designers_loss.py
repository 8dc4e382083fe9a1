"""The designer's loss: every loss after every assignment, and how far their orders agree."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import peergauge
from peergauge.engine.experiment import Class, Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.designers_loss import DESIGNERS, FILE, DesignersLoss, agreement
from peergauge.simulate import Setting

SMALL = DesignersLoss(students=30, most_assignments=3, mechanisms=("mse", "sne"))


def test_each_loss_after_each_assignment_is_that_of_a_semester_that_ended_there() -> None:
    rows = to_frame(SMALL.run(Point(), 0, seed=1))
    assert rows.height == 2 * 3 * (len(DESIGNERS) + 1)
    semester = Class(Setting(30, 3), rows["seed"][0]).regular
    for spec in SMALL.mechanisms:
        ended = peergauge.score(spec, semester.reports.first(2))
        for name, loss in DESIGNERS.items():
            found = rows.filter(pl.col("spec") == spec, pl.col("metric") == name, pl.col("x") == 2)
            assert found["value"].item() == pytest.approx(loss.measure(ended, semester.truth))


@pytest.mark.slow
def test_orders_that_agree_have_tau_1_and_reversed_ones_minus_1() -> None:
    """Three mechanisms: low loss goes with high AUC for the first designer, not for the others."""
    one, *others = DESIGNERS
    cells = pl.DataFrame(
        [
            (FILE, f"m{i}", 1, metric, mean)
            for i in range(3)
            for metric, mean in (
                ("Quinary AUCs", 0.5 + i / 10),
                (one, 3.0 - i),
                *((other, 1.0 + i) for other in others),
            )
        ],
        schema=["experiment", "mechanism", "x", "metric", "mean"],
        orient="row",
    )
    tau = dict(agreement(cells).select("metric", "tau").rows())
    assert tau == {one: 1.0, **dict.fromkeys(others, -1.0)}


def test_designers_do_not_all_count_alike() -> None:
    matrices = [loss.matrix() for loss in DESIGNERS.values()]
    for i, loss in enumerate(matrices):
        assert not any(np.array_equal(loss, other) for other in matrices[:i])
