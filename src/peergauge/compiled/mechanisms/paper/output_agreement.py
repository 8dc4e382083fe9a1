"""Compiled functions of :mod:`peergauge.mechanisms.paper.output_agreement`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats

MAX_PAIRWISE_GRADERS = 32
"""Largest number of graders for which comparing all pairs is faster than sorting."""


@compiled
def share_of_peers_agreeing(grade: Floats, bounds: Bounds) -> Floats:
    share = np.empty(len(grade))
    for s in range(len(bounds) - 1):
        # Unsigned, since Numba would check signed indices for counting from the end.
        begin, end = np.uint64(bounds[s]), np.uint64(bounds[s + 1])
        others = bounds[s + 1] - bounds[s] - 1
        if others == 0:
            share[begin] = np.nan
        elif others == 3:
            # The usual number of graders, with each pair compared once.
            a, b = grade[begin], grade[begin + np.uint64(1)]
            c, d = grade[begin + np.uint64(2)], grade[begin + np.uint64(3)]
            ab, ac, ad, bc, bd, cd = a == b, a == c, a == d, b == c, b == d, c == d
            share[begin] = (ab + ac + ad) / 3.0
            share[begin + np.uint64(1)] = (ab + bc + bd) / 3.0
            share[begin + np.uint64(2)] = (ac + bc + cd) / 3.0
            share[begin + np.uint64(3)] = (ad + bd + cd) / 3.0
        elif others < MAX_PAIRWISE_GRADERS:
            for row in range(begin, end):
                same = -1
                for peer in range(begin, end):
                    same += grade[peer] == grade[row]
                share[row] = same / others
        else:
            ordered = np.sort(grade[begin:end])
            for row in range(begin, end):
                first = np.searchsorted(ordered, grade[row])
                last = np.searchsorted(ordered, grade[row], side="right")
                share[row] = (last - first - 1) / others
    return share
