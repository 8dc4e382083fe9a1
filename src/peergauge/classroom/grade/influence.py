"""Influence of dishonest reviews: on the grades of others, and on one's own grade."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.estimate import DEFAULT_ESTIMATOR, ESTIMATORS
from peergauge.classroom.grade.names import ClassNames
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.randomness import stream
from peergauge.core.text import counted
from peergauge.models.halfway import HalfwayEstimates, grades_with, halfway_grades
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.tables import Reports

MAX_COLLUDERS = 3
"""Largest number of colluding reviewers of a submission that is tried."""

MAX_COLLUSION_ROUNDS = 8
"""Number of random choices of colluders among the reviewers of each submission."""

MAX_COLLUSION_REVIEWS = 200_000
"""Reviews of all random choices together: a large class needs fewer for the same standard error."""

MAX_IMPARTIALITY_REVIEWS = 20_000
"""Number of reviews up to which it is measured whether reviews change one's own grade."""

MAX_CHANGED_SHARE = 0.1
"""Largest share of the authors whose reviews are changed at the same time."""

IMPARTIAL_ESTIMATORS = ("mean", "median", "trimmed-mean")
"""Estimators by which a grade depends on the reviews of that submission alone."""


class Collusion(NamedTuple):
    """Mean change of a grade if some of its reviewers agree on the end of the scale."""

    colluders: int
    raised: float
    """Mean change if they give the highest grade."""

    lowered: float
    """Mean change if they give the lowest grade; negative."""

    mean_raised: float
    mean_lowered: float
    """The same for the plain mean of the reviews."""

    submissions: int
    """Number of submissions with more reviewers than colluders."""


@dataclass(frozen=True)
class Influence:
    """Influence of dishonest reviews on grades.

    Parameters
    ----------
    collusion
        Changes of a grade by one colluder, two colluders and so on.
    point
        A change that counts: one point of the scale, or a tenth of a scale shorter than 10 points.
    own_change
        Mean absolute change of the own grade of students who give the lowest grade to all the work
        that they review; None if it was not measured.
    own_largest
        The largest of these changes.
    own_students
        Number of students whose reviews were changed.
    """

    collusion: tuple[Collusion, ...]
    point: float
    own_change: float | None = None
    own_largest: float | None = None
    own_students: int = 0

    def friends_needed(self) -> int | None:
        """Number of friends who raise a grade by a point on average; None if more than tried."""
        return next((one.colluders for one in self.collusion if one.raised >= self.point), None)

    def saboteurs_needed(self) -> int | None:
        """Number of saboteurs who lower a grade by a point on average; None if more than tried."""
        return next((one.colluders for one in self.collusion if -one.lowered >= self.point), None)

    def sentences(self) -> Iterator[str]:
        """The influence in sentences for the instructor."""
        if self.collusion:
            tried = self.collusion[-1].colluders
            point = f"{self.point:g} {'point' if self.point == 1 else 'points'}"
            for needed, who, what in (
                (self.friends_needed(), "friend", "raise"),
                (self.saboteurs_needed(), "saboteur", "lower"),
            ):
                if needed is None:
                    yield (
                        f"Even {counted(tried, who)} among the reviewers of a submission do not "
                        f"{what} its grade by {point} on average."
                    )
                else:
                    yield (
                        f"It takes {counted(needed, who)} among the reviewers of a submission to "
                        f"{what} its grade by {point} on average."
                    )
        yield self.own_sentence()

    def own_sentence(self) -> str:
        """How much a student's reviews change the student's own grade."""
        if self.own_change is None:
            return (
                "How much the reviews of students change their own grades was not measured, "
                "because the authors are not known or the class is very large."
            )
        if self.own_largest == 0:
            return "The reviews of a student do not change the student's own grade at all."
        return (
            f"If a student gives the lowest grade to all work, the student's own grade changes by "
            f"{self.own_change:.2f} points on average, and by {self.own_largest:.2f} at most "
            f"({counted(self.own_students, 'student')} tried)."
        )


def measure_influence(
    reports: Reports,
    posterior: Posterior,
    halfway: HalfwayEstimates,
    names: ClassNames,
    *,
    estimator: str = DEFAULT_ESTIMATOR,
    model: PG1Posterior | None = None,
    seed: int = 0,
) -> Influence:
    """Measure the influence of colluding reviewers, and of reviews on one's own grade.

    Parameters
    ----------
    posterior, halfway
        What is known about the class.
    names
        Names of the class, by which authors are recognised among the graders.
    estimator
        The estimator of the grades.
    model
        The model that is fitted again to changed reports.
    seed
        The same seed gives the same numbers.
    """
    width = reports.scale.highest - reports.scale.lowest
    point = 1.0 if width >= 10 else width / 10
    collusion = tuple(_collusion(reports, posterior, halfway, estimator, seed))
    if estimator in IMPARTIAL_ESTIMATORS:
        return Influence(collusion, point, 0.0, 0.0, 0)
    changed = _own_changes(reports, posterior, halfway, names, estimator, model, seed)
    if changed is None:
        return Influence(collusion, point)
    return Influence(collusion, point, float(changed.mean()), float(changed.max()), len(changed))


# ------------------------------------------------------------------------------------- collusion


