"""E1 with LOO: what is computed, and that the verdict follows the numbers."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.experiment import Point, experiments
from peergauge.engine.results import Row, cells, to_frame
from peergauge.lab.paper.claims import Evidence, Outcome
from peergauge.lab.paper.e01_leave_one_out import (
    SHOWN_ASSIGNMENTS,
    LeaveOneOutIntegrity,
    the_truth_does_not_make_loo_measure_well,
)
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import LOO_INTEGRITY


def rows(taus: dict[str, float], spread: float = 0.01) -> pl.DataFrame:
    """Rows in which every mechanism has τ_B 0.6, except those that are given."""
    return to_frame(
        Row("e1-loo", spec, "", "tau", k, 0, tau + spread * (-1) ** k, {"assignments": x})
        for spec in LOO_INTEGRITY.specs
        for x in SHOWN_ASSIGNMENTS
        for k in range(4)
        for tau in [taus.get(variant_of(spec), 0.6)]
    )


def outcome(taus: dict[str, float], spread: float = 0.01) -> Outcome:
    found = rows(taus, spread)
    return the_truth_does_not_make_loo_measure_well(Evidence(cells(found), found))


def test_loo_must_be_clearly_below_all_four_rivals() -> None:
    found = outcome({"loo": 0.4})
    assert found.verdict == "holds"
    assert "12 of 12" in found.measured
    # The errors are 0.0115 / 2 each, so a lead of 0.02 is less than three of both.
    found = outcome({"loo": 0.4, "phi-div-p:divergence=h2": 0.42})
    assert found.verdict == "holds in part"
    assert "LOO is not clearly below Φ-Div_P: H²" in found.reason
    assert outcome({"loo": 0.7}).verdict == "does not hold"


def test_output_agreement_is_reported_and_does_not_decide() -> None:
    found = outcome({"loo": 0.4, "oa": 0.1})
    assert found.verdict == "holds"
    assert "OA 0.100" in found.measured


def test_loo_pays_the_semesters_of_e1_with_the_truth() -> None:
    chosen = experiments.make("e1-loo:students=12,repetitions=1,most_assignments=5")
    assert chosen.points() == [Point(1), Point(5)]
    found = list(chosen.run(Point(1), 0, seed=1))
    assert {row.mechanism for row in found} == set(LOO_INTEGRITY.specs)
    assert {row.metric for row in found} == {"binary-auc", "quinary-auc", "tau", "pearson"}
    assert all(-1 <= row.value <= 1 for row in found)


@pytest.mark.statistical
def test_loo_stays_below_mse_in_small_classes() -> None:
    """In 8 classes of 60 students LOO's mean τ_B is lower by at least 0.1.

    The gap is about 0.3 with a standard error of about 0.03.
    """
    chosen = LeaveOneOutIntegrity(students=60, mechanisms=("loo:bias=ignore", "mse"))
    found = [row for k in range(8) for row in chosen.run(Point(5), k, seed=5)]
    mean = {
        name: sum(r.value for r in found if r.metric == "tau" and r.mechanism == name) / 8
        for name in ("loo:bias=ignore", "mse")
    }
    assert mean["mse"] - mean["loo:bias=ignore"] > 0.1
