"""Final grades of submissions, as weighted means of their reviews."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import UnknownNameError
from peergauge.models.halfway import HalfwayEstimates, root_mean_square_error
from peergauge.models.posterior import Posterior
from peergauge.models.trimmed_mean import TrimmedMean
from peergauge.models.vancouver import Vancouver
from peergauge.tables import Reports

DEFAULT_ESTIMATOR = "model"

MIN_STAFF_GRADES = 5
"""Number of staff grades from which on an interval for the staff grade is given."""


class ModelParts(NamedTuple):
    """What the model makes of each review, for grades that are half a model's; by report.

    ``weight`` of a grade is ``share`` times ``model_weight`` plus the rest over the number of
    reviews, and ``value`` is the mean of ``corrected`` and ``pulled_in`` with these two weights.
    """

    share: float
    corrected: Floats
    pulled_in: Floats
    model_weight: Floats


@dataclass(frozen=True, eq=False)
class GradeEstimate:
    r"""Grades of submissions, and the parts that they are made of.

    The grade of a submission is a weighted mean of its reviews and of the mean of its assignment,

    .. math:: \hat g_s = w_s \mu + \sum_k w_{sk} v_{sk}, \quad w_s + \sum_k w_{sk} = 1

    clipped to the scale; or the staff grade, if there is one.

    Parameters
    ----------
    estimator
        Name of the estimator, one of :data:`ESTIMATORS`.
    score
        Grade of each submission; NaN for a submission without reviews.
    peer_score
        The grade that the reviews alone give, also for a submission that staff graded.
    value, weight
        *v* and *w* of each review.
    prior_mean, prior_weight
        *μ* of each assignment, and its weight for each submission.
    shift
        How much is subtracted from all reviews of each assignment, because peers grade higher than
        staff; 0 without staff grades.
    staff
        Staff grade of each submission, which is then its grade; NaN if there is none.
    followed
        Staff grades whose level the grades by peers follow; NaN for all others.
    low, high
        Bounds of the interval of each grade: with the probability that was asked for, it contains
        the mean that many more such peers would give (minus the shift, if there is one).
    peer_error
        Expected distance of the grades by peers from true scores, as a root mean square.
    staff_low, staff_high
        Bounds of the interval that contains the grade that staff would give; None if there are too
        few staff grades to say.
    parts
        Parts of the values and weights; None if the estimator has none.
    """

    estimator: str
    score: Floats
    peer_score: Floats
    value: Floats
    weight: Floats
    prior_mean: Floats
    prior_weight: Floats
    shift: Floats
    staff: Floats
    followed: Floats
    low: Floats
    high: Floats
    peer_error: float
    staff_low: Floats | None = None
    staff_high: Floats | None = None
    parts: ModelParts | None = None

    @property
    def by_staff(self) -> NDArray[np.bool_]:
        """Which submissions staff graded."""
        return ~np.isnan(self.staff)

    @property
    def by_peers(self) -> NDArray[np.bool_]:
        """Which submissions have a grade that was estimated from reviews."""
        return ~self.by_staff & ~np.isnan(self.score)


def estimate_grades(
    reports: Reports,
    posterior: Posterior,
    halfway: HalfwayEstimates,
    estimator: str = DEFAULT_ESTIMATOR,
    level: float = 0.9,
) -> GradeEstimate:
    """Grades by one of the estimators, with intervals of probability *level*.

    Parameters
    ----------
    posterior, halfway
        The posterior distribution of scores, which the intervals come from, and the grades of the
        default estimator, which also has the difference between peers and staff.
    estimator
        One of :data:`ESTIMATORS`.
    """
    if estimator not in ESTIMATORS:
        raise UnknownNameError("estimator", estimator, list(ESTIMATORS))
    weigh = ESTIMATORS[estimator].weigh
    parts = None
    if weigh is None:
        value, weight, prior_weight = halfway.value, halfway.weight, halfway.prior_weight
        parts = ModelParts(
            halfway.share, halfway.corrected_grade, halfway.pulled_in, halfway.model_weight
        )
    else:
        value, weight = weigh(reports)
        value = value - halfway.shift[reports.assignment]
        prior_weight = np.zeros(reports.submissions)
    assignment = assignments_of(reports)
    made = np.bincount(reports.submission, weight * value, reports.submissions)
    peer_score = made + prior_weight * np.nan_to_num(halfway.prior_mean[assignment])
    reviewed = np.bincount(reports.submission, minlength=reports.submissions) > 0
    peer_score = np.clip(peer_score, reports.scale.lowest, reports.scale.highest)
    peer_score = np.where(reviewed, peer_score, np.nan)
    score = np.where(np.isnan(posterior.staff), peer_score, posterior.staff)
    low, high = peer_interval(reports, posterior, score, level)
    peer_error = mean_peer_error(posterior, score)
    staff_low, staff_high = staff_interval(reports, posterior.staff, peer_score, peer_error, level)
    return GradeEstimate(
        estimator=estimator,
        score=score,
        peer_score=peer_score,
        value=value,
        weight=weight,
        prior_mean=posterior.prior_mean,
        prior_weight=prior_weight,
        shift=halfway.shift,
        staff=posterior.staff,
        followed=halfway.anchor,
        low=low,
        high=high,
        peer_error=peer_error,
        staff_low=staff_low,
        staff_high=staff_high,
        parts=parts,
    )


def peer_interval(
    reports: Reports, posterior: Posterior, score: Floats, level: float
) -> tuple[Floats, Floats]:
    r"""Interval of each grade for the mean that many more such peers would give.

    .. math:: \hat g_s \pm z \sqrt{\operatorname{E} (g_s - \hat g_s)^2}

    with the posterior distribution of the score *g*, and clipped to the scale. A grade by staff is
    exact.
    """
    from scipy.special import ndtri

    half = ndtri((1 + level) / 2) * root_mean_square_error(posterior, score)
    lowest, highest = reports.scale.lowest, reports.scale.highest
    return np.clip(score - half, lowest, highest), np.clip(score + half, lowest, highest)


def mean_peer_error(posterior: Posterior, score: Floats) -> float:
    """Root mean squared error that is expected of the grades by peers; 0 if there are none."""
    error = root_mean_square_error(posterior, score)
    by_peers = error[np.isnan(posterior.staff) & ~np.isnan(error)]
    return float(np.sqrt((by_peers**2).mean())) if len(by_peers) else 0.0


def staff_interval(
    reports: Reports, staff: Floats, peer_score: Floats, peer_error: float, level: float
) -> tuple[Floats | None, Floats | None]:
    """Prediction interval for the grade that staff would give each submission.

    The differences between staff and peers on the submissions that both graded are taken as a
    normal sample, of which the next difference is predicted. Their standard deviation is at least
    the error of the grades by peers, because it contains that error. The interval is not given with
    fewer than five such submissions.
    """
    from scipy.special import stdtrit

    both = ~np.isnan(staff) & ~np.isnan(peer_score)
    count = int(both.sum())
    if count < MIN_STAFF_GRADES:
        return None, None
    off = staff[both] - peer_score[both]
    spread = max(float(off.std(ddof=1)), peer_error) * np.sqrt(1 + 1 / count)
    half = float(stdtrit(count - 1, (1 + level) / 2)) * spread
    centre = peer_score + off.mean()
    lowest, highest = reports.scale.lowest, reports.scale.highest
    low, high = (np.clip(centre + side * half, lowest, highest) for side in (-1, 1))
    by_staff = ~np.isnan(staff)
    return np.where(by_staff, staff, low), np.where(by_staff, staff, high)


def assignments_of(reports: Reports) -> NDArray[np.int64]:
    """Assignment of each submission; 0 for a submission without reviews."""
    assignment = np.zeros(reports.submissions, dtype=np.int64)
    assignment[reports.submission] = reports.assignment
    return assignment


# --------------------------------------------------------------------------------------- estimators


def _by_mean(reports: Reports) -> tuple[Floats, Floats]:
    """Values and weights of the mean."""
    return reports.grade.copy(), 1 / _counts(reports)


def _by_median(reports: Reports) -> tuple[Floats, Floats]:
    """Values and weights of the median."""
    counts = _counts(reports)
    return _by_middle(reports, (counts - 1) // 2)


def _by_trimmed_mean(reports: Reports) -> tuple[Floats, Floats]:
    """Values and weights of the trimmed mean."""
    counts = _counts(reports)
    cut = np.floor(TrimmedMean().share * counts + 1e-9).astype(np.int64)
    return _by_middle(reports, np.minimum(cut, (counts - 1) // 2))


def _by_middle(reports: Reports, cut: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Values and weights of the mean without the *cut* lowest and highest grades.

    Equal grades of a submission have equal weights: together, those that some of them would have.
    """
    grade, s = reports.grade, reports.submission
    counts = _counts(reports)
    order = np.lexsort((grade, s))
    rank = np.empty(len(grade), dtype=np.int64)
    rank[order] = np.arange(len(grade)) - reports.submission_bounds[s[order]]
    kept = (rank >= cut) & (rank < counts - cut)
    weight = np.where(kept, 1 / np.maximum(counts - 2 * cut, 1), 0.0)
    _, same = np.unique(np.column_stack((s, grade)), axis=0, return_inverse=True)
    same = same.reshape(-1)
    shared = np.bincount(same, weight) / np.bincount(same)
    return grade.copy(), np.asarray(shared[same])


