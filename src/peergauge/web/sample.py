"""The sample class: a simulated assignment with invented people, to try the page."""

from __future__ import annotations

import csv
import io

from peergauge.simulate import Setting
from peergauge.simulate.semester import simulate
from peergauge.web.store import NewFile

SAMPLE_SEED = 7
SAMPLE_TITLE = "Sample class"
SAMPLE_FILE = "peer-reviews.csv"
STAFF_GRADES = 5

FIRST_NAMES = (
    "Ada", "Bela", "Chen", "Dara", "Emil", "Fatou", "Gita", "Hugo", "Ines", "Jonas", "Kofi",
    "Lena", "Mina", "Nils", "Olga", "Paul", "Qadir", "Rosa", "Sami", "Tara",
)  # fmt: skip
LAST_NAMES = ("Ames", "Berg")


def sample_file() -> NewFile:
    """Peer reviews of 40 students, as a table of a form: author, reviewer, grade and staff grade.

    Nobody in it exists. Staff graded five of the submissions.
    """
    people = [f"{first} {last}" for last in LAST_NAMES for first in FIRST_NAMES]
    semester = simulate(Setting(students=len(people), assignments=1), seed=SAMPLE_SEED)
    truth = semester.truth.scores_of(semester.reports)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["Author", "Reviewer", "Grade (0 to 10)", "Staff grade"])
    columns = semester.reports.submission, semester.reports.grader, semester.reports.grade
    for submission, grader, grade in zip(*columns, strict=True):
        staff = f"{truth[submission]:.0f}" if submission < STAFF_GRADES else ""
        writer.writerow([people[submission], people[grader], f"{grade:g}", staff])
    return NewFile(SAMPLE_FILE, text.getvalue().encode())
