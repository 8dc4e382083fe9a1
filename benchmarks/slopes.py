"""Estimate how far the slopes of graders vary in real classes, and check the estimator.

Run ``python -m benchmarks.slopes --data FOLDER``, where FOLDER holds real classes with peer and
staff grades. It writes ``benchmarks/slopes.md`` and takes about four minutes on one core.

A grader with slope k compresses (k < 1) or stretches (k > 1) grades about the class mean μ. With
bias b and errors e, the grade of grader i for submission s with apparent score q is

    y_is = μ + k_i (q_s - μ) + b_i + e_is,

or, if the whole signal is compressed, μ + k_i (q_s - μ + b_i + e_is). A reference x_s (a staff
grade or the grades of other peers) measures q_s with error. The estimator needs no assumption about
errors e, except that those of two different reports of a grader are independent:

1. Regress grades on the reference. The fitted value minus the mean, g, estimates k̄ E[q - μ | x], so
   it is attenuated by the errors of the reference as much as the slopes are.
2. For each two reports of the same grader, on submissions s and s', the residuals satisfy
   E[r_s r_s'] = σ_b² + c (g_s + g_s') + CV² g_s g_s', where CV is the standard deviation of slopes
   divided by their mean. The attenuation cancels. Errors that the graders of a submission share
   cancel, too, because two submissions have independent errors.
3. Weighted least squares gives CV², which may be negative by chance, and the variance of biases.
   Weights are inverse products of the residual variances at both references, divided by the number
   of reports of the grader minus one.

Intervals come from a bootstrap over graders, or over groups of graders if they grade in closed
groups. A third moment tells whether noise shrinks with the slope, as it does if graders compress
whole signals: E[r_s r_s'²] = g_s Cov(k, τ²) + …, where τ² is the variance of a grader's errors.
This covariance, divided by twice the mean of τ², is about CV² for whole signals and about 0 if
errors do not depend on the slope. It is negative if graders with small slopes are the careless
ones.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.stand_in_staff import row, table
from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import stream

PAGE = Path(__file__).with_suffix(".md")

BOOTSTRAP_SAMPLES = 2000
SIMULATED_BOOTSTRAP_SAMPLES = 300
SIMULATED_CLASSES = 200
INTERVAL_PERCENTILES = (2.5, 97.5)
SLOPE_DEVIATIONS = (0.0, 0.2, 0.4, 0.6, 0.9)
SHARED_PART = 0.25
"""Part of the residual variance that is shared by co-graders in half of the simulated classes."""
MATCHING_ROUNDS = 6
MATCHING_CLASSES = 20
"""Rounds and classes by which the errors of simulated classes are matched to a real class."""
LEAST_VARIANCE_SHARE = 0.25
"""Lower bound of the residual variance at a reference, relative to its mean."""
MIN_PAIRS = 30
"""Number of pairs of reports of the same grader that an estimate needs."""
MIN_PREDICTED_SHARE = 0.05
"""Variance of fitted grades that an estimate needs, relative to the residual variance."""
FIRST_SEED = 41_000


@dataclass(frozen=True, eq=False)
class Class:
    """The reports of one assignment, with a staff grade for some submissions."""

    name: str
    label: str
    submission: Ints
    grader: Ints
    grade: Floats
    staff: Floats
    """Staff grade of each submission, NaN if unknown."""
    lowest: float
    highest: float
    step: float

    @property
    def points(self) -> float:
        """Points of 0..10 for each point of the scale."""
        return 10 / (self.highest - self.lowest)

    def reference(self, kind: str) -> Floats:
        """The reference of each report: the staff grade, or that of other peers; NaN if none."""
        if kind == "staff":
            return self.staff[self.submission]
        return peer_reference(self.submission, self.grade)


def peer_reference(submission: Ints, grade: Floats) -> Floats:
    """The mean of the other grades of each submission, shrunk towards the class mean.

    Means of fewer grades are shrunk more, by n / (n + λ), where λ is the variance within
    submissions divided by that between them. NaN where there is no other grade.
    """
    count = np.bincount(submission)
    total, mean = np.bincount(submission, grade), grade.mean()
    several = count > 1
    own = total[several] / count[several]
    inside = several[submission]
    within = ((grade - total[submission] / count[submission])[inside] ** 2).sum()
    within /= (count[several] - 1).sum()
    between = max(float(own.var() - within * (1 / count[several]).mean()), 0.05 * within)
    others = count[submission] - 1
    rest = (total[submission] - grade) / np.maximum(others, 1)
    shrunk = mean + others / (others + within / between) * (rest - mean)
    return np.where(others > 0, shrunk, np.nan)


def groups_of_graders(submission: Ints, grader: Ints) -> Ints:
    """Number of the connected component of each grader, if graders are linked by submissions."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graders, size = int(grader.max()) + 1, int(submission.max()) + 1
    edges = coo_array(
        (np.ones(len(grader)), (grader, graders + submission)), (graders + size, graders + size)
    )
    _, component = connected_components(edges, directed=False)
    return np.asarray(component[:graders], dtype=np.int32)


