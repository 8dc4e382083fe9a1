"""Application of decisions to a class, before it is graded. Every decision is used or refused."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.decisions import (
    Action,
    AppliedDecision,
    AppliedDecisions,
    Decision,
    Decisions,
    ExcludedReview,
    Status,
)
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.reward_per_review import subset
from peergauge.core.errors import TableError
from peergauge.core.formulas import unguarded
from peergauge.core.lazy import pl
from peergauge.tables import Reports, Rubric, Truth, named
from peergauge.tables.base import all_names

if TYPE_CHECKING:
    from peergauge.classroom.grade.earlier import EarlierRun
    from peergauge.exports.validate import OpenedClass

REVIEW_COLUMNS = ("assignment", "submission", "grader")
"""Columns by which tables about reviews name them."""


def apply_decisions(
    opened: OpenedClass, decisions: Decisions, earlier: EarlierRun | None = None
) -> tuple[OpenedClass, AppliedDecisions]:
    """Apply decisions to a class; return the class and what became of each decision.

    Assignments, submissions and graders keep their numbers, unless a decision is about a submission
    that nobody reviewed, which joins the reports. A submission may lose all its reviews; it then
    has no grade, unless there is a staff grade.

    Parameters
    ----------
    earlier
        The run that the class continues. Decisions that it applied are not applied again, except
        that a grader who is excluded from all assignments is excluded from the new ones, too.
    """
    opened = _with_unreviewed(opened, decisions)
    found = _Applied(opened, decisions, earlier)
    for decision in decisions.rows:
        found.add(decision)
    return found.finished()


def _with_unreviewed(opened: OpenedClass, decisions: Decisions) -> OpenedClass:
    """The class with the submissions without reviews that decisions are about."""
    names, reports = ClassNames(opened), opened.reports
    assignments = [
        "" if one is None else str(one)
        for one in named(np.arange(reports.assignments), reports.assignment_names)
    ]
    wanted = {
        (decision.assignment, spelling)
        for decision in decisions.rows
        if decision.submission
        for spelling in name_spellings(decision.submission)
    }
    here = set(zip(names.assignments, names.submissions, strict=True))
    pairs = opened.submissions.select("assignment", "submission").unique(maintain_order=True)
    new = [
        (assignments.index(assignment or ""), submission)
        for assignment, submission in pairs.iter_rows()
        if (assignment or "") in assignments
        and (assignment or "", submission) not in here
        and {("", submission), (assignment or "", submission)} & wanted
    ]
    return replace(opened, reports=_with_submissions(reports, new)) if new else opened


def _with_submissions(reports: Reports, new: Sequence[tuple[int, str]]) -> Reports:
    """Reports with more submissions, each after the others of its assignment."""
    known = all_names(reports.submissions, reports.submission_names)
    assignment = np.concatenate([reports.assignment_of_submission, [number for number, _ in new]])
    order = np.argsort(assignment, kind="stable")
    number_of = np.empty(len(order), dtype=np.int32)
    number_of[order] = np.arange(len(order))
    every = [*known, *(name for _, name in new)]
    return replace(
        reports,
        submission=number_of[reports.submission],
        submissions=len(order),
        submission_names=tuple(every[old] for old in order.tolist()),
        submission_assignment=assignment[order].astype(np.int32),
    )


class _Applied:
    """Decisions about a class, while they are collected and checked against each other."""

    def __init__(self, opened: OpenedClass, decisions: Decisions, earlier: EarlierRun | None):
        self.opened, self.decisions, self.earlier = opened, decisions, earlier
        reports = opened.reports
        self.reports, self.names = reports, ClassNames(opened)
        self.assignments = [
            "" if one is None else str(one)
            for one in named(np.arange(reports.assignments), reports.assignment_names)
        ]
        self.graders = {one.id: number for number, one in enumerate(self.names.graders)}
        self.log: list[AppliedDecision] = []
        self.excluded_by: dict[int, Decision] = {}
        self.staff_by: dict[int, Decision] = {}
        self.appeals: dict[tuple[Any, ...], Decision] = {}
        self.new_grades: dict[int, list[Decision]] = {}
        truth = opened.truth
        self.staff = (
            np.full(reports.submissions, np.nan)
            if truth is None
            else np.array(truth.scores_of(reports), dtype=np.float64)
        )

    def refusal(self, decision: Decision, what: str) -> TableError:
        """The error that refuses a decision."""
        return TableError(f"{self.decisions.where(decision)} {what}")

    def add(self, decision: Decision) -> None:
        """Check one decision, and collect what it changes."""
        if self._is_of_earlier_run(decision):
            return
        if decision.action is Action.EXCLUDE_GRADER:
            self._exclude_grader(decision)
        elif decision.action is Action.EXCLUDE_REVIEW:
            self._exclude_review(decision)
        elif decision.action is Action.STAFF_GRADE:
            self._enter_grade(decision)
        else:
            self._appeal(decision)

    # --- earlier runs

    def _is_of_earlier_run(self, decision: Decision) -> bool:
        """Log a decision about an earlier run; refuse one that the earlier run did not apply."""
        if self.earlier is None:
            return False
        before = {one.identity: place for one, place in self.earlier.decisions}
        logged_only = decision.action is Action.APPEAL and decision.grade is None
        known, place = decision.identity in before, before.get(decision.identity, "")
        if decision.assignment:
            if decision.assignment in self.assignments:
                return False
            if decision.assignment not in self.earlier.assignments:
                return False
            place = decision.assignment
        elif not known:
            return False
        elif decision.action is Action.EXCLUDE_GRADER:
            if decision.grader in self.graders:
                return False  # the grader is excluded from the new assignments, too
        elif not logged_only and self._fits_here(decision):
            raise self.refusal(
                decision,
                f"was applied to the assignment '{place}' by the earlier run, and also fits "
                f"'{self._fits_here(decision)}'; write the assignment into its column.",
            )
        if not known and not logged_only:
            raise self.refusal(
                decision,
                f"is about the assignment '{place}', which the earlier run graded without this "
                "decision, and whose grades stay; grade that assignment again with the decision, "
                "and then continue from there.",
            )
        status: Status = "earlier" if known else "logged"
        self.log.append(AppliedDecision(decision, status, place))
        return True

    def _fits_here(self, decision: Decision) -> str:
        """An assignment of this class that a decision without an assignment could be about."""
        if decision.submission:
            for number, name in enumerate(self.names.submissions):
                if name in name_spellings(decision.submission):
                    return self.names.assignments[number] or "this assignment"
            return ""
        return ""

    # --- exclusions

    def _exclude_review(self, decision: Decision) -> None:
        submission, grader = self._submission(decision), self._grader(decision)
        rows = np.flatnonzero(
            (self.reports.submission == submission) & (self.reports.grader == grader)
        )
        if not len(rows):
            graders = self.reports.grader[self.reports.submission == submission]
            names = ", ".join(self.names.graders[one].id for one in graders.tolist()) or "nobody"
            raise self.refusal(
                decision,
                f"excludes a review of '{self.names.submissions[submission]}' by "
                f"'{self.names.graders[grader].id}', who gave none; it was reviewed by {names}.",
            )
        self._exclude(decision, rows, submission, grader)

    def _exclude_grader(self, decision: Decision) -> None:
        grader = self._grader(decision)
        mine = self.reports.grader == grader
        if decision.assignment:
            mine = mine & (self.reports.assignment == self._assignment(decision))
        note = ""
        if self.earlier is not None and not decision.assignment:
            known = {one.identity for one, _ in self.earlier.decisions}
            if decision.identity not in known:
                note = "Reviews of earlier runs stay as they are."
        if not mine.any():
            raise self.refusal(
                decision,
                f"excludes the grader '{self.names.graders[grader].id}' from "
                f"'{decision.assignment}', who reviewed nothing there; correct the assignment or "
                "delete the row.",
            )
        self._exclude(decision, np.flatnonzero(mine), -1, grader, note)

    def _exclude(
        self,
        decision: Decision,
        rows: NDArray[np.int64],
        submission: int,
        grader: int,
        note: str = "",
    ) -> None:
        for row in rows.tolist():
            other = self.excluded_by.get(row)
            if other is not None:
                raise self.refusal(
                    decision,
                    "excludes a review that is excluded already, by "
                    f"{_lower(self.decisions.where(other))}; delete one of the two.",
                )
            self.excluded_by[row] = decision
        place = decision.assignment
        if submission >= 0:
            place = self.names.assignments[submission]
        self.log.append(
            AppliedDecision(decision, "applied", place, submission, grader, len(rows), note=note)
        )

    # --- grades

    def _enter_grade(self, decision: Decision) -> None:
        submission = self._submission(decision)
        self._check_grade(decision)
        other = self.staff_by.setdefault(submission, decision)
        if other is not decision:
            same = other.grade == decision.grade
            raise self.refusal(
                decision,
                f"{'repeats' if same else 'contradicts'} the staff grade {other.grade:g} for "
                f"'{decision.submission}' in {_lower(self.decisions.where(other))}; delete one "
                "of the two.",
            )
        self.log.append(
            AppliedDecision(
                decision, "applied", self.names.assignments[submission], submission, -1, 0,
                self._staff_before(submission),
            )
        )  # fmt: skip

    def _appeal(self, decision: Decision) -> None:
        submission = self._submission(decision) if decision.submission else -1
        grader = self._grader(decision) if decision.grader else -1
        if not decision.submission and decision.assignment:
            self._assignment(decision)
        key = (submission, grader, decision.date, decision.asked, decision.decision)
        other = self.appeals.setdefault(key, decision)
        if other is not decision:
            raise self.refusal(
                decision,
                f"is the same appeal as {_lower(self.decisions.where(other))}; delete one of the "
                "two.",
            )
        before = None
        if decision.grade is not None:
            self._check_grade(decision)
            before = self._staff_before(submission)
            self.new_grades.setdefault(submission, []).append(decision)
        place = self.names.assignments[submission] if submission >= 0 else decision.assignment
        status: Status = "logged" if decision.grade is None else "applied"
        self.log.append(AppliedDecision(decision, status, place, submission, grader, 0, before))

    def _staff_before(self, submission: int) -> float | None:
        given = float(self.staff[submission])
        return None if np.isnan(given) else given

    def _check_grade(self, decision: Decision) -> None:
        scale = self.opened.scale
        grade = decision.grade
        if grade is None:
            raise self.refusal(decision, "has no grade; fill in the grade.")
        if not scale.lowest <= grade <= scale.highest:
            raise self.refusal(
                decision,
                f"has the grade {grade:g}, which is not between {scale.lowest:g} and "
                f"{scale.highest:g}, the ends of the scale; correct it.",
            )

    def _settled_grades(self) -> dict[int, float]:
        """The staff grade of each submission: the latest appeal, or else the staff grade."""
        found = {one: said.grade for one, said in self.staff_by.items()}
        for submission, appeals in self.new_grades.items():
            last = max(appeals, key=lambda one: one.date)
            for other in appeals:
                if other is not last and other.date == last.date:
                    raise self.refusal(
                        last,
                        f"contradicts {_lower(self.decisions.where(other))}: both give a new grade "
                        f"to '{last.submission}' on {last.date}; delete one of the two.",
                    )
            staff = self.staff_by.get(submission)
            if staff is not None and staff.date > last.date:
                raise self.refusal(
                    staff,
                    f"enters a staff grade for '{staff.submission}' after the appeal in "
                    f"{_lower(self.decisions.where(last))} gave it a new grade; delete one of the "
                    "two, or enter a later appeal.",
                )
            found[submission] = last.grade
        return {one: grade for one, grade in found.items() if grade is not None}

    # --- names

    def _assignment(self, decision: Decision) -> int:
        for text in name_spellings(decision.assignment):
            if text in self.assignments:
                return self.assignments.index(text)
        raise self._unknown_name(decision, "assignment", decision.assignment, self.assignments)

    def _grader(self, decision: Decision) -> int:
        for text in name_spellings(decision.grader):
            if text in self.graders:
                return self.graders[text]
        called = {one.name: one.id for one in self.names.graders if one.name}
        raise self._unknown_name(decision, "grader", decision.grader, list(self.graders), called)

    def _submission(self, decision: Decision) -> int:
        at = self._assignment(decision) if decision.assignment else None
        of = self.reports.assignment_of_submission
        for text in name_spellings(decision.submission):
            places = [
                number
                for number, name in enumerate(self.names.submissions)
                if name == text and (at is None or of[number] == at)
            ]
            if len(places) > 1:
                where = ", ".join(f"'{self.names.assignments[one]}'" for one in places)
                raise self.refusal(
                    decision,
                    f"is about the submission '{text}', which is in the assignments {where}; write "
                    "the assignment into its column.",
                )
            if places:
                return places[0]
        known = [
            name
            for number, name in enumerate(self.names.submissions)
            if at is None or of[number] == at
        ]
        raise self._unknown_name(decision, "submission", decision.submission, known)

    def _unknown_name(
        self,
        decision: Decision,
        kind: str,
        text: str,
        known: Sequence[str],
        called: Mapping[str, str] | None = None,
    ) -> TableError:
        called = called or {}
        if text in called:
            hint = f"the person of this name is called '{called[text]}' in this class."
        else:
            plain = {one.casefold(): one for one in [*called, *known]}
            nearest = get_close_matches(text.casefold(), plain, n=3, cutoff=0.5)
            names = [called.get(plain[one], plain[one]) for one in nearest]
            listed = " or ".join(f"'{one}'" for one in dict.fromkeys(names))
            file = "graders.csv" if kind == "grader" else "grades.csv"
            hint = f"did you mean {listed}?" if listed else f"write it as {file} spells it."
        about = f"names the {kind} '{text}', which is not in this class; {hint}"
        if self.earlier is not None and kind == "submission" and not decision.assignment:
            about = (
                f"{about.rstrip('.?')}; if it is in an assignment that the earlier run graded, "
                "write the assignment into its column."
            )
        return self.refusal(decision, about)

    # --- result

    def finished(self) -> tuple[OpenedClass, AppliedDecisions]:
        """The class after all decisions, and what became of them."""
        reports = self.reports
        grades = self._settled_grades()
        kept = np.ones(len(reports), dtype=np.bool_)
        out = np.array(sorted(self.excluded_by), dtype=np.int64)
        kept[out] = False
        if len(out) and not kept.any():
            raise TableError(
                f"{self.decisions.source or 'The decisions'} would exclude every review of this "
                "class; leave some."
            )
        excluded = tuple(
            ExcludedReview(
                self.names.assignments[reports.submission[row]],
                self.names.submissions[reports.submission[row]],
                self.names.graders[reports.grader[row]].id,
                float(reports.grade[row]),
            )
            for row in out.tolist()
        )
        opened = self.opened
        if len(out):
            opened = _without_reviews(opened, kept, excluded)
        if grades:
            opened = replace(opened, truth=self._truth(grades))
        left = np.bincount(reports.submission[kept], minlength=reports.submissions)
        had = np.bincount(reports.submission, minlength=reports.submissions)
        lost = np.flatnonzero((left == 0) & (had > 0))
        ungraded = tuple(
            one for one in lost.tolist() if one not in grades and np.isnan(self.staff[one])
        )
        return opened, AppliedDecisions(
            tuple(self.log),
            excluded,
            tuple(reports.submission[out].tolist()),
            tuple(reports.grader[out].tolist()),
            ungraded,
            self.names,
        )

    def _truth(self, grades: Mapping[int, float]) -> Truth:
        """Staff grades of the export, and those of the decisions instead of them."""
        score = self.staff.copy()
        for submission, grade in grades.items():
            score[submission] = grade
        reports = self.reports
        return Truth(
            score=score,
            assignment=reports.assignment_of_submission,
            assignment_names=reports.assignment_names,
            submission_names=reports.submission_names,
        )


def _without_reviews(
    opened: OpenedClass, kept: NDArray[np.bool_], excluded: Sequence[ExcludedReview]
) -> OpenedClass:
    """A class without excluded reviews, in all tables that hold reviews."""
    gone = {one[:3] for one in excluded}
    changed: dict[str, Any] = {"reports": subset(opened.reports, kept)}
    if opened.rubric is not None:
        changed["rubric"] = _rubric_without(opened.rubric, gone)
    for one in fields(opened):
        value = getattr(opened, one.name)
        if isinstance(value, pl.DataFrame) and set(REVIEW_COLUMNS) <= set(value.columns):
            names = value.select(REVIEW_COLUMNS).rows()
            stay = [tuple("" if x is None else str(x) for x in row) not in gone for row in names]
            changed[one.name] = value.filter(pl.Series(stay, dtype=pl.Boolean))
    return replace(opened, **changed)


def _rubric_without(rubric: Rubric, gone: set[tuple[Any, ...]]) -> Rubric:
    """A rubric without excluded reviews."""
    names = _names_of_reviews(rubric.reviews)
    kept = np.array([one not in gone for one in names], dtype=np.bool_)
    return replace(
        rubric,
        reviews=subset(rubric.reviews, kept),
        score=rubric.score[kept],
        review_weight=rubric.review_weight[kept],
    )


def _names_of_reviews(reports: Reports) -> list[tuple[str, str, str]]:
    columns = (
        named(reports.assignment, reports.assignment_names),
        named(reports.submission, reports.submission_names),
        named(reports.grader, reports.grader_names),
    )
    return [("" if a is None else str(a), str(s), str(g)) for a, s, g in zip(*columns, strict=True)]


def name_spellings(text: str) -> list[str]:
    """How a cell may spell a name: as it is, guarded as in our tables, or as a spreadsheet number.

    >>> name_spellings("12.0"), name_spellings("'=Ada")
    (['12.0', '12'], ["'=Ada", '=Ada'])
    """
    number = text.removesuffix(".0") if re.fullmatch(r"-?[0-9]+\.0", text) else text
    return list(dict.fromkeys([text, unguarded(text), number]))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
