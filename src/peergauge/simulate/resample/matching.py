"""Method of simulated moments: choose parameters so that drawn classes have a class's moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import derived_seed
from peergauge.metrics.statistics import covariance_of_pairs, pearson, spread_within
from peergauge.simulate.resample.designs import draw_design
from peergauge.simulate.resample.latent import StackedClasses, grades_and_scores
from peergauge.simulate.resample.parameters import TwinParameters
from peergauge.tables import Reports

MIN_FITTING_REPORTS = 20_000
"""Simulated reports whose moments are matched: their error is then small beside a real class's."""

MATCHING_ROUNDS = 4
"""Rounds of matching one moment after the other."""

BISECTION_STEPS = 12
LEVEL_STEPS = 6
POINT_QUANTILES = 2000


class Moments(NamedTuple):
    """The moments that are matched: one for each parameter of the latent model."""

    by_assignment: Floats
    """Mean grade of each assignment."""

    within: float
    """Variance within submissions."""

    skewness: float
    """Third moment of two grades of a submission."""

    bias: float
    """Covariance of two residuals of a grader."""

    spread: float
    """Covariance of the sizes of two residuals of a grader."""

    agreement: float
    """Correlation of mean grades with true scores."""

    known_grade: float
    """Mean grade of the submissions whose true score is known."""


def moments(
    assignment: Ints,
    submission: NDArray[Any],
    grader: NDArray[Any],
    grade: Floats,
    score: Floats | None,
    assignments: int,
) -> Moments:
    """Moments of the columns of a class; *score* is NaN for unknown true scores."""
    n, mean, within = spread_within(submission, grade)
    residual = grade - mean[submission]
    shared = n[submission] > 1
    size = n[submission[shared]]
    # A residual from the mean of n is (n - 1) / n of the residual from the mean of the others.
    scaled = residual[shared] * np.sqrt(size / (size - 1))
    by = grader[shared]
    absolute = np.abs(scaled)
    agreement = known_grade = 0.0
    if score is not None:
        known = np.flatnonzero(np.isfinite(score[: len(n)]) & (n > 0))
        if len(known):
            agreement = float(np.nan_to_num(pearson(mean[known], score[known])))
            known_grade = float(mean[known].mean())
    times = np.bincount(assignment, minlength=assignments)
    return Moments(
        np.bincount(assignment, grade, assignments) / np.maximum(times, 1),
        float(np.nan_to_num(within)),
        third_moment_of_pairs(submission, grade - grade.mean()),
        covariance_of_pairs(by, scaled),
        covariance_of_pairs(by, absolute - absolute.mean()) if len(absolute) else 0.0,
        agreement,
        known_grade,
    )


def third_moment_of_pairs(group: NDArray[Any], value: Floats) -> float:
    """Mean product of the square of a value and another value of the same group."""
    n = np.bincount(group)
    pairs = float((n * (n - 1)).sum())
    square = value**2
    products = np.bincount(group, square) * np.bincount(group, value)
    products -= np.bincount(group, square * value)
    return float(products.sum()) / pairs if pairs else 0.0


Simulated: TypeAlias = Callable[[TwinParameters], Moments]
"""Moments of classes drawn with given parameters."""


def matched(model: TwinParameters, reports: Reports, score: Floats | None) -> TwinParameters:
    """Parameters whose simulated moments are those of the class, found one after the other."""
    columns = reports.assignment, reports.submission, reports.grader
    target = moments(*columns, reports.grade, score, reports.assignments)
    simulated = _simulated_moments(model, reports)
    for _ in range(MATCHING_ROUNDS):
        model = _with_assignment_means(model, target.by_assignment, simulated)
        for one in _PARAMETERS:
            if one.applies(model, reports):
                model = _bisected(model, one, target, simulated)
    return replace(model, points=tuple(in_points(model).items()))


