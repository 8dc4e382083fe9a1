"""Model PG1: normal grades around true score plus bias, with a reliability for each grader."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.models import Estimates, Model, model
from peergauge.models.base import iterate
from peergauge.models.prior import paper_prior
from peergauge.tables import Reports, Scale, Truth
from peergauge.tables.layout import Layout

RELIABILITY_RATE = 10.0
"""Rate of the Gamma prior of reliability, in squared points of 0..10."""

RELIABILITY_SHAPE = RELIABILITY_RATE / 1.05
"""Shape of the Gamma prior of reliability; its mean is 1/1.05."""


class Hyperparameters(NamedTuple):
    """Hyperparameters of PG1, in the units of one scale."""

    mean: float
    variance: float
    bias_variance: float
    shape: float
    rate: float
    start_score: float
    start_reliability: float
    tolerance: float
    most_rounds: int


@model("pg1", label="PG1", source="Piech et al. 2013; Chakraborty et al. 2020")
@dataclass(frozen=True)
class PG1(Model):
    r"""Estimates of true scores, biases and reliabilities, one assignment at a time.

    .. math::
        g_s \sim N(\mu, \sigma^2), \quad b_k \sim N(0, 1), \quad \tau_k \sim \Gamma(10/1.05, 10),
        \quad r_s^k \sim N(g_s + b_k, 1 / \tau_k)

    Every round updates the true scores, then the biases, then the reliabilities:

    .. math::
        g_s &= \frac{\mu \sqrt{1/\sigma^2} + \sum_k \sqrt{\tau_k} (r_s^k - b_k)}
                    {\sqrt{1/\sigma^2} + \sum_k \sqrt{\tau_k}} \\
        b_k &= \frac{\tau_k \sum_s (r_s^k - g_s)}{1 + n \tau_k} \\
        \tau_k &= \frac{10/1.05 + n/2}{10 + \frac12 \sum_s (r_s^k - g_s - b_k)^2}

    until the ℓ2 norm of the change of the true scores is at most 0.0001, for at most 1000 rounds;
    an assignment that reaches this maximum causes a warning. These are the paper's parameters for a
    scale of 0..10; on another scale they are rescaled in proportion.

    Parameters
    ----------
    prior_mean, prior_variance
        μ and σ² of the true scores; by default the paper's 7 and 2.1 in proportion to the scale.
    bias
        Whether biases are estimated; if not, they are all 0.
    start
        Initial values. ``text``: the expected reliability 1/1.05 and the highest score;
        ``authors``: reliability 2 / σ² and the rounded prior mean, as in the authors'
        computation. For the paper's prior the two lead to the same estimates, up to the round in
        which they stop.
    tolerance, most_rounds
        The stopping rule.
    """

    prior_mean: float | None = None
    prior_variance: float | None = None
    bias: bool = True
    start: Literal["text", "authors"] = "text"
    tolerance: float = 1e-4
    most_rounds: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.prior_mean, self.prior_variance)
        if self.most_rounds < 1:
            raise ParameterError("Estimating takes at least one round.")

    def hyperparameters(self, scale: Scale) -> Hyperparameters:
        """Return the hyperparameters in the units of *scale*."""
        mean, variance = prior_on(scale, self.prior_mean, self.prior_variance)
        square = scale.unit**2
        rate = RELIABILITY_RATE * square
        by_text = self.start == "text"
        return Hyperparameters(
            mean=mean,
            variance=variance,
            bias_variance=square,
            shape=RELIABILITY_SHAPE,
            rate=rate,
            start_score=float(scale.highest)
            if by_text
            else float(scale.nearest(np.array([mean]))[0]),
            start_reliability=RELIABILITY_SHAPE / rate if by_text else 2.0 / variance,
            tolerance=self.tolerance * scale.unit,
            most_rounds=self.most_rounds,
        )

    def fit(self, reports: Reports, checks: Truth | Floats | None = None) -> Estimates:
        """Estimate everything except the scores that *checks* have, which are known.

        *checks* are a table of true scores, or one score per submission, NaN where unknown.
        """
        reports.scale.numbers_needed("The model 'pg1'")
        score, bias, reliability, rounds, converged = fit_pg1(
            reports.grade,
            reports.layout,
            self.hyperparameters(reports.scale),
            self.bias,
            checks.scores_of(reports) if isinstance(checks, Truth) else checks,
        )
        self.warn_of(int((~converged).sum()), len(rounds))
        return Estimates(score, bias, reliability, rounds, converged)

    def warn_of(self, late: int, fits: int) -> None:
        """Warn if any fit reached the maximum number of rounds."""
        if late:
            warnings.warn(
                f"PG1 did not converge in {late} of {fits} fits within {self.most_rounds} rounds; "
                "the estimates are those of the last round.",
                ConvergenceWarning,
                stacklevel=3,
            )


def check_prior(mean: float | None, variance: float | None) -> None:
    """Raise an error if a prior is not a valid normal distribution."""
    if mean is not None and not np.isfinite(mean):
        raise ParameterError(f"The prior mean is a finite number, but {mean} was given.")
    if variance is not None and not 0 < variance < np.inf:
        raise ParameterError(f"The prior variance is a positive number, but {variance} was given.")


def prior_on(scale: Scale, mean: float | None, variance: float | None) -> tuple[float, float]:
    """Mean and variance of the prior; by default the paper's, rescaled to *scale*."""
    usual_mean, usual_variance = paper_prior(scale)
    # Converted to float, because an array filled with an integer would round later values.
    return (
        usual_mean if mean is None else float(mean),
        usual_variance if variance is None else float(variance),
    )


