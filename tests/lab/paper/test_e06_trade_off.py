"""The trade-off: which numbers meet on which axis."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.results import Scalar
from peergauge.lab.paper.e06_trade_off import (
    as_in_the_paper,
    in_classes,
    pareto_front,
    same_on_both_axes,
    with_novel_mechanisms,
)
from peergauge.lab.paper.selections import REAL_GAINS, REAL_INTEGRITY

MSE, MSE_P, TVD_P = "mse", "mse-p", "phi-div-p"
"""Variants; for MSE and Φ-Div_P also the specs that correct for bias."""

MSE_P_IGNORING, MSE_P_ESTIMATING = "mse-p:bias=ignore", "mse-p"
MSE_P_CORRECTING = "mse-p:bias=correct"
TVD_P_IGNORING, TVD_P_ESTIMATING = "phi-div-p:bias=ignore", "phi-div-p:bias=estimate"


def cell(
    experiment: str,
    mechanism: str,
    strategy: str,
    metric: str,
    mean: float,
    **parameters: Scalar,
) -> pl.DataFrame:
    """A cell of four repetitions with deviation 2, so that it has error 1."""
    names = {
        "experiment": experiment,
        "mechanism": mechanism,
        "strategy": strategy,
        "metric": metric,
    }
    return pl.DataFrame([{**names, **parameters, "n": 4, "mean": mean, "sd": 2.0}])


def together(*tables: pl.DataFrame) -> pl.DataFrame:
    """Cells of several experiments; a parameter that one of them lacks is missing there."""
    return pl.concat(tables, how="diagonal_relaxed")


def integrity(mechanism: str, assignments: int, mean: float) -> pl.DataFrame:
    return cell("e1", mechanism, "", "binary-auc", mean, assignments=assignments)


def gain(mechanism: str, strategy: str, strategic: int, mean: float) -> pl.DataFrame:
    more: dict[str, Scalar] = {"strategic": strategic, "unpaid": "undefined"}
    return cell("e3", mechanism, strategy, "rank-gain", mean, **more)


CELLS = together(
    integrity(MSE, 1, 0.6),
    integrity(MSE, 2, 0.8),
    integrity(MSE_P_IGNORING, 1, 0.7),
    integrity(TVD_P_IGNORING, 1, 0.5),
    integrity(MSE_P_ESTIMATING, 1, 0.9),
    integrity(MSE_P_CORRECTING, 1, 0.4),
    integrity(TVD_P, 1, 0.3),
    gain(MSE, "hedge", 10, 20.0),
    gain(MSE, "hedge", 90, 40.0),
    gain(MSE, "noise", 10, -10.0),
    gain(MSE, "noise", 90, -20.0),
    gain(MSE_P_CORRECTING, "hedge", 10, 8.0),
    gain(TVD_P, "hedge", 10, -9.0),
    gain(MSE_P_ESTIMATING, "hedge", 10, 5.0),
    gain(TVD_P_ESTIMATING, "hedge", 10, -6.0),
)


def test_the_papers_points_ignore_bias_on_one_axis_and_correct_it_on_the_other() -> None:
    points = {one.mechanism: one for one in as_in_the_paper(CELLS)}
    assert points[MSE_P].integrity["binary-auc"].mean == 0.7
    assert points[MSE_P].robustness().mean == -8.0


def test_the_same_mechanism_stands_on_both_axes() -> None:
    points = {(one.mechanism, one.setting): one for one in same_on_both_axes(CELLS)}
    numbers = {
        key: (one.integrity["binary-auc"].mean, one.robustness().mean)
        for key, one in points.items()
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
    assert point.robustness(["hedge"]) == pytest.approx((-30.0, 2**0.5 / 2))
    assert point.robustness() == pytest.approx((-7.5, 0.5))


def test_novel_mechanisms_come_beside_the_others_without_the_one_that_is_given_the_truth() -> None:
    more = together(
        cell("e7", MSE, "", "effort-auc", 0.9, active=10),
        cell("e7", "mcc:bias=ignore", "", "effort-auc", 0.8, active=10),
        cell("e7", "loo:bias=ignore", "", "effort-auc", 0.7, active=10),
        gain("mcc", "hedge", 10, 3.0),
        gain("loo", "hedge", 10, 3.0),
    )
    points = with_novel_mechanisms(together(CELLS, more))
    assert [one.mechanism for one in points] == [MSE, "mcc"]


def test_classes_come_one_by_one() -> None:
    def measured(name: str, mean: float, *, resampled: bool) -> pl.DataFrame:
        more: dict[str, Scalar] = {"class": name, "block": 1, "resampled": resampled}
        return cell("e2", MSE, "", "binary-auc", mean, **more)

    def gained(mean: float, out_of: int) -> pl.DataFrame:
        more: dict[str, Scalar] = {"class": "ours", "out_of": out_of}
        return cell("e5", MSE, "hedge", "rank-gain", mean, **more)

    rows = together(
        measured("ours", 0.6, resampled=False),
        measured("ours", 0.1, resampled=True),
        measured("theirs", 0.8, resampled=False),
        gained(4.0, 0),
        gained(2.0, 100),
    )
    found = in_classes(rows, REAL_INTEGRITY, REAL_GAINS)
    assert list(found) == ["ours"]
    assert found["ours"][0].integrity["binary-auc"].mean == 0.6
    assert found["ours"][0].robustness().mean == -4.0
    assert (
        in_classes(rows, REAL_INTEGRITY, REAL_GAINS, out_of=100)["ours"][0].robustness().mean
        == -2.0
    )


def test_the_front_is_what_nothing_beats_on_both_axes() -> None:
    points = [(0.0, 1.0), (1.0, 0.5), (0.5, 0.4), (1.0, 0.7), (-1.0, 1.0)]
    assert pareto_front(points) == [0, 3]
    assert pareto_front([]) == []
