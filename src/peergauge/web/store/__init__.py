"""The database of courses: weeks with their revisions and files, accounts, and jobs.

A :class:`Store` is opened once in a process and shared by its threads. Every method is one
transaction: when a method returns, its change is on the disk, and when it raises an error, nothing
has changed. SQLite and PostgreSQL are supported.

Examples
--------
>>> from pathlib import Path
>>> from tempfile import TemporaryDirectory
>>> with TemporaryDirectory() as folder:
...     store = Store.open(f"sqlite:///{Path(folder) / 'courses.db'}")
...     course = store.add_course("Biology", who="anna")
...     week = store.add_week(course.id, "Week 1", {"scale": 10}, "anna", "Imported the week.")
...     week = store.add_revision(week.id, week.revision, {"scale": 5}, "anna", "Changed it.")
...     [event.what for event in store.events(course.id)]
...     store.close()
['Changed it.', 'Imported the week.', "Created the course 'Biology'."]
"""

from __future__ import annotations

from peergauge.web.store.accounts import Accounts
from peergauge.web.store.courses import Courses
from peergauge.web.store.errors import (
    FullDiskError,
    MissingError,
    StaleError,
    StoreError,
    UnavailableError,
)
from peergauge.web.store.jobs import Jobs
from peergauge.web.store.records import (
    Account,
    Course,
    Event,
    Job,
    NewFile,
    NewRevision,
    Revision,
    RevisionHead,
    StoredFile,
    Week,
)
from peergauge.web.store.weeks import Weeks

__all__ = [
    "Account",
    "Course",
    "Event",
    "FullDiskError",
    "Job",
    "MissingError",
    "NewFile",
    "NewRevision",
    "Revision",
    "RevisionHead",
    "StaleError",
    "Store",
    "StoreError",
    "StoredFile",
    "UnavailableError",
    "Week",
]


class Store(Courses, Weeks, Accounts, Jobs):
    """An open database of courses, shared by all threads of a process."""