class Pairs(NamedTuple):
    """All pairs of reports of the same grader: row of each, and number of reports of the grader."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    reports: NDArray[np.intp]

    @classmethod
    def of(cls, grader: Ints, known: NDArray[np.bool_]) -> Pairs:
        """List the pairs among the rows with a reference."""
        rows = np.flatnonzero(known)
        rows = rows[np.argsort(grader[rows], kind="stable")]
        parts = np.split(rows, np.flatnonzero(np.diff(grader[rows])) + 1)
        found = [(part[i], part[j], len(part)) for part in parts
                 for i, j in zip(*np.triu_indices(len(part), 1), strict=True)]  # fmt: skip
        columns = np.array(found, dtype=np.intp).reshape(-1, 3).T
        return cls(*columns)


class Estimate(NamedTuple):
    """Estimates of one class by one reference."""

    slope_variance: float
    """Squared standard deviation of slopes divided by their mean; may be negative."""
    bias_variance: float
    """Variance of biases, in squared points of 0..10; may be negative."""
    pairs: int
    residual_variance: float
    """In squared points of the scale."""
    spread_variance: float
    """Variance of the fitted values, in squared points of the scale."""
    bootstrap: Floats
    """Samples of slope variance, bias variance and Cov(k, τ²) over 2 τ̄²."""
    noise_covariance: float
    """Cov(k, τ²) over 2 τ̄²."""

    def interval(self, column: int) -> tuple[float, float]:
        """A 95 % bootstrap interval."""
        low, high = np.percentile(self.bootstrap[:, column], INTERVAL_PERCENTILES)
        return float(low), float(high)


def estimate(
    one: Class,
    kind: str,
    samples: int,
    rng: np.random.Generator,
    pairs: Pairs | None = None,
    *,
    degree: int = 1,
    by_grader: bool = True,
) -> Estimate:
    """Estimate the variance of slopes and of biases by one reference.

    *degree* is that of the polynomial that predicts grades by the reference. If not *by_grader*,
    all pairs count alike, so that a grader with many reports counts much more than others.
    """
    reference = one.reference(kind)
    known = ~np.isnan(reference)
    line = np.polyfit(reference[known], one.grade[known], degree)
    fitted = np.polyval(line, reference)
    residual, gap = one.grade - fitted, fitted - fitted[known].mean()
    mean_square = float((residual[known] ** 2).mean())
    trend = np.polyfit(reference[known], residual[known] ** 2, 1)
    variance = np.maximum(np.polyval(trend, reference), LEAST_VARIANCE_SHARE * mean_square)
    if pairs is None:
        pairs = Pairs.of(one.grader, known)
    a, b = pairs.first, pairs.second
    weight = 1 / (variance[a] * variance[b])
    if by_grader:
        weight /= pairs.reports - 1
    columns = np.stack([np.ones(len(a)), gap[a] + gap[b], gap[a] * gap[b]], axis=1)
    groups = groups_of_graders(one.submission, one.grader)[one.grader[a]]
    if len(set(groups.tolist())) < 5:
        groups = one.grader[a]
    _, group = np.unique(groups, return_inverse=True)
    products = _Equations.of(columns, residual[a] * residual[b], weight, group)
    # Both orders of a pair: the residual of one report, and the squared residual of the other.
    one_way, other = np.concatenate([a, b]), np.concatenate([b, a])
    g, h = gap[one_way], gap[other]
    cubic = np.stack([np.ones(len(g)), g, h, g * h, h**2, g * h**2], axis=1)
    third = _Equations.of(
        cubic,
        residual[one_way] * residual[other] ** 2,
        np.concatenate([weight, weight]) / variance[other],
        np.concatenate([group, group]),
    )
    bias, _, slope = products.solved(np.ones(products.groups))
    left = mean_square - max(bias, 0) - max(slope, 0) * gap[known].var()
    noise = float(max(left, 0.1 * mean_square))

    def shrinking(counts: Floats) -> float:
        return float(third.solved(counts)[1]) / (2 * noise)

    draws = []
    for _ in range(samples):
        counts = np.bincount(
            rng.integers(products.groups, size=products.groups), minlength=products.groups
        ).astype(np.float64)
        found = products.solved(counts)
        draws.append((found[2], found[0] * one.points**2, shrinking(counts)))
    return Estimate(
        float(slope),
        float(bias) * one.points**2,
        len(a),
        mean_square,
        float(gap[known].var()),
        np.array(draws).reshape(-1, 3),
        shrinking(np.ones(products.groups)),
    )


@dataclass(frozen=True, eq=False)
class _Equations:
    """Normal equations of weighted least squares, summed for each group of graders."""

    left: Floats
    right: Floats

    @classmethod
    def of(
        cls, columns: Floats, value: Floats, weight: Floats, group: NDArray[np.intp]
    ) -> _Equations:
        count, size = int(group.max()) + 1, columns.shape[1]
        left, right = np.zeros((count, size, size)), np.zeros((count, size))
        weighted = columns * weight[:, None]
        np.add.at(left, group, weighted[:, :, None] * columns[:, None, :])
        np.add.at(right, group, weighted * value[:, None])
        return cls(left, right)

    @property
    def groups(self) -> int:
        return len(self.left)

    def solved(self, counts: Floats) -> Floats:
        """The coefficients if each group occurs so many times."""
        left = np.tensordot(counts, self.left, 1)
        return np.asarray(np.linalg.lstsq(left, counts @ self.right, rcond=None)[0])


# ------------------------------------------------------------------------- simulated classes


@dataclass(frozen=True)
class Model:
    """A model of a class with the graders and submissions of a real one.

    Parameters
    ----------
    slopes
        Standard deviation of slopes before truncation at 0; their mean is 1.
    bias, noise, shared
        Standard deviations of biases, of the errors of single reports and of errors that the
        graders of a submission share, in points of the scale.
    whole
        Whether slopes compress whole signals.
    mean, spread
        Mean and standard deviation of true scores; those of staff are used where all are known.
    profile
        Relative variance of the errors of single reports at some true scores; it is interpolated.
    factor
        Factor of the distance of true scores from the highest grade, or from their mean where they
        are drawn. It makes up for the differences that a ceiling takes away.
    """

    slopes: float
    bias: float
    noise: float
    shared: float
    whole: bool
    mean: float
    spread: float
    profile: tuple[tuple[float, float], ...] = ()
    factor: float = 1.0

    def draw(self, like: Class, rng: np.random.Generator) -> Class:
        """Simulate a class; grades are truncated to the scale and rounded to its steps."""
        size, graders = len(like.staff), int(like.grader.max()) + 1
        true = like.staff
        if np.isnan(true).any():
            drawn = self.mean + self.factor * self.spread * rng.standard_normal(size)
            true = np.clip(drawn, like.lowest, like.highest)
        else:
            true = np.maximum(like.highest - self.factor * (like.highest - true), like.lowest)
        slope = np.maximum(0.0, 1 + self.slopes * rng.standard_normal(graders))[like.grader]
        bias = self.bias * rng.standard_normal(graders)[like.grader]
        apparent = (true + self.shared * rng.standard_normal(size))[like.submission]
        centre, noise = float(true.mean()), self.noise * rng.standard_normal(len(like.grade))
        if self.profile:
            at, relative = np.array(self.profile).T
            noise *= np.sqrt(np.interp(true[like.submission], at, relative))
        if self.whole:
            seen = centre + slope * (apparent - centre + bias + noise)
        else:
            seen = centre + slope * (apparent - centre) + bias + noise
        steps = np.rint((np.clip(seen, like.lowest, like.highest) - like.lowest) / like.step)
        return replace(like, grade=like.lowest + like.step * steps)


def noise_profile(one: Class, kind: str) -> tuple[tuple[float, float], ...]:
    """Relative residual variance in each quarter of the reports, by their fitted grade."""
    reference = one.reference(kind)
    known = ~np.isnan(reference)
    fitted = np.polyval(np.polyfit(reference[known], one.grade[known], 1), reference[known])
    square = (one.grade[known] - fitted) ** 2
    parts = np.array_split(np.argsort(fitted, kind="stable"), 4)
    return tuple(
        (float(fitted[part].mean()), float(square[part].mean() / square.mean())) for part in parts
    )


def matched(
    like: Class, kind: str, found: Estimate, slopes: float, shared: float, whole: bool
) -> Model:
    """A model whose residual and bias variances are those of a real class, after truncation."""
    own = found.residual_variance
    bias = np.sqrt(max(found.bias_variance, 0.0)) / like.points
    count = np.bincount(like.submission)
    total = np.bincount(like.submission, like.grade)
    squares = np.bincount(like.submission, like.grade**2)
    pair = count > 1
    among = (total**2 - squares)[pair].sum() / (count * (count - 1))[pair].sum()
    # Co-graders agree because of true scores and because of errors that they share.
    agreed = among - like.grade.mean() ** 2
    spread = np.sqrt(max(agreed - shared * own, 0.2 * agreed, 0.1))
    model = Model(
        slopes, float(bias), float(np.sqrt(own / 2)), float(np.sqrt(shared * own)), whole,
        float(like.grade.mean()), float(spread), noise_profile(like, kind),
    )  # fmt: skip
    seeds = [stream(FIRST_SEED, "matching", like.name, kind, i) for i in range(MATCHING_CLASSES)]
    for _ in range(MATCHING_ROUNDS):
        drawn = [estimate(model.draw(like, rng), kind, 0, rng) for rng in seeds]
        residual = float(np.mean([one.residual_variance for one in drawn]))
        biases = float(np.mean([one.bias_variance for one in drawn]))
        noise = model.noise * np.sqrt(np.clip(own / residual, 0.5, 2.0))
        factor = np.clip(max(found.bias_variance, 0.0) / max(biases, 1e-3), 0.5, 2.0)
        gaps = float(np.mean([one.spread_variance for one in drawn]))
        wider = np.clip(found.spread_variance / gaps, 0.6, 1.6)
        model = replace(
            model,
            noise=float(noise),
            bias=float(model.bias * np.sqrt(factor)),
            factor=float(model.factor * np.sqrt(wider)),
        )
    return model


class Check(NamedTuple):
    """The estimator in simulated classes with known slopes."""

    model: Model
    true_variance: float
    variance: float
    deviation: float
    """Mean and standard deviation of the estimated squared deviation of slopes."""
    coverage: float
    """Share of the 95 % intervals that contain the true value."""
    bias_deviation: float
    """Mean of the estimated standard deviation of biases, in points of 0..10."""
    noise_covariance: float
    noise_deviation: float
    """Mean and standard deviation of Cov(k, τ²) over 2 τ̄²."""


def truncated_variance(slopes: float) -> float:
    """Squared standard deviation of max(0, 1 + s z), divided by its squared mean."""
    if slopes == 0:
        return 0.0
    from scipy.stats import norm

    at = 1 / slopes
    mean = norm.cdf(at) + slopes * norm.pdf(at)
    square = (1 + slopes**2) * norm.cdf(at) + slopes * norm.pdf(at)
    return float(square / mean**2 - 1)


def checked(
    like: Class, kind: str, found: Estimate, slopes: float, shared: float, whole: bool
) -> Check:
    """Run the estimator in simulated classes."""
    model = matched(like, kind, found, slopes, shared, whole)
    known = ~np.isnan(like.reference(kind))
    pairs = Pairs.of(like.grader, known)
    true = truncated_variance(slopes)
    values, inside, biases, noise = [], [], [], []
    for number in range(SIMULATED_CLASSES):
        rng = stream(FIRST_SEED, "classes", like.name, kind, number)
        one = estimate(model.draw(like, rng), kind, SIMULATED_BOOTSTRAP_SAMPLES, rng, pairs)
        low, high = one.interval(0)
        values.append(one.slope_variance)
        inside.append(low <= true <= high)
        biases.append(max(one.bias_variance, 0.0))
        noise.append(one.noise_covariance)
    return Check(
        model, true, float(np.mean(values)), float(np.std(values)), float(np.mean(inside)),
        float(np.sqrt(np.mean(biases))), float(np.mean(noise)), float(np.std(noise)),
    )  # fmt: skip


# ----------------------------------------------------------------------------- real classes


def read_classes(data: Path) -> list[Class]:
    """Read the three real classes."""
    return [
        _read(data, "auckland-r-coding", "Auckland", 0.0, 14.0, 0.25),
        _read(data, "cornell-orie4741-2017", "Cornell", 1.0, 6.0, 1.0),
        _read(data, "mooc-aaai15-assignment3", "MOOC", 0.0, 25.0, 1.0),
    ]


def _read(data: Path, name: str, label: str, lowest: float, highest: float, step: float) -> Class:
    reports = pl.read_csv(data / name / "reports.csv")
    truth = pl.read_csv(data / name / "truth.csv")
    works, people = (sorted(set(reports[column])) for column in ("submission", "grader"))
    place = {work: number for number, work in enumerate(works)}
    person = {one: number for number, one in enumerate(people)}
    staff = np.full(len(works), np.nan)
    for work, score in zip(truth["submission"], truth["truth"], strict=True):
        if work in place:
            staff[place[work]] = score
    return Class(
        name,
        label,
        np.array([place[one] for one in reports["submission"]], dtype=np.int32),
        np.array([person[one] for one in reports["grader"]], dtype=np.int32),
        reports["score"].to_numpy().astype(np.float64),
        staff,
        lowest,
        highest,
        step,
    )


# --------------------------------------------------------------------------------- the page


def root(value: float) -> str:
    """The square root of a variance; an estimate below 0 is shown as such."""
    return f"{np.sqrt(value):.2f}" if value >= 0 else "0 (variance below 0)"


def rooted(estimated: Estimate, column: int) -> str:
    """A standard deviation with its interval."""
    low, high = (np.sqrt(max(bound, 0.0)) for bound in estimated.interval(column))
    value = (estimated.slope_variance, estimated.bias_variance)[column]
    return f"{root(value)} [{low:.2f}, {high:.2f}]"


def corrected(value: float, checks: Sequence[Check]) -> float:
    """The standard deviation of slopes whose mean estimate is *value*, by interpolation."""
    means = np.maximum.accumulate([one.variance for one in checks])
    return float(np.interp(value, means, [np.sqrt(one.true_variance) for one in checks]))


class Pooled(NamedTuple):
    """A weighted mean over independent classes."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float], errors: Sequence[float]) -> Pooled:
        """Weight by inverse squared standard errors."""
        weight = 1 / np.square(errors)
        return cls(float(np.average(values, weights=weight)), float(1 / np.sqrt(weight.sum())))

    @property
    def bounds(self) -> tuple[float, float]:
        """A normal 95 % interval."""
        return self.mean - 1.96 * self.error, self.mean + 1.96 * self.error


