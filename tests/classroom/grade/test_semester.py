"""The semester so far: results are kept from run to run, under the names that people have now."""

from __future__ import annotations

import json
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass, Settings, grade
from peergauge.classroom.grade.audit import AUDIT_FILE, audit, read_earlier, write_audit
from peergauge.classroom.grade.continuing import interpret_class_after
from peergauge.classroom.grade.semester import (
    Semester,
    SemesterPerson,
    SemesterRun,
    run_of,
    semester_in,
    semester_of,
)
from peergauge.core.errors import ConvergenceWarning, TableError
from peergauge.exports.open import open_class
from peergauge.exports.records import table
from peergauge.models.posterior import PG1Posterior
from tests.classroom.grade.classes import graded

SETTINGS = Settings(model=PG1Posterior(draws=60, warmup=20), budget=1)
STUDENTS = [f"Student {number}" for number in range(1, 9)]


def week(folder: Path, number: int, students: Sequence[str] = STUDENTS) -> GradedClass:
    """Grade a week in which everybody reviews the next two, and write its audit."""
    rows = ["assignment,submission,author,grader,score"]
    for place, name in enumerate(students):
        for step in (1, 2):
            other = (place + step) % len(students)
            rows.append(
                f"Week {number},w{number}-{other},{students[other]},{name},{(3 * place + step) % 6}"
            )
    path = folder / f"week{number}.csv"
    path.write_text("\n".join(rows) + "\n")
    before = folder / f"run{number - 1}"
    with warnings.catch_warnings():
        # So few draws settle by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        if before.is_dir():
            opened, earlier = interpret_class_after(path, read_earlier(before), scale="0..5")
            found = grade(opened, SETTINGS, earlier=earlier)
        else:
            found = grade(open_class(path, scale="0..5"), SETTINGS)
    run = folder / f"run{number}"
    run.mkdir()
    (run / AUDIT_FILE).write_bytes(write_audit(audit(found)))
    return found


def test_one_run_has_the_grades_of_authors_and_the_points_of_graders() -> None:
    found = graded(students=8, assignments=2, graders=3, staff=0)
    run = run_of(found)
    assert run.assignments == ("A1", "A2")
    for place, (name, authors) in enumerate(
        zip(found.names.assignments, found.names.authors, strict=True)
    ):
        assert run.grades[name][authors[0].id] == found.awarded.grade[place]
    assert run.points == {f"p{number}": found.points[number] for number in range(8)}
    assert set(run.reviews["A1"].values()) == {3}
    assert sum(run.reviews["A2"].values()) == 24
    assert not run.cumulative


def test_the_next_runs_keep_the_weeks_before_under_new_names(tmp_path: Path) -> None:
    first = semester_of(week(tmp_path, 1))
    renamed = ["student 01", *STUDENTS[1:-1], "Zoe"]
    second = semester_of(week(tmp_path, 2, renamed))
    third = semester_of(week(tmp_path, 3, ["Student 1", *STUDENTS[1:]]))
    assert second.assignments == ("Week 1", "Week 2")
    assert third.assignments == ("Week 1", "Week 2", "Week 3")
    assert (second.missing, third.missing) == ((), ())
    # "student 01" of the second week is "Student 1" of the others; all results are theirs.
    before, now = first.runs[0], second.runs[0]
    assert now.grades["Week 1"]["student 01"] == before.grades["Week 1"]["Student 1"]
    assert now.points["student 01"] == before.points["Student 1"]
    assert "Student 1" not in now.people
    assert third.runs[0] == first.runs[0]
    # Who missed a week is not among its people, and a newcomer not among those before.
    assert "Student 8" not in second.runs[1].people
    assert "Student 8" in third.runs[2].people
    assert "Zoe" not in second.runs[0].people
    # Points are those of single weeks by default.
    assert [run.cumulative for run in third.runs] == [False, False, False]
    assert third.points_runs == third.runs


def test_an_older_audit_has_no_semester_and_its_weeks_are_missing(tmp_path: Path) -> None:
    week(tmp_path, 1)
    path = tmp_path / "run1" / AUDIT_FILE
    content = json.loads(path.read_text())
    del content["semester"]
    path.write_text(json.dumps(content))
    second = semester_of(week(tmp_path, 2))
    assert second.assignments == ("Week 2",)
    assert second.missing == ("Week 1",)
    # The third run still knows what is missing.
    assert semester_of(week(tmp_path, 3)).missing == ("Week 1",)


@pytest.mark.parametrize("damage", [{"runs": 3}, {"people": {}}, {"runs": [{}]}, []])
def test_a_damaged_semester_is_refused_in_one_sentence(tmp_path: Path, damage: object) -> None:
    week(tmp_path, 1)
    path = tmp_path / "run1" / AUDIT_FILE
    content = json.loads(path.read_text())
    content["semester"] = {**content["semester"], **damage} if isinstance(damage, dict) else damage
    path.write_text(json.dumps(content))
    with pytest.raises(TableError, match="not the audit"):
        read_earlier(tmp_path / "run1")


def test_work_without_a_review_has_no_grade() -> None:
    found = graded(students=6, graders=2, staff=0)
    row = {"assignment": "A1", "submission": "alone", "author": "new"}
    more = found.opened.submissions.vstack(table("submissions", [row]))
    run = run_of(replace(found, opened=replace(found.opened, submissions=more)))
    assert run.grades["A1"]["new"] is None
    assert "new" not in run.points


PEOPLE = st.text(max_size=3)
GRADES = st.dictionaries(PEOPLE, st.none() | st.floats(0, 10))


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.text(max_size=3), GRADES, max_size=3),
            st.dictionaries(PEOPLE, st.none() | st.floats(0, 10) | st.text(max_size=2)),
        ),
        max_size=3,
    ),
    st.dictionaries(PEOPLE, st.builds(SemesterPerson, st.text(max_size=2), st.text(max_size=2))),
    st.lists(st.text(max_size=3)),
)
def test_a_semester_survives_its_file(
    runs: list[tuple[dict[str, dict[str, float | None]], dict[str, float | str | None]]],
    people: dict[str, SemesterPerson],
    missing: list[str],
) -> None:
    semester = Semester(
        tuple(
            SemesterRun(grades, {name: {"x": 2} for name in grades}, points, 0.0, 10.0, None, True)
            for grades, points in runs
        ),
        people,
        tuple(missing),
    )
    again = json.loads(json.dumps({"semester": semester.as_json()}))
    assert semester_in(again) == semester


def test_an_audit_without_a_semester_has_an_empty_one() -> None:
    assert semester_in({}) == Semester()
