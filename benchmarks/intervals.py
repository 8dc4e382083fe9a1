"""Coverage of 90 % intervals, and errors of grades and of all models, in simulated classes.

Run ``python -m benchmarks.intervals``. The script simulates classes of many shapes, including
shapes that violate the assumptions of the model. It compares the grades of ``peergauge grade`` with
what many more peers would give and with true scores, and PG1 with intervals with true scores and
biases.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

import peergauge
from benchmarks.classes import listed
from peergauge.classroom.grade.estimate import assignments_of, estimate_grades
from peergauge.classroom.grade.reward_per_review import estimated_by, subset
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.randomness import stream
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms.priors import with_prior
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.models import models
from peergauge.models.halfway import halfway_grades
from peergauge.models.posterior import PG1Posterior, Posterior, middle
from peergauge.simulate import BinomialScores, NormalBias, Setting, regular_design, simulate
from peergauge.simulate.population import NormalStyles, SharedError
from peergauge.tables import Reports, Scale

Result = TypeVar("Result")

LEVEL = 0.9
STUDENTS = 400

MORE_ROUNDS = 40
"""Rounds of further reviews whose mean stands for the mean of many more peers."""
STRATEGIES = ("hedge", "prior", "all-tens", "noise", "merge", "fix-bias")
BESIDE = ("mean", "median", "trimmed-mean", "vancouver", "pg1")


class Example(NamedTuple):
    """A simulated class with its true scores and biases; NaN where they do not count."""

    reports: Reports
    score: Floats
    bias: Floats
    staff: Floats | None = None
    many: Callable[[], Floats] | None = None
    """Mean grade of each submission by many more such peers."""


@dataclass(frozen=True)
class Shape:
    """A kind of class: a function from a seed to a class, and the model that estimates it."""

    make: Callable[[int], Example]
    model: PG1Posterior = field(default_factory=PG1Posterior)


def usual(
    seed: int, *, lost: float = 0.0, staff: int = 0, last: bool = False, **setting: object
) -> Example:
    """A class of the paper's model, with the changes in *setting*.

    A share of reports may be *lost*. *staff* is the number of submissions that staff grade; these
    do not count. With *last*, only the last assignment counts. The biases of strategic graders do
    not count, because their reports differ from their signals.
    """
    size = {"students": STUDENTS, "assignments": 1, **setting}
    semester = simulate(Setting(**size), seed)  # type: ignore[arg-type]
    reports, score = semester.reports, semester.truth.score.copy()
    if lost:
        reports = subset(reports, stream(seed, "lost").random(len(reports)) >= lost)
    graded = None
    if staff:
        graded = np.full(len(score), np.nan)
        chosen = stream(seed, "staff").permutation(len(score))[:staff]
        graded[chosen], score[chosen] = score[chosen], np.nan
    if last:
        score[semester.truth.assignment < reports.assignments - 1] = np.nan
    bias = np.where(semester.population.strategy > 0, np.nan, semester.population.bias)

    def many() -> Floats:
        # The same students grade the same submissions again, in other pairs and with other errors.
        mixed = Setting(**{**size, "design": "regular"})  # type: ignore[arg-type]
        total = np.zeros(len(score))
        for number in range(1, MORE_ROUNDS + 1):
            again = simulate(mixed, seed, repeat=number).reports
            total += np.bincount(again.submission, again.grade, len(score))
        return total / MORE_ROUNDS / np.bincount(again.submission, minlength=len(score))

    return Example(reports, score, bias, graded, many)


def continuous(seed: int) -> Example:
    """A class with normal reports around score plus bias, clipped to 0..10 and not rounded."""
    rng = stream(seed, "continuous")
    design = regular_design(STUDENTS, 4, 1, rng)
    score = np.clip(rng.normal(7, 1.45, STUDENTS), 0, 10)
    bias = rng.normal(0, 1, STUDENTS)
    noise = rng.gamma(6, 1 / 5, STUDENTS) ** -0.5
    seen = score[design.submission] + rng.normal(bias[design.grader], noise[design.grader])

    def many() -> Floats:
        more = rng.integers(STUDENTS, size=(4 * MORE_ROUNDS, STUDENTS))
        return np.asarray(np.clip(score + rng.normal(bias[more], noise[more]), 0, 10).mean(axis=0))

    reports = design.reports(np.clip(seen, 0, 10), Scale(0, 10, None))
    return Example(reports, score, bias, None, many)


def agreeing(seed: int) -> Example:
    """A class whose graders see the true score with an error of 0.3 points, and round it."""
    rng = stream(seed, "agreeing")
    design = regular_design(STUDENTS, 4, 1, rng)
    score = np.clip(rng.normal(7, 1.45, STUDENTS), 0, 10)

    def seen(who: Floats) -> Floats:
        return np.asarray(np.clip(np.rint(who + rng.normal(0, 0.3, who.shape)), 0, 10))

    def many() -> Floats:
        return np.asarray(seen(np.tile(score, (4 * MORE_ROUNDS, 1))).mean(axis=0))

    reports = design.reports(seen(score[design.submission]), Scale(0, 10))
    return Example(reports, score, np.zeros(STUDENTS), None, many)


def of(model: PG1Posterior | None = None, **setting: object) -> Shape:
    """The shape of the paper's class with the changes in *setting*."""
    return Shape(partial(usual, **setting), model or PG1Posterior())  # type: ignore[arg-type]