class Studied(NamedTuple):
    """One class by one reference, with its checks."""

    real: Class
    kind: str
    found: Estimate
    checks: dict[tuple[float, bool], list[Check]]


def studied(one: Class, kind: str) -> Studied | None:
    """Estimate and check one class; None if the reference says too little."""
    pairs = Pairs.of(one.grader, ~np.isnan(one.reference(kind)))
    if len(pairs.first) < MIN_PAIRS:
        return None
    found = estimate(one, kind, BOOTSTRAP_SAMPLES, stream(FIRST_SEED, "real", one.name, kind))
    if found.spread_variance < MIN_PREDICTED_SHARE * found.residual_variance:
        return None
    checks = {
        (shared, whole): [
            checked(one, kind, found, slopes, shared, whole) for slopes in SLOPE_DEVIATIONS
        ]
        for shared, whole in ((0.0, False), (SHARED_PART, False), (SHARED_PART, True))
    }
    return Studied(one, kind, found, checks)


def results_table(all_studied: Sequence[Studied]) -> str:
    """The estimates of all classes."""
    rows = []
    for each in all_studied:
        found, checks = each.found, each.checks[SHARED_PART, False]
        low, high = found.interval(0)
        bounds = [corrected(bound, checks) for bound in (low, found.slope_variance, high)]
        shrink_low, shrink_high = found.interval(2)
        rows.append(
            row(
                each.real.label, each.kind, found.pairs, rooted(found, 0),
                f"{bounds[1]:.2f} [{bounds[0]:.2f}, {bounds[2]:.2f}]",
                rooted(found, 1),
                f"{np.mean([one.model.bias for one in checks]) * each.real.points:.2f}",
                f"{found.noise_covariance:.2f} [{shrink_low:.2f}, {shrink_high:.2f}]",
            )
        )  # fmt: skip
    head = (
        "class", "reference", "pairs", "slopes, sd / mean", "slopes, corrected by simulation",
        "biases, sd in points of 0..10", "biases, corrected", "Cov(k, τ²) / 2 τ̄²",
    )  # fmt: skip
    return table(head, rows)