def _by_vancouver(reports: Reports) -> tuple[Floats, Floats]:
    """Values and weights of the Vancouver algorithm."""
    fit = Vancouver().fit(reports)
    if fit.weight is None or fit.value is None:
        raise TypeError("The Vancouver algorithm has a weight for each report.")
    return fit.value.copy(), fit.weight.copy()


def _counts(reports: Reports) -> NDArray[np.int64]:
    """Number of reviews of the submission of each report."""
    counts = np.bincount(reports.submission, minlength=reports.submissions)
    return np.asarray(counts[reports.submission])


class Estimator(NamedTuple):
    """A way to make a grade of reviews.

    ``weigh`` gives the values and weights of reviews; it is None for the default estimator, whose
    values and weights depend on what is known about graders.
    """

    label: str
    sentence: str
    """How a grade is made, for people."""

    weigh: Callable[[Reports], tuple[Floats, Floats]] | None


ESTIMATORS = {
    DEFAULT_ESTIMATOR: Estimator(
        "Half model, half mean",
        "Half of a grade is the plain mean of the reviews, in which a review that is far from the "
        "others is pulled towards them. The other half is a model: reviews are corrected for the "
        "leniency of their grader, reviews by more reliable graders count more, and the mean of "
        "the class counts as one more review.",
        None,
    ),
    "mean": Estimator("Mean", "A grade is the mean of the reviews.", _by_mean),
    "median": Estimator("Median", "A grade is the median of the reviews.", _by_median),
    "trimmed-mean": Estimator(
        "Trimmed mean",
        "A grade is the mean of the reviews without the lowest and the highest quarter.",
        _by_trimmed_mean,
    ),
    "vancouver": Estimator(
        "Vancouver",
        "A grade is a weighted mean of the reviews: the more a grader agrees with others on other "
        "work, the more their review counts (the Vancouver algorithm of CrowdGrader).",
        _by_vancouver,
    ),
}
"""Estimators of grades that an instructor can choose, by name."""
