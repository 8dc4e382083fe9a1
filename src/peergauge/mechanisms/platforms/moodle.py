"""Pay graders, as Moodle does, for reports close to the best review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import ComparesRubrics, Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards, Rubric

STRICTNESS_NUMBERS = {"very-strict": 1, "strict": 3, "fair": 5, "lax": 7, "very-lax": 9}
"""Moodle's names for the strictness, and the numbers by which distances are divided."""

USUAL_STRICTNESS = 5.0
"""The strictness of a workshop that does not say its own; Moodle suggests it."""

HALF_TOLERANCE = 1e-6
"""Numbers within this distance below a half, in units of the last decimal, are rounded up."""

MIN_VARIANCE = 0.01
"""Smallest variance of a criterion, in squared points of 0..100; smaller ones are raised to it."""


@mechanism(
    "moodle",
    label="Moodle",
    source="Moodle Workshop, comparison with the best assessment",
    family="platform",
    equilibrium=Equilibrium.NONE,
    assumption="–",
    # The grading grade of the platform is the mean over the reviews that were done.
    undone="ignored",
)
@dataclass(frozen=True)
class Moodle(Mechanism, ComparesRubrics):
    r"""100 minus the distance to the best review of the submission, at least 0.

    For the reviews of one submission, self-assessments and reviews of weight 0 included:

    1. The score on each criterion is converted to 0..100 by the lowest and highest score of the
       criterion.
    2. The average review has, on each criterion, the mean of all reviews, weighted by the weights
       of the reviews. If all weights are 0, nobody is paid.
    3. :math:`\sigma_k^2` is the weighted population variance of criterion *k* over the reviews of
       positive weight, but at least 0.01. With fewer than two such reviews it is 0.01.
    4. The distance of a review *a* from a reference *r*, with the weights :math:`w_k` of the
       criteria and the strictness *c*, is

       .. math:: \frac{1}{\sum_k w_k} \sum_k w_k \frac{|a_k - r_k|^3}{c \, \sigma_k^2}

    5. The best reviews are those with the smallest distance from the average review. A review of
       weight 0 can be the best.
    6. A review is paid 100 minus its distance from the nearest of the best reviews, at least 0.

    Graders earn the mean over their reviews. As in Moodle, scores and means are rounded to five
    decimals and distances to four before they are compared.

    **What is compared.** The backup of a course says the criteria, all weights, the strictness and
    the self-assessments. The command ``score`` then computes what Moodle stores as the grading
    grade of each review, self-assessments and reviews by teachers included. For a class without
    criteria the grade of a review is its only criterion, and all reviews have the same weight.

    **With one or two reviews of equal weight every grader earns 100**: a single review is its own
    best, and two reviews are equally far from their mean. :meth:`undecided` returns these
    submissions. (If two scores do not have a mean with five decimals, rounding can make one of two
    reviews the best.)

    The rule assumes that most graders are right. Known attacks: graders who all report the same
    grade earn 100, whatever the grade, and so does a grader who guesses the mean best. A grade in
    the usual middle is safer than an honest one at an end of the scale.

    **Source.** Moodle Workshop, grading evaluation method "comparison with the best assessment".

    Parameters
    ----------
    strictness
        How much a distance costs, by Moodle's name or number; ``as-set`` for the strictness of the
        workshop, or ``fair`` if it is not known.
    """

    strictness: Literal[
        "as-set", "very-strict", "strict", "fair", "lax", "very-lax", 1, 3, 5, 7, 9
    ] = "as-set"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strictness not in ("as-set", *STRICTNESS_NUMBERS, *STRICTNESS_NUMBERS.values()):
            raise ParameterError(
                f"The strictness of Moodle is one of as-set, {', '.join(STRICTNESS_NUMBERS)} or 1, "
                f"3, 5, 7, 9, not {self.strictness}."
            )
        # A setting has one spec string.
        for name, number in STRICTNESS_NUMBERS.items():
            if self.strictness == number:
                object.__setattr__(self, "strictness", name)

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        scale = reports.scale
        lowest, highest = np.array([scale.lowest]), np.array([scale.highest])
        grade = compare_with_best(
            out_of_hundred(reports.grade[:, None], lowest, highest),
            reports.submission_bounds,
            np.ones(1),
            np.ones(len(reports)),
            self.strictness_number(np.nan),
        )
        return Rewards.from_parts(reports, grade, mean=True)

    def score_rubric(self, reports: Reports, rubric: Rubric) -> Rewards:
        reviews = rubric.reviews
        grade = np.full(len(reviews), np.nan)
        for a in range(reviews.assignments):
            rows = slice(*reviews.assignment_bounds[a : a + 2])
            if rows.start == rows.stop:
                continue
            first, last = reviews.submission[rows.start], reviews.submission[rows.stop - 1]
            criteria = ~np.isnan(rubric.criterion_weight[a])
            score = rubric.score[rows][:, criteria]
            lowest, highest = rubric.lowest[a, criteria], rubric.highest[a, criteria]
            grade[rows] = compare_with_best(
                out_of_hundred(score, lowest, highest),
                reviews.submission_bounds[first : last + 2] - rows.start,
                rubric.criterion_weight[a, criteria],
                rubric.review_weight[rows],
                self.strictness_number(float(rubric.strictness[a])),
            )
        return Rewards.from_parts(reports, rubric.of_reports(grade, reports), mean=True)

    def strictness_number(self, of_workshop: float) -> float:
        """The number by which distances are divided in a workshop with its own strictness."""
        if self.strictness == "as-set":
            return USUAL_STRICTNESS if np.isnan(of_workshop) else of_workshop
        return float(STRICTNESS_NUMBERS[str(self.strictness)])

    @staticmethod
    def undecided(reports: Reports) -> NDArray[np.bool_]:
        """Which submissions have one or two reviews, so that every grader earns the maximum."""
        count = np.diff(reports.submission_bounds)
        return np.asarray((count == 1) | (count == 2))


