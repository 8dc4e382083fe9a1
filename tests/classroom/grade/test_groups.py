"""Sections by the files, and parts of a class by its graders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.groups import (
    parts_of,
    sections_of_graders,
    sections_of_submissions,
)
from peergauge.exports.open import interpret_class
from peergauge.exports.validate import OpenedClass, shape_of
from peergauge.tables import Reports
from peergauge.testing.classes import class_of


def opened(folder: Path, answers: dict[str, str] | None = None, **files: str) -> OpenedClass:
    paths = [folder / f"{name}.csv" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return interpret_class(paths, answers=answers)


def numbered(
    assignment: Sequence[int], submission: Sequence[int], grader: Sequence[int], size: int = 3
) -> Reports:
    """A class with as many submissions as graders, in which everybody gives 1."""
    return Reports(
        assignment=np.array(assignment, dtype=np.int32),
        submission=np.array(submission, dtype=np.int32),
        grader=np.array(grader, dtype=np.int32),
        grade=np.ones(len(grader)),
        assignments=max(assignment) + 1,
        submissions=size,
        graders=size,
    )


def test_graders_who_share_no_submission_are_in_different_parts() -> None:
    reports = class_of(
        {
            "s": {"ann": 6, "bob": 8},
            "t": {"bob": 5, "cy": 7},
            "u": {"dan": 5, "eve": 5},
            "v": {"fay": 9},
        }
    )
    found = parts_of(reports)
    assert found.count == 3
    assert found.of_submission.tolist() == [0, 0, 1, 2]
    assert found.of_grader.tolist() == [0, 0, 0, 1, 1, 2]


def test_the_part_with_most_reports_is_the_first() -> None:
    found = parts_of(class_of({"s": {"a": 1}, "t": {"b": 1, "c": 2}, "u": {"b": 1, "c": 2}}))
    assert found.of_submission.tolist() == [1, 0, 0]
    assert found.of_grader.tolist() == [1, 0, 0]


def test_one_assignment_by_itself_may_fall_into_more_parts() -> None:
    """Ann and Bob meet on the first assignment only."""
    reports = numbered([0, 0, 1, 1, 1], [0, 0, 1, 2, 2], [0, 1, 0, 1, 2])
    assert parts_of(reports).count == 1
    found = parts_of(reports, within_assignments=True)
    assert found.count == 3
    assert len(set(found.of_submission.tolist())) == 3
    # Ann has one report in each of two parts, and belongs to the first of them.
    assert found.of_grader[0] == min(found.of_submission[[0, 1]])


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=20))
def test_every_report_lies_inside_one_part(pairs: set[tuple[int, int]]) -> None:
    ordered = sorted(pairs)
    submissions, graders = zip(*ordered, strict=True)
    reports = numbered([0] * len(ordered), submissions, graders, 7)
    found = parts_of(reports)
    np.testing.assert_array_equal(
        found.of_submission[reports.submission], found.of_grader[reports.grader]
    )
    sizes = [int((found.of_grader == part).sum()) for part in range(found.count)]
    idle = 7 - len({g for _, g in ordered})
    # Graders without a report are parts of their own there, and in no part here.
    assert sorted([*sizes, *[1] * idle]) == sorted(shape_of(reports).parts)
    unused = set(range(7)) - {s for s, _ in ordered}
    assert all(found.of_submission[one] == -1 for one in unused)


def test_the_section_of_a_submission_is_that_of_its_authors(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        {"sections": "together"},
        reviews="Reviewer,Project,Score (1-5)\nAnn Lee,P1,4\nBob Ray,P1,3\nAnn Lee,P2,2\n"
        "Cy Dee,P2,5\nCy Dee,P4,5\n",
        people="Name,Email,Section,Group\nAnn Lee,ann@x.org,A,P3\nBob Ray,bob@x.org,B,P2\n"
        "Cy Dee,cy@x.org,A,P1\nDi Doe,di@x.org,A,P2\n",
    )
    assert sections_of_graders(found) == ["A", "B", "A"]
    assert sections_of_submissions(found) == ["A", "A, B", None]


def test_a_column_of_a_form_says_the_section_of_graders(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        reviews="Timestamp,Your name,Your section,Which project did you review?,Score (1-5)\n"
        "2026-01-02 10:00,Ann Lee,Mon 10,P1,4\n2026-01-02 10:01,Bob Ray,Mon  10,P1,3\n"
        "2026-01-02 10:02,Ann Lee,Mon 10,P2,2\n2026-01-02 10:03,Cy Dee,Tue 12,P2,5\n",
    )
    assert sections_of_graders(found) == ["Mon 10", "Mon 10", "Tue 12"]


def test_files_that_are_sections_say_the_section_of_everybody(tmp_path: Path) -> None:
    paths = [tmp_path / "section A.csv", tmp_path / "section B.csv"]
    paths[0].write_text("Reviewer,Author,Score\nAnn,Bob,4\nBob,Ann,3\nCy,Ann,5\nCy,Bob,5\n")
    paths[1].write_text("Reviewer,Author,Score\nAnn,Bob,2\nBob,Ann,1\nDi,Ann,4\nDi,Bob,1\n")
    found = interpret_class(paths, answers={"files": "sections"})
    people = dict(found.people.select("person", "section").iter_rows())
    assert people["Cy"] == "section A"
    assert people["Di"] == "section B"
    assert people["Ann (section B)"] == "section B"
    assert set(sections_of_submissions(found)) == {"section A", "section B"}
