"""Cards at the top of the report: questions of an instructor, with answers in plain words."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.estimate import MIN_STAFF_GRADES
from peergauge.core.text import counted
from peergauge.pages import percent
from peergauge.pages.grade_rows import has_awarded
from peergauge.pages.second_look_section import root_mean_square


class Card(NamedTuple):
    """One question at the top of the page, with its answer."""

    question: str
    answer: str
    words: str
    where: str
    tone: str = ""


def precision_card(graded: GradedClass) -> Card:
    """Answer to how precise the grades are: the claim is about peers, not about a true grade."""
    question, where = "How precise are the grades?", "grades"
    low, high = graded.interval
    by_peers, staff = graded.peer_graded, int(graded.staff_graded.sum())
    if not by_peers.any():
        return Card(question, "exact", "Staff graded every submission.", where, "good")
    half = np.where(by_peers, (high - low) / 2, -np.inf)
    median, widest = float(np.median(half[by_peers])), int(half.argmax())
    grade = "estimate, before the curve and rounding" if has_awarded(graded) else "grade"
    words = (
        f"With a probability of {percent(graded.settings.level)}, the mean that many more such "
        f"peers would give lies within this distance of the {grade}, for half of the submissions. "
        f"The least precise is that of {graded.names.submissions[widest]}: ±{half[widest]:.2f}."
    )
    if staff:
        words += f" Staff gave {counted(staff, 'grade')}, which count as exact."
    return Card(question, f"±{median:.2f}", words, where)


def staff_sentence(graded: GradedClass) -> str:
    """How far the grades may be from grades by staff, if this can be said."""
    low, high = graded.grades.staff_low, graded.grades.staff_high
    by_peers = graded.peer_graded
    if low is not None and high is not None and not np.isnan(low[by_peers]).all():
        half = float(np.nanmedian((high - low)[by_peers])) / 2
        return (
            f"A grade by staff lies within ±{half:.2f} with the same probability, for half of the "
            "submissions."
        )
    if not by_peers.any():
        return ""
    known = int(graded.staff_graded.sum())
    why = f"there are only {known}" if known else "there are none"
    return (
        "How far a grade by staff would be cannot be said: this needs "
        f"{MIN_STAFF_GRADES} staff grades, and {why}."
    )


def no_checks_sentence(graded: GradedClass) -> str:
    """Why nothing is listed for staff to check."""
    if not graded.settings.budget:
        return "You asked for no second look."
    return "No further check would make the grades more precise."


def checks_card(graded: GradedClass) -> Card:
    """Answer to what staff should check."""
    look = graded.second_look
    question, where = "What should staff check?", "second-look"
    if not look.submissions and not look.graders:
        return Card(question, "nothing", no_checks_sentence(graded), where)
    before, after = root_mean_square(graded)
    them = "it" if len(look.submissions) == 1 else "them"
    words = (
        f"Checking {them} is expected to reduce the typical error of all grades from "
        f"{before:.2f} to {after:.2f}."
    )
    if look.graders:
        words += f" The reviews of {counted(len(look.graders), 'grader')} are worth a check, too."
    return Card(question, counted(len(look.submissions), "submission"), words, where)


def flags_card(graded: GradedClass) -> Card:
    """Answer to whether any grader is unusual."""
    flags = graded.flags
    question, where = "Are any graders unusual?", "flags"
    expected = sum(one.expected for one in flags.false_flags)
    chance = f"In an honest class like this one, {expected:.1f} flags are expected by chance."
    if not flags.found:
        return Card(question, "none", chance, where, "good")
    people = len({one.grader for one in flags.found})
    found = f"{counted(len(flags.found), 'flag')} among {graded.reports.graders} graders."
    return Card(question, counted(people, "grader"), f"{found} {chance}", where, "part")
