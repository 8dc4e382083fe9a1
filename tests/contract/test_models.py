"""What every model promises, held against everything that is found."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.acceleration import plain_numpy
from peergauge.models import Estimates, Model, models
from peergauge.registry import parameters
from peergauge.tables import Reports, Scale
from tests.generators import class_of, clustered
from tests.generators import reports as any_reports

every = pytest.mark.parametrize("model", models.all(), ids=str)


# Rounds that stop short of a fixed point can let the last bits grow, though not far in three.
STEADY = [
    models.make(one, rounds=3) if any(f.name == "rounds" for f in parameters(type(one))) else one
    for one in models.all()
]
steadily = pytest.mark.parametrize("model", STEADY, ids=str)


def assert_same(one: Estimates, other: Estimates, tolerance: float = 1e-7) -> None:
    """Every estimate is the same, whatever the model makes."""
    for field in fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        assert (mine is None) == (theirs is None), field.name
        if mine is not None:
            np.testing.assert_allclose(
                mine, theirs, rtol=tolerance, atol=tolerance, err_msg=field.name
            )


@every
@given(reports=any_reports())
def test_any_class_is_estimated(model: Model, reports: Reports) -> None:
    fit = model.fit(reports)
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
        plain = model.fit(replace(reports))
    assert_same(model.fit(reports), plain)


@steadily
@given(data=st.data())
def test_estimates_follow_their_grader_to_another_number(model: Model, data: st.DataObject) -> None:
    reports = data.draw(any_reports())
    new = np.array(data.draw(st.permutations(range(reports.graders))))
    here, there = model.fit(reports), model.fit(reports.relabel(new))
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
        shift + 5 * reports.grade, Scale(shift, shift + 50), graders=reports.graders,
    )  # fmt: skip
    fit, wide = model.fit(reports), model.fit(stretched)
    np.testing.assert_allclose(wide.score, shift + 5 * fit.score, atol=1e-6)
    np.testing.assert_allclose(wide.bias, 5 * fit.bias, atol=1e-6)
    np.testing.assert_allclose(wide.reliability, fit.reliability / 25, rtol=1e-6)
    assert (wide.converged == fit.converged).all()
    if fit.deviation is not None and wide.deviation is not None:
        np.testing.assert_allclose(wide.deviation, 5 * fit.deviation, atol=1e-6)


@every
def test_the_first_assignments_are_estimated_the_same_without_the_later_ones(model: Model) -> None:
    reports = clustered(6, assignments=4)
    first = reports.first(2)
    few, many = model.fit(first), model.fit(reports)
    np.testing.assert_array_equal(few.score, many.score[: first.submissions])
    np.testing.assert_array_equal(few.reliability, many.reliability[:2])


@every
def test_inputs_stay_untouched_and_estimates_cannot_be_changed(model: Model) -> None:
    reports = clustered(5)
    before = pickle.dumps(reports)
    fit = model.fit(reports)
    assert pickle.dumps(reports) == before
    for field in fields(fit):
        column = getattr(fit, field.name)
        assert column is None or not column.flags.writeable, field.name


@every
def test_a_submission_that_nobody_graded_has_no_estimate_but_the_prior(model: Model) -> None:
    """Assignments, submissions and graders that were told of, but are not seen."""
    reports = replace(class_of({"s": {"ann": 5, "bob": 6}}), assignments=2, submissions=3,
                      assignment_names=None, submission_names=None)  # fmt: skip
    with plain_numpy():
        plain = model.fit(replace(reports))
    fit = model.fit(reports)
    assert_same(fit, plain)
    assert len(fit.score) == 3
    assert fit.score[1] == pytest.approx(fit.score[2], nan_ok=True)
    assert fit.rounds[1] == 0


@every
def test_spec_and_pickle_give_the_same_model_back(model: Model) -> None:
    assert models.make(model.spec) == model
    assert pickle.loads(pickle.dumps(model)) == model
    assert len(model.summary()) > 20
