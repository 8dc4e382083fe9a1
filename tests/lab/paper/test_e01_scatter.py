"""Pay and squared error student by student: the claims follow the cloud of points."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest

from peergauge.core.arrays import Floats
from peergauge.engine.experiment import experiments
from peergauge.engine.results import Row, cells, to_frame
from peergauge.engine.runner import run
from peergauge.lab.paper.claims import H2_P, Evidence, Finding, all_claims
from peergauge.lab.paper.e01_scatter import (
    PAY,
    by_semester,
    gain_of_a_curve,
    integrity_scatter,
    outer_fences,
)
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import SCATTER
from peergauge.metrics.statistics import kendall_tau_b, pearson

STUDENTS, SEMESTERS = 300, 5

Pay = Callable[[Floats, np.random.Generator], Floats]


def linear(error: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(-error + rng.normal(0, 20, len(error)))


def made(pay: Pay = linear, *, of: str = H2_P) -> pl.DataFrame:
    """Rows in which pay falls linearly, except under one mechanism."""
    rng = np.random.default_rng(3)
    found = []
    for spec in SCATTER.specs:
        for repetition in range(SEMESTERS):
            error = rng.uniform(50, 300, STUDENTS)
            paid = (pay if variant_of(spec) == of else linear)(error, rng)
            found += [
                Row(
                    "e1-scatter",
                    spec,
                    "",
                    PAY,
                    repetition,
                    0,
                    float(paid[student]),
                    {"student": student, "squared_error": float(error[student])},
                )
                for student in range(STUDENTS)
            ]
    return to_frame(found)


def checked(rows: pl.DataFrame, name: str) -> Finding:
    (asked,) = [one for one in all_claims() if one.check.__name__ == name]
    return asked.against(Evidence(cells(rows), rows))


def test_fences_are_three_interquartile_ranges_beyond_the_quartiles() -> None:
    # Quartiles 2 and 4 of 1 to 5.
    assert outer_fences(np.arange(1.0, 6.0)) == (-4.0, 10.0)


def test_a_line_gains_nothing_from_a_curve_and_a_parabola_does() -> None:
    error = np.arange(20.0)
    noise = np.tile([1.0, -1.0], 10)
    assert gain_of_a_curve(-error + noise, error) < 0.03
    assert gain_of_a_curve((error - 10) ** 2 + noise, error) > 10
    # Payments of 10^18 have squares that overflow in no place.
    huge = gain_of_a_curve(1e18 * (-error + noise), error)
    assert huge == pytest.approx(gain_of_a_curve(-error + noise, error))
    assert np.isnan(gain_of_a_curve(np.full(20, 3.0), error))


def test_a_curve_is_found_in_the_pay_of_one_mechanism() -> None:
    name = "no_relation_is_clearly_curved"
    assert checked(made(), name).verdict == "holds"

    def curved(error: Floats, rng: np.random.Generator) -> Floats:
        return np.asarray(-((error - 175) ** 2) + rng.normal(0, 500, len(error)))

    found = checked(made(curved), name)
    assert found.verdict == "does not hold"
    assert "Φ-Div_P: H²" in found.reason
    assert found.measured.index("Φ-Div_P: H²") < found.measured.index("MSE ")


def with_outliers(share: float, depth: float) -> Pay:
    """Pay with a share of very negative outliers, drawn without regard to the error."""

    def pay(error: Floats, rng: np.random.Generator) -> Floats:
        out = np.arange(len(error)) < share * len(error)
        return np.where(out, -depth * rng.uniform(1, 9, len(error)), linear(error, rng))

    return pay


def test_rare_outliers_spoil_the_linear_relation_alone() -> None:
    name = "outliers_spoil_the_linear_relation"
    found = checked(made(with_outliers(0.03, 1e5)), name)
    assert found.verdict == "holds"
    assert found.reason == ""
    assert found.measured.startswith("3.0% of the totals are outliers")


def test_without_outliers_or_with_many_the_explanation_fails() -> None:
    name = "outliers_spoil_the_linear_relation"
    none = checked(made(), name)
    assert none.verdict == "holds in part"
    assert "no very negative outliers" in none.reason
    # Frequent outliers without regard to the error spoil the ranking too.
    many = checked(made(with_outliers(0.2, 1e5)), name)
    assert many.verdict == "holds in part"
    assert "not occasional" in many.reason
    assert "interfere with the ranking" in many.reason


def test_rows_have_each_student_and_give_the_correlations_of_e1(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    small = experiments.make("e1-scatter:repetitions=2,students=20,assignments=2,mechanisms=mse")
    rows = run([small], tmp_path_factory.mktemp("run"), seed=1, workers=1)
    assert rows.height == 2 * 20
    assert rows["student"].to_list() == [*range(20)] * 2
    semesters = by_semester(rows)["mse"]
    assert [len(one.pay) for one in semesters] == [20, 20]
    # Pay for agreeing with the others falls with the error to the truth.
    assert all(one.rho > 0.3 and one.tau > 0.2 for one in semesters)
    first = semesters[0]
    assert first.rho == pearson(first.pay, -first.error)
    assert first.tau == kendall_tau_b(first.pay, -first.error)
    (cell,) = cells(rows).iter_rows(named=True)
    assert cell["n"] == 40
    assert cell["mean"] == pytest.approx(rows["value"].mean())


def test_the_figure_marks_outliers_at_the_edge() -> None:
    drawn = integrity_scatter(made(with_outliers(0.03, 1e5)))
    assert len(drawn.axes) == len(SCATTER.specs)
    titles = [axis.get_title() for axis in drawn.axes]
    own = drawn.axes[next(i for i, title in enumerate(titles) if "H²" in title and "P" in title)]
    inside, below, above, *fits = own.lines
    assert [np.size(line.get_xdata()) for line in (inside, below, above)] == [291, 9, 0]
    lowest, _ = own.get_ylim()
    assert np.all(np.asarray(below.get_ydata()) > lowest)
    assert len(fits) == 2
