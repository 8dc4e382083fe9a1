"""Decisions of staff: excluded reviews and graders, staff grades that come later, and appeals.

:mod:`peergauge.classroom.grade.deciding` applies them to a class, and
:mod:`peergauge.classroom.grade.decisions_file` reads them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Literal, NamedTuple, TypeAlias

from peergauge.classroom.grade.names import ClassNames
from peergauge.core.text import counted

Status: TypeAlias = Literal["applied", "logged", "earlier"]
"""What became of a decision: it changed this run, it is only logged, or an earlier run used it."""

HIDDEN_REASON = "Ask your teacher for the reason."
"""What a student reads instead of a reason that names somebody else."""


class Action(StrEnum):
    """What a decision does."""

    EXCLUDE_REVIEW = "exclude review"
    EXCLUDE_GRADER = "exclude grader"
    STAFF_GRADE = "staff grade"
    APPEAL = "appeal"


class Outcome(StrEnum):
    """How an appeal was decided."""

    ACCEPTED = "accepted"
    PARTLY_ACCEPTED = "partly accepted"
    REJECTED = "rejected"
    OPEN = "open"


class Decision(NamedTuple):
    """One decision, as it is written in a file.

    Parameters
    ----------
    action
        What the decision does.
    assignment, submission, grader
        What it is about, by the names in grades.csv and graders.csv; empty if not given.
    grade
        The staff grade, or the new grade after an appeal, on the scale of the reviews.
    decision
        The outcome of an appeal.
    reason
        Why.
    date
        When, as YYYY-MM-DD; empty if not given.
    asked
        What an appeal asked for.
    row
        Row number in the file; 0 if there is no file.
    """

    action: Action
    assignment: str = ""
    submission: str = ""
    grader: str = ""
    grade: float | None = None
    decision: str = ""
    reason: str = ""
    date: str = ""
    asked: str = ""
    row: int = 0

    @property
    def identity(self) -> tuple[Any, ...]:
        """What makes two decisions the same; reasons and dates may be edited."""
        return self[:6]

    def as_json(self) -> dict[str, Any]:
        """The decision as values that can be written to JSON."""
        return {**self._asdict(), "action": str(self.action)}


class Decisions(NamedTuple):
    """Decisions in the order of their file, and the name of the file for messages."""

    rows: tuple[Decision, ...] = ()
    source: str = ""

    def where(self, decision: Decision) -> str:
        """The place of a decision, for messages."""
        if not self.source:
            return f"Decision {self.rows.index(decision) + 1}"
        return f"Row {decision.row} of {self.source}"


class AppliedDecision(NamedTuple):
    """A decision, and what became of it.

    Parameters
    ----------
    decision
        The decision as it was written.
    status
        What became of it.
    assignment
        Name of the assignment that it is about; "" for a grader in all assignments.
    submission, grader
        Numbers in the reports; -1 if the decision is about none, or about an earlier run.
    reviews
        Number of reviews that it excluded.
    replaced
        The staff grade that it replaced; None if there was none.
    note
        Something that the teacher should know about it.
    """

    decision: Decision
    status: Status
    assignment: str
    submission: int = -1
    grader: int = -1
    reviews: int = 0
    replaced: float | None = None
    note: str = ""


class ExcludedReview(NamedTuple):
    """A review that staff excluded, by names."""

    assignment: str
    submission: str
    grader: str
    grade: float


class AppliedDecisions(NamedTuple):
    """All decisions about a class, and what they changed.

    Parameters
    ----------
    log
        The decisions in the order of their file.
    excluded
        The excluded reviews.
    submission_of, grader_of
        Number of the submission and of the grader of each excluded review.
    without_reviews
        Numbers of the submissions that lost all their reviews and have no staff grade.
    names
        Names of the submissions and graders.
    """

    log: tuple[AppliedDecision, ...]
    excluded: tuple[ExcludedReview, ...]
    submission_of: tuple[int, ...]
    grader_of: tuple[int, ...]
    without_reviews: tuple[int, ...]
    names: ClassNames

    def excluded_by_grader(self) -> dict[str, int]:
        """Number of excluded reviews of each grader who has some."""
        return dict(Counter(one.grader for one in self.excluded))

    def lines(self) -> Iterator[str]:
        """All decisions in sentences for the teacher."""
        for one in self.log:
            yield self._line(one)
        for submission in self.without_reviews:
            yield (
                f"{self._work(submission)} has no grade, because all of its reviews are excluded; "
                "enter a staff grade."
            )

    def sentences_for_authors(self, submission: int) -> list[str]:
        """Decisions about a submission for its authors, who never read which grader is meant."""
        found = []
        excluded = self.submission_of.count(submission)
        if excluded:
            are = "is" if excluded == 1 else "are"
            found.append(
                f"Staff excluded {counted(excluded, 'review')} of this work, which {are} not "
                "counted."
            )
        for one in self.log:
            if one.submission != submission or one.status == "earlier":
                continue
            if one.decision.action is Action.STAFF_GRADE:
                reason = self._safe_reason(one.decision, submission)
                found.append(
                    f"Staff graded this work{_on(one.decision.date)}: "
                    f"{one.decision.grade:g}.{reason}"
                )
            elif one.decision.action is Action.APPEAL:
                found.append(self._appeal_for_students(one, submission))
        return found

    def sentences_for_grader(self, grader: int) -> list[str]:
        """Decisions about a grader's reviews and points, for the grader."""
        found = []
        excluded = self.grader_of.count(grader)
        if excluded:
            are = "is" if excluded == 1 else "are"
            found.append(
                f"Staff excluded {counted(excluded, 'review')} of yours, which {are} neither "
                "rewarded nor owed."
            )
        found += [
            self._appeal_for_students(one, None)
            for one in self.log
            if one.grader == grader
            and one.decision.action is Action.APPEAL
            and one.status != "earlier"
        ]
        return found

    def _appeal_for_students(self, one: AppliedDecision, submission: int | None) -> str:
        said = one.decision
        grade = "" if said.grade is None else f" The new grade is {said.grade:g}."
        begin = "The appeal about this work" if submission is not None else "Your appeal"
        if said.decision == Outcome.OPEN:
            return f"{begin}{_on(said.date)} is not decided yet."
        reason = self._safe_reason(said, submission)
        return f"{begin}{_on(said.date)} was {said.decision}.{grade}{reason}"

    def _safe_reason(self, said: Decision, submission: int | None) -> str:
        """The reason, unless it names somebody else: a grader, or the author of other work."""
        if not said.reason:
            return ""
        authors = [one for those in self.names.authors for one in those]
        own = {said.grader}
        if submission is not None:
            own = {one.id for one in self.names.authors[submission]}
        words = said.reason.casefold()
        for person in dict.fromkeys([*self.names.graders, *authors]):
            if person.id in own:
                continue
            for name in (person.id, person.name, *person.name.split()):
                if name and re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", words):
                    return f" {HIDDEN_REASON}"
        return f" Reason: {_ended(said.reason)}"

    def _line(self, one: AppliedDecision) -> str:
        said = one.decision
        reason = f" Reason: {_ended(said.reason)}" if said.reason else ""
        earlier = " This decision was part of an earlier run." if one.status == "earlier" else ""
        if said.action is Action.EXCLUDE_REVIEW:
            what = f"Excluded{_on(said.date)}: the review of {self._named(one)} by {said.grader}."
        elif said.action is Action.EXCLUDE_GRADER:
            reviews = f" ({counted(one.reviews, 'review')})" if one.reviews else ""
            place = f" in {one.assignment}" if said.assignment else ""
            what = f"Excluded{_on(said.date)}: all reviews by {said.grader}{place}{reviews}."
        elif said.action is Action.STAFF_GRADE:
            what = f"Staff grade{_on(said.date)} of {self._named(one)}: {said.grade:g}."
        else:
            about = self._named(one) if said.submission else f"the points of {said.grader}"
            asked = f" Asked: {_ended(said.asked)}" if said.asked else ""
            grade = "" if said.grade is None else f" The new grade is {said.grade:g}."
            what = f"Appeal{_on(said.date)} about {about}: {said.decision}.{asked}{grade}"
        before = "" if one.replaced is None else f" This replaces the staff grade {one.replaced:g}."
        more = f" {one.note}" if one.note else ""
        return f"{what}{before}{reason}{earlier}{more}"

    def _named(self, one: AppliedDecision) -> str:
        place = f" in {one.assignment}" if one.assignment else ""
        return f"{one.decision.submission}{place}"

    def _work(self, submission: int) -> str:
        assignment = self.names.assignments[submission]
        place = f" in {assignment}" if assignment else ""
        return f"{self.names.submissions[submission]}{place}"


def _on(date: str) -> str:
    return f" on {date}" if date else ""


def _ended(text: str) -> str:
    """A text with a full stop at its end."""
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
