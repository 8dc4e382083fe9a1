"""Leniency of graders, from how their grades differ from others' grades of the same work."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats

Indices = NDArray[np.integer[Any]]

RATIO_GRID = np.array([0.0, *np.geomspace(0.02, 8.0, 16)])
"""Ratios of the variance of leniency to the variance of errors; 0 means that nobody is lenient."""

NO_LENIENCY_PRIOR = 0.5
"""Prior probability that the graders of a class do not differ in leniency."""

STAFF_GRADE_REVIEWS = 1.0
"""Number of reviews that a staff grade is worth as evidence about the leniency of graders. Staff
and peers look at a submission differently, so that a staff grade is not exact in this respect."""

LENIENCY_DRIFT = 0.1
"""Growth of the ratio of a known grader from one assignment to the next, because people change."""

MAX_DENSE_GRADERS = 1500
"""Number of graders up to which the likelihood is computed for the whole class."""

SOLVER_TOLERANCE = 1e-8

MIN_ERROR_DEVIATION = 1e-3
"""Least standard deviation of errors, as a share of the scale; grades without any difference would
otherwise fit every ratio perfectly."""


class LeniencyPrior(NamedTuple):
    """What earlier assignments say about the leniency of graders.

    Parameters
    ----------
    mean, ratio
        Mean of each grader's leniency, and its variance divided by the variance of errors; NaN for
        a grader about whom nothing is known.
    evidence
        Probabilities of the ratios in :data:`RATIO_GRID`.
    """

    mean: Floats
    ratio: Floats
    evidence: Floats

    @classmethod
    def unknown(cls, graders: int) -> LeniencyPrior:
        """Create the prior of a class about which nothing is known.

        The square root of the ratio is half-normal with a standard deviation of 1, except for the
        probability that there is no leniency at all.
        """
        root = np.sqrt(RATIO_GRID[1:])
        density = np.exp(-(root**2) / 2) * np.gradient(root)
        some = (1 - NO_LENIENCY_PRIOR) * density / density.sum()
        nothing = np.full(graders, np.nan)
        return cls(nothing, nothing.copy(), np.array([NO_LENIENCY_PRIOR, *some]))


class Leniency(NamedTuple):
    """Estimated leniency of graders.

    Parameters
    ----------
    mean, deviation
        Posterior mean and standard deviation of each grader's leniency, in points of the scale; NaN
        for a grader without reviews.
    ratio
        Squared deviation divided by the variance of errors.
    evidence
        Probabilities of the ratios in :data:`RATIO_GRID`.
    error_variance
        Variance of errors, which remain if leniency is removed.
    """

    mean: Floats
    deviation: Floats
    ratio: Floats
    evidence: Floats
    error_variance: float

    @property
    def none_probability(self) -> float:
        """Probability that graders do not differ in leniency."""
        return float(self.evidence[0])


def estimate_leniency(
    grade: Floats,
    s: Indices,
    k: Indices,
    anchor: Floats,
    prior: LeniencyPrior,
    widest: float,
) -> Leniency:
    r"""Estimate the leniency of the graders of one assignment.

    A grade is the apparent score of the submission, plus the leniency of the grader, plus an error:

    .. math:: y_{sk} = g_s + b_k + e_{sk}

    Nothing is assumed about the scores, so only differences between graders of the same submission
    count: the level of graders who share no submission with the rest is left alone. Leniencies are
    :math:`N(0, r \sigma^2)`. With :math:`P`, which subtracts the mean of each submission, and
    the design matrix :math:`Z` of graders, let :math:`A = Z' P Z` and :math:`c = Z' P y`. The
    restricted likelihood of :math:`r` is

    .. math:: \log L(r) = -\tfrac12 \log |I + r A| - \tfrac12 (n - S) \log \left(y' P y -
        r c' (I + r A)^{-1} c\right)

    and the leniencies given :math:`r` are :math:`r (I + r A)^{-1} c`. Both are averaged over the
    posterior distribution of :math:`r`, in which no leniency at all (:math:`r = 0`) has a
    probability of its own. A grader with a history has their own prior mean and variance.

    In a class with more than 1,500 graders, the distribution of :math:`r` comes from that many
    graders who grade the same work.

    Parameters
    ----------
    grade, s, k
        The reports on submissions *s* by graders *k*, numbered from 0.
    anchor
        Staff grade of each submission on the level of the peers, NaN if there is none; it counts
        like one more review, by somebody without leniency.
    prior
        What earlier assignments say.
    widest
        Width of the scale, which neither a leniency nor its deviation exceeds.
    """
    graders = len(prior.mean)
    class_ = _Contrasts(grade, s, k, anchor, prior, widest)
    if graders <= MAX_DENSE_GRADERS:
        evidence, fits = class_.evidence()
    else:
        some = neighbours(s, k, len(anchor), graders, MAX_DENSE_GRADERS)
        chosen = some[k]
        part = _Contrasts(grade[chosen], s[chosen], k[chosen], anchor, prior, widest)
        evidence, _ = part.restricted(some).evidence()
        fits = []
    mean, ratio, variance = class_.averaged(evidence, fits)
    graded = np.bincount(k, minlength=graders) > 0
    deviation = np.sqrt(ratio * variance)
    return Leniency(
        np.where(graded, np.clip(mean, -widest, widest), np.nan),
        np.where(graded, np.minimum(deviation, widest), np.nan),
        np.where(graded, ratio, np.nan),
        evidence,
        variance,
    )


class _Fit(NamedTuple):
    """Estimates for one ratio: leniencies, sum of squares, and log likelihood."""

    mean: Floats
    squares: float
    log_likelihood: float


class _Contrasts:
    """Differences between grades of the same submission."""

    def __init__(
        self,
        grade: Floats,
        s: Indices,
        k: Indices,
        anchor: Floats,
        prior: LeniencyPrior,
        widest: float,
    ):
        self.grade, self.s, self.k, self.prior = grade, s, k, prior
        self.submissions, self.graders = len(anchor), len(prior.mean)
        self.known = ~np.isnan(prior.mean)
        anchored = ~np.isnan(anchor)
        self.anchor = np.where(anchored, anchor, 0.0)
        reviews = np.bincount(s, minlength=self.submissions)
        # An anchored submission has one more review, which is not a difference by itself.
        self.total_weight = np.maximum(reviews + STAFF_GRADE_REVIEWS * anchored, 1.0)
        self.degrees = len(grade) - int((reviews[~anchored] > 0).sum())
        self.least_squares = max(self.degrees, 1) * (MIN_ERROR_DEVIATION * widest) ** 2

    def restricted(self, some: NDArray[np.bool_]) -> _Contrasts:
        """The same contrasts with only some graders, who are numbered again from 0."""
        place = np.cumsum(some) - 1
        self.k, self.graders = place[self.k], int(some.sum())
        self.prior = LeniencyPrior(
            self.prior.mean[some], self.prior.ratio[some], self.prior.evidence
        )
        self.known = self.known[some]
        return self

    def centred(self, grade: Floats) -> Floats:
        """Grades minus the mean of their submission, or minus what the staff grade makes of it."""
        off = grade - self.anchor[self.s]
        total = np.bincount(self.s, off, self.submissions)
        return np.asarray(off - (total / self.total_weight)[self.s])

    def matrix(self) -> Floats:
        """The matrix *A* of the restricted likelihood."""
        from scipy.sparse import csr_matrix

        ones = np.ones(len(self.s))
        shape = self.submissions, self.graders
        incidence = csr_matrix((ones, (self.s, self.k)), shape=shape)
        scaled = incidence.multiply(1 / self.total_weight[:, None]).tocsr()
        product = -np.asarray((incidence.T @ scaled).todense())
        product[np.diag_indices(self.graders)] += np.bincount(self.k, minlength=self.graders)
        return np.asarray(product)

    def prior_of(self, ratio: float) -> tuple[Floats, Floats]:
        """Prior mean and relative variance of each leniency, given the ratio of the class."""
        if ratio == 0:
            return np.zeros(self.graders), np.zeros(self.graders)
        own = np.minimum(self.prior.ratio + LENIENCY_DRIFT * ratio, ratio)
        return np.where(self.known, self.prior.mean, 0.0), np.where(self.known, own, ratio)

    def evidence(self) -> tuple[Floats, list[_Fit]]:
        """Posterior probabilities of the ratios, and the estimates for each of them."""
        from threadpoolctl import threadpool_limits

        matrix = self.matrix()
        # On a busy machine, threads of linear algebra wait for each other: seconds for 700 graders.
        with threadpool_limits(1, "blas"):
            if self.known.any():
                fits = [self._fit(matrix, float(ratio)) for ratio in RATIO_GRID]
            else:
                fits = self._fits_of_strangers(matrix)
        log = np.array([one.log_likelihood for one in fits])
        odds = self.prior.evidence * np.exp(log - log.max())
        return odds / odds.sum(), fits

    def _fits_of_strangers(self, matrix: Floats) -> list[_Fit]:
        """Estimates for all ratios if no grader has a history: one eigendecomposition for all."""
        values, vectors = np.linalg.eigh(matrix)
        off = self.centred(self.grade)
        squares = float((off * (self.grade - self.anchor[self.s])).sum())
        pull = vectors.T @ np.bincount(self.k, off, self.graders)
        fits = []
        for ratio in RATIO_GRID.tolist():
            stretch = np.maximum(1 + ratio * values, 1.0)
            solved = ratio * pull / stretch
            log_determinant = float(np.log(stretch).sum())
            fits.append(
                self._fitted(vectors @ solved, squares, float(pull @ solved), log_determinant)
            )
        return fits

    def _fit(self, matrix: Floats, ratio: float) -> _Fit:
        """Estimates for one ratio, by a Cholesky decomposition."""
        from scipy.linalg import cho_factor, cho_solve

        mean, variance = self.prior_of(ratio)
        off = self.centred(self.grade - mean[self.k])
        squares = float((off * (self.grade - mean[self.k] - self.anchor[self.s])).sum())
        root = np.sqrt(variance)
        pull = root * np.bincount(self.k, off, self.graders)
        scaled = root[:, None] * matrix * root + np.eye(self.graders)
        factor = cho_factor(scaled, lower=True, check_finite=False)
        solved = cho_solve(factor, pull, check_finite=False)
        log_determinant = 2 * float(np.log(np.diag(factor[0])).sum())
        return self._fitted(mean + root * solved, squares, float(pull @ solved), log_determinant)

    def _fitted(
        self, mean: Floats, squares: float, explained: float, log_determinant: float
    ) -> _Fit:
        rest = max(squares - explained, self.least_squares)
        log = -log_determinant / 2 - self.degrees / 2 * np.log(rest)
        return _Fit(np.asarray(mean), rest, float(log))

    def averaged(self, evidence: Floats, fits: list[_Fit]) -> tuple[Floats, Floats, float]:
        """Leniencies and their relative variances, averaged over ratios; variance of errors."""
        if fits:
            mean = np.asarray(evidence @ np.array([one.mean for one in fits]))
            squares = float(evidence @ np.array([one.squares for one in fits]))
            between = np.asarray(evidence @ np.array([(one.mean - mean) ** 2 for one in fits]))
        else:
            expected = float(evidence @ RATIO_GRID) / max(1 - float(evidence[0]), 1e-9)
            solved, squares = self._solve(expected)
            share = 1 - float(evidence[0])
            mean, between = share * solved, share * (1 - share) * solved**2
        error = squares / max(self.degrees, 1)
        # The variance of one leniency, if the leniencies of the co-graders are known.
        kept = np.bincount(self.k, 1 - 1 / self.total_weight[self.s], self.graders)
        ratio = np.zeros(self.graders)
        for probability, one in zip(evidence[1:], RATIO_GRID[1:], strict=True):
            _, variance = self.prior_of(float(one))
            ratio += probability / (kept + 1 / variance)
        return mean, ratio + between / max(error, 1e-300), error

    def _solve(self, ratio: float) -> tuple[Floats, float]:
        """Leniencies in a large class by conjugate gradients, and the sum of squares."""
        from scipy.sparse.linalg import LinearOperator, cg

        mean, variance = self.prior_of(ratio)
        off = self.centred(self.grade - mean[self.k])
        root = np.sqrt(variance)
        pull = root * np.bincount(self.k, off, self.graders)

        def times(values: Floats) -> Floats:
            moved = (root * values)[self.k]
            total = np.bincount(self.s, moved, self.submissions) / self.total_weight
            back = np.bincount(self.k, moved - total[self.s], self.graders)
            return np.asarray(values + root * back)

        operator = LinearOperator((self.graders, self.graders), matvec=times, dtype=np.float64)
        solved, _ = cg(operator, pull, rtol=SOLVER_TOLERANCE)
        squares = float((off * (self.grade - mean[self.k] - self.anchor[self.s])).sum())
        return np.asarray(mean + root * solved), squares - float(pull @ solved)


def neighbours(
    s: Indices, k: Indices, submissions: int, graders: int, most: int
) -> NDArray[np.bool_]:
    """About *most* graders who grade the same work: whole neighbourhoods of the class.

    Graders are added in the order of a breadth-first search, so that they keep most of their
    co-graders; a class that falls into parts is searched part by part.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import breadth_first_order

    ones = np.ones(len(s), dtype=np.int8)
    nodes = submissions + graders
    graph = csr_matrix((ones, (s, submissions + np.asarray(k))), shape=(nodes, nodes))
    chosen = np.zeros(graders, dtype=np.bool_)
    for start in range(graders):
        if chosen.sum() >= most:
            break
        if chosen[start]:
            continue
        order = breadth_first_order(
            graph, submissions + start, directed=False, return_predecessors=False
        )
        found = order[order >= submissions] - submissions
        chosen[found[: most - int(chosen.sum())]] = True
    return chosen