def out_of_hundred(grade: Floats, lowest: Floats, highest: Floats) -> Floats:
    """Grades (reviews × criteria) on 0..100, by the lowest and highest grade of each criterion.

    A criterion whose lowest and highest grade are the same counts as its highest grade.
    """
    reach = highest - lowest
    share = (grade - lowest) / np.where(reach == 0, 1.0, reach) * 100.0
    return rounded(np.where(reach == 0, highest, share), 1e5)


@accelerated
def compare_with_best(
    grade: Floats,
    bounds: Bounds,
    criterion_weight: Floats,
    review_weight: Floats,
    strictness: float,
) -> Floats:
    """A grade of 0..100 for each review, by its distance from the best review of its submission.

    *grade* is reviews × criteria on 0..100, in the order of submissions, which begin and end at
    *bounds*. A review with weight 0 counts neither for mean nor variance, but it can be the best
    and is graded. If all weights are 0 there is nothing to compare with: NaN.
    """
    result = np.full(len(grade), np.nan)
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        weight = review_weight[begin:end]
        if weight.any():
            nearest = from_nearest_best(grade[begin:end], criterion_weight, weight, strictness)
            result[begin:end] = np.clip(100.0 - nearest, 0.0, 100.0)
    return result


def from_nearest_best(
    reviews: Floats, criterion_weight: Floats, review_weight: Floats, strictness: float
) -> Floats:
    """The distance of each review of one submission from the nearest of the best reviews."""
    mean = np.average(reviews, axis=0, weights=review_weight)
    variance = np.average((reviews - mean) ** 2, axis=0, weights=review_weight)
    variance = np.maximum(variance, MIN_VARIANCE)

    def apart(review: Floats, reference: Floats) -> float:
        return distance(review, reference, variance, criterion_weight, strictness)

    from_mean = np.array([apart(one, rounded(mean, 1e5)) for one in reviews])
    best = reviews[from_mean == from_mean.min()]
    return np.array([min(apart(one, other) for other in best) for one in reviews])


def distance(
    review: Floats, reference: Floats, variance: Floats, weight: Floats, strictness: float
) -> float:
    """The distance of a review from another: the weighted mean over all criteria.

    0 if all criteria have weight 0.
    """
    if not weight.any():
        return 0.0
    off = np.abs(review - reference)
    each = off * off**2 / (strictness * variance)
    return float(rounded(np.asarray(weight @ each / weight.sum()), 1e4))


def rounded(number: Floats, parts: float) -> Floats:
    """Numbers rounded to *parts* of one, such as 1e5 for five decimals; halves away from 0.

    Binary fractions just below a half count as halves, as in the program of Moodle.
    """
    size = np.abs(number) * parts
    return np.asarray(np.sign(number) * np.floor(size + 0.5 + HALF_TOLERANCE) / parts)