def variants_table(all_studied: Sequence[Studied]) -> str:
    """The estimates by other choices that would have been reasonable, too."""
    rows = []
    for each in all_studied:
        cells = []
        for degree, by_grader in ((1, True), (2, True), (1, False), (2, False)):
            rng = stream(FIRST_SEED, "real", each.real.name, each.kind)
            found = estimate(
                each.real, each.kind, BOOTSTRAP_SAMPLES, rng, degree=degree, by_grader=by_grader
            )
            cells.append(rooted(found, 0))
        rows.append(row(each.real.label, each.kind, *cells))
    head = ("class", "reference", "as above", "quadratic", "pairs alike", "pairs alike, quadratic")
    return table(head, rows)


def conclusion(all_studied: Sequence[Studied]) -> list[str]:
    """What the classes say together, each by its best reference."""
    best: dict[str, Studied] = {}
    for each in all_studied:
        best.setdefault(each.real.name, each)
    chosen = list(best.values())
    values = [
        corrected_variance(one.found.slope_variance, one.checks[SHARED_PART, False])
        for one in chosen
    ]
    slopes = Pooled.of(
        values,
        [cautious_error(one, 0, value) for one, value in zip(chosen, values, strict=True)],
    )
    noise_errors = [
        cautious_error(one, 2, value) for one, value in zip(chosen, values, strict=True)
    ]
    noise = Pooled.of([one.found.noise_covariance for one in chosen], noise_errors)
    low, high = (np.sqrt(max(bound, 0.0)) for bound in slopes.bounds)
    names = ", ".join(f"{one.real.label} by {one.kind}" for one in chosen)
    expected = {
        whole: Pooled.of(
            [
                np.interp(
                    slopes.mean,
                    [check.true_variance for check in one.checks[SHARED_PART, whole]],
                    [check.noise_covariance for check in one.checks[SHARED_PART, whole]],
                )
                for one in chosen
            ],
            noise_errors,
        ).mean
        for whole in (False, True)
    }
    gap = (expected[True] - noise.mean) / noise.error
    return [
        f"Pooled over the independent classes ({names}), corrected by simulation: the squared "
        f"deviation of slopes is {slopes.mean:.3f} ± {slopes.error:.3f}, so their standard "
        f"deviation is {root(slopes.mean)} [{low:.2f}, {high:.2f}] of their mean. The standard "
        "error of a class is that of the bootstrap or that between simulated classes, whichever is "
        "larger. Slopes of 1 for "
        f"everybody are {slopes.mean / slopes.error:.1f} standard errors away, and a standard "
        f"deviation of 0.2 is {(slopes.mean - 0.04) / slopes.error:.1f}.",
        "",
        f"The pooled last column is {noise.mean:.2f} ± {noise.error:.2f}. In simulated classes "
        f"with slopes that vary this much it is {expected[False]:.2f} if slopes multiply true "
        f"scores only, and {expected[True]:.2f} if they multiply whole signals, which is "
        f"{gap:.1f} standard errors from what is observed. So the noise of graders with small "
        "slopes does not seem to be smaller, as it would be if they compressed all they saw; "
        "graders who look less closely would have small slopes, too. One or two classes decide "
        "this, and whole signals with a standard deviation of about 0.2 are not excluded.",
    ]


