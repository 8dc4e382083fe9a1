"""What every model promises, held against everything that is found."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from peergauge.core.acceleration import plain_numpy
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.registry import parameters
from peergauge.models import Estimates, Model, models
from peergauge.tables import Reports, Scale
from tests.generators import class_of, clustered
from tests.generators import reports as any_reports

every = pytest.mark.parametrize("model", models.all(), ids=str)


def but_for(**others: int) -> list[Model]:
    """All models, with these parameters where they have them."""
    return [
        models.make(one, **{key: value for key, value in others.items()
                            if any(f.name == key for f in parameters(type(one)))})
        for one in models.all()
    ]  # fmt: skip


# A few draws show everything that is promised here, but they rarely have settled.
QUICK = but_for(draws=40, warmup=10)
quickly = pytest.mark.parametrize("model", QUICK, ids=str)

# Rounds that stop short of a fixed point can let the last bits grow, though not far in three.
STEADY = but_for(rounds=3, draws=40, warmup=10)
steadily = pytest.mark.parametrize("model", STEADY, ids=str)

# One that draws gives a grader of another number other draws; its own tests hold it to the same
# distribution.
CERTAIN = [one for one in STEADY if not one.facts.random]
certainly = pytest.mark.parametrize("model", CERTAIN, ids=str)


def fit_of(model: Model, reports: Reports) -> Estimates:
    """Fit, and allow a convergence warning."""
    with warnings.catch_warnings():
        if model.facts.random:
            warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(reports)


def columns_of(estimates: Estimates, name: str) -> list[NDArray[Any]]:
    """The arrays behind a field: one, several, or none."""
    column = getattr(estimates, name)
    return [] if column is None else list(column) if isinstance(column, tuple) else [column]


def assert_same(one: Estimates, other: Estimates, tolerance: float = 1e-7) -> None:
    """Every estimate is the same, whatever the model makes."""
    for field in fields(one):
        for mine, theirs in zip(
            columns_of(one, field.name), columns_of(other, field.name), strict=True
        ):
            np.testing.assert_allclose(
                mine, theirs, rtol=tolerance, atol=tolerance, err_msg=field.name
            )


@quickly
@given(reports=any_reports())
def test_any_class_is_estimated(model: Model, reports: Reports) -> None:
    fit = fit_of(model, reports)
    shape = reports.assignments, reports.graders
    assert len(fit.score) == reports.submissions
    assert fit.bias.shape == fit.reliability.shape == shape
    assert len(fit.rounds) == len(fit.converged) == reports.assignments
    absent = np.ones(shape, dtype=bool)
    absent[reports.assignment, reports.grader] = False
    assert np.isnan(fit.bias[absent]).all()
    assert np.isnan(fit.reliability[absent]).all()
    assert np.isfinite(fit.score).all()
    assert not np.isinf(fit.reliability).any()
    if fit.deviation is not None:
        assert len(fit.deviation) == reports.submissions
        assert not np.isinf(fit.deviation).any()
        assert not (fit.deviation < 0).any()


@steadily
@given(reports=any_reports())
def test_plain_equals_compiled(model: Model, reports: Reports) -> None:
    with plain_numpy():
        plain = fit_of(model, replace(reports))
    assert_same(fit_of(model, reports), plain)


@certainly
@given(data=st.data())
def test_estimates_follow_their_grader_to_another_number(model: Model, data: st.DataObject) -> None:
    reports = data.draw(any_reports())
    new = np.array(data.draw(st.permutations(range(reports.graders))))
    here, there = fit_of(model, reports), fit_of(model, reports.relabel(new))
    np.testing.assert_allclose(there.score, here.score, atol=1e-7)
    np.testing.assert_allclose(there.bias[:, new], here.bias, atol=1e-7)
    np.testing.assert_allclose(there.reliability[:, new], here.reliability, rtol=1e-6)


@steadily
@given(reports=any_reports(scales=(Scale(0, 10),)), shift=st.sampled_from([0, 20, -100]))
def test_another_scale_is_estimated_in_proportion(
    model: Model, reports: Reports, shift: int
) -> None:
    stretched = Reports(
        reports.assignment, reports.submission, reports.grader,
        shift + 5 * reports.grade, Scale(shift, shift + 50, 5), graders=reports.graders,
    )  # fmt: skip
    fit, wide = fit_of(model, reports), fit_of(model, stretched)
    np.testing.assert_allclose(wide.score, shift + 5 * fit.score, atol=1e-6)
    np.testing.assert_allclose(wide.bias, 5 * fit.bias, atol=1e-6)
    np.testing.assert_allclose(wide.reliability, fit.reliability / 25, rtol=1e-6)
    assert (wide.converged == fit.converged).all()
    if fit.deviation is not None and wide.deviation is not None:
        np.testing.assert_allclose(wide.deviation, 5 * fit.deviation, atol=1e-6)


@quickly
def test_the_first_assignments_are_estimated_the_same_without_the_later_ones(model: Model) -> None:
    reports = clustered(6, assignments=4)
    first = reports.first(2)
    few, many = fit_of(model, first), fit_of(model, reports)
    np.testing.assert_array_equal(few.score, many.score[: first.submissions])
    np.testing.assert_array_equal(few.reliability, many.reliability[:2])


@quickly
def test_inputs_stay_untouched_and_estimates_cannot_be_changed(model: Model) -> None:
    reports = clustered(5)
    before = pickle.dumps(reports)
    fit = fit_of(model, reports)
    assert pickle.dumps(reports) == before
    for field in fields(fit):
        for column in columns_of(fit, field.name):
            assert not column.flags.writeable, field.name


@quickly
def test_a_submission_that_nobody_graded_has_no_estimate_but_the_prior(model: Model) -> None:
    """Assignments, submissions and graders that were told of, but are not seen."""
    reports = replace(class_of({"s": {"ann": 5, "bob": 6}}), assignments=2, submissions=3,
                      assignment_names=None, submission_names=None)  # fmt: skip
    with plain_numpy():
        plain = fit_of(model, replace(reports))
    fit = fit_of(model, reports)
    assert_same(fit, plain)
    assert len(fit.score) == 3
    assert fit.score[1] == pytest.approx(fit.score[2], nan_ok=True)
    assert fit.rounds[1] == 0


@every
def test_spec_and_pickle_give_the_same_model_back(model: Model) -> None:
    assert models.make(model.spec) == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert len(model.summary()) > 20
