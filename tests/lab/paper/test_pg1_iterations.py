"""Rounds of PG1: what is counted, and that the verdict follows the numbers."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ConvergenceWarning
from peergauge.engine.experiment import Point
from peergauge.engine.results import Row, cells, to_frame
from peergauge.lab.paper.claims import Evidence, Outcome
from peergauge.lab.paper.pg1_iterations import (
    CAPPED_FITS,
    FITS,
    HARD_CLASSES,
    LEAVE_ONE_OUT,
    MOST_ROUNDS,
    Iterations,
    equal_grades,
    the_maximum_of_rounds_is_never_reached,
)
from peergauge.models.pg1 import PG1
from peergauge.simulate import Setting, simulate


def measured(kind: str) -> dict[tuple[str, object], float]:
    """The values of one repetition, by measure and model."""
    found = Iterations().run(Point(kind=kind), 0, seed=1)
    return {(row.metric, row.parameters["model"]): row.value for row in found}


def test_rounds_are_those_of_the_model() -> None:
    experiment = Iterations()
    point = Point(kind="e3-hedge-50")
    assert point in experiment.points()
    setting = Setting(students=100, assignments=10, strategies={"hedge": 50})
    fit = PG1().fit(simulate(setting, experiment.own_seed(1, point, 0)).reports)
    values = measured(point.kind)
    assert values[MOST_ROUNDS, "pg1"] == fit.rounds.max() > values[MOST_ROUNDS, "pg1:bias=no"]
    assert (values[FITS, "pg1"], values[CAPPED_FITS, "pg1"]) == (10, 0)


def test_loo_fits_once_without_each_grader() -> None:
    values = measured(LEAVE_ONE_OUT)
    assert values[FITS, "pg1"] == 100 * 10
    assert values[CAPPED_FITS, "pg1"] == 0


def test_stand_ins_are_fitted_with_their_own_prior() -> None:
    values = measured("spring-2019")
    assert values[FITS, "pg1"] == 13
    assert 1 < values[MOST_ROUNDS, "pg1"] < 1000


def test_a_dense_class_of_equal_grades_reaches_the_maximum() -> None:
    """The score of all submissions and the bias of all graders can hardly be told apart."""
    assert measured("dense-and-equal")[CAPPED_FITS, "pg1"] == 1
    assert measured("dense-and-equal")[CAPPED_FITS, "pg1:bias=no"] == 0
    with pytest.warns(ConvergenceWarning, match="1 of 1 fits within 1000 rounds"):
        PG1().fit(equal_grades(100, 100))
    assert PG1().fit(equal_grades(2, 2)).converged.all()


def outcome(capped: dict[str, float]) -> Outcome:
    """The verdict if so many fits of each kind reach the maximum."""
    found = to_frame(
        Row("pg1-iterations", "", "", metric, 0, 0, value, {"kind": kind, "model": "pg1"})
        for kind in ("e1", "spring-2019", *HARD_CLASSES)
        for late in [capped.get(kind, 0.0)]
        for metric, value in (
            (FITS, 10.0),
            (CAPPED_FITS, late),
            (MOST_ROUNDS, 1000.0 if late else 20.0),
        )
    )
    return the_maximum_of_rounds_is_never_reached(Evidence(cells(found), found))


def test_only_the_papers_settings_decide() -> None:
    found = outcome({"dense-and-equal": 1})
    assert found.verdict == "holds"
    assert found.measured.startswith("0 of 20 fits")
    assert "dense and equal 1000" in found.measured
    found = outcome({"spring-2019": 2})
    assert found.verdict == "does not hold"
    assert found.reason.startswith("2 of 20 fits")
