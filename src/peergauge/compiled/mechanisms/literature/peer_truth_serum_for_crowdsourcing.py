"""Compiled functions of the mechanism PTSC.

See :mod:`peergauge.mechanisms.literature.peer_truth_serum_for_crowdsourcing`.
"""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats, Ints


@compiled
def agreement_over_share_elsewhere(
    level: Ints,
    levels: int,
    grader: Ints,
    graders: int,
    submission_bounds: Bounds,
    assignment_bounds: Bounds,
    whole_semester: bool,
) -> Floats:
    part = np.full(len(level), np.nan)
    everybody, own = np.zeros(levels), np.zeros((graders, levels))
    total, given = 0.0, np.zeros(graders)
    s = 0
    for a in range(len(assignment_bounds) - 1):
        first, last = assignment_bounds[a], assignment_bounds[a + 1]
        if not whole_semester:
            everybody[:], own[:], given[:] = 0.0, 0.0, 0.0
            total = 0.0
        for row in range(np.uint64(first), np.uint64(last)):
            everybody[level[row]] += 1.0
            own[grader[row], level[row]] += 1.0
            given[grader[row]] += 1.0
        total += last - first
        while s < len(submission_bounds) - 1 and submission_bounds[s] < last:
            begin, end = np.uint64(submission_bounds[s]), np.uint64(submission_bounds[s + 1])
            s += 1
            peers = float(end - begin) - 1.0
            if peers < 1.0:
                continue
            for row in range(begin, end):
                x, k = level[row], grader[row]
                agreeing = -1.0
                for other in range(begin, end):
                    agreeing += level[other] == x
                # The report itself is among the grader's own.
                count = everybody[x] - own[k, x] - agreeing
                among = total - given[k] - peers
                part[row] = agreeing / peers * (among + levels) / (count + 1.0) - 1.0
    return part