def _simulated_moments(model: TwinParameters, reports: Reports) -> Simulated:
    """Draw designs and random numbers once, so that moments change smoothly with parameters."""
    copies = int(np.clip(MIN_FITTING_REPORTS // len(reports), 4, 200))
    own = derived_seed(0, "twin", "fit")
    # Drawing designs takes longest; people and grades are new in every copy.
    designs = [draw_design(model, derived_seed(own, i)) for i in range(4)]
    classes = StackedClasses.draw([designs[i % 4] for i in range(copies)], own)

    def simulated(one: TwinParameters) -> Moments:
        grade, true = grades_and_scores(one, classes)
        return moments(
            classes.assignment, classes.submission, classes.grader, grade, true,
            reports.assignments,
        )  # fmt: skip

    return simulated


# ------------------------------------------------------------------------- one parameter at a time


class _Parameter(NamedTuple):
    """A parameter, the moment that increases with it, and its bounds."""

    change: Callable[[TwinParameters, float], TwinParameters]
    moment: Callable[[Moments], float]
    low: float
    high: float
    applies: Callable[[TwinParameters, Reports], bool] = lambda _model, _reports: True


def _bisected(
    model: TwinParameters, parameter: _Parameter, target: Moments, simulated: Simulated
) -> TwinParameters:
    """Change one parameter by bisection until its moment is on target."""
    change, moment, low, high, _ = parameter
    wanted = moment(target)
    if moment(simulated(change(model, low))) >= wanted:
        return change(model, low)
    for _ in range(BISECTION_STEPS):
        middle = (low + high) / 2
        if moment(simulated(change(model, middle))) < wanted:
            low = middle
        else:
            high = middle
    return change(model, round((low + high) / 2, 4))


def _with_quality(model: TwinParameters, share: float) -> TwinParameters:
    # The share of the bias in the rest of the variance stays.
    rest = model.bias / (1 - model.quality)
    return replace(model, quality=share, bias=round(rest * (1 - share), 6))


def _with_skewness(model: TwinParameters, skewness: float) -> TwinParameters:
    return replace(model, skewness=skewness)


def _with_bias(model: TwinParameters, share: float) -> TwinParameters:
    return replace(model, bias=round(share * (1 - model.quality), 6))


def _with_spread(model: TwinParameters, spread: float) -> TwinParameters:
    return replace(model, reliability_spread=spread)


def _with_tilt(model: TwinParameters, tilt: float) -> TwinParameters:
    assert model.truth is not None
    return replace(model, truth=model.truth._replace(tilt=tilt))


def _with_accuracy(model: TwinParameters, accuracy: float) -> TwinParameters:
    assert model.truth is not None
    return replace(model, truth=model.truth._replace(accuracy=accuracy))


def _some_scores_unknown(model: TwinParameters, reports: Reports) -> bool:
    return model.truth is not None and model.truth.known < reports.submissions


def _some_scores_known(model: TwinParameters, _reports: Reports) -> bool:
    return model.truth is not None


_PARAMETERS = (
    _Parameter(_with_quality, lambda m: -m.within, 0.0, 0.99),
    _Parameter(_with_skewness, lambda m: m.skewness, -1.0, 1.0),
    _Parameter(_with_bias, lambda m: m.bias, 0.0, 0.95),
    _Parameter(_with_spread, lambda m: m.spread, 0.0, 2.5),
    _Parameter(_with_tilt, lambda m: m.known_grade, -6.0, 6.0, _some_scores_unknown),
    _Parameter(_with_accuracy, lambda m: m.agreement, -1.0, 2.0, _some_scores_known),
)
"""In the order in which they are matched."""


def _with_assignment_means(
    model: TwinParameters, target: Floats, simulated: Simulated
) -> TwinParameters:
    """Change the levels of assignments until each has its mean grade."""
    if len(model.assignments) == 1:
        return model
    deviation = in_points(model)["grade deviation"]
    for _ in range(LEVEL_STEPS if deviation else 0):
        gap = (target - simulated(model).by_assignment) / deviation
        level = np.array([one.level for one in model.assignments]) + gap
        level = np.clip(level - level.mean(), -4.0, 4.0)
        model = replace(
            model,
            assignments=tuple(
                one._replace(level=round(float(to), 4))
                for one, to in zip(model.assignments, level, strict=True)
            ),
        )
    return model


def in_points(model: TwinParameters) -> dict[str, float]:
    """Mean and standard deviation of grades, and of their parts, in points of the scale."""
    from scipy.special import ndtri

    probability = (np.arange(POINT_QUANTILES) + 0.5) / POINT_QUANTILES
    grade = model.grades.at(probability)
    slope = float((grade * ndtri(probability)).mean())
    found = {
        "grade mean": float(grade.mean()),
        "grade deviation": float(grade.std()),
        "quality deviation": slope * np.sqrt(model.quality),
        "bias deviation": slope * np.sqrt(model.bias),
        "noise deviation": slope * np.sqrt(model.noise),
    }
    return {name: round(float(value), 4) for name, value in found.items()}
