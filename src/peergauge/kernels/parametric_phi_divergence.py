"""Twins of :mod:`peergauge.mechanisms.parametric_phi_divergence`."""

import math

import numpy as np

from peergauge.grouping import Floats, Ints
from peergauge.kernels import compiled
from peergauge.mechanisms._pairing import KINK, Divergence

TVD, KL, CHI2, H2 = range(len(Divergence))


@compiled
def score_by_model(
    one: Ints,
    two: Ints,
    penalty_one: Ints,
    penalty_two: Ints,
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
    score = np.empty(len(one))
    for pair in range(len(one)):
        # Unsigned, since Numba would check signed indices for counting from the end. A pair that
        # does not count has no penalty rows, and nobody will read its score.
        if penalty_one[pair] < 0:
            score[pair] = np.nan
            continue
        x, y = deviation[np.uint32(one[pair])], deviation[np.uint32(two[pair])]
        bonus = constant - square * (x * x + y * y) + product * x * y
        x = deviation[np.uint32(penalty_one[pair])]
        y = deviation[np.uint32(penalty_two[pair])]
        penalty = constant - square * (x * x + y * y) + product * x * y
        if kind == TVD:
            up = 0.0 if abs(bonus) < KINK else 0.5 if bonus > 0.0 else -0.5
            down = 0.0 if abs(penalty) < KINK else 0.5 if penalty > 0.0 else -0.5
            score[pair] = up - down
        elif kind == KL:
            score[pair] = 1.0 + bonus - math.exp(penalty)
        elif kind == CHI2:
            score[pair] = 2.0 * math.exp(bonus) - (math.exp(2.0 * penalty) + 1.0)
        else:
            score[pair] = 1.0 - math.exp(-0.5 * bonus) - (math.exp(0.5 * penalty) - 1.0)
    return score
