"""Pay graders by a scoring function of two reports that is learnt on other submissions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.shared.co_graders import CoGraders, co_graders, mean_over_co_graders
from peergauge.mechanisms.shared.others import share_of_pairs
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.tables import Reports, Rewards

GRID_POINTS = 33
"""Largest number of grades between which the learner distinguishes."""

NEWTON_STEPS = 30
"""Largest number of steps of Newton's method, which usually takes five."""

MAX_LAST_STEP = 1e-7
"""Largest change of a parameter in the last step, after which the error is its square."""

MAX_LOG_RATIO = 6.0
"""Largest logarithm of a ratio that is paid."""

MAX_PENALTY_PAIRS = 64
"""Largest number of pairs of penalty tasks that are averaged for one pair of reports."""

PAIRS_AT_ONCE = 2**18
"""Pairs of reports that are paid at once, which bounds the memory."""


@mechanism(
    "vmi",
    label="VMI: {divergence}",
    source="Schoenebeck & Yu 2021",
    family="Φ-divergence pairing",
    variants=({"divergence": Divergence.KL},),
    random=True,
    equilibrium=Equilibrium.NEARLY_STRONGLY,
    assumption="stochastically relevant",
    penalties=True,
)
@dataclass(frozen=True)
class VariationalInformation(Mechanism):
    r"""A learnt score of two reports on a submission, minus its conjugate on penalty tasks.

    The Φ-divergence between the joint distribution of two reports on one submission and the product
    of their marginals is a measure of mutual information. By its variational representation it is
    the largest value, over all functions K of two reports, of

    .. math:: E_{\text{joint}}[K(x, y)] - E_{\text{product}}[\Phi^*(K(x, y))].

    The best K is ∂Φ(JP), where JP is the joint-to-marginal-product ratio. So a mechanism can
    *learn* K on some submissions, by maximising the empirical value, and pay by it on others. A
    report *x* on submission *b* earns, in the mean over co-graders,

    .. math:: K(x_b, y_b) - \overline{\Phi^*(K(x_p, y_q))},

    where the mean is over the pairs of another task *p* of the grader and another task *q* of the
    co-grader on the assignment, which differ from each other.

    **The learner.** Φ-Div (``phi-div``) estimates JP by counting pairs of grades, which needs many
    reports and few grades. Here the ratio has five parameters,

    .. math:: \log JP(x, y) = θ_0 + θ_1 (u + v) + θ_2 u v + θ_3 (u^2 + v^2) + θ_4 u v (u + v),

    where *u* and *v* are the two grades minus the mean grade, in standard deviations. This contains
    every pair of normally distributed grades with a common correlation; the last term allows for
    skewness. θ maximises the value for Φ(x) = x log x, a concave problem, with a small ridge
    penalty, by Newton's method. For another Φ the same ratio is paid by its own ∂Φ.

    **Learning on other submissions.** The submissions of each assignment are split into two halves
    at random. The ratio for one half is learnt from the other half and from all earlier
    assignments. Earlier pay does not change later. The logarithm of a ratio is cut off at ±6.

    A report without a co-grader is not paid, nor is a pair of graders without penalty tasks. A
    class without two submissions that have two graders each is refused.

    **Why it should work.** The expected pay is at most the mutual information of the reports, and
    reaches it if K is right and the reports are the signals. Any function of the signals has less
    information, so the truth is best, up to the error of K (ε-strongly truthful). The scale
    needs no steps: this works for continuous grades too.

    **Cost.** One small optimisation for each half of an assignment; otherwise linear in the
    reports, and in the product of the tasks of two graders. The ratio depends on grades smoothly,
    so an error of one point costs less than an error of three, unlike under mechanisms that only
    count equal grades. A bias shows only by what it does to the match with co-graders.

    **Known attacks.** Renaming all grades by common consent is paid as the truth is. A class that
    grades by another common signal is paid for the information in it. Exaggerating costs little,
    and a biased grader gains by calibrating.

    **Source.** Grant Schoenebeck and Fang-Yi Yu (2021). *Learning and Strongly Truthful Multi-Task
    Peer Prediction: A Variational Approach*. ITCS 2021. doi:10.4230/LIPIcs.ITCS.2021.78.

    Parameters
    ----------
    divergence
        Φ: ``tvd``, ``kl``, ``chi2`` or ``h2``.
    ridge
        Weight of the squared parameters, as a number of pairs of reports.
    """

    divergence: Divergence = Divergence.KL
    ridge: float = 4.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        uniform, spins = reports.drawn("variational", rng, lambda: draw(reports, rng))
        half = halves(reports, uniform)
        pairs, value = co_graders(reports), np.empty(len(co_graders(reports).row))
        learnt = theta(reports, half, self.ridge)
        for begin in range(0, len(value), PAIRS_AT_ONCE):
            some = slice(begin, begin + PAIRS_AT_ONCE)
            chosen = CoGraders(pairs.row[some], pairs.peer[some])
            value[some] = self._reward_minus_penalty(reports, chosen, half, learnt, spins)
        part = mean_over_co_graders(pairs, value, len(reports))
        if np.isnan(part).all():
            raise DesignError(
                "VMI learns from one half of the submissions how to pay the other, and needs two "
                "graders of a submission who each graded another one besides; nobody here can be "
                "paid, so choose another mechanism."
            )
        return Rewards.from_parts(reports, part)

    def _reward_minus_penalty(
        self, reports: Reports, pairs: CoGraders, half: Ints, learnt: Floats, spins: Floats
    ) -> Floats:
        """K on the bonus task minus the mean of Φ*(K) on penalty tasks, for each pair."""
        unit, side = standard_grades(reports), half[reports.submission[pairs.row]]
        # Parameters of each pair: those that were learnt without its half of the assignment.
        of_pair = learnt[reports.assignment[pairs.row], side]

        def log_ratio(one: Ints, two: Ints) -> Floats:
            value = np.einsum("pk,pk->p", features(unit[one], unit[two]), of_pair)
            return np.asarray(np.clip(value, -MAX_LOG_RATIO, MAX_LOG_RATIO))

        reward = self.divergence.subgradient(log_ratio(pairs.row, pairs.peer))
        total, count = np.zeros(len(reward)), np.zeros(len(reward))
        for one, two, valid in penalty_tasks(reports, pairs, spins):
            price = self.divergence.conjugate(log_ratio(one, two))
            total += np.where(valid, price, 0.0)
            count += valid
        counts = (count > 0) & (side >= 0)
        penalty = np.divide(total, count, out=np.full(len(total), np.nan), where=counts)
        return np.asarray(reward - penalty)


