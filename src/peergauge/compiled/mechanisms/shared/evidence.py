"""Compiled functions of :mod:`peergauge.mechanisms.shared.evidence`."""

from math import erfc, exp, inf, log, nan, pi, sqrt
from typing import Any

import numpy as np

from peergauge.compiled import compiled, inlined
from peergauge.compiled.models.slopes import climb
from peergauge.core.arrays import Floats
from peergauge.mechanisms.shared.evidence import (
    BIAS_ROUNDS,
    BIAS_WEIGHT_REPORTS,
    BINOMIAL_NOISE_SHARE,
    BORROWED_CAUTION,
    HIGHEST_POINTS,
    MAX_BIAS_POINTS,
    MIN_INSIDE_SHARE,
    MIN_MATCH_PROBABILITY,
    MIN_REPORT_NOISE,
    MIN_SLOPE_RATIO,
    MIN_STANDARD_DEVIATION,
    NOISE_EXCESS,
    OWN_CAUTION,
    PRIOR_CAUTION,
    RATIO_CAUTION,
    RESIDUAL_CAUTION,
    RESIDUAL_EXCESS,
    SLOPE_CAUTION,
    SPREAD_CAUTION,
    UNROUNDED_NOISE,
    Evidence,
)
from peergauge.mechanisms.shared.semester import MIN_NOISE_VARIANCE, Checked
from peergauge.tables.layout import Layout


@inlined
def below(x: float) -> float:
    return 0.5 * erfc(-x / sqrt(2.0))


@compiled
def censored(mean: float, variance: float) -> tuple[float, float, float]:
    deviation = max(sqrt(variance), MIN_STANDARD_DEVIATION)
    low, high = -mean / deviation, (HIGHEST_POINTS - mean) / deviation
    under = below(high)
    inside = under - below(low)
    at_low = exp(-0.5 * low * low) / sqrt(2.0 * pi)
    at_high = exp(-0.5 * high * high) / sqrt(2.0 * pi)
    cut = mean * inside + deviation * (at_low - at_high) + HIGHEST_POINTS * (1.0 - under)
    square = (
        (mean * mean + deviation * deviation) * inside
        + mean * deviation * (at_low - at_high)
        - HIGHEST_POINTS * deviation * at_high
        + HIGHEST_POINTS * HIGHEST_POINTS * (1.0 - under)
    )
    return cut, max(square - cut * cut, 0.0), inside


