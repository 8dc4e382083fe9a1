"""What is made of the results of a run."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest

from peergauge.engine.experiment import experiments
from peergauge.engine.runner import run
from peergauge.lab.paper.published import CELL, WHY_NOVEL_DIFFER, is_novel, shipped_cells
from peergauge.pages.reproduced import make_of

CHOSEN = [experiments.make("e12:repetitions=6")]


@pytest.fixture
def results(tmp_path: Path) -> pl.DataFrame:
    return run(CHOSEN, tmp_path / "run", seed=1, workers=1)


def theirs(mean: float) -> pl.DataFrame:
    rows = [
        ("true-grade-recovery", "Consensus-Grade", "", None, "MSE Scores", 9, mean, 0.1),
        ("true-grade-recovery", "Gone", "", None, "MSE Scores", 9, 0.5, 0.1),
    ]
    columns = dict(zip([*CELL, "n", "mean", "sd"], zip(*rows, strict=True), strict=True))
    return pl.DataFrame(columns, schema_overrides={"x": pl.Int64})


@pytest.mark.slow
def test_everything_is_written_and_told(results: pl.DataFrame, tmp_path: Path) -> None:
    made = make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1)
    names = {str(path.relative_to(tmp_path / "run")) for path in made.files}
    assert {
        "means.csv",
        "cells.csv",
        "index.html",
        "tables/merge_map.csv",
        "figures/recovery.svg",
    } <= names
    assert all(path.is_file() for path in made.files)
    assert made.lacking == set()
    assert [one.verdict for one in made.findings] == ["holds"]


def test_cells_have_our_names_and_the_authors(results: pl.DataFrame, tmp_path: Path) -> None:
    make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1)
    ours = pl.read_csv(tmp_path / "run" / "means.csv")
    theirs = pl.read_csv(tmp_path / "run" / "cells.csv")
    models = ["mean", "pg1:bias=no", "pg1", "mean", "pg1:bias=no"]
    assert ours.select("experiment", "bias", "model", "metric").rows() == [
        ("e12", bias, model, "score-mse")
        for bias, model in zip([1.0] * 3 + [0.0] * 2, models, strict=True)
    ]
    assert theirs.columns == [*CELL, "n", "mean", "sd"]
    assert theirs["mechanism"].to_list() == [
        *("Consensus-Grade", "Procedure-NB", "Procedure"),
        *("Consensus-Grade", "Procedure-NB"),
    ]
    assert theirs["mean"].to_list() == ours["mean"].to_list()


def test_a_claim_is_on_the_page_with_quotation_place_and_criterion(
    results: pl.DataFrame, tmp_path: Path
) -> None:
    (claim,) = make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1).findings
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    own = page[page.index('<section id="claims">') :]
    assert f'<tr id="{claim.anchor}">' in own
    for text in (claim.claim, claim.quote, claim.place, claim.criterion, claim.measured):
        assert text in own
    assert "Claims about simulated classes: 1 of 1 hold" in own
    assert "private classes" not in own[: own.index("</section>")]
    # All claims hold, so there is neither a list of others nor a column of reasons.
    assert "hold only in part" not in own
    assert "Reason" not in own[: own.index("</section>")]


def test_an_experiment_that_was_not_published_has_no_cells_under_the_authors_names(
    tmp_path: Path,
) -> None:
    chosen = [experiments.make("e12:repetitions=2")]
    rows = run(chosen, tmp_path / "run", seed=1, workers=1)
    other = rows.with_columns(experiment=pl.lit("mine"))
    make_of(other, tmp_path / "run", chosen[:0], seed=1, workers=1)
    assert not (tmp_path / "run" / "cells.csv").exists()


def test_without_published_results_the_page_says_how_to_compare(
    results: pl.DataFrame, tmp_path: Path
) -> None:
    make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1)
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert "--published FOLDER" in page
    assert not (tmp_path / "run" / "agreement.csv").exists()


def test_disagreement_and_missing_cells_are_on_the_page(
    results: pl.DataFrame, tmp_path: Path
) -> None:
    made = make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1, published=theirs(99.0))
    assert made.compared is not None
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert "1 published cells are missing here" in page
    assert "only 6 repetitions" in page
    (z,) = made.compared["z"].drop_nulls()
    # The comparison has both names of a cell.
    compared = pl.read_csv(tmp_path / "run" / "agreement.csv")
    names = compared.select("mechanism", "experiment_ours", "mechanism_ours").rows()
    assert names == [("Consensus-Grade", "e12", "mean"), ("Gone", None, None)]
    # People write a minus sign, not a hyphen.
    assert f'<td class="number">−{-z:.1f}</td>' in page


def test_the_same_results_give_the_same_page(results: pl.DataFrame, tmp_path: Path) -> None:
    page = tmp_path / "run" / "index.html"
    make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1)
    once = page.read_bytes()
    make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1)
    assert page.read_bytes() == once


@pytest.mark.parametrize("package", ["altair", "vl_convert", "matplotlib"])
def test_a_light_installation_has_the_tables_and_says_what_is_lacking(
    package: str, results: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    compared = theirs(0.5)
    made = make_of(results, tmp_path / "run", CHOSEN, seed=1, workers=1, published=compared)
    assert (tmp_path / "run" / "means.csv").is_file()
    if package != "matplotlib":
        assert made.lacking == {package}
        assert (tmp_path / "run" / "figures" / "recovery.png").is_file()
    else:
        assert made.lacking == {"matplotlib"}
    assert not (tmp_path / "run" / "index.html").exists()


def test_reasons_are_given_for_mechanisms_that_were_published() -> None:
    cells = shipped_cells().filter(is_novel())
    assert set(WHY_NOVEL_DIFFER) == set(cells["mechanism"])
