"""Values that must never change by accident: small runs of E1, E3, E5, the benchmark and `grade`.

The files in ``values`` were computed by version 0.1. Only specs were renamed since then: ``mse-p``
meant ``bias=correct``, and means ``bias=estimate`` now. Tolerances are relative and leave room for
another order of sums (1e-9); what sampling a posterior makes of it is larger (1e-6).
Rewards and points in ``graders.csv`` were computed again when rewards were rounded as they are
printed, and when the rule for the fewest and the most points changed. Grades and leniencies were
computed again when grades became halfway between a model and the mean.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.classroom.grade import Settings, grade
from peergauge.classroom.grade.tables import graders_table, grades_table
from peergauge.engine.runner import run
from peergauge.exports import open_class
from peergauge.lab.bench.experiments import Integrity, Robustness, Stability

VALUES = Path(__file__).parent / "values"
SEED = 11
SPECS = {
    "e1": "e1:repetitions=2,students=40,most_assignments=3",
    "e3": "e3:repetitions=2,loo=1,students=20,assignments=3",
    "e5": "e5:repetitions=3,stand_ins=paper,way=alone,bias=correct",
}
ENTRANTS = ("mse", "oa", "mse-p", "mls", "dmi")


def assert_same(found: pl.DataFrame, golden: pl.DataFrame, tolerance: float = 1e-9) -> None:
    """Every golden row is found once, with the same value."""
    names = [name for name in golden.columns if name != "value"]
    found = found.with_columns(pl.col(name).cast(golden[name].dtype) for name in names)
    both = golden.join(
        found.select(*names, found="value"),
        on=names,
        how="left",
        nulls_equal=True,
        maintain_order="left",
        validate="1:1",
    )
    missing = both.filter(pl.col("found").is_null() & pl.col("value").is_not_null())
    assert not missing.height, f"golden rows that are not found: {missing.head()}"
    np.testing.assert_allclose(both["found"], both["value"], rtol=tolerance, atol=tolerance)


def read(name: str) -> pl.DataFrame:
    golden = pl.read_csv(VALUES / f"{name}.csv", infer_schema_length=None)
    texts = [column for column in golden.columns if golden[column].dtype == pl.String]
    return golden.with_columns(pl.col(texts).fill_null(""))


@pytest.mark.parametrize("name", SPECS)
def test_experiments_give_the_golden_values(name: str) -> None:
    golden = read(name)
    results = run([SPECS[name]], seed=SEED, workers=1)
    if name == "e5":
        # The classes of 2019 have blocks of other sizes than in version 0.1.
        results = results.filter(pl.col("class").str.ends_with("2017"))
    assert results.height == golden.height
    assert_same(results, golden)


def test_the_benchmark_gives_the_golden_values() -> None:
    experiments = [
        Integrity(1, ("three", "estimated-prior"), ENTRANTS, prefixes=2),
        Robustness(1, ("three",), ENTRANTS, deviators=1),
        Stability(1, ("three",), ENTRANTS, repeats=2),
    ]
    results = run(experiments, seed=SEED, workers=1, per_piece=1)
    assert_same(results, read("bench"))


def test_a_graded_class_has_the_golden_grades_and_points() -> None:
    opened = open_class([VALUES / "reports.csv", VALUES / "class.json"])
    graded = grade(opened, Settings(seed=5))
    for name, table in (("grades", grades_table(graded)), ("graders", graders_table(graded))):
        golden = pl.read_csv(VALUES / f"{name}.csv", infer_schema_length=None)
        numbers = golden.select(pl.col(pl.Float64)).columns
        assert len(numbers) >= 8
        for column in numbers:
            np.testing.assert_allclose(
                table[column].cast(pl.Float64), golden[column], rtol=1e-6, err_msg=column
            )
