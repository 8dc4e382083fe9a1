"""A semester of two weeks with final marks, decisions, handouts and gradebooks, for tests."""

from __future__ import annotations

import warnings
from pathlib import Path

from peergauge.classroom.grade import Settings, grade
from peergauge.classroom.grade.audit import read_earlier
from peergauge.classroom.grade.continuing import interpret_class_after
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.settings import FinalRules, GradeRules
from peergauge.core.errors import ConvergenceWarning
from peergauge.exports import open_class
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grade_folder import GradebookRequest, write_graded

STUDENTS = [f"p{number:02}" for number in range(1, 13)]

SETTINGS = Settings(
    model=PG1Posterior(draws=60, warmup=20),
    course="CS 101",
    grades=GradeRules(round_to=0.5),
    final=FinalRules(use=True),
    budget=2,
)

DECISIONS = Decisions(
    (
        Decision(Action.EXCLUDE_REVIEW, "Week 2", "s43", "p07", reason="no text", row=2),
        Decision(Action.STAFF_GRADE, "Week 2", "s45", grade=7.0, reason="checked", row=3),
    )
)


def export(path: Path, week: int) -> Path:
    """A week in which everybody reviews three others."""
    rows = ["assignment,submission,author,grader,score"]
    count = len(STUDENTS)
    for author in range(count):
        for step in range(1, 4):
            grader = (author + step * (2 * week - 1)) % count
            score = (5 + author % 4 + (grader * step + week) % 3) % 11
            where = f"Week {week},s{20 * week + author}"
            rows.append(f"{where},{STUDENTS[author]},{STUDENTS[grader]},{score}")
    path.write_text("\n".join(rows) + "\n")
    return path


def graded_semester(folder: Path, settings: Settings = SETTINGS) -> Path:
    """Write the folders of both weeks, and return that of the second one."""
    to = [GradebookRequest("csv"), GradebookRequest("xlsx")]
    with warnings.catch_warnings():
        # So few draws settle by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        first = open_class(export(folder / "week1.csv", 1), scale="0..10")
        write_graded(grade(first, settings), folder / "week1", to=to, handouts=True)
        opened, earlier = interpret_class_after(
            export(folder / "week2.csv", 2),
            read_earlier(folder / "week1"),
            scale="0..10",
            answers={"pseudonyms": "same"},
        )
        found = grade(opened, settings, earlier=earlier, decisions=DECISIONS)
        write_graded(found, folder / "week2", to=to, handouts=True)
    return folder / "week2"