@compiled
def evidence_so_far(
    points: Floats,
    layout: Layout,
    mean: Floats,
    variance: Floats,
    priors: Any,
    step: float,
    undone: Floats,
    checks: Checked | None = None,
    first: int = 0,
) -> tuple[Evidence, int]:
    assignments, graders = len(layout.assignment_bounds) - 1, layout.graders
    shape = assignments, graders
    n = np.zeros(shape)
    error, slope, spread = np.full(shape, nan), np.full(shape, nan), np.full(shape, nan)
    residual, by_prior, excess = np.full(shape, nan), np.full(shape, nan), np.full(shape, nan)
    borrowed = np.full(shape, nan)
    known = np.zeros(graders), np.ones(graders), np.full(graders, priors.noise)
    one, two = np.zeros(graders), np.zeros(graders)
    r_sum, rr_sum = np.zeros(graders), np.zeros(graders)
    y = np.empty(len(points))
    m, p = np.empty(len(points)), np.empty(len(points))
    noise = UNROUNDED_NOISE + step * step / 12.0
    scaled = noise / (UNROUNDED_NOISE + 1.0 / 12.0)
    late = 0
    # Sums over the reports of each grader; see the plain version for what they are.
    own = np.empty((graders, 15))
    along = np.empty((graders, 6))
    bias, variance_of = np.empty(graders), np.empty(graders)
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
            r_sum[k] = one[k] - n[a, k] * mean[a]
            rr_sum[k] = two[k] - mean[a] * (one[k] + r_sum[k])
        who = layout.grader[:end]
        # Only one of the two is compiled, so that classes without checks do not wait for them.
        if checks is None:
            fit, _, converged = climb(
                y[:end], bounds, who, n[a], r_sum, rr_sum, variance[a], known, priors, None
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
                sign * r_sum,
                rr_sum,
                variance[a],
                known,
                priors,
                checks.score[:submissions] - mean[a],
            )
        known = fit.bias, fit.slope, fit.noise
        late += not converged
        if a < first:
            continue
        own[:] = 0.0
        for s in range(submissions):
            precision = fit.precision[s]
            all_say = precision * fit.score[s]
            for row in range(bounds[s], bounds[s + 1]):
                k = layout.grader[row]
                weight = fit.slope[k] / fit.noise[k]
                if np.isinf(precision):
                    m[row], p[row] = fit.score[s] + mean[a], 0.0
                else:
                    left = 1.0 / (precision - weight * fit.slope[k])
                    m[row] = (all_say - weight * (y[row] - fit.bias[k])) * left + mean[a]
                    p[row] = left
                distance = points[row] - m[row]
                own[k, 0] += distance
                own[k, 1] += distance * distance
                own[k, 2] += p[row]
                own[k, 3] += m[row]
                own[k, 4] += m[row] * m[row]
        for k in range(graders):
            bias[k] = own[k, 0] / (n[a, k] + BIAS_WEIGHT_REPORTS)
        for _ in range(BIAS_ROUNDS):
            own[:, 5:7] = 0.0
            for row in range(end):
                k = layout.grader[row]
                c, _within, inside = censored(m[row] + bias[k], p[row])
                own[k, 5] += points[row] - c
                own[k, 6] += inside
            for k in range(graders):
                away = own[k, 5] - BIAS_WEIGHT_REPORTS * bias[k]
                uncut = max(own[k, 6], MIN_INSIDE_SHARE * n[a, k]) + BIAS_WEIGHT_REPORTS
                bias[k] = min(max(bias[k] + away / uncut, -MAX_BIAS_POINTS), MAX_BIAS_POINTS)
        for row in range(end):
            k = layout.grader[row]
            r = points[row]
            c, within, _inside = censored(m[row] + bias[k], p[row])
            binomial = max(c * (HIGHEST_POINTS - c) * BINOMIAL_NOISE_SHARE, MIN_REPORT_NOISE)
            own[k, 7] += within + NOISE_EXCESS * binomial * scaled
            own[k, 8] += c
            own[k, 9] += c * c
            own[k, 10] += r * c
            own[k, 11] += r
            own[k, 12] += r * r
        for k in range(graders):
            count = n[a, k]
            if count == 0.0:
                continue
            owed = undone[a, k]
            unsure = own[k, 2] / count
            around = own[k, 1] - own[k, 0] * own[k, 0] / count
            v = (priors.noise_weight * priors.noise + around) / (priors.noise_weight + count)
            v = max(v - unsure, MIN_NOISE_VARIANCE)
            variance_of[k] = v
            centre = own[k, 0] / (count + v + unsure)
            gain = unsure / (unsure + v)
            squares = (1.0 - gain) ** 2 * own[k, 1]
            squares += 2.0 * (1.0 - gain) * gain * centre * own[k, 0]
            squares += count * (gain * centre) ** 2
            mean_error = squares / count + unsure * (1.0 - gain)
            assigned = count + owed
            error[a, k] = (count * mean_error + owed * max(variance[a], mean_error)) / assigned
            left = (count - 1.0) / count
            cc = own[k, 9] - own[k, 8] * own[k, 8] / count
            rc = own[k, 10] - own[k, 11] * own[k, 8] / count
            rr = own[k, 12] - own[k, 11] * own[k, 11] / count
            mm = own[k, 4] - own[k, 3] * own[k, 3] / count
            honest_noise = left * own[k, 7]
            honest = cc + honest_noise
            uncensored = mm + left * (own[k, 2] + count * noise)
            ratio = (rc + SLOPE_CAUTION) / (cc + owed * variance[a] + SLOPE_CAUTION)
            slope[a, k] = log(max(ratio, MIN_SLOPE_RATIO))
            expected = honest + owed * (variance[a] + noise) + SPREAD_CAUTION
            spread[a, k] = 0.5 * log((rr + OWN_CAUTION) / expected)
            rest = max(rr - 2.0 * rc + cc, 0.0)
            residual[a, k] = 0.5 * log(
                (rest + RESIDUAL_CAUTION) / (RESIDUAL_EXCESS * honest_noise + RESIDUAL_CAUTION)
            )
            cut = (honest + RATIO_CAUTION) / (uncensored + RATIO_CAUTION)
            by_prior[a, k] = 0.0
            if assigned > 1.0:
                predicted = max(assigned - 1.0, 1.0) * (variance[a] + noise) * cut
                by_prior[a, k] = 0.5 * log((max(rr, 0.0) + PRIOR_CAUTION) / predicted)
            bias[k] = own[k, 0] / (count + BIAS_WEIGHT_REPORTS)
        _add_matches(points, m, p, layout, end, bias, variance_of, step, own)
        _add_borrowed(points, m, layout, submissions, fit.bias, along)
        for k in range(graders):
            if n[a, k] > 0.0:
                excess[a, k] = own[k, 13] / sqrt(own[k, 14]) if own[k, 14] > 0.0 else 0.0
                seen = max(along[k, 0], 1.0)
                both = along[k, 3] - along[k, 1] * along[k, 2] / seen
                theirs = along[k, 4] - along[k, 2] * along[k, 2] / seen + BORROWED_CAUTION
                rest = along[k, 5] - along[k, 1] * along[k, 1] / seen + RESIDUAL_CAUTION
                borrowed[a, k] = both / sqrt(theirs * rest / max(seen - 1.0, 1.0))
    return Evidence(n, undone, error, slope, spread, residual, by_prior, excess, borrowed), late


