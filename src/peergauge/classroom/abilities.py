"""Computations that a class allows, those that it does not allow, and the reasons.

:func:`abilities` answers the questions of an instructor from counts alone, in a moment and without
compiling anything. :func:`mechanism_abilities` tries every mechanism, which takes longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.core.errors import PeergaugeError, TableError
from peergauge.core.text import counted
from peergauge.exports.validate import OpenedClass
from peergauge.tables import Reports, Truth

if TYPE_CHECKING:
    from peergauge.mechanisms import Mechanism

MAX_TRIED_GRADES = 30_000
"""Mechanisms are tried on at most this many grades, from the first assignments of the class."""


class Ability(NamedTuple):
    """One computation, whether the class allows it, and why or why not."""

    what: str
    possible: bool
    why: str


def abilities(opened: OpenedClass) -> list[Ability]:
    """What an instructor can compute: grades for submissions and graders, and the comparison."""
    return [
        _submission_grades(opened),
        _grader_grades(opened),
        _comparison(opened.reports, opened.truth),
    ]


def _submission_grades(opened: OpenedClass) -> Ability:
    reports = opened.reports
    each = len(reports) / max(1, reports.submissions)
    why = f"{counted(reports.submissions, 'submission')}, {each:.1f} reviews each on average"
    return Ability("grades for submissions", bool(len(reports)), why)


def _grader_grades(opened: OpenedClass) -> Ability:
    what, shape = "grades for graders", opened.report.shape
    sharing = shape.graders - shape.lone_graders
    if not sharing:
        return Ability(what, False, "no two graders graded the same submission")
    why = f"{sharing} of {shape.graders} graders share a submission with another grader"
    return Ability(what, True, why)


def _comparison(reports: Reports, truth: Truth | None) -> Ability:
    what = "comparison with staff grades"
    if truth is None:
        return Ability(what, False, "no staff grades are known; give a file of them, too")
    try:
        known = int((~np.isnan(truth.scores_of(reports))).sum())
    except TableError as error:
        return Ability(what, False, str(error))
    why = f"staff grades of {known} of {reports.submissions} submissions are known"
    return Ability(what, known > 0, why)


# --------------------------------------------------------------------------------- every mechanism


def mechanism_abilities(opened: OpenedClass) -> list[Ability]:
    """Prepare a class as the paper does, and try every mechanism on it."""
    from peergauge.exports.preprocess import preprocess

    truth = opened.truth
    try:
        done = preprocess(opened.reports, truth)
    except PeergaugeError as error:
        return [Ability("the paper's preprocessing", False, str(error))]
    share = f"{done.retained:.1%} of the grades are left, {done.spare} more as penalty tasks"
    found = [Ability("the paper's preprocessing", True, share)]
    few = _first_enough(done.reports)
    return [*found, *(_paid(one, few, done.truth) for one in _worth_trying(truth is not None))]


def _worth_trying(with_truth: bool) -> Iterator[Mechanism]:
    from peergauge.mechanisms import mechanisms

    for one in mechanisms.all():
        if with_truth or not one.facts.needs_truth:
            yield one


def _paid(mechanism: Mechanism, reports: Reports, truth: Truth | None) -> Ability:
    from peergauge.mechanisms import score

    what = f"pay by {mechanism.label}"
    try:
        rewards = score(mechanism, reports, truth=truth)
    except PeergaugeError as error:
        return Ability(what, False, str(error))
    present = np.unique(reports.paid_only.grader)
    paid = int((~np.isnan(rewards.total[present])).sum())
    return Ability(what, paid > 0, f"{paid} of {len(present)} graders are paid")


def _first_enough(reports: Reports) -> Reports:
    bounds = reports.assignment_bounds
    count = int(np.searchsorted(bounds, MAX_TRIED_GRADES))
    return reports.first(max(1, count)) if count < reports.assignments else reports
