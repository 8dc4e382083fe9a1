"""The main finding: which numbers it has, and when there is none."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.results import Row, cells, merged, to_frame
from peergauge.lab.paper.claims import KL_P, MSE_P, Evidence
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import (
    GAINS,
    GAINS_UNCORRECTED,
    INTEGRITY,
    INTEGRITY_CORRECTED,
    INTEGRITY_ESTIMATED,
    Selection,
)
from peergauge.lab.paper.verdict import MainFinding, main_finding


def part(selection: Selection, metric: str, values: dict[str, float], other: float) -> pl.DataFrame:
    """Rows whose cells have the value of their variant, with standard error 0.5 / √3."""
    return to_frame(
        Row(
            selection.experiment,
            spec,
            "hedge" if metric == "rank-gain" else "",
            metric,
            k,
            0,
            values.get(variant_of(spec), other) + (0.5 if k % 2 else -0.5),
            dict(selection.where) | {selection.x: 10},
        )
        for spec in selection.specs
        for k in range(4)
    )


def run(**left_out: bool) -> Evidence:
    """A run in which only MSE_P and Φ-Div_P: KL differ from the other mechanisms."""
    parts = {
        "ignored": part(INTEGRITY, "binary-auc", {MSE_P: 95.0, KL_P: 84.0}, 70.0),
        "estimated": part(INTEGRITY_ESTIMATED, "binary-auc", {}, 95.0),
        "corrected": part(INTEGRITY_CORRECTED, "binary-auc", {KL_P: 65.0}, 60.0),
        "gains": part(GAINS, "rank-gain", {MSE_P: 22.0, KL_P: -19.0}, 0.0),
        "uncorrected": part(GAINS_UNCORRECTED, "rank-gain", {KL_P: 2.0, MSE_P: 14.0}, 5.0),
    }
    rows = merged(frame for name, frame in parts.items() if name not in left_out)
    return Evidence(cells(rows), rows)


def found() -> MainFinding:
    made = main_finding(run())
    assert made is not None
    return made


def test_the_points_are_those_of_one_treatment_of_bias() -> None:
    points = {
        one.setting: (one.robustness.mean, one.integrity.mean)
        for one in found().points
        if one.mechanism == KL_P
    }
    assert points == {"": (19.0, 84.0), "uncorrected": (-2.0, 84.0), "corrected": (19.0, 65.0)}
    own = next(one for one in found().points if one.mechanism == KL_P)
    # Four values ± 0.5: deviation 1 / √3, error half of it.
    assert own.robustness.error == pytest.approx(0.5 / 3**0.5)


def test_the_sentences_have_the_numbers_of_the_run() -> None:
    text = " ".join(found().text)
    assert "Φ-Div_P: KL has robustness 19.0 ± 0.3 and AUC 84.000 ± 0.289" in text
    assert "robustness −2.0 ± 0.3 and AUC 84.000 ± 0.289 without correction" in text
    assert "robustness 19.0 ± 0.3 and AUC 65.000 ± 0.289 with correction" in text
    assert "by −21.0 to −5.0 ranks" in text
    assert "Φ-Div_P: KL rewards deviating on average" in text
    # The changes of AUC are −19 for KL and −10 for the others.
    assert "by −19.00 to −10.00 with correction" in text


def test_mechanisms_that_leave_the_front_are_counted_by_treatment() -> None:
    assert found().paper_front == (MSE_P, KL_P)
    # Corrected, MSE_P measures worst and KL is still the most robust; uncorrected, both stay.
    assert found().leaving == {"uncorrected": (), "corrected": (MSE_P,)}
    assert "1 of them leaves it (MSE_P); if none of them does, all of them stay" in found().text[-1]


@pytest.mark.parametrize("name", ["ignored", "corrected", "gains", "uncorrected"])
def test_without_one_of_the_parts_there_is_no_finding(name: str) -> None:
    assert main_finding(run(**{name: True})) is None
