"""Who asks, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, TypeAlias

from fastapi import Depends, Request

from peergauge.core.errors import PeergaugeError
from peergauge.web.combining import WeekQueues
from peergauge.web.options import ServeOptions
from peergauge.web.store import MissingError, Store
from peergauge.web.store.records import Course, Job, Week
from peergauge.web.workbench import Workbench

SESSION_COOKIE = "peergauge_session"
LOCAL_PERSON = "teacher"
"""Name in the audit trail of whoever uses the page without an account."""


class Right(IntEnum):
    """What somebody may do with a course; each right includes those before it."""

    READ = 1
    EDIT = 2
    MANAGE = 3


RIGHT_OF_ROLE = {"reader": Right.READ, "assistant": Right.EDIT, "instructor": Right.MANAGE}

NEEDED_ROLE = {
    Right.READ: "a member of this course",
    Right.EDIT: "an assistant or an instructor of this course",
    Right.MANAGE: "an instructor of this course",
}


class ForbiddenError(PeergaugeError):
    """Something that the role of a person does not allow."""


class SignInError(PeergaugeError):
    """A request by somebody who has not signed in."""


@dataclass(frozen=True)
class Context:
    """The parts of the server, and the person who asks.

    Parameters
    ----------
    store, workbench, queues, options
        Parts of the server.
    person
        Name of the account, or ``teacher`` without accounts.
    """

    store: Store
    workbench: Workbench
    queues: WeekQueues
    options: ServeOptions
    person: str

    def courses(self) -> list[Course]:
        """The courses that the person may read."""
        if not self.options.accounts:
            return self.store.courses()
        return self.store.courses_of(self.person)

    def right(self, course: str) -> Right | None:
        """What the person may do with a course; None for nothing."""
        if not self.options.accounts:
            return Right.MANAGE
        role = self.store.role(course, self.person)
        return None if role is None else RIGHT_OF_ROLE[role]

    def course(self, course: str, needed: Right = Right.READ) -> Course:
        """A course, if the person has the right that is needed."""
        found = self.store.course(course)
        self._check(found.id, needed, MissingError("course", course))
        return found

    def week(self, week: str, needed: Right = Right.READ) -> Week:
        """A week, if the person has the right that is needed."""
        found = self.store.week(week)
        self._check(found.course, needed, MissingError("week", week))
        return found

    def job(self, job: str, needed: Right = Right.READ) -> Job:
        """A job of a course that the person may use, or a job of the laboratory."""
        found = self.store.job(job)
        if found.course is not None:
            self._check(found.course, needed, MissingError("job", job))
        elif needed > Right.READ and self.options.accounts and found.who != self.person:
            raise ForbiddenError(f"Only {found.who} can change this job.")
        return found

    def _check(self, course: str, needed: Right, missing: MissingError) -> None:
        right = self.right(course)
        if right is None:
            # Whoever may not read a course does not learn that it exists.
            raise missing
        if right < needed:
            raise ForbiddenError(
                f"This needs {NEEDED_ROLE[needed]}; ask an instructor of the course."
            )


def context_of(request: Request) -> Context:
    """The context of a request; the middleware has found out who asks."""
    state = request.app.state
    return Context(state.store, state.workbench, state.queues, state.options, request.state.person)


Asked: TypeAlias = Annotated[Context, Depends(context_of)]
"""The context as a parameter of a route."""