@compiled
def _add_matches(
    points: Floats,
    m: Floats,
    p: Floats,
    layout: Layout,
    end: int,
    bias: Floats,
    variance_of: Floats,
    step: float,
    own: Floats,
) -> None:
    """Add up the excess of matches with co-graders, and its variance, for each grader."""
    half = step / 2.0
    for row in range(end):
        s, k = layout.submission[row], layout.grader[row]
        deviation, around = sqrt(p[row] + variance_of[k]), m[row] + bias[k]
        q, hit, has = 0.0, 0.0, False
        for other in range(layout.submission_bounds[s], layout.submission_bounds[s + 1]):
            if other == row:
                continue
            has = True
            grade = points[other]
            if abs(grade - points[row]) < half:
                hit = 1.0
            again = False
            for earlier in range(layout.submission_bounds[s], other):
                if earlier != row and abs(points[earlier] - grade) < half:
                    again = True
                    break
            if again:
                continue
            up = inf if grade > HIGHEST_POINTS - half else (grade + half - around) / deviation
            down = -inf if grade < half else (grade - half - around) / deviation
            q += below(up) - below(down)
        if has:
            q = min(max(q, MIN_MATCH_PROBABILITY), 1.0 - MIN_MATCH_PROBABILITY)
            own[k, 13] += hit - q
            own[k, 14] += q * (1.0 - q)


@compiled
def _add_borrowed(
    points: Floats, m: Floats, layout: Layout, submissions: int, bias: Floats, along: Floats
) -> None:
    """Sums over the reports of each grader: one, distances, mean biases of co-graders, products."""
    along[:] = 0.0
    for s in range(submissions):
        begin, end = layout.submission_bounds[s], layout.submission_bounds[s + 1]
        if end - begin < 2:
            continue
        everybody = 0.0
        for row in range(begin, end):
            everybody += bias[layout.grader[row]]
        for row in range(begin, end):
            k = layout.grader[row]
            theirs, distance = (everybody - bias[k]) / (end - begin - 1), points[row] - m[row]
            along[k, 0] += 1.0
            along[k, 1] += distance
            along[k, 2] += theirs
            along[k, 3] += distance * theirs
            along[k, 4] += theirs * theirs
            along[k, 5] += distance * distance
