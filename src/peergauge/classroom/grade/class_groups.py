"""Parts and sections of a class: who can be compared with whom, and who is taught together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.text import as_counted
from peergauge.exports.validate import component_labels
from peergauge.tables import Reports

if TYPE_CHECKING:
    from peergauge.classroom.grade import GradedClass
    from peergauge.classroom.grade.reward_per_review import RewardPerReview

MIN_COMPARED_GRADERS = 2
"""Graders of a part from which they are ranked: a single one has nobody to be compared with."""


class ClassGroups(NamedTuple):
    """The part and the section of each submission and grader, by their numbers.

    Submissions and graders are in one part if a chain of reviews connects them. Grades and rewards
    of different parts cannot be compared, because nobody graded in both.
    """

    submission_parts: NDArray[np.int64]
    """Number of the part; 1 is the part with most graders."""

    grader_parts: NDArray[np.int64]
    submission_sections: tuple[str, ...]
    """Sections of the authors; empty if they are not known."""

    grader_sections: tuple[str, ...]

    @property
    def parts(self) -> int:
        """Number of parts."""
        return int(self.grader_parts.max(initial=0))

    @property
    def sections(self) -> list[str]:
        """Names of all sections, in natural order."""
        found = {*self.submission_sections, *self.grader_sections} - {""}
        return sorted(found, key=as_counted)

    def rank_interval(
        self, estimated: RewardPerReview, level: float, seed: int
    ) -> tuple[Floats, Floats]:
        """Interval of each grader's rank within the part; NaN where nobody can be compared."""
        if self.parts <= 1:
            return estimated.rank_interval(level, seed)
        best, worst = np.full((2, len(self.grader_parts)), np.nan)
        for part in range(1, self.parts + 1):
            here = np.flatnonzero(self.grader_parts == part)
            if (estimated.reviews[here] > 0).sum() < MIN_COMPARED_GRADERS:
                continue
            alone = replace(
                estimated, own_mean=estimated.own_mean[here], reviews=estimated.reviews[here]
            )
            best[here], worst[here] = alone.rank_interval(level, seed)
        return best, worst


def groups_of(graded: GradedClass) -> ClassGroups:
    """The parts and sections of a graded class."""
    submissions, graders = parts_of(graded.reports)
    people = graded.opened.people.select("person", "section").drop_nulls()
    section = {person: " ".join(name.split()) for person, name in people.iter_rows()}
    names = graded.names
    if not section:
        nothing = ("",) * len(submissions), ("",) * len(graders)
        return ClassGroups(submissions, graders, *nothing)
    return ClassGroups(
        submissions,
        graders,
        tuple(_joined(section.get(one.id, "") for one in authors) for authors in names.authors),
        tuple(section.get(one.id, "") for one in names.graders),
    )


def parts_of(reports: Reports) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number of the part of each submission and of each grader; the largest part is 1.

    A submission or a grader without reviews is no part of its own, and is counted with part 1.
    """
    graders = reports.graders
    label = component_labels(reports)
    count = np.bincount(label[:graders], minlength=int(label.max(initial=-1)) + 1)
    reviewed = np.zeros(len(count), np.bool_)
    reviewed[label[reports.grader]] = True
    count[~reviewed] = -1
    number = np.empty(len(count), np.int64)
    number[np.argsort(-count, kind="stable")] = np.arange(1, len(count) + 1)
    number[~reviewed] = 1
    return number[label[graders:]], number[label[:graders]]


def _joined(sections: Iterable[str]) -> str:
    return ", ".join(sorted(set(filter(None, sections)), key=as_counted))
