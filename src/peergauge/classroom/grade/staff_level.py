"""Whether the grades by peers follow the level of the staff grades.

A staff grade is final for its submission. It also says something about all others: if staff are
stricter than peers on the same work, the others would be lower, too. But a few staff grades may be
those of disputed work, which are not typical. So the level of staff is followed only if there are
enough staff grades, and appeals never count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from peergauge.classroom.grade.decisions import Action, AppliedDecisions
from peergauge.classroom.grade.settings import FollowStaff
from peergauge.core.arrays import Floats
from peergauge.core.text import counted
from peergauge.tables import Reports

MIN_STAFF_TO_FOLLOW = 10
"""Number of staff grades of an assignment from which on the grades by peers follow their level."""

MIN_MENTIONED_GAP = 0.05
"""Smallest difference between peers and staff that is mentioned, in points of 0..10."""


def staff_to_follow(
    reports: Reports,
    staff: Floats,
    decisions: AppliedDecisions | None,
    rule: FollowStaff,
) -> Floats:
    """Staff grades that the grades by peers follow; NaN for all others.

    Parameters
    ----------
    staff
        Staff grade of each submission, NaN if there is none.
    decisions
        Decisions of staff; grades from appeals are not followed.
    rule
        ``always``, ``never``, or ``auto``: in assignments with ten staff grades or more.
    """
    kept = staff.copy()
    if decisions is not None:
        appealed = [one.submission for one in decisions.log if one.decision.action is Action.APPEAL]
        kept[[place for place in appealed if place >= 0]] = np.nan
    if rule == "never":
        kept[:] = np.nan
    if rule == "auto":
        for number in range(reports.assignments):
            here = reports.assignment_of_submission == number
            if (~np.isnan(kept[here])).sum() < MIN_STAFF_TO_FOLLOW:
                kept[here] = np.nan
    return kept


def unfollowed_sentences(
    reports: Reports, staff: Floats, followed: Floats, peer_score: Floats
) -> Iterator[str]:
    """Differences between peers and staff that the grades of other submissions do not follow."""
    assignment, names = reports.assignment_of_submission, reports.assignment_names
    for number in range(reports.assignments):
        here = assignment == number
        both = here & ~np.isnan(staff) & ~np.isnan(peer_score)
        if not both.any() or not np.isnan(followed[here]).all():
            continue
        gap = float((peer_score - staff)[both].mean())
        if abs(gap) < MIN_MENTIONED_GAP * reports.scale.unit:
            continue
        where = f" in {names[number]}" if names and len(names) > 1 else ""
        yield (
            f"On the {counted(int(both.sum()), 'submission')} that staff graded{where}, grades by "
            f"peers would be {abs(gap):.2f} points {'higher' if gap > 0 else 'lower'} on average. "
            "The other grades do not follow this difference, because so few staff grades, or "
            'those of appeals, may not be typical; follow_staff = "always" in the settings '
            "changes this."
        )
