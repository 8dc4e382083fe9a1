"""Model PG1 with all that is unknown about it: intervals, staff grades, and what was known before.

PG1 gives one number for every unknown. Here each is drawn, given the others, over and over again
(Gibbs sampling), so that the draws show between what bounds it lies. Three things are added that
real classes need: grades are rounded and cut at the ends of the scale, the class itself tells what
is usual in it, and some graders report the same whatever they see, or only half of it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.core.randomness import stream
from peergauge.models import Estimates, Model, model
from peergauge.models.pg1 import SHAPE, check_prior, prior_on
from peergauge.tables import Reports, Scale

Draws = NDArray[np.float32]

CONSTANT, HEDGING, PLAIN = 0, 1, 2
SLOPES = np.array([0.0, 0.5, 1.0])
"""How much of a difference in quality shows in the grades of each kind of grader."""

KINDS = np.array([1.0, 1.0, 20.0])
"""How many graders of each kind are taken for granted beside those of the class.

With few of them, nothing tells a class where half of the graders hedge from one where submissions
differ less, and the answer is a matter of chance.
"""

SLIP = 0.1
"""How often a constant grader gives another grade."""

SHAPES = np.geomspace(1.0, 100.0, 25)
"""The shapes that the distribution of reliabilities may have."""

TAILS = 3.0
"""Degrees of freedom of biases: few, so that some may be far off without moving all others."""

WEIGHT = 2.0
"""How many submissions or graders the prior's numbers count for beside those of the class."""

COMMON = 0.5
"""Deviation of what is common to the biases of a class, on 0..10: only staff grades can tell."""

EVERY = 4
"""After how many rounds graders are told apart again; it is the dearest step."""

DRAWS, FEWEST = 800, 100
"""How many draws are kept if nobody says, in a class of the usual size and in the largest ones."""

PATIENCE = 8
"""How many times as many draws are made, if nobody says, until they settle."""

LARGE = 100_000
"""The number of reviews from which on fewer draws are kept, in proportion, and none in vain."""

MIXED = 1.1
"""The ratio of variances (R-hat of two halves) up to which a chain counts as mixed."""

HARMLESS = 0.1
"""How far the halves may be apart all the same, in points of 0..10 or in logarithms: in a large
class all is known so well that the ratio alone would never be content."""


class Traits(NamedTuple):
    """What is known of graders, each an array over them; NaN for those of whom nothing is.

    Biases are normal, reliabilities Gamma, and kinds have probabilities.
    """

    bias_mean: Floats
    bias_variance: Floats
    shape: Floats
    rate: Floats
    constant: Floats
    hedging: Floats

    @classmethod
    def unknown(cls, graders: int) -> Traits:
        """Nothing is known of anybody."""
        return cls(*(np.full(graders, np.nan) for _ in cls._fields))

    def of(self, graders: NDArray[np.integer[Any]]) -> Traits:
        """Those of some graders."""
        return Traits(*(one[graders] for one in self))


@dataclass(frozen=True, eq=False, kw_only=True)
class Posterior(Estimates):
    r"""What is known of scores and graders after the reports.

    The score of a submission is made of its reports and the class's mean:

    .. math:: \hat g_s = w_s \mu + \sum_k w_{sk} v_{sk}, \quad w_s + \sum_k w_{sk} = 1

    cut at the ends of the scale, where *v* is what a report comes to when its grader's bias is
    taken off and, for those who hedge, the rest stretched.

    Parameters
    ----------
    meant
        What each report counts as: its grade, or what was probably meant where rounding or an end
        of the scale hides it.
    value, weight
        *v* and *w* of each report.
    prior_mean, prior_weight
        *μ* of each assignment, and its weight for each submission.
    staff
        The score that staff gave, which then is the score; NaN where they gave none.
    score_draws
        Draws of each score from what is known of it (draws × submissions).
    bias_draws, reliability_draws
        The same of graders, after the last assignment that each graded; NaN for one without.
    traits
        What is known of each grader now, to begin the next assignment with.
    """

    meant: Floats
    value: Floats
    weight: Floats
    prior_mean: Floats
    prior_weight: Floats
    staff: Floats
    score_draws: Draws
    bias_draws: Draws
    reliability_draws: Draws
    traits: Traits

    def interval(self, level: float = 0.9) -> tuple[Floats, Floats]:
        """Between what bounds each score lies with a probability of *level*."""
        return middle(self.score_draws, level)

    def moments(self) -> tuple[float, float]:
        """Mean and variance that true scores seem to have in the class: a prior for others."""
        variance = np.nanvar(self.score_draws, axis=1, dtype=np.float64)
        return float(np.nanmean(self.prior_mean)), float(variance.mean())


