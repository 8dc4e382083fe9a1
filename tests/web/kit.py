"""A server without a network, and the small classes that tests give to it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from peergauge.simulate import Setting, simulate
from peergauge.web.app import create_app
from peergauge.web.combining import WeekQueues
from peergauge.web.context import Context
from peergauge.web.options import ServeOptions
from peergauge.web.store import NewFile, Store
from peergauge.web.workbench import Workbench

STUDENTS = 12
HEADER = ("Author", "Reviewer", "Mark (0 to 10)")
NAMES = (
    "Ada Ames", "Bela Berg", "Chen Cole", "Dara Dorn", "Emil Eskola", "Fatou Font", "Gita Grün",
    "Hugo Holm", "Ines Ibe", "Jonas Jarl", "Kofi Kern", "Lena Lund",
)  # fmt: skip


def options_in(folder: Path, **given: Any) -> ServeOptions:
    """Options of a server whose data are in a folder, without workers for jobs."""
    start = ServeOptions(
        database=f"sqlite:///{folder / 'peergauge.db'}",
        folder=folder,
        extra_hosts=("testserver",),
        workers=0,
    )
    return replace(start, **given)


@contextmanager
def opened_context(folder: Path, **given: Any) -> Iterator[Context]:
    """The parts of a server on a new database, as a request of the teacher gets them."""
    options = options_in(folder, **given)
    store = Store.open(options.database)
    try:
        yield Context(store, Workbench(store), WeekQueues(), options, "teacher")
    finally:
        store.close()


@contextmanager
def opened_client(folder: Path, **given: Any) -> Iterator[TestClient]:
    """A browser on a new server; an error of the server is an answer with the status 500."""
    app = create_app(options_in(folder, **given))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def table_bytes(*rows: tuple[Any, ...]) -> bytes:
    """A table as the bytes of a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def class_rows(week: int = 1, *, students: int = STUDENTS) -> list[tuple[str, str, str]]:
    """Author, reviewer and grade of each review of one week of a simulated class."""
    semester = simulate(Setting(students=students, assignments=2), 3)
    authors = dict(semester.truth.to_polars().select("submission", "author").iter_rows())
    found = semester.reports.to_polars()
    weeks = sorted(found["assignment"].unique().to_list())
    return [
        (NAMES[authors[submission]], NAMES[grader], f"{grade:g}")
        for assignment, submission, grader, grade in found.select(
            "assignment", "submission", "grader", "grade"
        ).iter_rows()
        if assignment == weeks[week - 1]
    ]


def class_file(week: int = 1, name: str = "reviews.csv") -> NewFile:
    """A week of a class of 12 students, from which no question is open."""
    return NewFile(name, table_bytes(HEADER, *class_rows(week)))