def draw(reports: Reports, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Random numbers that order the submissions, and that choose among many penalty tasks."""
    return rng.random(reports.submissions), rng.random((MAX_PENALTY_PAIRS, 2))


def halves(reports: Reports, uniform: Floats) -> Ints:
    """The half of each submission, 0 or 1; −1 if it has one grader or no other one has two."""
    half = np.full(reports.submissions, -1, dtype=np.int32)
    size = np.diff(reports.submission_bounds)
    for a in range(reports.assignments):
        tasks = np.flatnonzero((reports.assignment_of_submission == a) & (size > 1))
        if len(tasks) > 1:
            half[tasks[np.argsort(uniform[tasks], kind="stable")]] = np.arange(len(tasks)) % 2
    return half


def standard_grades(reports: Reports) -> Floats:
    """Grades from −1 at the lowest to 1 at the highest grade of the scale."""
    low, high = reports.scale.lowest, reports.scale.highest
    return np.asarray(2 * (reports.grade - low) / (high - low) - 1)


def features(u: Floats, v: Floats) -> Floats:
    """The terms of the logarithm of the ratio, in their last dimension."""
    terms = (np.ones(np.broadcast(u, v).shape), u + v, u * v, u * u + v * v, u * v * (u + v))
    return np.stack(np.broadcast_arrays(*terms), axis=-1)


def theta(reports: Reports, half: Ints, ridge: float) -> Floats:
    """Parameters of the ratio for each assignment and half, learnt from all other submissions.

    An assignment that is not split has zeros, that is, a ratio of 1.
    """
    points = min(GRID_POINTS, reports.scale.levels if reports.scale.finite else GRID_POINTS)
    unit = standard_grades(reports)
    cell = np.rint((unit + 1) / 2 * (points - 1)).astype(np.int64)
    size = np.diff(reports.submission_bounds)
    pairs = co_graders(reports)
    share = share_of_pairs(size.astype(np.float64))[reports.submission]
    found = np.zeros((reports.assignments, 2, 5))
    joint = np.zeros((reports.assignments, 2, points * points))
    for side in (0, 1):
        inside = half[reports.submission[pairs.row]] == side
        row, peer = pairs.row[inside], pairs.peer[inside]
        place = (reports.assignment[row] * points + cell[row]) * points + cell[peer]
        counted = np.bincount(place, share[row], reports.assignments * points * points)
        joint[:, side] = counted.reshape(reports.assignments, -1)
    earlier = np.zeros((reports.assignments + 1, points * points))
    np.cumsum(joint.sum(axis=1), axis=0, out=earlier[1:])
    grid = np.linspace(-1, 1, points)
    for a in range(reports.assignments):
        for side in (0, 1):
            # What the other half and earlier assignments say about this half.
            seen = earlier[a] + joint[a, 1 - side]
            if seen.sum() > 0 and joint[a].any():
                found[a, side] = learn(seen.reshape(points, points), grid, ridge)
    return found


def learn(joint: Floats, grid: Floats, ridge: float) -> Floats:
    """Parameters of the ratio that maximise the variational value for Φ(x) = x log x.

    *joint* counts pairs of grades of the grid; each submission has a weight of 1. Features are
    computed from standardised grades, and the parameters are converted to those of the grid.
    """
    tasks = joint.sum()
    marginal = joint.sum(axis=1) / tasks
    mean = marginal @ grid
    deviation = max(np.sqrt(marginal @ (grid - mean) ** 2), 1e-3)
    seen = np.flatnonzero(marginal > 0)
    u = (grid[seen] - mean) / deviation
    terms = features(u[:, None], u[None, :]).reshape(-1, 5)
    product = (marginal[seen, None] * marginal[seen]).ravel()
    target = joint[np.ix_(seen, seen)].ravel() / tasks @ terms
    penalty = ridge / tasks * np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    found = np.zeros(5)
    for _ in range(NEWTON_STEPS):
        expected = product * np.exp(np.clip(terms @ found, -30.0, 30.0))
        gradient = target - expected @ terms - penalty * found
        curvature = terms.T @ (expected[:, None] * terms) + np.diag(penalty + 1e-9)
        step = np.linalg.solve(curvature, gradient)
        # Long steps are cut, which keeps Newton's method from overshooting.
        size = float(np.abs(step).max())
        found = found + step * min(1.0, 1.0 / max(size, 1e-12))
        if size < MAX_LAST_STEP:
            break
    return in_grid_units(found, mean, deviation)


def in_grid_units(found: Floats, mean: float, deviation: float) -> Floats:
    """The same function of two grades, with parameters for grades that are not standardised."""
    points = np.linspace(-1, 1, 4)
    one, two = (side.ravel() for side in np.meshgrid(points, points))
    value = features((one - mean) / deviation, (two - mean) / deviation) @ found
    return np.asarray(np.linalg.lstsq(features(one, two), value, rcond=None)[0])


def penalty_tasks(
    reports: Reports, pairs: CoGraders, spins: Floats
) -> Iterator[tuple[Ints, Ints, Bools]]:
    """Pairs of penalty tasks of every pair of reports: two rows, and whether they are valid.

    All pairs of other tasks of the two graders are returned one after the other. If the largest
    number of them is above the limit, some are chosen at random.
    """
    layout = reports.layout
    group = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    begin = layout.bounds[group]
    size = layout.bounds[group + 1] - begin
    place = layout.place - begin
    n, m = size[pairs.row], size[pairs.peer]
    most = int(size.max()) - 1
    if most * most <= MAX_PENALTY_PAIRS:
        steps = [(i, j, True) for i in range(1, most + 1) for j in range(1, most + 1)]
    else:
        steps = [(s, t, False) for s, t in spins]
    for first, second, exact in steps:
        ahead = np.minimum(first, n) if exact else 1 + np.floor(first * (n - 1))
        other = np.minimum(second, m) if exact else 1 + np.floor(second * (m - 1))
        p = (place[pairs.row] + ahead.astype(np.int64)) % n
        q = (place[pairs.peer] + other.astype(np.int64)) % m
        one = layout.rows[begin[pairs.row] + p]
        two = layout.rows[begin[pairs.peer] + q]
        valid = (ahead < n) & (other < m) & (n > 1) & (m > 1)
        yield one, two, valid & (reports.submission[one] != reports.submission[two])
