"""What is made of the results of a run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.engine.experiment import experiments
from peergauge.engine.runner import run
from peergauge.lab.figures import registry
from peergauge.lab.paper.published import (
    CELL,
    DESCRIPTIONS,
    FILES,
    GAIN_KIND,
    INTEGRITY_KIND,
    WHY_NOVEL_DIFFER,
    ClassAgreement,
    is_novel,
    shipped_cells,
)
from peergauge.pages.reproduced import make_of
from peergauge.pages.reproduction import experiments_of, page, real_rows
from peergauge.simulate import Setting, simulate

RUN = {
    "experiments": {"e2": {"classes": "", "repetitions": 50}},
    "seed": 1,
    "versions": dict.fromkeys(("peergauge", "commit", "python", "numpy", "scipy", "numba"), "1"),
}
CELL_TYPES: dict[str, Any] = {
    **dict.fromkeys(("experiment", "mechanism", "strategy", "metric"), pl.String),
    "n": pl.Int64,
    "mean": pl.Float64,
    "sd": pl.Float64,
}

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
    # Scripts that an earlier page left in the cache would do without the package.
    monkeypatch.setattr("peergauge.pages.charts.cached_text", lambda _, make: make())
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


def agreeing(kind: str, taught: str, way: str, cells: int, correlation: float) -> ClassAgreement:
    return ClassAgreement(kind, taught, "fitted", way, cells, correlation, 5.0, 0.9)


def test_the_first_screen_shows_the_agreement_of_all_classes_together() -> None:
    html = page(
        manifest=RUN,
        cells=pl.DataFrame(schema=CELL_TYPES),
        figures={},
        tables=[],
        findings=[],
        compared=None,
        real=real_rows(
            [
                agreeing(INTEGRITY_KIND, "", "", 384, 0.931),
                agreeing(INTEGRITY_KIND, "fall-2019", "", 192, 0.871),
                agreeing(GAIN_KIND, "", "authors", 120, 0.964),
                agreeing(GAIN_KIND, "", "alone", 120, 0.421),
            ]
        ),
        main_finding=["MSE_P measures best."],
    )
    header = html.partition("</header>")[0]
    assert "r = 0.93</strong>with 384 published cells" in header
    assert "r = 0.96 computed the authors' way, 0.42 with one deviator at a time" in header
    assert "MSE<sub>P</sub> measures best." in header
    assert "Fall 2019" not in header
    assert "Fall 2019" in html
    # Neither experiment numbers nor specs come before the table that introduces them.
    words = re.sub(r"<style>.*?</style>|<[^>]*>", "", header, flags=re.DOTALL)
    assert not re.search(r"\bE\d+\b|[a-z]:[a-z]+=", words)


def test_the_experiments_of_a_run_are_introduced_with_their_figures() -> None:
    settings = {"students": 100, "assignments": 10, "repetitions": 100}
    manifest = {"experiments": {"e10": {**settings, "repeats": 50}, "e7": settings}}
    shown = [registry.all()[name] for name in ("effort_continuous", "tradeoff")]
    found = {one.number: one for one in experiments_of(manifest, shown)}
    assert list(found) == ["E6", "E7", "E10"]
    assert [one.figures for one in found.values()] == ["Figure 1a", "none", "Figure E.1c"]
    assert found["E10"].size == "100 classes of 100 students, each graded 50 times"


def test_every_published_file_has_words_for_people() -> None:
    assert set(DESCRIPTIONS) == set(FILES)
    assert len(set(DESCRIPTIONS.values())) == len(DESCRIPTIONS)


@pytest.mark.slow
@pytest.mark.parametrize(
    "specs",
    [
        ["e2:repetitions=2,mechanisms=mse+mls", "e5:repetitions=2,mechanisms=mse+mls"],
        ["e5:repetitions=2"],
        ["e5:repetitions=2,way=alone"],
        ["e5:repetitions=2,way=authors,stand_ins=paper"],
        ["e2:repetitions=2,stand_ins=paper"],
        ["e2:repetitions=2,stand_ins=fitted", "e5:repetitions=2,stand_ins=paper"],
    ],
)
def test_any_part_of_the_experiments_on_classes_has_a_page(
    specs: list[str], tmp_path: Path
) -> None:
    chosen = [experiments.make(spec) for spec in specs]
    rows = run(chosen, tmp_path / "run", seed=1, workers=1)
    made = make_of(rows, tmp_path / "run", chosen, seed=1, workers=1, published=shipped_cells())
    page = (tmp_path / "run" / "index.html").read_text(encoding="utf-8")
    assert made.classes
    assert "Stand-ins against the published results of real classes" in page
    assert "nan" not in [str(one.rms) for one in made.classes]


@pytest.mark.slow
def test_real_classes_are_not_judged_by_claims_about_the_private_ones(tmp_path: Path) -> None:
    semester = simulate(Setting(students=20, assignments=5), seed=3)
    folder = tmp_path / "ours"
    folder.mkdir()
    semester.reports.to_polars().write_csv(folder / "reports.csv")
    semester.truth.to_polars().write_csv(folder / "truth.csv")
    specs = [f"{name}:classes={folder},repetitions=2" for name in ("e2", "e5")]
    chosen = [experiments.make(spec) for spec in specs]
    rows = run(chosen, tmp_path / "run", seed=1, workers=1)
    made = make_of(rows, tmp_path / "run", chosen, seed=1, workers=1, published=shipped_cells())
    assert made.findings == []
    assert made.classes == []
    names = {path.stem for path in made.files if path.suffix == ".svg"}
    assert {"integrity_real", "gains_real", "tradeoff_real"} <= names
    assert not any("stand_ins" in name for name in names)
