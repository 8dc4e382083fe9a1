"""Reading what the authors published, in both layouts, and comparing with it."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from peergauge.core.errors import TableError
from peergauge.engine.experiment import Point, experiments
from peergauge.engine.results import cells, to_frame
from peergauge.lab.paper.published import (
    AS_PUBLISHED,
    BY_THE_TEXT,
    CELL,
    FILES,
    OUR_NAMES,
    VARIATIONS,
    agreement,
    from_published,
    is_novel,
    read_published,
    shipped_cells,
    table_as_published,
    to_published,
)
from peergauge.lab.paper.roster import variant_of

AUTHORS_FILES = {
    "payments-vs-mse_x": {"OA: 0": {"1": {"Taus": [0.1, 0.3], "Rhos": [1.0, 2.0, 3.0]}}},
    "incentives_x": {
        "HEDGE": {"10": {"OA: 0": {"Mean Gain": 5.0, "Median Gain": 4, "Variance Gain": 16.0}}}
    },
    "strategic_x": {"NOISE": {"0": {"Phi-DIV: KL": {"Tau Scores": [0.2, 0.4, float("nan")]}}}},
    "be_x-box": {"PTS: 0": {"ROC-AUC Scores": [0.5, 0.7], "Mean ROC-AUC": 0.6}},
    "true-grade-recovery_x": {"Procedure": {"MSE Scores": [0.3, 0.5]}},
    "individual-robustness_x": {
        "HEDGE": {"1": {"OA: 0": {"Mean Gain": 2.0, "Median Gain": 2, "Variance Gain": 9.0}}}
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in AUTHORS_FILES.items():
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
    # The number of students behind a gain in a real class is not published.
    assert rows["individual-robustness_x", "OA: 0", "HEDGE", 1, "rank gain"] == (None, 2.0, 3.0)
    assert len(rows) == 7


def test_tables_of_cells_are_read_too(published: Path) -> None:
    found = read_published(published)
    assert found.height > 5000
    assert found.columns == [*CELL, "n", "mean", "sd"]
    real = found.filter(pl.col("experiment").str.starts_with("individual-robustness"))
    assert real.height > 100
    assert real["n"].null_count() == real.height


def small(spec: str, *points: Point) -> pl.DataFrame:
    """The cells of two repetitions of some points."""
    chosen = experiments.make(spec)
    rows = (row for point in points for k in (0, 1) for row in chosen.run(point, k, seed=1))
    return cells(to_frame(rows))


@pytest.fixture(scope="module")
def ours() -> pl.DataFrame:
    """Small cells of experiments with models, strategies and mechanisms in two settings."""
    tables = (
        small("e12:students=12", Point()),
        small("e1:students=12", Point(1), Point(2)),
        small("e3:students=20,assignments=2,loo=1", Point(10, "hedge"), Point(10, "noise")),
        small("e7:students=20,assignments=2", Point(10)),
        small("e11:students=20,assignments=2", Point(0, "hedge")),
    )
    return pl.concat(tables, how="diagonal_relaxed")


def test_the_shipped_cells_are_the_published_ones(published: Path) -> None:
    assert shipped_cells().equals(read_published(published))


def test_every_simulated_published_cell_has_our_names() -> None:
    """4,832 cells are simulated; 189 of them belong to mechanisms that the text does not have."""
    theirs = shipped_cells()
    named = from_published(theirs)
    assert named.height == 4832 - 189
    simulated = theirs.filter(pl.col("experiment").is_in(list(FILES)))
    left_out = simulated.join(named, on=list(CELL), how="anti", nulls_equal=True)
    assert set(left_out["mechanism"]) == {"AMSE: 0", "CORR_P: 0", "VAR: 0"}
    assert named.filter(~is_novel()).height == 4076


def test_our_names_become_theirs(ours: pl.DataFrame) -> None:
    renamed = to_published(ours)
    rows = {row[:5]: row[5:] for row in renamed.select(*CELL, *OUR_NAMES, "parameter").rows()}
    assert rows["true-grade-recovery", "Procedure-NB", "", None, "MSE Scores"] == (
        ("e12", "pg1:bias=no", "", "score-mse", None)
    )
    assert rows["payments-vs-mse_parametric", "Phi-DIV_P: SQUARED_HELLINGER", "", 2, "Rhos"] == (
        ("e1", "phi-div-p:divergence=h2", "", "pearson", "assignments")
    )
    assert rows["incentives_for_deviating-ce-bias", "OA: 0", "HEDGE", 10, "rank gain"] == (
        ("e3", "oa:prize=11", "hedge", "rank-gain", "strategic")
    )
    assert rows["strategic-ce-bias", "DMI: 4", "HEDGE", 0, "Tau Scores"] == (
        ("e11", "dmi", "hedge", "effort-tau", "strategic")
    )
    assert rows["be-no_bias-phi_div", "Phi-DIV: TVD", "", 10, "ROC-AUC Scores"] == (
        ("e7", "phi-div:unseen=int64", "", "effort-auc", "active")
    )


def test_loo_is_computed_a_second_time_for_effort_only(ours: pl.DataFrame) -> None:
    both = to_published(ours).filter(pl.col("mechanism") == "LOO: 4")
    found = both.select("experiment_ours", "computed", "mechanism_ours").unique().rows()
    assert set(found) == {
        ("e3", "by the text", "loo"),
        ("e7", "by the text", "loo:bias=ignore"),
        ("e7", "as published", "loo"),
    }


def test_names_come_back(ours: pl.DataFrame) -> None:
    there = to_published(ours)
    back = from_published(there.drop(*OUR_NAMES, "parameter"))
    assert set(there["computed"]) == {BY_THE_TEXT, AS_PUBLISHED}
    assert back.height == there.height > 250
    order = ["computed", *CELL]
    assert back.select(there.columns).sort(order).equals(there.sort(order))


def test_numbers_are_those_of_our_cells(ours: pl.DataFrame) -> None:
    key = ["experiment", "mechanism", "strategy", "metric"]
    mine = ours.filter(pl.col("experiment") == "e1", pl.col("assignments") == 2)
    renamed = to_published(ours).filter(pl.col("experiment_ours") == "e1", pl.col("x") == 2)
    both = renamed.join(mine, left_on=OUR_NAMES, right_on=key, suffix="_cell")
    # 13 mechanisms ignore bias, one estimates it, five correct for it; four measures.
    assert both.height == renamed.height == (13 + 1 + 5) * 4
    for column in ("n", "mean", "sd"):
        assert both[column].equals(both[f"{column}_cell"], check_names=False)


def test_the_table_as_published_marks_what_was_computed_otherwise(ours: pl.DataFrame) -> None:
    table = table_as_published(ours)
    assert table.columns == [*CELL, "n", "mean", "sd"]
    assert table.select(CELL).is_unique().all()
    marked = {name for name in table["experiment"] if name.endswith("_as-published")}
    assert marked == {f"{file}_as-published" for file in VARIATIONS}


def test_a_mechanism_that_the_authors_did_not_run_is_not_compared() -> None:
    chosen = small("e1:students=12,mechanisms=mse+oa+mls", Point(1))
    # OA with another prize than the authors' is not theirs, and neither is MLS.
    assert set(to_published(chosen)["mechanism"]) == {"BASELINE: MSE"}


def test_every_mechanism_of_a_file_has_one_variant() -> None:
    for file, selection in {**FILES, **VARIATIONS}.items():
        variants = list(map(variant_of, selection.specs))
        assert len(set(variants)) == len(variants), file


E12_FILE = "true-grade-recovery"


def test_z_is_the_gap_over_both_standard_errors() -> None:
    names = {"experiment": "e12", "mechanism": "", "strategy": "", "metric": "score-mse"}
    mine = pl.DataFrame([{**names, "model": "pg1", "bias": 1.0, "n": 4, "mean": 3.0, "sd": 2.0}])
    rows = [
        (E12_FILE, "Procedure", "", None, "MSE Scores", 3, 2.0, 1.0),
        (E12_FILE, "Consensus-Grade", "", None, "MSE Scores", 3, 2.0, 1.0),
        ("payments-vs-mse_mse-p", "MSE_P: 0", "", 1, "Taus", 3, 2.0, 1.0),
        ("individual-robustness_x", "OA: 0", "HEDGE", 1, "rank gain", None, 2.0, 1.0),
    ]
    whole = {"x": pl.Int64, "n": pl.Int64}
    theirs = pl.DataFrame(rows, [*CELL, "n", "mean", "sd"], orient="row", schema_overrides=whole)
    # Neither the experiment that was not run nor the real class is compared.
    found = agreement(mine, theirs)
    assert found["mechanism"].to_list() == ["Procedure", "Consensus-Grade"]
    assert found["mechanism_ours"].to_list() == ["pg1", None]
    # Theirs: mean 2, deviation 1, of 3. The error is √(4/4 + 1/3).
    assert found["z"].to_list() == [pytest.approx(1 / (4 / 3) ** 0.5), None]


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="no published results"):
        read_published(tmp_path)
    with pytest.raises(TableError, match="no folder"):
        read_published(tmp_path / "gone")
    (tmp_path / "x.json").write_text("{")
    with pytest.raises(TableError, match=r"x\.json is damaged"):
        read_published(tmp_path)
