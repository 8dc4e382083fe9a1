"""Gradebooks as bytes: nothing is written before all of them are complete."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from peergauge.classroom.gradebooks import Marks
from peergauge.core.errors import PeergaugeError
from peergauge.pages.grade_folder import GradebookRequest, write_graded
from peergauge.pages.gradebook_files import gradebook_files, recognised
from tests.classroom.grade.classes import graded

IDS = [f"p{number}@x.edu" for number in range(12)]


def test_marks_of_a_platform_may_be_larger_than_ours(tmp_path: Path) -> None:
    to = [GradebookRequest("csv"), GradebookRequest("moodle")]
    found = gradebook_files(graded(ids=IDS), to, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert [path.name for path in found.content] == ["gradebook-csv.csv", "gradebook-moodle.csv"]
    assert [one.path for one in found.written] == list(found.content)
    # Grades are out of 10 here, and out of 100 in Moodle.
    title = next(name for name in found.marks if name.endswith("grade"))
    assert found.about["gradebook-csv.csv"]["factors"][title] == 1
    assert found.about["gradebook-moodle.csv"]["factors"][title] == 10


def test_a_gradebook_that_cannot_be_written_leaves_no_file_at_all(tmp_path: Path) -> None:
    # Canvas knows nobody by these identifiers.
    to = [GradebookRequest("csv"), GradebookRequest("canvas")]
    with pytest.raises(PeergaugeError, match="Canvas could not identify anybody"):
        write_graded(graded(ids=IDS), tmp_path / "out", to=to)
    assert not (tmp_path / "out").exists()


def test_people_are_recognised_by_any_of_their_ids() -> None:
    book = Marks.from_frame({"person": ["7", "ANN@x", "new"], "name": ["Bo", None, None],
                             "Essay": [1.0, 2.0, 3.0]})  # fmt: skip
    ours: dict[str, list[Any]] = {
        "person": ["u1", "u2"],
        "email": ["ann@x", None],
        "name": [None, "Bo"],
        "Essay": [2, 1],
    }
    assert list(recognised(book, ours)) == [(0, 1), (1, 0)]