def cautious_error(one: Studied, column: int, variance: float) -> float:
    """The larger standard error: that of the bootstrap, or that between simulated classes."""
    checks = one.checks[SHARED_PART, False]
    spread = [check.deviation if column == 0 else check.noise_deviation for check in checks]
    simulated = np.interp(variance, [check.true_variance for check in checks], spread)
    return max(float(one.found.bootstrap[:, column].std()), float(simulated))


def corrected_variance(value: float, checks: Sequence[Check]) -> float:
    """The variance of slopes whose mean estimate is *value*; below 0 if the estimate is."""
    least = checks[0].variance
    return value - least if value < least else corrected(value, checks) ** 2


def checks_table(each: Studied) -> str:
    """The estimator in simulated classes of one shape."""
    rows = []
    for (shared, whole), checks in each.checks.items():
        kind = "whole signal" if whole else "true score"
        rows += [
            row(
                kind, f"{100 * shared:.0f} %", f"{np.sqrt(one.true_variance):.2f}",
                root(one.variance), f"{one.variance:.3f} ± {one.deviation:.3f}",
                f"{one.true_variance:.3f}", f"{100 * one.coverage:.0f} %",
                f"{one.model.bias * each.real.points:.2f}", f"{one.bias_deviation:.2f}",
                f"{one.noise_covariance:.2f}",
            )
            for one in checks
        ]  # fmt: skip
    head = (
        "slope compresses", "shared", "true sd", "estimated sd", "estimated variance ± sd",
        "true variance", "coverage", "true bias sd", "estimated bias sd", "Cov(k, τ²) / 2 τ̄²",
    )  # fmt: skip
    return table(head, rows)