@accelerated
def fit_pg1(
    grade: Floats,
    layout: Layout,
    prior: Hyperparameters,
    with_bias: bool,
    checked: Floats | None = None,
) -> tuple[Floats, Floats, Floats, NDArray[np.int64], NDArray[np.bool_]]:
    """Fit PG1 to each assignment; return scores, biases, reliabilities, rounds, convergence.

    *checked* contains the known scores, and NaN for all others.
    """
    assignments = len(layout.assignment_bounds) - 1
    all_scores = np.full(len(layout.submission_bounds) - 1, prior.mean)
    if checked is not None:
        all_scores = np.where(np.isnan(checked), all_scores, checked)
    biases = np.full((assignments, layout.graders), np.nan)
    reliabilities = np.full((assignments, layout.graders), np.nan)
    rounds = np.zeros(assignments, dtype=np.int64)
    converged = np.ones(assignments, dtype=np.bool_)
    for a in range(assignments):
        here = slice(layout.assignment_bounds[a], layout.assignment_bounds[a + 1])
        if here.start == here.stop:
            continue
        s_names, s = np.unique(layout.submission[here], return_inverse=True)
        k_names, k = np.unique(layout.grader[here], return_inverse=True)
        (score, bias, reliability), rounds[a], converged[a] = fit_one(
            grade[here],
            s,
            k,
            len(s_names),
            len(k_names),
            prior,
            with_bias,
            None if checked is None else checked[s_names],
        )
        all_scores[s_names] = score
        biases[a, k_names] = bias
        reliabilities[a, k_names] = reliability
    return all_scores, biases, reliabilities, rounds, converged


State = tuple[Floats, Floats, Floats]


def fit_one(
    r: Floats,
    s: NDArray[np.int64],
    k: NDArray[np.int64],
    submissions: int,
    graders: int,
    prior: Hyperparameters,
    with_bias: bool,
    checked: Floats | None = None,
) -> tuple[State, int, bool]:
    """Fit PG1 to the reports *r* of graders *k* on submissions *s* of one assignment."""
    n = np.bincount(k, minlength=graders)
    w_prior = np.sqrt(1.0 / prior.variance)

    def update(state: State) -> State:
        _, b, tau = state
        w = np.sqrt(tau)[k]
        g = (w_prior * prior.mean + np.bincount(s, w * (r - b[k]), submissions)) / (
            w_prior + np.bincount(s, w, submissions)
        )
        if checked is not None:
            g = np.where(np.isnan(checked), g, checked)
        if with_bias:
            b = tau * np.bincount(k, r - g[s], graders) / (1.0 / prior.bias_variance + n * tau)
        residual = np.bincount(k, (r - g[s] - b[k]) ** 2, graders)
        return g, b, (prior.shape + n / 2) / (prior.rate + residual / 2)

    begin = (
        np.full(submissions, prior.start_score),
        np.zeros(graders),
        np.full(graders, prior.start_reliability),
    )
    return iterate(
        begin,
        update,
        lambda before, after: float(np.linalg.norm(after[0] - before[0])),
        prior.tolerance,
        prior.most_rounds,
    )
