"""Names of the submissions, authors and graders of a class, by their numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.tables import named

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass


class Person(NamedTuple):
    """A person: the identifier in the export, and the name if it is known."""

    id: str
    name: str = ""

    @property
    def label(self) -> str:
        """Name and identifier, as lists show them."""
        return f"{self.name} ({self.id})" if self.name and self.name != self.id else self.id


class ClassNames:
    """Names of everything in a class, in the order of the numbers in its reports.

    Attributes
    ----------
    graders
        One person for each grader.
    submissions, assignments
        The name of each submission, and the name of its assignment.
    authors
        The authors of each submission, if they are known.
    """

    def __init__(self, opened: OpenedClass):
        reports = opened.reports
        self._names: dict[str, str] = dict(
            opened.people.select("person", "name").drop_nulls().iter_rows()
        )
        graders = named(np.arange(reports.graders), reports.grader_names)
        self.graders = [self.person(str(one)) for one in graders]
        self.submissions = [
            str(one) for one in named(np.arange(reports.submissions), reports.submission_names)
        ]
        self.assignments = [
            "" if one is None else str(one)
            for one in named(reports.assignment_of_submission, reports.assignment_names)
        ]
        wrote: dict[tuple[str, str], list[Person]] = {}
        columns = opened.submissions.select("assignment", "submission", "author")
        for assignment, submission, author in columns.iter_rows():
            if author is not None:
                wrote.setdefault((assignment, submission), []).append(self.person(author))
        pairs = zip(self.assignments, self.submissions, strict=True)
        self.authors = [tuple(dict.fromkeys(wrote.get(pair, ()))) for pair in pairs]

    def person(self, identifier: str) -> Person:
        """The person with an identifier."""
        return Person(identifier, self._names.get(identifier, ""))
