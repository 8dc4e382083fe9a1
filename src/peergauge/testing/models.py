"""The contract of models: what every model promises, one check for each promise.

Models that draw samples are best checked with few draws, by their parameters. Checks that take
*classes* use those classes, or the ones of :mod:`peergauge.testing.classes` if none are given.
"""

from __future__ import annotations

import pickle
import warnings
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.acceleration import plain_numpy
from peergauge.core.errors import ConvergenceWarning, PeergaugeError
from peergauge.models import Estimates, Model, models
from peergauge.tables import Reports, Scale
from peergauge.testing.classes import class_of, clustered, many_classes
from peergauge.testing.promises import checks_of, promise, require, same, size_of

KIND = "model"

SCALE_FACTOR = 5
"""How much longer the other scale is on which the same class is estimated."""


def check_model(model: str | Model) -> None:
    """Check that a model, given as an object or by its spec string, keeps every promise.

    >>> check_model("mean")
    """
    made = models.make(model) if isinstance(model, str) else model
    for check in checks_of(KIND, made):
        check(made)


def estimates_of(model: Model, reports: Reports) -> Estimates:
    """The estimates, without a warning that random draws have not converged."""
    with warnings.catch_warnings():
        if model.facts.random:
            warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(reports)


def columns_of(estimates: Estimates, name: str) -> list[NDArray[Any]]:
    """The arrays behind a field of the estimates: one, several or none."""
    column = getattr(estimates, name)
    several = column if isinstance(column, tuple) else (column,)
    return [one for one in several if isinstance(one, np.ndarray)]


def _require_same(model: Model, one: Estimates, other: Estimates, why: str) -> None:
    for field in fields(one):
        mine, theirs = (columns_of(each, field.name) for each in (one, other))
        require(
            len(mine) == len(theirs) and all(map(_nearly, mine, theirs)),
            model,
            f"{why} ({field.name})",
        )


