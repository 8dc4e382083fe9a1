"""Latent model of twins: normal signals whose quantiles are looked up among the grades.

This is a Gaussian copula (Cario & Nelson 1997): the latent value of a report is the level of its
assignment plus the quality of the submission, the bias of the grader and noise. The grade is the
quantile of the class's grades at the probability of the latent value, so that heaps and the ends of
the scale are reproduced.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import stream
from peergauge.simulate.design import Design
from peergauge.simulate.resample.parameters import TrueScores, TwinParameters
from peergauge.simulate.resample.signals import signals

DISTRIBUTION_SAMPLES = 40_000
"""Latent values from which their distribution function is estimated."""

GRADER_QUANTILES = 101
"""Graders over whom the expected grade of a submission is averaged."""


class StackedClasses(NamedTuple):
    """Several classes of one size side by side, with all their random numbers."""

    copies: int
    assignment: Ints
    submission: NDArray[np.int64]
    grader: NDArray[np.int64]
    submission_assignment: Ints
    quality: Floats
    bias: Floats
    spread: Floats
    noise: Floats
    truth_noise: Floats
    truth_uniform: Floats
    selection: Floats

    @classmethod
    def draw(cls, designs: list[Design], seed: int) -> StackedClasses:
        """Draw the random numbers of classes with these designs."""
        first = designs[0]
        submissions, graders = len(first.author), first.graders
        rng = stream(seed, "twin", "people")
        copies = len(designs)
        noise = stream(seed, "twin", "noise").standard_normal(sum(len(d.grader) for d in designs))
        return cls(
            copies=copies,
            assignment=np.concatenate([d.assignment for d in designs]),
            submission=np.concatenate(
                [d.submission + np.int64(i * submissions) for i, d in enumerate(designs)]
            ),
            grader=np.concatenate(
                [d.grader + np.int64(i * graders) for i, d in enumerate(designs)]
            ),
            submission_assignment=np.concatenate([d.submission_assignment for d in designs]),
            quality=rng.standard_normal(copies * submissions),
            bias=rng.standard_normal(copies * graders),
            spread=rng.standard_normal(copies * graders),
            noise=noise,
            truth_noise=rng.standard_normal(copies * submissions),
            truth_uniform=rng.random(copies * submissions),
            selection=rng.gumbel(size=copies * submissions),
        )


def grades_and_scores(
    model: TwinParameters, classes: StackedClasses
) -> tuple[Floats, Floats | None]:
    """Grades of the reports, and true scores of the submissions (NaN where they are not known)."""
    quality = _quality(model, classes)
    noise = _noise_deviation(model, classes.spread)[classes.grader] * classes.noise
    bias = np.sqrt(model.bias) * classes.bias
    latent = signals(classes.submission, classes.grader, quality, bias, noise)
    grade = model.grades.at(_distribution(model)(latent))
    if model.truth is None:
        return grade, None
    times = np.maximum(np.bincount(classes.submission, minlength=len(quality)), 1)
    seen = np.bincount(classes.submission, latent, minlength=len(quality)) / times
    return grade, _true_scores(model.truth, quality, np.where(seen == 0, quality, seen), classes)


def expected_scores(model: TwinParameters, classes: StackedClasses) -> Floats:
    """Expected grade of each submission over all graders: its true score, if none is known."""
    from scipy.special import ndtri

    # Quantiles over graders, with noise of the mean size.
    around = ndtri((np.arange(GRADER_QUANTILES) + 0.5) / GRADER_QUANTILES)
    around *= np.sqrt(1 - model.quality)
    below = _distribution(model)(_quality(model, classes)[:, None] + around)
    digits = 2 - int(np.floor(np.log10(model.scale.unit)))
    return np.asarray(np.round(model.grades.at(below).mean(axis=1), digits))


def _quality(model: TwinParameters, classes: StackedClasses) -> Floats:
    level = np.array([one.level for one in model.assignments])[classes.submission_assignment]
    return np.asarray(level + np.sqrt(model.quality) * _skewed(classes.quality, model.skewness))


def _skewed(normal: Floats, skewness: float) -> Floats:
    """Log-normal values of mean 0 and variance 1 that increase with the normal ones."""
    if abs(skewness) < 1e-3:
        return normal
    side, square = np.sign(skewness), skewness**2
    value = np.exp(skewness * normal) - np.exp(square / 2)
    return np.asarray(side * value / np.sqrt(np.expm1(square) * np.exp(square)))


def _noise_deviation(model: TwinParameters, normal: Floats) -> Floats:
    """Standard deviation of each grader's noise."""
    spread = model.reliability_spread
    return np.asarray(np.sqrt(model.noise * np.exp(spread * normal - spread**2 / 2)))


def _distribution(model: TwinParameters) -> Callable[[Floats], Floats]:
    """Distribution function of latent values, estimated from a large sample."""
    which, quality, bias, spread, noise = _standard_sample()
    reports = np.cumsum([one.reports for one in model.assignments])
    level = np.array([one.level for one in model.assignments])
    latent = (
        level[np.searchsorted(reports / reports[-1], which, side="right")]
        + np.sqrt(model.quality) * _skewed(quality, model.skewness)
        + np.sqrt(model.bias) * bias
        + _noise_deviation(model, spread) * noise
    )
    latent.sort()
    below = (np.arange(len(latent)) + 0.5) / len(latent)
    return lambda value: np.interp(value, latent, below)


@lru_cache(maxsize=1)
def _standard_sample() -> tuple[Floats, ...]:
    rng = stream(0, "twin", "latent")
    return rng.random(DISTRIBUTION_SAMPLES), *rng.standard_normal((4, DISTRIBUTION_SAMPLES))


def _true_scores(
    truth: TrueScores, quality: Floats, seen: Floats, classes: StackedClasses
) -> Floats:
    """True scores of the selected submissions of each class; NaN for all others.

    Parameters
    ----------
    quality, seen
        Latent quality of each submission, and the mean latent value of its reports.
    """
    by_class = quality.reshape(classes.copies, -1)
    priority = truth.tilt * by_class + classes.selection.reshape(by_class.shape)
    chosen = np.argsort(-priority, axis=1, kind="stable")[:, : truth.known]
    followed = quality + max(truth.accuracy - 1.0, 0.0) * (seen - quality)
    accuracy = min(truth.accuracy, 1.0)
    followed, noise, uniform = (
        np.take_along_axis(column.reshape(by_class.shape), chosen, axis=1)
        for column in (followed, classes.truth_noise, classes.truth_uniform)
    )
    standard = (followed - followed.mean()) / (followed.std() or 1.0)
    latent = accuracy * standard + np.sqrt(1 - accuracy**2) * noise
    # Draws from the distribution of true scores, assigned by the rank of the latent value.
    rank = np.argsort(np.argsort(latent, axis=1, kind="stable"), axis=1, kind="stable")
    drawn = truth.levels.at(np.sort(uniform, axis=1))
    score = np.full(by_class.shape, np.nan)
    np.put_along_axis(score, chosen, np.take_along_axis(drawn, rank, axis=1), axis=1)
    return score.ravel()
