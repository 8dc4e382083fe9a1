"""Reading what the authors published, in both layouts, and comparing with it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from peergauge.core.errors import TableError
from peergauge.engine.results import CELL
from peergauge.lab.paper.published import agreement, read_published

FILES = {
    "payments-vs-mse_x": {"OA: 0": {"1": {"Taus": [0.1, 0.3], "Rhos": [1.0, 2.0, 3.0]}}},
    "incentives_x": {
        "HEDGE": {"10": {"OA: 0": {"Mean Gain": 5.0, "Median Gain": 4, "Variance Gain": 16.0}}}
    },
    "strategic_x": {"NOISE": {"0": {"Phi-DIV: KL": {"Tau Scores": [0.2, 0.4, float("nan")]}}}},
    "be_x-box": {"PTS: 0": {"ROC-AUC Scores": [0.5, 0.7], "Mean ROC-AUC": 0.6}},
    "true-grade-recovery_x": {"Procedure": {"MSE Scores": [0.3, 0.5]}},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    return tmp_path


def test_the_authors_own_files_are_read_by_their_nesting(folder: Path) -> None:
    rows = {row[:5]: row[5:] for row in read_published(folder).rows()}
    assert rows["payments-vs-mse_x", "OA: 0", "", 1, "Taus"] == pytest.approx((2, 0.2, 0.02**0.5))
    assert rows["payments-vs-mse_x", "OA: 0", "", 1, "Rhos"] == (3, 2.0, 1.0)
    assert rows["incentives_x", "OA: 0", "HEDGE", 10, "rank gain"] == (100, 5.0, 4.0)
    assert rows["strategic_x", "Phi-DIV: KL", "NOISE", 0, "Tau Scores"][0] == 2
    assert rows["be_x-box", "PTS: 0", "", None, "ROC-AUC Scores"][1] == pytest.approx(0.6)
    assert rows["true-grade-recovery_x", "Procedure", "", None, "MSE Scores"][0] == 2
    assert len(rows) == 6


def test_tables_of_cells_are_read_too(published: Path) -> None:
    cells = read_published(published)
    assert cells.height > 1000
    assert cells.columns == [*CELL, "n", "mean", "sd"]


def test_z_is_the_gap_over_both_standard_errors(folder: Path) -> None:
    names = {"experiment": "payments-vs-mse_x", "mechanism": "OA: 0", "strategy": "", "x": 1}
    ours = pl.DataFrame([{**names, "metric": "Rhos", "n": 4, "mean": 3.0, "sd": 2.0}])
    compared = agreement(ours, read_published(folder)).sort("metric")
    # Theirs: mean 2, deviation 1, of 3. The error is √(4/4 + 1/3).
    assert compared["z"].to_list() == [pytest.approx(1 / (4 / 3) ** 0.5), None]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no published results"):
        read_published(tmp_path)
    with pytest.raises(TableError, match="no folder"):
        read_published(tmp_path / "gone")
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(TableError, match=r"x\.json cannot be read as JSON"):
        read_published(tmp_path)
