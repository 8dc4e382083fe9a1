"""The designer's loss: every loss after every assignment, and how far their orders agree."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import peergauge
from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.designers_loss import DESIGNERS, DesignersLoss, agreement
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

SMALL = DesignersLoss(students=30, most_assignments=3, mechanisms=("mse", "sne"))


def test_each_loss_after_each_assignment_is_that_of_a_semester_that_ended_there() -> None:
    rows = to_frame(SMALL.run(Point(), 0, seed=1))
    assert rows.height == 2 * 3 * (len(DESIGNERS) + 1)
    semester = SemesterSource(Setting(30, 3)).draw(rows["seed"][0]).semester()
    for spec in SMALL.mechanisms:
        ended = peergauge.score(spec, semester.reports.first(2))
        for name, loss in DESIGNERS.items():
            found = rows.filter(mechanism=spec, designer=name, paid=2)
            assert found["value"].item() == pytest.approx(loss.measure(ended, semester.truth))


@pytest.mark.slow
def test_orders_that_agree_have_tau_1_and_reversed_ones_minus_1() -> None:
    """Three mechanisms: low loss goes with high AUC for the first designer, not for the others."""
    one, *others = DESIGNERS
    cells = pl.DataFrame(
        [
            ("designers-loss", f"m{i}", 1, metric, designer, mean)
            for i in range(3)
            for metric, designer, mean in (
                ("quinary-auc", None, 0.5 + i / 10),
                ("letter-loss", one, 3.0 - i),
                *(("letter-loss", other, 1.0 + i) for other in others),
            )
        ],
        schema=["experiment", "mechanism", "paid", "metric", "designer", "mean"],
        orient="row",
    )
    tau = dict(agreement(cells).select("designer", "tau").rows())
    assert tau == {one: 1.0, **dict.fromkeys(others, -1.0)}


def test_designers_do_not_all_count_alike() -> None:
    matrices = [loss.matrix() for loss in DESIGNERS.values()]
    for i, loss in enumerate(matrices):
        assert not any(np.array_equal(loss, other) for other in matrices[:i])
