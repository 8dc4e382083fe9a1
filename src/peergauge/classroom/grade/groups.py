"""Sections of a class, and the parts of it that share no grader.

Grades of different parts cannot be compared: no grader has seen work of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.names import ClassNames

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass
    from peergauge.tables import Reports

SECTION_SEPARATOR = ", "
"""What stands between the sections of a submission whose authors are in several."""


@dataclass(frozen=True, eq=False)
class Parts:
    """The connected components of a class, numbered from 0, the one with most reports first.

    Parameters
    ----------
    of_submission
        The part of each submission; -1 for a submission without a report.
    of_grader
        The part of each grader; -1 for a grader without a report.
    count
        The number of parts.
    """

    of_submission: NDArray[np.int64]
    of_grader: NDArray[np.int64]
    count: int


def parts_of(reports: Reports, *, within_assignments: bool = False) -> Parts:
    """The connected components of a class: two graders of one submission are in the same part.

    Parameters
    ----------
    within_assignments
        Whether a grader of two assignments leaves these apart. Grades on the same assignment can
        only be compared through reports on it, if graders may change from one to the next. A
        grader with reports in several parts then has the part of most of their reports.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    person = reports.grader.astype(np.int64)
    if within_assignments:
        person = person + reports.graders * reports.assignment.astype(np.int64)
    people = reports.graders * (reports.assignments if within_assignments else 1)
    size = people + reports.submissions
    edges = (
        np.ones(len(reports), dtype=np.int8),
        (person, people + reports.submission.astype(np.int64)),
    )
    _, label = connected_components(coo_array(edges, shape=(size, size)), directed=False)
    of_report = label[person]
    found, first, number, sizes = np.unique(
        of_report, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(found), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(found))
    part = rank[number]
    of_submission = np.full(reports.submissions, -1, dtype=np.int64)
    of_submission[reports.submission] = part
    of_grader = np.full(reports.graders, -1, dtype=np.int64)
    if len(part):
        # The part with most reports of the grader, and the first of equals.
        pairs, count = np.unique(np.stack([reports.grader, part]), axis=1, return_counts=True)
        order = np.lexsort((pairs[1], -count, pairs[0]))
        graders, begin = np.unique(pairs[0][order], return_index=True)
        of_grader[graders] = pairs[1][order][begin]
    return Parts(of_submission, of_grader, len(found))


def sections_of_graders(opened: OpenedClass) -> list[str | None]:
    """The section of each grader, in the order of the reports; None if no file says it."""
    known = _sections(opened)
    return [known.get(one.id) for one in ClassNames(opened).graders]


def sections_of_submissions(opened: OpenedClass) -> list[str | None]:
    """The section of each submission by its authors, in the order of the reports.

    None if the section of no author is known. If authors are in several sections, these stand in
    alphabetical order with ``SECTION_SEPARATOR`` between them.
    """
    known = _sections(opened)
    found = []
    for authors in ClassNames(opened).authors:
        own = sorted({known[one.id] for one in authors if one.id in known})
        found.append(SECTION_SEPARATOR.join(own) or None)
    return found


def _sections(opened: OpenedClass) -> dict[str, str]:
    """The section of each person, where a file says it."""
    told = opened.people.select("person", "section").drop_nulls()
    return {person: " ".join(section.split()) for person, section in told.iter_rows()}
