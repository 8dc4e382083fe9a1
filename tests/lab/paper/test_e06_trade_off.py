"""The trade-off: which numbers meet on which axis."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.results import CELL
from peergauge.lab.paper.e06_trade_off import (
    BINARY_AUC,
    CORRECTED,
    EFFORT_AUC,
    EFFORT_NOVEL,
    ESTIMATED,
    GAINS,
    GAINS_NOVEL,
    GAINS_UNCORRECTED,
    IGNORED,
    as_in_the_paper,
    in_classes,
    pareto_front,
    same_on_both_axes,
    with_novel_mechanisms,
)

MSE, MSE_P, TVD_P = "BASELINE: MSE", "MSE_P: 0", "Phi-DIV_P: TVD"


def table(*rows: tuple[str, str, str, int | None, str, float]) -> pl.DataFrame:
    """Cells of four repetitions with deviation 2, so that each has error 1."""
    full = [(*row[:5], 4, row[5], 2.0) for row in rows]
    return pl.DataFrame(full, schema=[*CELL, "n", "mean", "sd"], orient="row")


CELLS = table(
    (IGNORED, MSE, "", 1, BINARY_AUC, 0.6),
    (IGNORED, MSE, "", 2, BINARY_AUC, 0.8),
    (IGNORED, MSE_P, "", 1, BINARY_AUC, 0.7),
    (IGNORED, TVD_P, "", 1, BINARY_AUC, 0.5),
    (ESTIMATED, MSE_P, "", 1, BINARY_AUC, 0.9),
    (CORRECTED, MSE_P, "", 1, BINARY_AUC, 0.4),
    (CORRECTED, TVD_P, "", 1, BINARY_AUC, 0.3),
    (GAINS, MSE, "HEDGE", 10, "rank gain", 20.0),
    (GAINS, MSE, "HEDGE", 90, "rank gain", 40.0),
    (GAINS, MSE, "NOISE", 10, "rank gain", -10.0),
    (GAINS, MSE, "NOISE", 90, "rank gain", -20.0),
    (GAINS, MSE_P, "HEDGE", 10, "rank gain", 8.0),
    (GAINS, TVD_P, "HEDGE", 10, "rank gain", -9.0),
    (GAINS_UNCORRECTED, MSE_P, "HEDGE", 10, "rank gain", 5.0),
    (GAINS_UNCORRECTED, TVD_P, "HEDGE", 10, "rank gain", -6.0),
)


def test_the_papers_points_ignore_bias_on_one_axis_and_correct_it_on_the_other() -> None:
    points = {one.mechanism: one for one in as_in_the_paper(CELLS)}
    assert points[MSE_P].integrity[BINARY_AUC].mean == 0.7
    assert points[MSE_P].robustness().mean == -8.0


def test_the_same_mechanism_stands_on_both_axes() -> None:
    points = {(one.mechanism, one.setting): one for one in same_on_both_axes(CELLS)}
    numbers = {
        key: (one.integrity[BINARY_AUC].mean, one.robustness().mean) for key, one in points.items()
    }
    assert numbers == {
        (MSE, ""): (0.7, pytest.approx(-7.5)),
        (MSE_P, "corrected"): (0.4, -8.0),
        # MSE_P estimates biases where it does not correct; Φ-Div_P need not.
        (MSE_P, "uncorrected"): (0.9, -5.0),
        (TVD_P, "corrected"): (0.3, 9.0),
        (TVD_P, "uncorrected"): (0.5, 6.0),
    }


def test_robustness_is_over_the_strategies_that_count() -> None:
    point = next(one for one in as_in_the_paper(CELLS) if one.mechanism == MSE)
    # Hedge gains 30 on average, with error √2 / 2; noise loses 15.
    assert point.robustness(["HEDGE"]) == pytest.approx((-30.0, 2**0.5 / 2))
    assert point.robustness() == pytest.approx((-7.5, 0.5))


def test_novel_mechanisms_come_beside_the_others_without_the_one_that_is_given_the_truth() -> None:
    more = table(
        ("be-no_bias-best_mechanisms", MSE, "", 10, EFFORT_AUC, 0.9),
        (EFFORT_NOVEL, "MCC: 0", "", 10, EFFORT_AUC, 0.8),
        (EFFORT_NOVEL, "LOO: 4", "", 10, EFFORT_AUC, 0.7),
        (GAINS_NOVEL, "MCC: 0", "HEDGE", 10, "rank gain", 3.0),
        (GAINS_NOVEL, "LOO: 4", "HEDGE", 10, "rank gain", 3.0),
    )
    points = with_novel_mechanisms(pl.concat([CELLS, more]))
    assert [one.mechanism for one in points] == [MSE, "MCC: 0"]


def test_classes_come_one_by_one() -> None:
    rows = table(
        ("real-integrity_ours", MSE, "", 1, BINARY_AUC, 0.6),
        ("real-integrity_theirs", MSE, "", 1, BINARY_AUC, 0.8),
        ("real-gain_ours", MSE, "HEDGE", None, "rank gain", 4.0),
    )
    found = in_classes(rows)
    assert list(found) == ["ours"]
    assert found["ours"][0].robustness().mean == -4.0


def test_the_front_is_what_nothing_beats_on_both_axes() -> None:
    points = [(0.0, 1.0), (1.0, 0.5), (0.5, 0.4), (1.0, 0.7), (-1.0, 1.0)]
    assert pareto_front(points) == [0, 3]
    assert pareto_front([]) == []
