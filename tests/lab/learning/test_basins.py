"""From the rows of a run to the basin of truthful reporting, and to words."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.results import Row, to_frame
from peergauge.lab.learning import MIXED_FATE, MOVING_FATE
from peergauge.lab.learning.basins import REGRET_METRIC, SHARE_METRIC, basins, regret_in_words


def rows(ends: list[float], before: list[float] | None = None, near: str = "") -> pl.DataFrame:
    """Classes of two strategies; the share of the truthful at last, and a while ago."""
    return to_frame(
        Row(
            "learn", "mse", name, SHARE_METRIC, repetition, 0, value,
            {"dynamic": "logit", "near": near, "generation": generation},
        )
        for repetition, (late, early) in enumerate(zip(ends, before or ends, strict=True))
        for generation, truthful in ((0, 0.5), (54, early), (60, late))
        for name, value in (("truthful", truthful), ("hedge", 1 - truthful))
    )  # fmt: skip


def test_the_basin_is_a_share_of_starts_with_its_error() -> None:
    (one,) = basins(rows([0.99, 0.95, 0.9, 0.05, 0.5, 0.6], [0.9, 0.9, 0.9, 0.1, 0.5, 0.2]))
    assert (one.dynamic, one.mechanism, one.near) == ("logit", "mse", "")
    assert one.fates == ("truthful",) * 3 + ("hedge", MIXED_FATE, MOVING_FATE)
    assert one.truthful == 0.5
    # As if four of eight.
    assert one.error() == pytest.approx((0.5 * 0.5 / 8) ** 0.5)
    assert one.composition(MIXED_FATE) == {"truthful": 0.5, "hedge": 0.5}


def test_nothing_is_ever_sure() -> None:
    (one,) = basins(rows([0.99] * 10))
    assert one.truthful == 1
    # As if eleven of twelve.
    assert one.error() == pytest.approx((11 / 12 * 1 / 12 / 12) ** 0.5)


def test_a_basin_in_words() -> None:
    (one,) = basins(rows([0.95] * 6 + [0.02] * 2 + [0.7] * 2))
    assert one.in_words() == (
        "From 60 ± 14 % of starting mixtures the class becomes truthful; from 20 % nearly all "
        "students end with hedge; 20 % end in a mix (70 % truthful, 30 % hedge)."
    )
    (near,) = basins(rows([0.6], [0.2], "truthful"))
    assert near.in_words() == (
        "From 0 ± 27 % of mixtures near truthful the class becomes truthful; 100 % are still "
        "moving (60 % truthful, 40 % hedge)."
    )


def test_rows_of_other_experiments_are_left_alone() -> None:
    assert basins(rows([0.5]).with_columns(metric=pl.lit("tau"))) == []


def test_regret_is_a_mean_with_its_error() -> None:
    found = to_frame(
        Row("learn", "mse", "", REGRET_METRIC, number, 0, value, {"dynamic": "logit"})
        for number, value in enumerate((2.0, 4.0))
    )
    (said,) = regret_in_words(found, "logit")
    assert "earned 3.0 ± 1.0 ranks out of 100 less" in said
    assert regret_in_words(found, "replicator") == []
