"""Compiled functions of :mod:`peergauge.mechanisms.paper.parametric_phi_divergence`."""

import math

import numpy as np

from peergauge.compiled import compiled
from peergauge.compiled.mechanisms.shared.pairing import most_graders
from peergauge.core.arrays import Bounds, Floats
from peergauge.mechanisms.shared.pairing import KINK_TOLERANCE, Divergence, Pairings

TVD, KL, CHI2, H2 = range(len(Divergence))


@compiled
def _score(bonus: float, penalty: float, kind: int) -> float:
    """∂Φ(bonus) − Φ*(∂Φ(penalty)), from the logarithms of two ratios."""
    if kind == TVD:
        up = 0.0 if abs(bonus) < KINK_TOLERANCE else math.copysign(0.5, bonus)
        down = 0.0 if abs(penalty) < KINK_TOLERANCE else math.copysign(0.5, penalty)
        return up - down
    if kind == KL:
        return 1.0 + bonus - math.exp(penalty)
    if kind == CHI2:
        return 2.0 * math.exp(bonus) - (math.exp(2.0 * penalty) + 1.0)
    return 1.0 - math.exp(-0.5 * bonus) - (math.exp(0.5 * penalty) - 1.0)


@compiled
def mean_score_by_model(
    pairs: Pairings,
    submission_bounds: Bounds,
    deviation: Floats,
    variance: float,
    noise: float,
    kind: int,
) -> Floats:
    v = variance + noise
    determinant = v**2 - variance**2
    constant = 0.5 * math.log(v**2 / determinant)
    square = variance**2 / v / (2 * determinant)
    product = variance / determinant
    # Taken out of the tuple once, since Numba counts references every time.
    penalty_one, penalty_two = pairs.penalty_one, pairs.penalty_two
    part = np.full(len(deviation), np.nan)
    most = most_graders(submission_bounds)
    total, times = np.empty(most), np.empty(most)
    at = np.uint64(0)
    for s in range(len(submission_bounds) - 1):
        begin = np.uint64(submission_bounds[s])
        graders = np.uint64(submission_bounds[s + 1]) - begin
        for x in range(graders):
            total[x] = times[x] = 0.0
        for x in range(graders):
            one = deviation[begin + x]
            # Kept out of the inner loop by hand: for all Numba knows, total might overlap them.
            earned_by_x = counted = 0.0
            for y in range(x + np.uint64(1), graders):
                p, q = penalty_one[at], penalty_two[at]
                at += np.uint64(1)
                if p >= 0:
                    two = deviation[begin + y]
                    bonus = constant - square * (one * one + two * two) + product * one * two
                    i, j = deviation[np.uint32(p)], deviation[np.uint32(q)]
                    penalty = constant - square * (i * i + j * j) + product * i * j
                    score = _score(bonus, penalty, kind)
                    earned_by_x += score
                    counted += 1.0
                    total[y] += score
                    times[y] += 1.0
            total[x] += earned_by_x
            times[x] += counted
        for x in range(graders):
            if times[x] > 0.0:
                part[begin + x] = total[x] / times[x]
    return part


@compiled
def _log_ratio(x: float, y: float, variance: float, noise_x: float, noise_y: float) -> float:
    v_x, v_y = variance + noise_x, variance + noise_y
    determinant = v_x * v_y - variance**2
    spread = variance**2 * (x * x / v_x + y * y / v_y)
    return 0.5 * math.log(v_x * v_y / determinant) - (spread - 2.0 * variance * x * y) / (
        2.0 * determinant
    )


@compiled
def mean_score_by_noise(
    pairs: Pairings,
    submission_bounds: Bounds,
    deviation: Floats,
    variance: float,
    noise: Floats,
    kind: int,
) -> Floats:
    penalty_one, penalty_two = pairs.penalty_one, pairs.penalty_two
    part = np.full(len(deviation), np.nan)
    most = most_graders(submission_bounds)
    total, times = np.empty(most), np.empty(most)
    at = 0
    for s in range(len(submission_bounds) - 1):
        begin = submission_bounds[s]
        graders = submission_bounds[s + 1] - begin
        for x in range(graders):
            total[x] = times[x] = 0.0
        for x in range(graders):
            for y in range(x + 1, graders):
                p, q = penalty_one[at], penalty_two[at]
                at += 1
                if p >= 0:
                    one, two = begin + x, begin + y
                    bonus = _log_ratio(
                        deviation[one], deviation[two], variance, noise[one], noise[two]
                    )
                    penalty = _log_ratio(deviation[p], deviation[q], variance, noise[p], noise[q])
                    score = _score(bonus, penalty, kind)
                    for z in (x, y):
                        total[z] += score
                        times[z] += 1.0
        for x in range(graders):
            if times[x] > 0.0:
                part[begin + x] = total[x] / times[x]
    return part
