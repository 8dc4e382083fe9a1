"""Results of an earlier run of the same course, from which the next run continues."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.decisions import Decision
from peergauge.classroom.grade.renamed import KnownPerson
from peergauge.classroom.grade.semester import Semester
from peergauge.core.arrays import Floats
from peergauge.models.leniency import LeniencyPrior
from peergauge.models.posterior import Traits
from peergauge.tables import Reports, named

if TYPE_CHECKING:
    from peergauge.classroom.grade.continuing import Continuation


class GradedReview(NamedTuple):
    """One review that an earlier run graded, by names."""

    submission: str
    grader: str
    grade: float


class EarlierRun(NamedTuple):
    """Graders of an earlier run of the same course, by name.

    Parameters
    ----------
    people
        The graders: their identifiers, earlier identifiers and details. Graders of even earlier
        runs who were absent in the last one are among them.
    traits
        Estimated bias, reliability and so on of each grader.
    assignments
        Assignments that were graded then, and are not graded again.
    reviews
        Number of rewarded reviews of each grader.
    mean_reward
        Mean reward per review of each grader.
    mechanism, scale
        The mechanism that paid the graders, and the scale of the class.
    graded_reviews
        The reviews of the last run by their assignments, to recognise them.
    digests
        Digests of the reviews of all assignments, to recognise those of even earlier runs.
    answers
        Answers to questions about the files, which hold for the next run, too.
    turned
        Whether grades were turned around, because the lowest grade was the best.
    leniency
        Leniency of each grader; None if the run does not say.
    points_over
        Whether points were over the ``week`` or over the ``semester``; empty if that is not known,
        because an older version wrote the audit.
    continuation
        How a class continues this run; None if no class does so far.
    settings
        Settings of the run as its audit has them, which hold unless they are given again.
    decisions
        Decisions of staff that this run and even earlier ones applied, each with the name of its
        assignment.
    semester
        Grades of authors and points of graders in all runs so far.
    """

    people: tuple[KnownPerson, ...]
    traits: Traits
    assignments: tuple[str, ...]
    reviews: NDArray[np.int64]
    mean_reward: Floats
    mechanism: str
    scale: str
    graded_reviews: Mapping[str, tuple[GradedReview, ...]] = {}
    digests: Mapping[str, str] = {}
    answers: Mapping[str, str] = {}
    turned: bool = False
    leniency: LeniencyPrior | None = None
    points_over: str = ""
    continuation: Continuation | None = None
    settings: Mapping[str, Any] = {}
    decisions: tuple[tuple[Decision, str], ...] = ()
    semester: Semester = Semester()

    @property
    def graders(self) -> tuple[str, ...]:
        """Identifiers of the graders."""
        return tuple(person.id for person in self.people)

    def places(self, reports: Reports) -> NDArray[np.int64]:
        """Position of each grader of *reports* in this run; -1 for new graders."""
        names = named(np.arange(reports.graders), reports.grader_names)
        place = {name: number for number, name in enumerate(self.graders)}
        if self.continuation is not None:
            place = dict(self.continuation.places)
        return np.array([place.get(str(name), -1) for name in names], dtype=np.int64)

    def traits_of(self, reports: Reports) -> Traits:
        """Traits of the graders of *reports*, in their order; NaN for new graders."""
        found = self.places(reports)
        return Traits(*(np.where(found >= 0, one[found], np.nan) for one in self.traits))

    def leniency_of(self, reports: Reports) -> LeniencyPrior | None:
        """Leniency of the graders of *reports*, in their order; NaN for new graders."""
        if self.leniency is None:
            return None
        found, known = self.places(reports), self.leniency
        mean, ratio = (
            np.where(found >= 0, one[found], np.nan) for one in (known.mean, known.ratio)
        )
        return LeniencyPrior(mean, ratio, known.evidence)

    def rewards_of(self, reports: Reports) -> tuple[NDArray[np.int64], Floats]:
        """Number of rewarded reviews of each grader of *reports*, and their mean reward."""
        found = self.places(reports)
        return (
            np.where(found >= 0, self.reviews[found], 0),
            np.where(found >= 0, self.mean_reward[found], np.nan),
        )