def middle(draws: Draws, level: float) -> tuple[Floats, Floats]:
    """The middle *level* of draws, column by column."""
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
    r"""True scores, biases and reliabilities with what is not known about them.

    As in PG1, a report is normal around true score plus bias,

    .. math:: z_s^k \sim N(\mu + b_k + c_k (g_s - \mu), 1 / \tau_k)

    and the grade is *z* rounded to the scale and cut at its ends. Scores are :math:`N(\mu,
    \sigma^2)`, reliabilities Gamma, biases Student t with three degrees of freedom, and their
    parameters are learnt from the class, where the paper's count for two submissions or graders.
    The slope *c* is 1, or ½ for those who hedge; those who report a constant tell nothing. How
    many there are of each is learnt too.

    Assignments are taken in their order, and what is known of a grader after one is where the next
    begins. Later assignments never change the scores of earlier ones.

    Staff grades are taken for the true scores. They tell how lenient their graders are, and what
    is common to the whole class, which reports alone cannot.

    Parameters
    ----------
    prior_mean, prior_variance
        What is expected of the true scores before the reports; by default the paper's 7 and 2.1 in
        proportion to the scale. It counts for two submissions.
    reading
        ``discrete``: grades are rounded and cut at the ends of the scale; ``censored``: only cut;
        ``exact``: neither, which is wrong where many grades are at an end.
    kinds
        Whether graders may hedge or report a constant; if not, all are taken to report what they
        see.
    draws, warmup
        How many draws are kept, and how many are made before. If left open, 800 are kept, in
        proportion fewer from 100,000 reviews on (240 of 333,000, never less than 100), and a
        quarter as many are made before; and if those have not settled, up to eight times as many,
        but for the largest classes.
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
            raise ParameterError("The draws that are made before cannot be less than none.")

    def rounds(self, reviews: int) -> tuple[int, int]:
        """How many draws to make before, and how many to keep, of a class with so many reviews."""
        usual = round(DRAWS * min(1.0, LARGE / max(reviews, 1)))
        draws = max(usual, FEWEST) if self.draws is None else self.draws
        return draws // 4 if self.warmup is None else self.warmup, draws

    def fit(
        self, reports: Reports, staff: Floats | None = None, traits: Traits | None = None
    ) -> Posterior:
        """Estimate everything.

        Parameters
        ----------
        staff
            What staff gave each submission, NaN where they gave nothing.
        traits
            What is known of the graders from before.
        """
        if staff is None:
            staff = np.full(reports.submissions, np.nan)
        warmup, draws = self.rounds(len(reports))
        now = Traits.unknown(reports.graders) if traits is None else traits
        now = Traits(*(one.copy() for one in now))
        by_grader = (reports.assignments, reports.graders)
        score, prior_weight = np.full((2, reports.submissions), np.nan)
        bias, reliability = np.full((2, *by_grader), np.nan)
        meant, value, weight = np.full((3, len(reports)), np.nan)
        prior_mean = np.full(reports.assignments, np.nan)
        converged = np.ones(reports.assignments, dtype=np.bool_)
        rounds = np.zeros(reports.assignments, dtype=np.int64)
        patient = self.draws is None and len(reports) <= LARGE
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
            while not found.mixed and patient and rounds[a] < PATIENCE * draws:
                found = chain.run(draws, draws)
                rounds[a] += 2 * draws
            scores[:, s_names] = np.clip(found.scores, reports.scale.lowest, reports.scale.highest)
            biases[:, k_names], reliabilities[:, k_names] = found.biases, found.reliabilities
            for old, new in zip(now, found.traits(), strict=True):
                old[k_names] = new
            bias[a, k_names] = now.bias_mean[k_names]
            reliability[a, k_names] = found.reliabilities.mean(0)
            meant[here], prior_mean[a], converged[a] = found.meant, found.mean, found.mixed
            value[here], weight[here], prior_weight[s_names] = found.shares(s, k)
            made = np.bincount(s, weight[here] * value[here], len(s_names))
            score[s_names] = made + prior_weight[s_names] * found.mean
        score = np.clip(score, reports.scale.lowest, reports.scale.highest)
        graded = ~np.isnan(staff)
        score[graded] = scores[:, graded] = staff[graded]
        if not converged.all():
            warnings.warn(
                f"The draws have not settled in {int((~converged).sum())} of "
                f"{reports.assignments} assignments; make more of them, with a longer warmup.",
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
            staff=staff,
            score_draws=scores,
            bias_draws=biases,
            reliability_draws=reliabilities,
            traits=now,
        )


class Found(NamedTuple):
    """What a chain has drawn, and the means of what it went through."""

    scores: Draws
    biases: Draws
    reliabilities: Draws
    meant: Floats
    mean: float
    precision: float
    strength: Floats
    """Of each grader, the mean of reliability times the square of the slope, 0 for a constant."""

    pull: Floats
    """The same with the slope itself."""

    kinds: Floats
    """Of each grader, how often they were drawn to be of each kind."""

    mixed: bool

    def traits(self) -> Traits:
        """What is known of graders now: draws as a normal and a Gamma with their moments."""
        b, tau = self.biases.astype(np.float64), self.reliabilities.astype(np.float64)
        mean, variance = tau.mean(0), tau.var(0)
        return Traits(
            b.mean(0),
            b.var(0),
            mean**2 / variance,
            mean / variance,
            self.kinds[:, CONSTANT],
            self.kinds[:, HEDGING],
        )

    def shares(self, s: NDArray[np.int64], k: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
        """What each report comes to and its weight, and the weight of the mean."""
        stretch = np.divide(self.pull, self.strength, where=self.strength > 0,
                            out=np.ones(len(self.pull)))  # fmt: skip
        bias = self.biases.mean(0, dtype=np.float64)
        value = self.mean + (self.meant - self.mean - bias[k]) * stretch[k]
        total = self.precision + np.bincount(s, self.strength[k], self.scores.shape[1])
        shares = np.asarray(self.strength[k] / total[s]), np.asarray(self.precision / total)
        return np.asarray(value), *shares


class Chain:
    """Draws from what is known of one assignment: one unknown after the other, given the rest.

    Parameters
    ----------
    grade, s, k
        The reports on submissions *s* by graders *k*, numbered from 0.
    staff
        What staff gave each submission, NaN where they gave nothing.
    before
        What is known of the graders.
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
        # Mostly all are or none is, and a slice is faster than a list of everything.
        self.hidden = slice(None) if len(hidden) == len(grade) else hidden
        self.hides = len(hidden) > 0
        step = scale.unit if scale.step is None else scale.step
        self.cell = (
            np.where(np.isinf(self.low), self.low, grade - step / 2),
            np.where(np.isinf(self.high), self.high, grade + step / 2),
        )
        self.constant = constant_likelihood(grade, k, self.graders, scale, step)
        self.usual = prior_on(scale, model.prior_mean, model.prior_variance)
        # Where it begins: at the grades. Far from them, all graders could seem constant, and if all
        # are, nothing is left to find the way back by.
        self.mean, self.variance = float(grade.mean()), self.usual[1]
        self.common, self.bias_variance = 0.0, self.unit**2
        self.shape, self.rate = SHAPE, 10.0 * self.unit**2
        self.shares = KINDS / KINDS.sum()
        self.z = grade.copy()
        self.b = np.where(self.new, 0.0, before.bias_mean)
        self.tau = np.where(self.new, self.shape / self.rate, before.shape / before.rate)
        self.kind = np.full(self.graders, PLAIN)
        self.spread = np.ones(self.graders)

    def run(self, warmup: int, draws: int) -> Found:
        """Draw *draws* times after a *warmup*."""
        scores = np.empty((draws, self.submissions), np.float32)
        biases, reliabilities = np.empty((2, draws, self.graders), np.float32)
        kinds, told = np.zeros((self.graders, 3)), np.zeros((draws, 3))
        meant = np.zeros(len(self.grade))
        strength, pull = np.zeros((2, self.graders))
        precision = 0.0
        for kept in range(-warmup, draws):
            self.draw_scores()
            if self.model.kinds and kept % EVERY == 0:
                self.draw_kinds()
            self.draw_latent()
            self.draw_biases()
            self.draw_reliabilities()
            self.draw_class()
            if kept < 0:
                continue
            scores[kept], biases[kept], reliabilities[kept] = self.g, self.b, self.tau
            told[kept] = self.mean, np.log(self.variance), np.log(self.bias_variance)
            slope = SLOPES[self.kind]
            strength += self.tau * slope**2 / draws
            pull += self.tau * slope / draws
            kinds[np.arange(self.graders), self.kind] += 1 / draws
            meant += self.z / draws
            precision += 1 / self.variance / draws
        return Found(
            scores, biases, reliabilities, meant, float(told[:, 0].mean()), precision, strength,
            pull, kinds, settled(told / [self.unit, 1.0, 1.0]),
        )  # fmt: skip

    @property
    def prior_variance_of_biases(self) -> Floats:
        """Of each grader; that of a newcomer varies, which gives biases their heavy tails."""
        return np.where(self.new, self.bias_variance / self.spread, self.before.bias_variance)

    @property
    def prior_mean_of_biases(self) -> Floats:
        return np.where(self.new, self.common, self.before.bias_mean)

    def draw_scores(self) -> None:
        """True scores, given graders and latent reports."""
        slope = SLOPES[self.kind]
        pull = (self.tau * slope)[self.k]
        precision = 1 / self.variance + np.bincount(self.s, pull * slope[self.k], self.submissions)
        off = self.z - self.mean - self.b[self.k]
        mean = self.mean + np.bincount(self.s, pull * off, self.submissions) / precision
        self.g = mean + self.rng.standard_normal(self.submissions) / np.sqrt(precision)
        self.g[self.graded] = self.staff[self.graded]
        self.x = self.g[self.s] - self.mean

    def draw_kinds(self) -> None:
        """Whether graders report what they see, half of it, or a constant.

        The likelihood is of the grades themselves, and the bias counts with the density that it
        has beforehand, as wide as it is known afterwards (Laplace's approximation).
        """
        from scipy.special import gammaln, ndtr

        prior = self.prior_mean_of_biases
        square = np.where(self.new, self.bias_variance, self.before.bias_variance)
        known = 1 / self.prior_variance_of_biases + self.reviews * self.tau
        density = (
            gammaln((TAILS + 1) / 2) - gammaln(TAILS / 2) - 0.5 * np.log(TAILS * np.pi * square)
            - (TAILS + 1) / 2 * np.log1p((self.b - prior) ** 2 / square / TAILS)
            + 0.5 * np.log(2 * np.pi / known)
        )  # fmt: skip
        log = np.empty((self.graders, 3))
        log[:, CONSTANT] = self.constant
        root = np.sqrt(self.tau)[self.k]
        low, high = self.cell
        for kind in (HEDGING, PLAIN):
            at = self.mean + self.b[self.k] + SLOPES[kind] * self.x
            mass = ndtr((high - at) * root) - ndtr((low - at) * root)
            told = np.log(np.maximum(mass, 1e-12))
            log[:, kind] = np.bincount(self.k, told, self.graders) + density
        log += np.log(self.shares_of_kinds())
        odds = np.exp(log - log.max(axis=1, keepdims=True))
        reached = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)[:, :-1]
        self.kind = (self.rng.random(self.graders)[:, None] > reached).sum(axis=1)
        counts = np.bincount(self.kind[self.new], minlength=3)
        self.shares = np.maximum(self.rng.dirichlet(KINDS + counts), 1e-9)

    def shares_of_kinds(self) -> Floats:
        """How likely each grader is of each kind: as known before, or as in the class."""
        before = np.column_stack(
            (self.before.constant, self.before.hedging,
             1 - self.before.constant - self.before.hedging)
        )  # fmt: skip
        # People change: what is known of them beforehand is never certain.
        known = 0.9 * before + 0.1 * self.shares
        return np.asarray(np.where(self.new[:, None], self.shares, known))

    def draw_latent(self) -> None:
        """What was meant, within the bounds that the grades leave (a slice of the density)."""
        if not self.hides:
            return
        k = self.k[self.hidden]
        slope = np.where(self.kind == CONSTANT, 1.0, SLOPES[self.kind])
        at = self.mean + self.b[k] + slope[k] * self.x[self.hidden]
        off = (self.z[self.hidden] - at) ** 2
        reach = np.sqrt(off + 2 * self.rng.standard_exponential(len(k)) / self.tau[k])
        low = np.maximum(self.low[self.hidden], at - reach)
        high = np.minimum(self.high[self.hidden], at + reach)
        self.z[self.hidden] = low + (high - low) * self.rng.random(len(k))

    def residuals(self) -> Floats:
        """What is left of latent reports beyond the true scores; constants are taken as plain."""
        slope = np.where(self.kind == CONSTANT, 1.0, SLOPES[self.kind])
        return np.asarray(self.z - self.mean - slope[self.k] * self.x)

    def draw_biases(self) -> None:
        """Biases, given everything else."""
        self.left = self.residuals()
        variance = self.prior_variance_of_biases
        precision = 1 / variance + self.reviews * self.tau
        total = np.bincount(self.k, self.left, self.graders)
        mean = (self.prior_mean_of_biases / variance + self.tau * total) / precision
        self.b = mean + self.rng.standard_normal(self.graders) / np.sqrt(precision)

    def draw_reliabilities(self) -> None:
        """Reliabilities, given everything else."""
        shape = np.where(self.new, self.shape, self.before.shape)
        rate = np.where(self.new, self.rate, self.before.rate)
        squares = np.bincount(self.k, (self.left - self.b[self.k]) ** 2, self.graders)
        gamma = self.rng.standard_gamma(shape + self.reviews / 2)
        self.tau = gamma / (rate + squares / 2)

    def draw_class(self) -> None:
        """What is usual in the class: of scores, biases and reliabilities."""
        usual_mean, usual_variance = self.usual
        self.mean = self.normal(
            WEIGHT / usual_variance + self.submissions / self.variance,
            WEIGHT * usual_mean / usual_variance + self.g.sum() / self.variance,
        )
        squares = ((self.g - self.mean) ** 2).sum()
        self.variance = self.inverse_gamma(WEIGHT * usual_variance + squares, self.submissions)
        own = self.new & (self.kind != CONSTANT)
        b, tau = self.b[own], self.tau[own]
        far = (self.b - self.common) ** 2 / self.bias_variance
        gamma = self.rng.standard_gamma((TAILS + 1) / 2, self.graders)
        self.spread = gamma / ((TAILS + far) / 2)
        spread = self.spread[own]
        if self.graded.any():
            self.common = self.normal(
                1 / (COMMON * self.unit) ** 2 + spread.sum() / self.bias_variance,
                (spread * b).sum() / self.bias_variance,
            )
        squares = (spread * (b - self.common) ** 2).sum()
        self.bias_variance = self.inverse_gamma(WEIGHT * self.unit**2 + squares, len(b))
        self.shape, self.rate = self.gamma_of(tau)

    def normal(self, precision: float, total: float) -> float:
        """A normal draw of this precision, around the total over it."""
        return float(total / precision + self.rng.standard_normal() / np.sqrt(precision))

    def inverse_gamma(self, squares: float, count: int) -> float:
        """A variance, given so many squares beside the prior's."""
        return float(squares / 2 / self.rng.standard_gamma((WEIGHT + count) / 2))

    def gamma_of(self, tau: Floats) -> tuple[float, float]:
        """Shape and rate of the distribution of reliabilities; the rate is Gamma as well."""
        from scipy.special import gammaln

        usual = SHAPE / (10.0 * self.unit**2)
        prior_rate = WEIGHT * usual / SHAPES
        shapes = WEIGHT + len(tau) * SHAPES
        rates = prior_rate + tau.sum()
        log = (
            (SHAPES - 1) * np.log(tau).sum() - len(tau) * gammaln(SHAPES)
            + gammaln(shapes) + WEIGHT * np.log(prior_rate) - shapes * np.log(rates)
        )  # fmt: skip
        odds = np.exp(log - log.max())
        place = np.searchsorted(np.cumsum(odds), self.rng.random() * odds.sum())
        place = min(int(place), len(SHAPES) - 1)
        return float(SHAPES[place]), float(self.rng.standard_gamma(shapes[place]) / rates[place])


