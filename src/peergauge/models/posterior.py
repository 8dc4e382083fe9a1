"""Bayesian version of model PG1, with intervals, staff grades, and priors from earlier assignments.

PG1 returns a point estimate for every unknown. Here the unknowns are drawn from their posterior
distribution by Gibbs sampling, which also gives intervals. The model has three additions that real
classes need: grades are rounded and censored at the ends of the scale, the hyperparameters are
estimated from the class, and some graders report a constant or shrink their reports halfway.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.core.randomness import stream
from peergauge.models import Estimates, Model, model
from peergauge.models.pg1 import RELIABILITY_SHAPE, check_prior, prior_on
from peergauge.tables import Reports, Scale

Draws = NDArray[np.float32]

CONSTANT_KIND, HEDGING_KIND, PLAIN_KIND = 0, 1, 2
KIND_SLOPES = np.array([0.0, 0.5, 1.0])
"""Slope of the reports on true scores, for each kind of grader."""

KIND_PRIOR_COUNTS = np.array([1.0, 1.0, 20.0])
"""Prior counts of graders of each kind (parameters of a Dirichlet prior).

With small counts, a class in which half of the graders hedge cannot be distinguished from a class
whose submissions differ less, and the result is random.
"""

SLIP_PROBABILITY = 0.1
"""Probability that a constant grader gives another grade."""

SHAPE_GRID = np.geomspace(1.0, 100.0, 25)
"""Grid of shape parameters for the Gamma distribution of reliabilities."""

BIAS_DEGREES_OF_FREEDOM = 3.0
"""Degrees of freedom of the Student t distribution of biases; few, so that outliers do not move
the other biases."""

PRIOR_COUNT = 2.0
"""Weight of the prior hyperparameters, as an equivalent number of submissions or graders."""

COMMON_BIAS_DEVIATION = 0.5
"""Prior standard deviation of the common bias of a class, in points of 0..10; only staff grades are
informative about this bias."""

KIND_UPDATE_ROUNDS = 4
"""Number of rounds between updates of the kinds of graders, which are the slowest step."""

DEFAULT_DRAWS, MIN_DRAWS = 800, 100
"""Default number of draws that are kept, and its minimum for the largest classes."""

MAX_DRAW_FACTOR = 8
"""Maximum factor by which the default number of draws is extended until the chain converges."""

LARGE_CLASS_REVIEWS = 25_000
"""Number of reviews above which fewer draws are kept, in proportion."""

MAX_EXTENDED_REVIEWS = 100_000
"""Number of reviews above which chains that have not converged are not extended."""

MAX_PART_CELLS = 8_000_000
"""Draws that are converted to double precision at the same time."""

MAX_R_HAT = 1.1
"""Largest R-hat of the two halves of a chain at which the chain counts as converged."""

MAX_HALVES_GAP = 0.1
"""Difference of the means of the two halves, in points of 0..10 or in logarithms, that is accepted
for any R-hat. In large classes the posterior is so narrow that R-hat alone is too strict."""


class Traits(NamedTuple):
    """Posterior distributions of the traits of graders, as arrays over graders.

    Biases are normal, reliabilities are Gamma, and kinds have probabilities. NaN means that nothing
    is known about a grader.
    """

    bias_mean: Floats
    bias_variance: Floats
    shape: Floats
    rate: Floats
    constant: Floats
    hedging: Floats

    @classmethod
    def unknown(cls, graders: int) -> Traits:
        """Create traits of graders about whom nothing is known."""
        return cls(*(np.full(graders, np.nan) for _ in cls._fields))

    def of(self, graders: NDArray[np.integer[Any]]) -> Traits:
        """Return the traits of the given graders."""
        return Traits(*(one[graders] for one in self))


@dataclass(frozen=True, eq=False, kw_only=True)
class Posterior(Estimates):
    r"""Posterior estimates of scores and graders.

    The score of a submission is a weighted mean of its reports and the mean of the class:

    .. math:: \hat g_s = w_s \mu + \sum_k w_{sk} v_{sk}, \quad w_s + \sum_k w_{sk} = 1

    clipped to the scale, where *v* is the report minus the bias of its grader and, for graders who
    hedge, stretched away from the mean.

    Parameters
    ----------
    meant
        Estimated latent value of each report: its grade, corrected for rounding and for censoring
        at the ends of the scale.
    value, weight
        *v* and *w* of each report.
    prior_mean, prior_weight
        *μ* of each assignment, and its weight for each submission.
    precision
        Mean of 1 / σ² of each assignment, in which *μ* counts.
    staff
        Staff grade of each submission, which is then its score; NaN if there is none.
    score_draws
        Posterior draws of each score (draws × submissions).
    bias_draws, reliability_draws
        Posterior draws for each grader after their last assignment; NaN for graders without
        reports.
    traits
        Posterior of each grader, which is the prior for the next assignment.
    """

    meant: Floats
    value: Floats
    weight: Floats
    prior_mean: Floats
    prior_weight: Floats
    precision: Floats
    staff: Floats
    score_draws: Draws
    bias_draws: Draws
    reliability_draws: Draws
    traits: Traits

    def interval(self, level: float = 0.9) -> tuple[Floats, Floats]:
        """Return the bounds of a credible interval for each score, with probability *level*."""
        return middle(self.score_draws, level)

    def with_staff(self, staff: Floats) -> Posterior:
        """The same posterior with final scores by staff, which inform no other unknown."""
        graded = ~np.isnan(staff)
        if not graded.any():
            return replace(self, staff=staff)
        score, draws = self.score.copy(), self.score_draws.copy()
        score[graded] = draws[:, graded] = staff[graded]
        return replace(self, score=score, score_draws=draws, staff=staff)

    def moments(self) -> tuple[float, float]:
        """Estimated mean and variance of true scores in the class, as a prior for mechanisms."""
        variance = [np.nanvar(draw, dtype=np.float64) for draw in self.score_draws]
        return float(np.nanmean(self.prior_mean)), float(np.mean(variance))

    @cached_property
    def score_moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of the draws of each score, computed in parts to save memory."""
        mean, variance = np.empty((2, self.score_draws.shape[1]))
        for part in column_parts(self.score_draws):
            draws = self.score_draws[:, part]
            mean[part] = draws.mean(axis=0, dtype=np.float64)
            variance[part] = draws.var(axis=0, dtype=np.float64)
        return mean, variance


