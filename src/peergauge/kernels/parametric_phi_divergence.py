"""Twins of :mod:`peergauge.mechanisms.parametric_phi_divergence`."""

import numpy as np

from peergauge.grouping import Floats, Ints
from peergauge.kernels import compiled


@compiled
def log_ratio(deviation: Floats, one: Ints, two: Ints, variance: float, noise: float) -> Floats:
    v = variance + noise
    determinant = v**2 - variance**2
    constant = 0.5 * np.log(v**2 / determinant)
    square = variance**2 / v / (2 * determinant)
    product = variance / determinant
    result = np.empty(len(one))
    for pair in range(len(one)):
        x, y = deviation[one[pair]], deviation[two[pair]]
        result[pair] = constant - square * (x * x + y * y) + product * x * y
    return result