def _nearly(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return same(one, other, 1e-7)


def _is_deterministic(model: Model) -> bool:
    return not model.facts.random


@promise(KIND)
def check_any_class_is_estimated(model: Model, *classes: Reports) -> None:
    """Every submission of any class has a finite score; graders without reports have NaN."""
    for reports in classes or many_classes():
        fit = estimates_of(model, reports)
        shape, where = (reports.assignments, reports.graders), f"in {size_of(reports)}"
        require(
            len(fit.score) == reports.submissions
            and fit.bias.shape == fit.reliability.shape == shape
            and len(fit.rounds) == len(fit.converged) == reports.assignments,
            model,
            f"makes estimates of another size than the class {where}",
        )
        absent = np.ones(shape, dtype=np.bool_)
        absent[reports.assignment, reports.grader] = False
        require(
            np.isnan(fit.bias[absent]).all() and np.isnan(fit.reliability[absent]).all(),
            model,
            f"estimates graders who graded nothing {where}",
        )
        require(np.isfinite(fit.score).all(), model, f"estimates scores that are no number {where}")
        require(
            not np.isinf(fit.reliability).any(), model, f"estimates an infinite reliability {where}"
        )
        if fit.deviation is not None:
            require(
                len(fit.deviation) == reports.submissions
                and not np.isinf(fit.deviation).any()
                and not (fit.deviation < 0).any(),
                model,
                f"estimates a standard deviation that is negative or infinite {where}",
            )


@promise(KIND)
def check_plain_equals_compiled(model: Model, *classes: Reports) -> None:
    """Compiled functions estimate the same as the plain NumPy functions that define them."""
    for reports in classes or many_classes():
        with plain_numpy():
            plain = estimates_of(model, replace(reports))
        why = f"estimates differently when compiled in {size_of(reports)}"
        _require_same(model, estimates_of(model, reports), plain, why)


@promise(KIND, _is_deterministic)
def check_grader_numbers_do_not_matter(
    model: Model, *classes: Reports, new: ArrayLike | None = None
) -> None:
    """Estimates follow graders to another number.

    *new* has the new number of each grader; by default they are permuted at random.
    """
    for reports in classes or many_classes():
        count = reports.graders
        numbers = np.asarray(
            np.random.default_rng(count).permutation(count) if new is None else new
        )
        here, there = (estimates_of(model, one) for one in (reports, reports.relabel(numbers)))
        require(
            same(there.score, here.score, 1e-7)
            and same(there.bias[:, numbers], here.bias, 1e-7)
            and same(there.reliability[:, numbers], here.reliability, 1e-6),
            model,
            "estimates differently when graders are numbered in another order",
        )


@promise(KIND)
def check_another_scale_is_estimated_in_proportion(
    model: Model, *classes: Reports, shift: int = 20
) -> None:
    """The same grades on a longer scale give the same estimates in proportion."""
    for reports in classes or (clustered(1), clustered(2, students=24, assignments=3)):
        if reports.scale != Scale(0, 10):
            continue
        factor = SCALE_FACTOR
        stretched = Reports(
            reports.assignment, reports.submission, reports.grader,
            shift + factor * reports.grade, Scale(shift, shift + 10 * factor, factor),
            graders=reports.graders,
        )  # fmt: skip
        fit, wide = estimates_of(model, reports), estimates_of(model, stretched)
        require(
            same(wide.score, shift + factor * fit.score, 1e-6)
            and same(wide.bias, factor * fit.bias, 1e-6)
            and same(wide.reliability * factor**2, fit.reliability, 1e-6)
            and (wide.converged == fit.converged).all(),
            model,
            "does not estimate another scale in proportion",
        )
        if fit.deviation is not None and wide.deviation is not None:
            require(
                same(wide.deviation, factor * fit.deviation, 1e-6),
                model,
                "does not estimate the standard deviation on another scale in proportion",
            )


@promise(KIND)
def check_earlier_assignments_stay_estimated(model: Model) -> None:
    """Estimates of an assignment do not depend on later assignments."""
    reports = clustered(6, assignments=4)
    first = reports.first(2)
    few, many = estimates_of(model, first), estimates_of(model, reports)
    require(
        same(few.score, many.score[: first.submissions])
        and same(few.reliability, many.reliability[:2]),
        model,
        "estimates earlier assignments differently once there are later ones",
    )


@promise(KIND)
def check_inputs_stay_untouched(model: Model) -> None:
    """A model does not change the reports, and its estimates are read-only."""
    reports = clustered(5)
    before = pickle.dumps(reports)
    fit = estimates_of(model, reports)
    require(pickle.dumps(reports) == before, model, "changes the reports that it is given")
    for field in fields(fit):
        require(
            not any(column.flags.writeable for column in columns_of(fit, field.name)),
            model,
            f"makes estimates that can be changed afterwards ({field.name})",
        )


@promise(KIND)
def check_ungraded_submissions_have_only_a_prior(model: Model) -> None:
    """Submissions that nobody graded all have the same estimate, or none."""
    reports = replace(
        class_of({"s": {"ann": 5, "bob": 6}}), assignments=2, submissions=3,
        assignment_names=None, submission_names=None,
    )  # fmt: skip
    with plain_numpy():
        plain = estimates_of(model, replace(reports))
    fit = estimates_of(model, reports)
    _require_same(model, fit, plain, "estimates ungraded submissions differently when compiled")
    require(
        len(fit.score) == 3 and same(fit.score[1], fit.score[2], 1e-9) and fit.rounds[1] == 0,
        model,
        "estimates submissions differently that nobody graded",
    )


@promise(KIND)
def check_spec_and_pickle_give_it_back(model: Model) -> None:
    """The spec string and a pickle make an equal model."""
    try:
        again = models.make(model.spec) == model
    except PeergaugeError:
        again = False
    require(again, model, f"cannot be made from its spec {model.spec}")
    require(pickle.loads(pickle.dumps(model)) == model, model, "is not the same after pickling")


@promise(KIND)
def check_explains_itself(model: Model) -> None:
    """A model has a docstring that begins with a sentence."""
    require(len(model.summary()) > 20, model, "has no docstring that begins with its idea")