def page(all_studied: Sequence[Studied], missing: Sequence[str]) -> str:
    """Format the results as a Markdown page."""
    sections = []
    for each in all_studied:
        sections += [
            f"### {each.real.label}, reference: {each.kind}",
            "",
            checks_table(each),
            "",
        ]
    return "\n".join(
        [
            "# How far slopes vary in real classes",
            "",
            "Written by `python -m benchmarks.slopes --data FOLDER`; do not edit this page, run "
            "the script again. The docstring of the script defines the model and the estimator.",
            "",
            "A grader with slope k compresses or stretches grades about the class mean. The table "
            "has the standard deviation of slopes divided by their mean, and that of biases, with "
            "95 % bootstrap intervals over graders (Cornell: over closed groups of graders). The "
            "reference is the grade of staff, or the mean grade of the other peers of a submission."
            " Both attenuate slopes and their mean alike, so attenuation cancels. The corrected "
            "column is the true value whose mean estimate, in simulated classes of the same shape "
            "with a quarter of the residual variance shared by co-graders, is the estimate; it is "
            f"at most {np.sqrt(truncated_variance(SLOPE_DEVIATIONS[-1])):.2f}, the largest value "
            "that was simulated. A ceiling hides a part of the biases; their corrected value is "
            "that of simulated classes with the same estimate. The last column is about CV² if "
            "graders compress whole signals, noise included, about 0 if their noise does not "
            "depend on the slope, and below 0 if graders with small slopes are the careless ones.",
            "",
            results_table(all_studied),
            "",
            *missing,
            *conclusion(all_studied),
            "",
            "The standard deviation of slopes, before correction, by other choices: a quadratic "
            "prediction of grades by the reference, and all pairs of reports alike, so that "
            "graders with many reports count more. The choices above were made after a first look "
            "at these data, so differences between the columns are a part of the uncertainty.",
            "",
            variants_table(all_studied),
            "",
            "## Checks of the estimator",
            "",
            f"{SIMULATED_CLASSES} simulated classes for each line, with the graders, submissions, "
            "scale and ceiling of the real class. The variances of residuals, fitted grades and "
            "biases are matched to it, and errors depend on the true score as in the real class. "
            "Coverage is the share of the 95 % intervals that contain the true value; with "
            f"{SIMULATED_CLASSES} classes its standard error is 1.5 points where it is 95 %.",
            "",
            *sections,
        ]
    )


def main() -> None:
    """Study all classes and write the page beside this file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of real classes")
    given = parser.parse_args()
    begin = time.process_time()
    done, missing = [], []
    for one in read_classes(given.data):
        for kind in ("staff", "peers"):
            found = studied(one, kind)
            if found is None:
                missing.append(
                    f"{one.label} by {kind} is left out: fewer than {MIN_PAIRS} pairs of reports "
                    f"by the same grader have a reference, or it explains less than "
                    f"{100 * MIN_PREDICTED_SHARE:.0f} % as much variance of grades as it leaves."
                )
            else:
                done.append(found)
    PAGE.write_text(page(done, [line for one in missing for line in (one, "")]), encoding="utf-8")
    print(f"{PAGE}: {time.process_time() - begin:.0f} s of processor time")


if __name__ == "__main__":
    main()
