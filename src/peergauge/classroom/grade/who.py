"""Who is who in a class: what to call submissions, their authors and graders."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.tables import named

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass


class Person(NamedTuple):
    """Somebody: what the export calls them, and their name where it is known."""

    id: str
    name: str = ""

    @property
    def label(self) -> str:
        """How a list shows them."""
        return f"{self.name} ({self.id})" if self.name and self.name != self.id else self.id


class Who:
    """Everybody and everything of a class by their numbers.

    Parameters
    ----------
    room
        The class.
    """

    def __init__(self, room: OpenedClass):
        reports = room.reports
        names = dict(room.people.select("person", "name").drop_nulls().iter_rows())
        self._names: dict[str, str] = names
        self.graders = [
            self.person(str(one))
            for one in named(np.arange(reports.graders), reports.grader_names)
        ]  # fmt: skip
        self.submissions = [
            str(one) for one in named(np.arange(reports.submissions), reports.submission_names)
        ]
        number = np.full(reports.submissions, -1)
        number[reports.submission] = reports.assignment
        self.assignments = [
            "" if one is None else str(one) for one in named(number, reports.assignment_names)
        ]
        wrote: dict[tuple[str, str], list[Person]] = {}
        for assignment, submission, author in room.submissions.select(
            "assignment", "submission", "author"
        ).iter_rows():
            if author is not None:
                wrote.setdefault((assignment, submission), []).append(self.person(author))
        pairs = zip(self.assignments, self.submissions, strict=True)
        self.authors = [tuple(dict.fromkeys(wrote.get(pair, ()))) for pair in pairs]

    def person(self, one: str) -> Person:
        """Somebody by what the export calls them."""
        return Person(one, self._names.get(one, ""))
