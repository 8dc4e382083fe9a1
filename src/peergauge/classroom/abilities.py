"""Computations that a class allows, those that it does not allow, and the reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from peergauge.core.errors import PeergaugeError
from peergauge.exports.preprocess import preprocess
from peergauge.exports.validate import OpenedClass
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.tables import Reports, Truth

MAX_TRIED_GRADES = 30_000
"""Mechanisms are tried on at most this many grades, from the first assignments of the class."""


class Ability(NamedTuple):
    """One computation, whether the class allows it, and why or why not."""

    what: str
    possible: bool
    why: str


def abilities(opened: OpenedClass) -> list[Ability]:
    """Try every computation on a class."""
    reports, truth = opened.reports, opened.truth
    found = [_truth(reports, truth)]
    try:
        done = preprocess(reports, truth)
    except PeergaugeError as error:
        return [*found, Ability("grades for graders", False, str(error))]
    share = f"{done.retained:.1%} of the grades are left, {done.spare} more as penalty tasks"
    found.append(Ability("the paper's preprocessing", True, share))
    few = _first_enough(done.reports)
    return [*found, *(_paid(one, few, done.truth) for one in _worth_trying(truth is not None))]


def _worth_trying(with_truth: bool) -> Iterator[Mechanism]:
    for one in mechanisms.all():
        if with_truth or not one.facts.needs_truth:
            yield one


def _paid(mechanism: Mechanism, reports: Reports, truth: Truth | None) -> Ability:
    what = f"pay by {mechanism.label}"
    try:
        rewards = score(mechanism, reports, truth=truth)
    except PeergaugeError as error:
        return Ability(what, False, str(error))
    present = np.unique(reports.paid_only.grader)
    paid = int((~np.isnan(rewards.total[present])).sum())
    return Ability(what, paid > 0, f"{paid} of {len(present)} graders are paid")


def _truth(reports: Reports, truth: Truth | None) -> Ability:
    what = "how good the grading was"
    if truth is None:
        return Ability(what, False, "no true scores are known; give a file of staff's scores too")
    known = int((~np.isnan(truth.scores_of(reports))).sum())
    why = f"the true score of {known} of {reports.submissions} submissions is known"
    return Ability(what, known > 0, why)


def _first_enough(reports: Reports) -> Reports:
    bounds = reports.assignment_bounds
    count = int(np.searchsorted(bounds, MAX_TRIED_GRADES))
    return reports.first(max(1, count)) if count < reports.assignments else reports