INSIDE: Mapping[str, Shape] = {
    "the paper's": of(),
    "two graders": of(graders=2),
    "eight graders": of(graders=8),
    "ceiling: scores Binomial(10, 0.93)": of(true_scores=BinomialScores(0.93)),
    "a third of the reports lost": of(lost=1 / 3),
    "mean of 4 where 7 is expected": of(true_scores=BinomialScores(0.4)),
    "six strategies, 5 % each": of(strategies=dict.fromkeys(STRATEGIES, STUDENTS // 20)),
}
"""Shapes for which intervals are promised to hold."""

OUTSIDE: Mapping[str, Shape] = {
    **{f"30 % {one}": of(strategies={one: 3 * STUDENTS // 10}) for one in STRATEGIES},
    "all lenient by 1": of(bias=NormalBias(mean=1.0)),
    "all lenient by 1, staff grade 20": of(bias=NormalBias(mean=1.0), staff=20),
    "all lenient by 1, staff grade 60": of(bias=NormalBias(mean=1.0), staff=60),
    "40 students": of(students=40),
    "12 students": of(students=12),
    "tenth of ten assignments, 100 students": of(students=100, assignments=10, last=True),
    "continuous scale": Shape(continuous),
}

OTHER_MODELS: Mapping[str, Shape] = {
    "no leniency": of(bias=NormalBias(deviation=0.0)),
    "closed clusters": of(design="clusters"),
    "response styles, slopes N(1, 0.4²)": of(styles=NormalStyles(deviation=0.4)),
    "shared errors of 1.5 points": of(shared_error=SharedError(deviation=1.5)),
    "five-point scale": of(scale=Scale(1, 5)),
    "graders who nearly agree": Shape(agreeing),
}
"""Shapes of other models of a class."""

LENIENT = ("all lenient by 1", "all lenient by 1, staff grade 20")

READINGS: Mapping[str, Shape] = {
    f"{name}, {reading}": Shape(shape.make, PG1Posterior(reading=reading))
    for name, shape in {**INSIDE, **OUTSIDE}.items()
    if name.startswith(("the paper's", "ceiling", "continuous"))
    for reading in ("censored", "exact")
}

ALL_PLAIN: Mapping[str, Shape] = {
    f"{name}, without kinds": Shape(shape.make, PG1Posterior(kinds=False))
    for name, shape in {**INSIDE, **OUTSIDE}.items()
    if name.startswith(("the paper's", "ceiling", "six", "30 %"))
}


class Measured(NamedTuple):
    """Measurements of one class: coverage and width of intervals, and squared errors."""

    covered: float
    width: float
    bias_covered: float
    errors: Floats
    """Mean squared error of PG1 with intervals, then of the other models."""


def measure(shape: Shape, seed: int, beside: Sequence[str] = BESIDE) -> Measured:
    """Estimate one class of a shape."""
    example = shape.make(seed)
    fit = settled_or_not(shape.model, example.reports, example.staff)
    low, high = fit.interval(LEVEL)
    asked = ~np.isnan(example.score) & ~np.isnan(fit.score)
    inside = inside_of(example.score, low, high)[asked]
    low_bias, high_bias = middle(fit.bias_draws, LEVEL)
    graders = ~np.isnan(example.bias) & ~np.isnan(low_bias)
    bias_inside = inside_of(example.bias, low_bias, high_bias)[graders]
    scores = [fit.score, *(models.make(one).fit(example.reports).score for one in beside)]
    errors = [((score - example.score)[asked] ** 2).mean() for score in scores]
    return Measured(inside.mean(), (high - low)[asked].mean(), bias_inside.mean(), np.array(errors))


class GradesMeasured(NamedTuple):
    """Measurements of the grades of one class, in points of 0..10."""

    peers_covered: float
    """Share of intervals that contain the mean of many more peers, minus the shift to staff."""

    true_covered: float
    width: float
    error: float
    """Root mean squared error to true scores."""

    gap: float
    """The same minus that of the mean."""

    peers_gap: float
    """Root mean squared distance to the mean of many more peers, minus that of the mean."""


def measure_grades(shape: Shape, seed: int) -> GradesMeasured:
    """Grade one class of a shape as ``peergauge grade`` does."""
    example = shape.make(seed)
    reports = example.reports
    fit = settled_or_not(PG1Posterior(), reports, example.staff)
    halfway = halfway_grades(reports, fit)
    found = estimate_grades(reports, fit, halfway, level=LEVEL)
    asked = ~np.isnan(example.score) & ~np.isnan(found.score)
    if example.many is None:
        raise ValueError("This shape does not say what many more peers would give.")
    shift = halfway.shift[assignments_of(reports)]
    many = np.clip(example.many() - shift, reports.scale.lowest, reports.scale.highest)
    plain = models.make("mean").fit(reports).score

    def error(score: Floats, truth: Floats) -> float:
        off = (score - truth)[asked] / reports.scale.unit
        return float(np.sqrt((off**2).mean()))

    ours = error(found.score, example.score)
    return GradesMeasured(
        float(inside_of(many, found.low, found.high)[asked].mean()),
        float(inside_of(example.score, found.low, found.high)[asked].mean()),
        float((found.high - found.low)[asked].mean() / reports.scale.unit),
        ours,
        ours - error(plain, example.score),
        error(found.score, many) - error(plain - shift, many),
    )


def grades_table(shapes: Mapping[str, Shape], seeds: range) -> list[str]:
    """A table of grades with a row for each shape."""
    head = ["class", "contains the mean of many peers", "contains the true score", "width",
            "error", "minus that of the mean",
            "distance to the mean of many peers, minus that of the mean"]  # fmt: skip
    rows = []
    for name, shape in shapes.items():
        found = np.array(each_of(measure_grades, shape, seeds))
        gaps = [f"{value:+.3f} ± {error:.3f}" for value, error in _means(found[:, 4:])]
        rows.append([
            name,
            mean_and_error(found[:, 0], 1, 100.0),
            mean_and_error(found[:, 1], 1, 100.0),
            mean_and_error(found[:, 2], 2),
            mean_and_error(found[:, 3], 2),
            *gaps,
        ])  # fmt: skip
        print(" | ".join(rows[-1]))
    return listed(head, rows)


def _means(columns: Floats) -> list[tuple[float, float]]:
    """Means over classes and their standard errors."""
    errors = columns.std(axis=0, ddof=1) / np.sqrt(len(columns))
    return list(zip(columns.mean(axis=0).tolist(), errors.tolist(), strict=True))


def inside_of(truth: Floats, low: Floats, high: Floats) -> Floats:
    """Whether each true value is inside its interval, with a tolerance for single precision."""
    return np.asarray((low - 1e-5 <= truth) & (truth <= high + 1e-5))


def with_own_prior(spec: str, fit: Posterior) -> Mechanism:
    """A parametric mechanism whose prior is estimated from the reports of the class."""
    return with_prior(spec, *fit.moments())


def wrong_by(reports: Reports, score: Floats) -> Floats:
    """Mean squared error of each grader over submissions with a known score; NaN if none."""
    error = (reports.grade - score[reports.submission]) ** 2
    known = ~np.isnan(error)
    count = np.bincount(reports.grader[known], minlength=reports.graders)
    total = np.bincount(reports.grader[known], error[known], reports.graders)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


PAYING = ("mse", "mse-p:bias=estimate", "mse-p:bias=ignore", "mse-p:bias=correct")


def taus(shape: Shape, seed: int) -> Floats:
    """τ_B between reward and accuracy, for each mechanism and then with the class's own prior."""
    reports, score, _, staff, _ = shape.make(seed)
    fit = settled_or_not(shape.model, reports, staff)
    chosen = [mechanisms.make(spec) for spec in PAYING]
    chosen += [with_own_prior(spec, fit) for spec in PAYING[1:]]
    wrong = wrong_by(reports, score)
    found = []
    for one in chosen:
        own = estimated_by(one, reports, None, seed).own_mean
        both = ~np.isnan(own) & ~np.isnan(wrong)
        found.append(kendall_tau_b(own[both], -wrong[both]))
    return np.array(found)


def graders_table(shapes: Mapping[str, Shape], seeds: range) -> list[str]:
    """A table with a row for each shape; the best mechanism is bold."""
    own = [f"`{spec}`, own prior" for spec in PAYING[1:]]
    rows = []
    for name, shape in shapes.items():
        values = np.array(each_of(taus, shape, seeds))
        cells = [mean_and_error(values[:, place], 2) for place in range(values.shape[1])]
        best = values.mean(0).argmax()
        cells[best] = f"**{cells[best]}**"
        rows.append([name, *cells])
        print(" | ".join(rows[-1]))
    return listed(["class", *(f"`{spec}`" for spec in PAYING), *own], rows)


def settled_or_not(model: PG1Posterior, reports: Reports, staff: Floats | None = None) -> Posterior:
    """Fit without convergence warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(reports, staff)


def each_of(ask: Callable[[Shape, int], Result], shape: Shape, seeds: range) -> list[Result]:
    """Apply a function to every class of a shape, in parallel."""
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:
        return list(pool.map(ask, repeat(shape), seeds))


def mean_and_error(values: Floats, digits: int, scale: float = 1.0) -> str:
    """Format the mean and standard error over classes."""
    error = values.std(ddof=1) / np.sqrt(len(values))
    return f"{scale * values.mean():.{digits}f} ± {scale * error:.{digits}f}"


def table(shapes: Mapping[str, Shape], seeds: range) -> list[str]:
    """A table with a row for each shape; the smallest squared error is bold."""
    head = ["class", "in 90 % intervals", "width", "biases in 90 % intervals", "PG1 with intervals"]
    rows = []
    for name, shape in shapes.items():
        began = time.perf_counter()
        found = each_of(measure, shape, seeds)
        errors = np.array([one.errors for one in found])
        best = errors.mean(0).argmin()
        cells = [mean_and_error(errors[:, place], 2) for place in range(errors.shape[1])]
        cells[best] = f"**{cells[best]}**"
        rows.append([
            name,
            mean_and_error(np.array([one.covered for one in found]), 1, 100.0),
            mean_and_error(np.array([one.width for one in found]), 2),
            mean_and_error(np.array([one.bias_covered for one in found]), 1, 100.0),
            *cells,
        ])  # fmt: skip
        print(f"{time.perf_counter() - began:6.1f} s  {' | '.join(rows[-1])}")
    return listed([*head, *(models.make(one).facts.label for one in BESIDE)], rows)


def page(first: int, classes: int) -> str:
    """Measure everything and return the page as Markdown."""
    seeds = range(first, first + classes)
    sections = {
        "Classes for which coverage is promised": INSIDE,
        "Classes that violate the model": OUTSIDE,
        "Other likelihoods of a grade": READINGS,
        "All graders modelled as truthful": ALL_PLAIN,
    }
    lines = [
        "# Intervals",
        "",
        "Written by `python -m benchmarks.intervals`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}. {classes} classes of each shape (seeds from {first}), "
        f"{STUDENTS} students and four graders for each submission unless stated otherwise. "
        "Coverage in per cent, mean width of intervals for scores in points of 0..10, and mean "
        "squared errors of scores, ± one standard error over classes. The smallest squared error "
        "of each row is bold. Strategic graders have no true bias and do not count in the coverage "
        "of biases.",
    ]
    lines += [
        "",
        "## Grades",
        "",
        "The grades of `peergauge grade`: half a model and half the mean. Their 90 % intervals are "
        "about the mean that many more such peers would give (here: "
        f"{MORE_ROUNDS} more rounds of reviews by the same students), which reports can show; the "
        "true score is a stronger claim that they do not make. Errors are root mean squares in "
        "points of 0..10. A negative difference means that the grades are better than the mean.",
        "",
        *grades_table({**INSIDE, **OUTSIDE, **OTHER_MODELS}, seeds),
        "",
        "# PG1 with intervals",
        "",
        "The model behind the grades by itself, with intervals for true scores.",
    ]
    for title, shapes in sections.items():
        lines += ["", f"## {title}", "", *table(shapes, seeds)]
    lines += [
        "",
        "## Graders by their rewards",
        "",
        "Kendall's τ_B between the mean reward of a review and minus the mean squared error to "
        "true scores. *Own prior*: the mean and variance of scores are those that PG1 with "
        "intervals estimates in the class; otherwise they are the paper's 7 and 2.1.",
        "",
        *graders_table({**INSIDE, **{name: OUTSIDE[name] for name in LENIENT}}, seeds),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=1000, help="the first seed")
    parser.add_argument("--classes", type=int, default=12, help="how many of each shape")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    chosen.out.write_text(page(chosen.first, chosen.classes), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