def edges(grade: Floats, scale: Scale, reading: str) -> tuple[Floats, Floats]:
    """Between what bounds the latent report lies that became a grade."""
    half = scale.step / 2 if scale.step is not None and reading == "discrete" else 0.0
    low, high = grade - half, grade + half
    if reading != "exact":
        low = np.where(grade <= scale.lowest, -np.inf, low)
        high = np.where(grade >= scale.highest, np.inf, high)
    return low, high


def constant_likelihood(
    grade: Floats, k: NDArray[np.int64], graders: int, scale: Scale, step: float
) -> Floats:
    """Log probability of each grader's grades if all are one grade, whichever, but for slips."""
    levels = round((scale.highest - scale.lowest) / step) + 1
    level = np.rint((grade - scale.lowest) / step).astype(np.int64)
    given, count = np.unique(k * levels + level, return_counts=True)
    who = given // levels
    reviews = np.bincount(k, minlength=graders)
    same, other = np.log(1 - SLIP + SLIP / levels), np.log(SLIP / levels)
    log = count * same + (reviews[who] - count) * other - np.log(levels)
    # The grades that somebody never gave add next to nothing.
    top = np.full(graders, -np.inf)
    np.maximum.at(top, who, log)
    return np.asarray(top + np.log(np.bincount(who, np.exp(log - top[who]), graders)))


def settled(draws: Floats) -> bool:
    """Whether two halves of draws tell the same in every column, or what does no harm."""
    half = len(draws) // 2
    apart = np.abs(draws[:half].mean(axis=0) - draws[half : 2 * half].mean(axis=0))
    return bool(((split_ratio(draws) <= MIXED) | (apart <= HARMLESS)).all())


def split_ratio(draws: Floats) -> Floats:
    """R-hat of two halves of draws, column by column: near 1 if they tell the same."""
    half = len(draws) // 2
    halves = draws[:half], draws[half : 2 * half]
    within = np.mean([one.var(axis=0) for one in halves], axis=0)
    between = np.var([one.mean(axis=0) for one in halves], axis=0) * 2
    return np.asarray(np.sqrt(1 + between / np.maximum(within, 1e-300)))