def column_parts(draws: Draws) -> Iterator[slice]:
    """Parts of the columns of draws, nearly equal, each with at most :data:`MAX_PART_CELLS`."""
    columns = draws.shape[1]
    parts = max(1, -(-draws.size // MAX_PART_CELLS))
    for number in range(parts):
        yield slice(columns * number // parts, columns * (number + 1) // parts)


def middle(draws: Draws, level: float) -> tuple[Floats, Floats]:
    """Bounds of the central interval of draws with probability *level*, for each column."""
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low.astype(np.float64), high.astype(np.float64)


@model(
    "pg1-posterior",
    label="PG1 with intervals",
    source="Piech et al. 2013, by Gibbs sampling",
    random=True,
)
@dataclass(frozen=True)
class PG1Posterior(Model):
    r"""Posterior distributions of true scores, biases and reliabilities.

    As in PG1, a report is normal around true score plus bias,

    .. math:: z_s^k \sim N(\mu + b_k + c_k (g_s - \mu), 1 / \tau_k)

    and the grade is *z* rounded to the scale and censored at its ends. Scores are :math:`N(\mu,
    \sigma^2)`, reliabilities are Gamma, biases are Student t with three degrees of freedom. The
    parameters of these distributions are estimated from the class, with the paper's values as a
    prior that is worth two submissions or graders. The slope *c* is 1, or ½ for graders who hedge;
    graders who report a constant provide no information. The shares of these kinds of graders are
    estimated too.

    Assignments are processed in order, and the posterior of a grader after one assignment is the
    prior for the next. Later assignments never change the scores of earlier ones.

    Staff grades are treated as true scores. They show how lenient their graders are, and the common
    bias of the whole class, which cannot be estimated from reports alone.

    Parameters
    ----------
    prior_mean, prior_variance
        Prior mean and variance of true scores; by default the paper's 7 and 2.1 in proportion to
        the scale. The prior is worth two submissions.
    reading
        Likelihood of a grade. ``discrete``: rounded and censored at the ends of the scale;
        ``censored``: only censored; ``exact``: neither, which is wrong if many grades are at an
        end.
    kinds
        Whether graders may hedge or report a constant; if not, all are modelled as truthful.
    draws, warmup
        Number of draws that are kept, and of warm-up draws before. By default 800 are kept,
        proportionally fewer above 25,000 reviews (200 for 100,000, never less than 100), after a
        quarter as many warm-up draws. If the chain has not converged, it is extended up to eight
        times, except above 100,000 reviews.
    seed
        The same seed gives the same draws.
    """

    prior_mean: float | None = None
    prior_variance: float | None = None
    reading: Literal["discrete", "censored", "exact"] = "discrete"
    kinds: bool = True
    draws: int | None = None
    warmup: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.prior_mean, self.prior_variance)
        if self.draws is not None and self.draws < 2:
            raise ParameterError("Sampling takes at least two draws.")
        if self.warmup is not None and self.warmup < 0:
            raise ParameterError(f"The number of warm-up draws is 0 or more, not {self.warmup}.")

    def rounds(self, reviews: int) -> tuple[int, int]:
        """Numbers of warm-up draws and of kept draws for a class with this number of reviews."""
        usual = round(DEFAULT_DRAWS * min(1.0, LARGE_CLASS_REVIEWS / max(reviews, 1)))
        draws = max(usual, MIN_DRAWS) if self.draws is None else self.draws
        return draws // 4 if self.warmup is None else self.warmup, draws

    def fit(
        self, reports: Reports, staff: Floats | None = None, traits: Traits | None = None
    ) -> Posterior:
        """Draw from the posterior distribution of all unknowns.

        Parameters
        ----------
        staff
            Staff grade of each submission, NaN if there is none.
        traits
            Prior traits of the graders, from earlier assignments.
        """
        reports.scale.numbers_needed("The model 'posterior'")
        if staff is None:
            staff = np.full(reports.submissions, np.nan)
        warmup, draws = self.rounds(len(reports))
        now = Traits.unknown(reports.graders) if traits is None else traits
        now = Traits(*(one.copy() for one in now))
        by_grader = (reports.assignments, reports.graders)
        score, prior_weight = np.full((2, reports.submissions), np.nan)
        bias, reliability = np.full((2, *by_grader), np.nan)
        meant, value, weight = np.full((3, len(reports)), np.nan)
        prior_mean, precision = np.full((2, reports.assignments), np.nan)
        converged = np.ones(reports.assignments, dtype=np.bool_)
        rounds = np.zeros(reports.assignments, dtype=np.int64)
        patient = self.draws is None and len(reports) <= MAX_EXTENDED_REVIEWS
        ends = np.float32(reports.scale.lowest), np.float32(reports.scale.highest)
        scores = np.full((draws, reports.submissions), np.nan, np.float32)
        biases, reliabilities = np.full((2, draws, reports.graders), np.nan, np.float32)
        for a in range(reports.assignments):
            here = slice(reports.assignment_bounds[a], reports.assignment_bounds[a + 1])
            if here.start == here.stop:
                continue
            s_names, s = np.unique(reports.submission[here], return_inverse=True)
            k_names, k = np.unique(reports.grader[here], return_inverse=True)
            chain = Chain(
                reports.grade[here], s, k, staff[s_names], now.of(k_names), reports.scale, self,
                stream(self.seed, "posterior", reports.assignment_names[a]
                       if reports.assignment_names else a),
            )  # fmt: skip
            found = chain.run(warmup, draws)
            rounds[a] = warmup + draws
            while not found.mixed and patient and rounds[a] < MAX_DRAW_FACTOR * draws:
                found = chain.run(draws, draws)
                rounds[a] += 2 * draws
            # In place, because the draws of a large class are most of its memory.
            np.clip(found.scores, *ends, out=found.scores)
            scores[:, s_names] = found.scores
            biases[:, k_names], reliabilities[:, k_names] = found.biases, found.reliabilities
            for old, new in zip(now, found.traits(), strict=True):
                old[k_names] = new
            bias[a, k_names] = now.bias_mean[k_names]
            reliability[a, k_names] = found.reliabilities.mean(0, dtype=np.float64)
            meant[here], prior_mean[a], converged[a] = found.meant, found.mean, found.mixed
            precision[a] = found.precision
            value[here], weight[here], prior_weight[s_names] = found.shares(s, k)
            made = np.bincount(s, weight[here] * value[here], len(s_names))
            score[s_names] = made + prior_weight[s_names] * found.mean
        score = np.clip(score, reports.scale.lowest, reports.scale.highest)
        graded = ~np.isnan(staff)
        score[graded] = scores[:, graded] = staff[graded]
        if not converged.all():
            warnings.warn(
                f"The chain did not converge in {int((~converged).sum())} of "
                f"{reports.assignments} assignments; use more draws and a longer warmup.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return Posterior(
            score=score,
            bias=bias,
            reliability=reliability,
            rounds=rounds,
            converged=converged,
            meant=meant,
            value=value,
            weight=weight,
            prior_mean=prior_mean,
            prior_weight=prior_weight,
            precision=precision,
            staff=staff,
            score_draws=scores,
            bias_draws=biases,
            reliability_draws=reliabilities,
            traits=now,
        )


class Found(NamedTuple):
    """Draws of a chain, and running means over them."""

    scores: Draws
    biases: Draws
    reliabilities: Draws
    meant: Floats
    mean: float
    precision: float
    strength: Floats
    """For each grader, the mean of reliability times squared slope, 0 for a constant."""

    pull: Floats
    """For each grader, the mean of reliability times slope."""

    kinds: Floats
    """For each grader, the share of draws in which they were of each kind."""

    mixed: bool

    def traits(self) -> Traits:
        """Posterior traits: normal and Gamma distributions with the moments of the draws."""
        b, tau = self.biases.astype(np.float64), self.reliabilities.astype(np.float64)
        mean, variance = tau.mean(0), tau.var(0)
        return Traits(
            b.mean(0),
            b.var(0),
            mean**2 / variance,
            mean / variance,
            self.kinds[:, CONSTANT_KIND],
            self.kinds[:, HEDGING_KIND],
        )

    def shares(self, s: NDArray[np.int64], k: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
        """Value and weight of each report, and the weight of the mean."""
        stretch = np.divide(self.pull, self.strength, where=self.strength > 0,
                            out=np.ones(len(self.pull)))  # fmt: skip
        bias = self.biases.mean(0, dtype=np.float64)
        value = self.mean + (self.meant - self.mean - bias[k]) * stretch[k]
        total = self.precision + np.bincount(s, self.strength[k], self.scores.shape[1])
        shares = np.asarray(self.strength[k] / total[s]), np.asarray(self.precision / total)
        return np.asarray(value), *shares


class Chain:
    """Gibbs sampler for one assignment: each unknown is drawn given all others.

    Parameters
    ----------
    grade, s, k
        The reports on submissions *s* by graders *k*, numbered from 0.
    staff
        Staff grade of each submission, NaN if there is none.
    before
        Prior traits of the graders.
    """

    def __init__(
        self,
        grade: Floats,
        s: NDArray[np.int64],
        k: NDArray[np.int64],
        staff: Floats,
        before: Traits,
        scale: Scale,
        model: PG1Posterior,
        rng: np.random.Generator,
    ):
        self.grade, self.s, self.k, self.rng, self.model = grade, s, k, rng, model
        self.submissions, self.graders = len(staff), len(before.bias_mean)
        self.reviews = np.bincount(k, minlength=self.graders)
        self.unit, self.before, self.staff = scale.unit, before, staff
        self.new, self.graded = np.isnan(before.bias_mean), ~np.isnan(staff)
        self.low, self.high = edges(grade, scale, model.reading)
        hidden = np.flatnonzero(self.low < self.high)
        # Usually all or none are selected, and a slice is faster than an index array.
        self.hidden = slice(None) if len(hidden) == len(grade) else hidden
        self.hides = len(hidden) > 0
        step = scale.unit if scale.step is None else scale.step
        self.cell = (
            np.where(np.isinf(self.low), self.low, grade - step / 2),
            np.where(np.isinf(self.high), self.high, grade + step / 2),
        )
        self.constant = constant_likelihood(grade, k, self.graders, scale, step)
        self.usual = prior_on(scale, model.prior_mean, model.prior_variance)
        # The chain starts at the grades. Far from them all graders could be classified as constant,
        # and then the chain could not return, because no report would be informative.
        self.mean, self.variance = float(grade.mean()), self.usual[1]
        self.common, self.bias_variance = 0.0, self.unit**2
        self.shape, self.rate = RELIABILITY_SHAPE, 10.0 * self.unit**2
        self.shares = KIND_PRIOR_COUNTS / KIND_PRIOR_COUNTS.sum()
        self.z = grade.copy()
        self.b = np.where(self.new, 0.0, before.bias_mean)
        self.tau = np.where(self.new, self.shape / self.rate, before.shape / before.rate)
        self.kind = np.full(self.graders, PLAIN_KIND)
        self.spread = np.ones(self.graders)

    def run(self, warmup: int, draws: int) -> Found:
        """Run the chain for *warmup* and then *draws* rounds."""
        scores = np.empty((draws, self.submissions), np.float32)
        biases, reliabilities = np.empty((2, draws, self.graders), np.float32)
        kinds, class_draws = np.zeros((self.graders, 3)), np.zeros((draws, 3))
        meant = np.zeros(len(self.grade))
        strength, pull = np.zeros((2, self.graders))
        precision = 0.0
        for kept in range(-warmup, draws):
            self.draw_scores()
            if self.model.kinds and kept % KIND_UPDATE_ROUNDS == 0:
                self.draw_kinds()
            self.draw_latent()
            self.draw_biases()
            self.draw_reliabilities()
            self.draw_class()
            if kept < 0:
                continue
            scores[kept], biases[kept], reliabilities[kept] = self.g, self.b, self.tau
            class_draws[kept] = self.mean, np.log(self.variance), np.log(self.bias_variance)
            slope = KIND_SLOPES[self.kind]
            strength += self.tau * slope**2 / draws
            pull += self.tau * slope / draws
            kinds[np.arange(self.graders), self.kind] += 1 / draws
            meant += self.z / draws
            precision += 1 / self.variance / draws
        return Found(
            scores, biases, reliabilities, meant, float(class_draws[:, 0].mean()), precision,
            strength, pull, kinds, settled(class_draws / [self.unit, 1.0, 1.0]),
        )  # fmt: skip

    @property
    def prior_variance_of_biases(self) -> Floats:
        """Prior variance of each bias; for new graders it is drawn, which gives heavy tails."""
        return np.where(self.new, self.bias_variance / self.spread, self.before.bias_variance)

    @property
    def prior_mean_of_biases(self) -> Floats:
        return np.where(self.new, self.common, self.before.bias_mean)

    def draw_scores(self) -> None:
        """Draw true scores, given graders and latent reports."""
        slope = KIND_SLOPES[self.kind]
        pull = (self.tau * slope)[self.k]
        precision = 1 / self.variance + np.bincount(self.s, pull * slope[self.k], self.submissions)
        off = self.z - self.mean - self.b[self.k]
        mean = self.mean + np.bincount(self.s, pull * off, self.submissions) / precision
        self.g = mean + self.rng.standard_normal(self.submissions) / np.sqrt(precision)
        self.g[self.graded] = self.staff[self.graded]
        self.x = self.g[self.s] - self.mean

    def draw_kinds(self) -> None:
        """Draw the kind of each grader: truthful, hedging or constant.

        The likelihood uses the grades themselves. The bias is integrated out by Laplace's
        approximation: its prior density at the current value times the width of its posterior.
        """
        from scipy.special import gammaln, ndtr

        prior = self.prior_mean_of_biases
        square = np.where(self.new, self.bias_variance, self.before.bias_variance)
        known = 1 / self.prior_variance_of_biases + self.reviews * self.tau
        nu = BIAS_DEGREES_OF_FREEDOM
        density = (
            gammaln((nu + 1) / 2) - gammaln(nu / 2) - 0.5 * np.log(nu * np.pi * square)
            - (nu + 1) / 2 * np.log1p((self.b - prior) ** 2 / square / nu)
            + 0.5 * np.log(2 * np.pi / known)
        )  # fmt: skip
        log = np.empty((self.graders, 3))
        log[:, CONSTANT_KIND] = self.constant
        root = np.sqrt(self.tau)[self.k]
        low, high = self.cell
        for kind in (HEDGING_KIND, PLAIN_KIND):
            at = self.mean + self.b[self.k] + KIND_SLOPES[kind] * self.x
            mass = ndtr((high - at) * root) - ndtr((low - at) * root)
            log_mass = np.log(np.maximum(mass, 1e-12))
            log[:, kind] = np.bincount(self.k, log_mass, self.graders) + density
        log += np.log(self.shares_of_kinds())
        odds = np.exp(log - log.max(axis=1, keepdims=True))
        reached = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        self.kind = (self.rng.random(self.graders)[:, None] > reached).sum(axis=1)
        counts = np.bincount(self.kind[self.new], minlength=3)
        self.shares = np.maximum(self.rng.dirichlet(KIND_PRIOR_COUNTS + counts), 1e-9)

    def shares_of_kinds(self) -> Floats:
        """Prior probabilities of each grader's kind, from earlier assignments or the class."""
        before = np.column_stack(
            (self.before.constant, self.before.hedging,
             1 - self.before.constant - self.before.hedging)
        )  # fmt: skip
        # Graders may change, so prior probabilities are never exactly 0 or 1.
        known = 0.9 * before + 0.1 * self.shares
        return np.asarray(np.where(self.new[:, None], self.shares, known))

    def draw_latent(self) -> None:
        """Draw latent reports within the bounds of their grades (truncated normal)."""
        if not self.hides:
            return
        k = self.k[self.hidden]
        slope = np.where(self.kind == CONSTANT_KIND, 1.0, KIND_SLOPES[self.kind])
        at = self.mean + self.b[k] + slope[k] * self.x[self.hidden]
        off = (self.z[self.hidden] - at) ** 2
        reach = np.sqrt(off + 2 * self.rng.standard_exponential(len(k)) / self.tau[k])
        low = np.maximum(self.low[self.hidden], at - reach)
        high = np.minimum(self.high[self.hidden], at + reach)
        self.z[self.hidden] = low + (high - low) * self.rng.random(len(k))

    def residuals(self) -> Floats:
        """Residuals of latent reports from true scores; constant graders count as truthful."""
        slope = np.where(self.kind == CONSTANT_KIND, 1.0, KIND_SLOPES[self.kind])
        return np.asarray(self.z - self.mean - slope[self.k] * self.x)

    def draw_biases(self) -> None:
        """Draw biases, given everything else."""
        self.left = self.residuals()
        variance = self.prior_variance_of_biases
        precision = 1 / variance + self.reviews * self.tau
        total = np.bincount(self.k, self.left, self.graders)
        mean = (self.prior_mean_of_biases / variance + self.tau * total) / precision
        self.b = mean + self.rng.standard_normal(self.graders) / np.sqrt(precision)

    def draw_reliabilities(self) -> None:
        """Draw reliabilities, given everything else."""
        shape = np.where(self.new, self.shape, self.before.shape)
        rate = np.where(self.new, self.rate, self.before.rate)
        squares = np.bincount(self.k, (self.left - self.b[self.k]) ** 2, self.graders)
        gamma = self.rng.standard_gamma(shape + self.reviews / 2)
        self.tau = gamma / (rate + squares / 2)

    def draw_class(self) -> None:
        """Draw the hyperparameters of the class: of scores, biases and reliabilities."""
        usual_mean, usual_variance = self.usual
        self.mean = self.normal(
            PRIOR_COUNT / usual_variance + self.submissions / self.variance,
            PRIOR_COUNT * usual_mean / usual_variance + self.g.sum() / self.variance,
        )
        squares = ((self.g - self.mean) ** 2).sum()
        self.variance = self.inverse_gamma(PRIOR_COUNT * usual_variance + squares, self.submissions)
        own = self.new & (self.kind != CONSTANT_KIND)
        b, tau = self.b[own], self.tau[own]
        far = (self.b - self.common) ** 2 / self.bias_variance
        gamma = self.rng.standard_gamma((BIAS_DEGREES_OF_FREEDOM + 1) / 2, self.graders)
        self.spread = gamma / ((BIAS_DEGREES_OF_FREEDOM + far) / 2)
        spread = self.spread[own]
        if self.graded.any():
            self.common = self.normal(
                1 / (COMMON_BIAS_DEVIATION * self.unit) ** 2 + spread.sum() / self.bias_variance,
                (spread * b).sum() / self.bias_variance,
            )
        squares = (spread * (b - self.common) ** 2).sum()
        self.bias_variance = self.inverse_gamma(PRIOR_COUNT * self.unit**2 + squares, len(b))
        self.shape, self.rate = self.gamma_of(tau)

    def normal(self, precision: float, total: float) -> float:
        """Draw a normal number with this precision and the mean *total* / *precision*."""
        return float(total / precision + self.rng.standard_normal() / np.sqrt(precision))

    def inverse_gamma(self, squares: float, count: int) -> float:
        """Draw a variance from its inverse Gamma posterior, given a sum of squares."""
        return float(squares / 2 / self.rng.standard_gamma((PRIOR_COUNT + count) / 2))

    def gamma_of(self, tau: Floats) -> tuple[float, float]:
        """Draw shape and rate of the Gamma distribution of reliabilities."""
        from scipy.special import gammaln

        usual = RELIABILITY_SHAPE / (10.0 * self.unit**2)
        prior_rate = PRIOR_COUNT * usual / SHAPE_GRID
        shapes = PRIOR_COUNT + len(tau) * SHAPE_GRID
        rates = prior_rate + tau.sum()
        log = (
            (SHAPE_GRID - 1) * np.log(tau).sum() - len(tau) * gammaln(SHAPE_GRID)
            + gammaln(shapes) + PRIOR_COUNT * np.log(prior_rate) - shapes * np.log(rates)
        )  # fmt: skip
        odds = np.exp(log - log.max())
        place = np.searchsorted(np.cumsum(odds), self.rng.random() * odds.sum())
        place = min(int(place), len(SHAPE_GRID) - 1)
        return float(SHAPE_GRID[place]), float(
            self.rng.standard_gamma(shapes[place]) / rates[place]
        )


def edges(grade: Floats, scale: Scale, reading: str) -> tuple[Floats, Floats]:
    """Bounds of the latent report behind each grade."""
    half = scale.step / 2 if scale.step is not None and reading == "discrete" else 0.0
    low, high = grade - half, grade + half
    if reading != "exact":
        low = np.where(grade <= scale.lowest, -np.inf, low)
        high = np.where(grade >= scale.highest, np.inf, high)
    return low, high


def constant_likelihood(
    grade: Floats, k: NDArray[np.int64], graders: int, scale: Scale, step: float
) -> Floats:
    """Log probability of each grader's grades for a constant grader, with occasional slips."""
    levels = round((scale.highest - scale.lowest) / step) + 1
    level = np.rint((grade - scale.lowest) / step).astype(np.int64)
    given, count = np.unique(k * levels + level, return_counts=True)
    who = given // levels
    reviews = np.bincount(k, minlength=graders)
    same, other = (
        np.log(1 - SLIP_PROBABILITY + SLIP_PROBABILITY / levels),
        np.log(SLIP_PROBABILITY / levels),
    )
    log = count * same + (reviews[who] - count) * other - np.log(levels)
    # Grades that a grader never gave add almost nothing to the sum.
    top = np.full(graders, -np.inf)
    np.maximum.at(top, who, log)
    return np.asarray(top + np.log(np.bincount(who, np.exp(log - top[who]), graders)))


def settled(draws: Floats) -> bool:
    """Whether the two halves of draws agree in every column, by R-hat or by their means."""
    half = len(draws) // 2
    apart = np.abs(draws[:half].mean(axis=0) - draws[half : 2 * half].mean(axis=0))
    return bool(((split_ratio(draws) <= MAX_R_HAT) | (apart <= MAX_HALVES_GAP)).all())


def split_ratio(draws: Floats) -> Floats:
    """R-hat of the two halves of draws for each column: near 1 if they agree."""
    half = len(draws) // 2
    halves = draws[:half], draws[half : 2 * half]
    within = np.mean([one.var(axis=0) for one in halves], axis=0)
    between = np.var([one.mean(axis=0) for one in halves], axis=0) * 2
    return np.asarray(np.sqrt(1 + between / np.maximum(within, 1e-300)))
