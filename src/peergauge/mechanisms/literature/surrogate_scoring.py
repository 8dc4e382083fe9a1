"""Score graders against noisy reports of co-graders, and correct the score for the noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards

MIN_RATE_DIFFERENCE = 0.2
"""Smallest difference of the two rates of high reports by which a noisy report is divided."""

MIN_VARIANCE = 1e-6
"""Smallest variance of the state of submissions, as a probability, that is not a rounding error."""


@mechanism(
    "ssr",
    label="SSR",
    source="Liu, Wang & Chen 2020",
    family="surrogate scoring",
    steps=True,
    labels="two",
    equilibrium=Equilibrium.DOMINANTLY,
    assumption="conditionally independent, medians of beliefs",
)
@dataclass(frozen=True)
class SurrogateScoring(Mechanism):
    r"""Minus the distance to the true score, estimated without bias from the co-graders' reports.

    A proper scoring rule S(r, y) would need the truth *y*. A surrogate scoring rule φ(r, z) uses a
    noisy report *z* instead, and is corrected such that its expected value, given *y*, is S(r, y).

    **Many levels.** The original scores forecasts of binary events. A grade on a scale with *L*
    levels answers *L* − 1 binary questions: is the true score at least *c*? Let :math:`r_c`,
    :math:`z_c` and :math:`y_c` be 1 where the report, the co-grader's report and the true score are
    at least *c*, and 0 otherwise. A co-grader's report is high with probability
    :math:`a_c = P(z_c = 1 | y_c = 1)` or :math:`b_c = P(z_c = 1 | y_c = 0)`, so that

    .. math:: \hat y_c = \frac{\bar z_c - b_c}{a_c - b_c}

    is an unbiased estimate of :math:`y_c`, where :math:`\bar z_c` is the mean over co-graders. The
    quadratic (Brier) score is linear in a binary outcome, and a report earns

    .. math:: -\text{step} \cdot \sum_c \left( r_c (1 - 2 \hat y_c) + \hat y_c \right),

    whose expectation, given the true score *y*, is the sum of the quadratic scores of all
    questions: −|r − y|, minus the distance to the true score in points.

    **Estimation of the noise.** The rates of each question follow from the moments of two and three
    reports on the same submission. If :math:`m_1`, :math:`m_2` and :math:`m_3` are the
    probabilities that one, two and three graders all report high, then :math:`a_c` and :math:`b_c`
    are the two roots of :math:`t^2 - s t + q` with

    .. math:: s = \frac{m_3 - m_1 m_2}{m_2 - m_1^2}, \quad q = s m_1 - m_2.

    That graders are right more often than wrong (:math:`a_c > b_c`) is the one piece of prior
    information. The moments come from all submissions of the assignments so far that have three
    graders and that the grader did not grade, each with the same weight. Where this fails for a
    question, because nearly all submissions are on one side, the roots are not real, or they differ
    by less than 0.2, so that dividing by the difference would only add noise, the report of the
    co-grader counts as the truth (a = 1, b = 0).

    A report without a co-grader is not paid, nor is one for which no submission is left to
    estimate the noise from.

    **Why it should work.** If the reports on a submission are independent given the state of each
    question, the expected pay is that of scoring by the truth, whatever the others report, as long
    as their reports say anything about the truth at all. So there is a best report that does not
    depend on the others, the median of the grader's belief, and pay measures accuracy in points.
    The truth is dominant if every signal is the median of what its grader then believes. Where
    nearly all submissions are good it is not: whoever sees a bad one still expects a good one.

    **Cost.** The noise is not quite as assumed: submissions far above a threshold are reported
    above it more often than those just above. Dividing by a − b amplifies the noise of co-graders.
    The running time is linear in the reports for each level of the scale.

    **Known attacks.** The score elicits a forecast, and a grade is taken as the forecast of the
    true score. The best report is the median of the grader's belief, not the signal. So a
    biased grader gains by calibrating, and a grader with a noisy signal should gain by moving it
    towards the usual grade; in simulated classes, where the noise is not quite as assumed, that
    loses. A bias that most graders share counts as the truth. A class that grades by another
    common signal is paid for it.

    **Source.** Yang Liu, Juntao Wang and Yiling Chen (2020). *Surrogate Scoring Rules*. Proceedings
    of EC 2020. arXiv:1802.09158.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part, steps = np.full(len(reports), np.nan), reports.scale.levels - 1
        total, own = np.zeros((steps, 4)), np.zeros((reports.graders, steps, 4))
        for a in range(reports.assignments):
            rows = slice(int(reports.assignment_bounds[a]), int(reports.assignment_bounds[a + 1]))
            grader, level = reports.grader[rows], reports.level[rows]
            if not len(level):
                continue
            local = np.unique(reports.submission[rows], return_inverse=True)[1]
            graders, who = np.unique(grader, return_inverse=True)
            size = np.bincount(local).astype(np.float64)
            others = np.where(size > 1, size - 1, np.nan)[local]
            distance = np.zeros(len(level))
            for step in range(steps):
                high = (level > step).astype(np.float64)
                count = np.bincount(local, high).astype(np.float64)
                moments = moments_of_tasks(count, size)
                total[step] += moments.sum(axis=0)
                for k in range(4):
                    mine = np.bincount(who, moments[local, k], len(graders))
                    own[graders, step, k] += mine
                # The rates of each grader, by the submissions of others so far.
                first, second = rates_of(total[step] - own[graders, step])
                reference = (count[local] - high) / others
                outcome = (reference - second[who]) / (first - second)[who]
                distance += high * (1 - 2 * outcome) + outcome
            part[rows] = -distance * step_of(reports)
        if np.isnan(part).all():
            raise DesignError(
                "SSR estimates the noise of reports from submissions with three graders, and there "
                "is none that some grader did not grade; choose another mechanism."
            )
        return Rewards.from_parts(reports, part)


def step_of(reports: Reports) -> float:
    """Distance of two neighbouring grades of the scale."""
    return (reports.scale.highest - reports.scale.lowest) / (reports.scale.levels - 1)


def moments_of_tasks(count: Floats, size: Floats) -> Floats:
    """For each submission: 1, and the shares of single, two and three reports that are all high.

    *count* is the number of high reports of each submission, *size* the number of its reports.
    Submissions with fewer than three reports have zeros.
    """
    one = count / np.maximum(size, 1)
    two = one * (count - 1) / np.maximum(size - 1, 1)
    three = two * (count - 2) / np.maximum(size - 2, 1)
    counted = (size > 2).astype(np.float64)
    return np.stack([counted, counted * one, counted * two, counted * three], axis=1)


def rates_of(moments: Floats) -> tuple[Floats, Floats]:
    """Rates of high reports by sums of moments, if the state is high and if it is low.

    *moments* are graders × 4. Rates that cannot be estimated are 1 and 0; those of a grader for
    whom there is no submission are NaN.
    """
    tasks = np.rint(moments[:, 0])
    with np.errstate(invalid="ignore", divide="ignore"):
        one, two, three = (moments[:, k] / tasks for k in (1, 2, 3))
        variance = two - one**2
        total = (three - one * two) / variance
        product = total * one - two
        root = np.sqrt(total**2 - 4 * product)
        high, low = (np.clip((total + sign * root) / 2, 0.0, 1.0) for sign in (1, -1))
        usable = (variance > MIN_VARIANCE) & (high - low >= MIN_RATE_DIFFERENCE)
    missing = np.where(tasks > 0, 0.0, np.nan)
    return np.where(usable, high, 1.0 + missing), np.where(usable, low, missing)
