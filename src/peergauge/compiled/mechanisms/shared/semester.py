"""Compiled functions of :mod:`peergauge.mechanisms.shared.semester`."""

from typing import Any

import numpy as np

from peergauge.compiled import compiled
from peergauge.compiled.models.slopes import climb
from peergauge.core.arrays import Floats
from peergauge.mechanisms.shared.semester import Checked, Sums
from peergauge.tables.layout import Layout


@compiled
def sums_so_far(
    points: Floats,
    layout: Layout,
    mean: Floats,
    variance: Floats,
    priors: Any,
    checks: Checked | None = None,
) -> tuple[Sums, int]:
    assignments, graders = len(layout.assignment_bounds) - 1, layout.graders
    shape = assignments, graders
    n, unsure = np.zeros(shape), np.zeros(shape)
    r, rr, e, ee = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape)
    d, dd, ed = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    known = np.zeros(graders), np.ones(graders), np.full(graders, priors.noise)
    one, two = np.zeros(graders), np.zeros(graders)
    # Of a grader: weight, precision and bias; then the sums that are not known beforehand.
    own = np.empty((graders, 8))
    y = np.empty(len(points))
    late = 0
    for a in range(assignments):
        begin, end = layout.assignment_bounds[a], layout.assignment_bounds[a + 1]
        if end == 0:
            continue
        submissions = layout.submission[end - 1] + 1
        bounds = layout.submission_bounds[: submissions + 1]
        if a > 0:
            n[a] = n[a - 1]
        for row in range(begin, end):
            k = layout.grader[row]
            n[a, k] += 1.0
            one[k] += points[row]
            two[k] += points[row] * points[row]
        for row in range(end):
            y[row] = points[row] - mean[a]
        for k in range(graders):
            r[a, k] = one[k] - n[a, k] * mean[a]
            rr[a, k] = two[k] - mean[a] * (one[k] + r[a, k])
        who = layout.grader[:end]
        # Only one of the two is compiled, so that classes without checks do not wait for them.
        if checks is None:
            fit, _, converged = climb(
                y[:end], bounds, who, n[a], r[a], rr[a], variance[a], known, priors, None
            )
        else:
            sign = checks.sign[a]
            if a > 0 and (sign != checks.sign[a - 1]).any():
                known = np.zeros(graders), np.ones(graders), np.full(graders, priors.noise)
            for row in range(end):
                y[row] *= sign[layout.grader[row]]
            fit, _, converged = climb(
                y[:end],
                bounds,
                who,
                n[a],
                sign * r[a],
                rr[a],
                variance[a],
                known,
                priors,
                checks.score[:submissions] - mean[a],
            )
        known = fit.bias, fit.slope, fit.noise
        late += not converged
        for k in range(graders):
            own[k, 0] = fit.slope[k] / fit.noise[k]
            own[k, 1] = own[k, 0] * fit.slope[k]
            own[k, 2] = fit.bias[k]
            own[k, 3:] = 0.0
        for s in range(submissions):
            precision = fit.precision[s]
            all_say = precision * fit.score[s]
            for row in range(np.uint64(bounds[s]), np.uint64(bounds[s + 1])):
                j = np.uint64(layout.grader[row])
                left = 1.0 / (precision - own[j, 1])
                others = (all_say - own[j, 0] * (y[row] - own[j, 2])) * left
                distance = y[row] - others
                if checks is not None:
                    if np.isinf(precision):
                        others, left = fit.score[s], 0.0
                    distance = checks.sign[a, j] * y[row] - others
                own[j, 3] += distance
                own[j, 4] += distance * distance
                own[j, 5] += others * others
                own[j, 6] += left
        for k in range(graders):
            e[a, k], ee[a, k], dd[a, k], unsure[a, k] = own[k, 3], own[k, 4], own[k, 5], own[k, 6]
            # A report is its distance and what others say, added up.
            d[a, k] = r[a, k] - e[a, k]
            ed[a, k] = 0.5 * (rr[a, k] - ee[a, k] - dd[a, k])
    return Sums(n, e, ee, d, dd, ed, r, rr, unsure), late
