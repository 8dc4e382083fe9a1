"""Pay graders, as Moodle does, for reports close to the best review."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards

STRICTNESS_NUMBERS = {"very-strict": 1, "strict": 3, "fair": 5, "lax": 7, "very-lax": 9}
"""Moodle's names for the strictness, and the numbers by which distances are divided."""

MAX_SETTLED_VARIANCE = 0.01
"""Largest variance, in squared points of 0..100, at which reviews of a criterion agree."""


@mechanism(
    "moodle",
    label="Moodle",
    source="Moodle Workshop, comparison with the best assessment",
    family="platform",
    equilibrium=Equilibrium.NONE,
    assumption="–",
)
@dataclass(frozen=True)
class Moodle(Mechanism):
    r"""100 minus the distance to the best review of the submission, at least 0.

    Grades are converted to 0..100. The distance of a review *a* from a reference *r* is

    .. math:: \frac{|a - r| \, (a - r)^2}{c \, \sigma^2}

    with the strictness *c* and the variance :math:`\sigma^2` of the submission's reviews; it is 0
    if the variance is at most 0.01. The best review is the one closest to the mean of all reviews,
    including the grader's own; if several are, the nearest of them counts. Graders earn the mean
    over their reviews. As in Moodle, numbers are rounded to five decimals before they are compared.

    **With one or two reviews of a submission every grader earns 100**: a single review is its own
    best, and two reviews are equally far from their mean. :meth:`undecided` returns these
    submissions. Moodle's manual says the same. Its program, as we read it, goes through several
    best reviews in turn and can compare a review with the next of them, so that the grades it
    stores may be lower if reviews tie.

    The rule assumes that most graders are right. Known attacks: graders who all report the same
    grade earn 100, whatever the grade, and so does a grader who guesses the mean best. A grade in
    the usual middle is safer than an honest one at an end of the scale.

    Moodle compares whole rubrics and weighs reviews and criteria; :func:`compare_with_best` does
    that. Reports contain one grade for each review, which is a rubric with one criterion.

    **Source.** Moodle Workshop, grading evaluation method "comparison with the best assessment".

    Parameters
    ----------
    strictness
        How much a distance costs, by Moodle's name or number.
    """

    strictness: Literal["very-strict", "strict", "fair", "lax", "very-lax", 1, 3, 5, 7, 9] = "fair"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strictness not in (*STRICTNESS_NUMBERS, *STRICTNESS_NUMBERS.values()):
            raise ParameterError(
                f"The strictness of Moodle is one of {', '.join(STRICTNESS_NUMBERS)} or 1, 3, 5, "
                f"7, 9, not {self.strictness}."
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
            float(STRICTNESS_NUMBERS[str(self.strictness)]),
        )
        return Rewards.from_parts(reports, grade, mean=True)

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
    return five_decimals(np.where(reach == 0, highest, share))


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
    *bounds*. A review with weight 0 counts neither for mean and variance nor as the best, but is
    graded. If all weights are 0 there is nothing to compare with: NaN.
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
    if np.count_nonzero(review_weight) < 2:
        variance = np.full_like(variance, np.nan)

    def apart(review: Floats, reference: Floats) -> float:
        return distance(review, reference, variance, criterion_weight, strictness)

    counted = reviews[review_weight > 0]
    from_mean = np.array([apart(one, five_decimals(mean)) for one in counted])
    best = counted[from_mean == from_mean.min()]
    return np.array([min(apart(one, other) for other in best) for one in reviews])


def distance(
    review: Floats, reference: Floats, variance: Floats, weight: Floats, strictness: float
) -> float:
    """The distance of a review from another: the weighted mean over criteria on which they differ.

    Criteria on which all reviews agree, or whose variance is unknown, do not count; 0 if none
    counts.
    """
    counts = (variance > MAX_SETTLED_VARIANCE) & (review != reference)
    if not weight[counts].any():
        return 0.0
    off = np.abs(review - reference)[counts]
    each = off * off**2 / (strictness * variance[counts])
    return float(five_decimals(weight[counts] @ each / weight[counts].sum()))


def five_decimals(number: Floats) -> Floats:
    """Numbers rounded to five decimals, as Moodle stores its grades."""
    return np.asarray(np.rint(number * 1e5) / 1e5)