def _collusion(
    reports: Reports,
    posterior: Posterior,
    halfway: HalfwayEstimates,
    estimator: str,
    seed: int,
) -> Iterator[Collusion]:
    """Changes of grades by one colluder, two and so on.

    What is known about graders stays as it is, although dishonest reviews would lower their
    reliability: so the true changes are rather smaller. All submissions are attacked at the same
    time, which is the same as one after the other, because nothing else changes.
    """
    regrade = _regrader(reports, posterior, halfway, estimator)
    plain = _regrader(reports, posterior, halfway, "mean")
    before, mean_before = regrade(reports.grade), plain(reports.grade)
    count = np.bincount(reports.submission, minlength=reports.submissions)
    ends = reports.scale.highest, reports.scale.lowest
    affordable = MAX_COLLUSION_REVIEWS // max(len(reports), 1)
    rounds = max(1, min(MAX_COLLUSION_ROUNDS, affordable))
    for colluders in range(1, MAX_COLLUDERS + 1):
        # A submission with no honest reviewer left says nothing about the estimator.
        open_to = count > colluders
        if not open_to.any():
            return
        changes = np.zeros(4)
        for number in range(rounds):
            rng = stream(seed, "colluders", colluders, number)
            chosen = _some_of_each(reports, colluders, rng)
            attacked = [np.where(chosen, end, reports.grade) for end in ends]
            moved = [
                *(regrade(one) - before for one in attacked),
                *(plain(one) - mean_before for one in attacked),
            ]
            changes += [float(one[open_to].mean()) / rounds for one in moved]
        raised, lowered, mean_raised, mean_lowered = changes.tolist()
        yield Collusion(colluders, raised, lowered, mean_raised, mean_lowered, int(open_to.sum()))


def _regrader(
    reports: Reports, posterior: Posterior, halfway: HalfwayEstimates, estimator: str
) -> Callable[[Floats], Floats]:
    """A function from other grades of the same reports to the scores of the submissions."""
    weigh = ESTIMATORS[estimator].weigh
    if weigh is None:
        return lambda grade: grades_with(reports, grade, posterior, halfway)

    def regrade(grade: Floats) -> Floats:
        value, weight = weigh(reports.with_grades(grade))
        made = np.bincount(reports.submission, value * weight, reports.submissions)
        return np.asarray(made, dtype=np.float64)

    return regrade


def _some_of_each(reports: Reports, many: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which reports are among *many* random ones of their submission."""
    order = np.lexsort((rng.random(len(reports)), reports.submission))
    rank = np.empty(len(reports), dtype=np.int64)
    rank[order] = np.arange(len(reports)) - reports.submission_bounds[reports.submission[order]]
    return np.asarray(rank < many)


# --------------------------------------------------------------------------------- impartiality


def _own_changes(
    reports: Reports,
    posterior: Posterior,
    halfway: HalfwayEstimates,
    names: ClassNames,
    estimator: str,
    model: PG1Posterior | None,
    seed: int,
) -> Floats | None:
    """Absolute change of the own grade of students who give the lowest grade to all work.

    The class is estimated again, with all that depends on these reviews. Several students change
    their reviews at the same time, but nobody among them reviews the work of another.
    """
    if len(reports) > MAX_IMPARTIALITY_REVIEWS:
        return None
    own = _own_submissions(reports, names)
    some = _strangers(reports, own, seed)
    if not some:
        return None
    grade = reports.grade.copy()
    grade[np.isin(reports.grader, list(some))] = reports.scale.lowest
    changed = reports.with_grades(grade)
    weigh = ESTIMATORS[estimator].weigh
    if weigh is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            again = replace(model or PG1Posterior(), seed=seed).fit(changed, halfway.anchor)
        after = halfway_grades(changed, again, share=halfway.share).peer_score
        before = halfway.peer_score
    else:
        regrade = _regrader(reports, posterior, halfway, estimator)
        before, after = regrade(reports.grade), regrade(grade)
    off = [abs(after[one] - before[one]) for student in some for one in own[student]]
    return np.array(off)


def _own_submissions(reports: Reports, names: ClassNames) -> dict[int, list[int]]:
    """Reviewed submissions of each grader who is an author."""
    place = {person.id: number for number, person in enumerate(names.graders)}
    reviewed = set(reports.submission.tolist())
    own: dict[int, list[int]] = {}
    for submission, authors in enumerate(names.authors):
        for author in authors:
            if author.id in place and submission in reviewed:
                own.setdefault(place[author.id], []).append(submission)
    return own


def _strangers(reports: Reports, own: dict[int, list[int]], seed: int) -> list[int]:
    """Random students of whom nobody reviews the work of another."""
    reviewers: dict[int, set[int]] = {}
    reviewed: dict[int, set[int]] = {}
    for submission, grader in zip(
        reports.submission.tolist(), reports.grader.tolist(), strict=True
    ):
        reviewers.setdefault(submission, set()).add(grader)
        reviewed.setdefault(grader, set()).add(submission)
    most = max(1, int(MAX_CHANGED_SHARE * len(own)))
    chosen: list[int] = []
    barred: set[int] = set()
    written: set[int] = set()
    for student in stream(seed, "own grade").permutation(sorted(own)).tolist():
        if len(chosen) == most:
            break
        if student in barred or reviewed.get(student, set()) & written:
            continue
        if student not in reviewed:
            continue
        chosen.append(student)
        written.update(own[student])
        for submission in own[student]:
            barred |= reviewers[submission]
    return chosen
