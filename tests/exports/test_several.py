from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.exports.open import interpret_class

HEADER = "Reviewer,Team,Grade (1-5)\n"
FIRST = HEADER + "ada,t1,3\nben,t1,4\nada,t2,5\ncleo,t2,2\n"
SECOND = HEADER + "ada,t1,5\nben,t1,1\nada,t2,2\ncleo,t2,4\n"


def written(folder: Path, **files: str) -> list[Path]:
    paths = []
    for name, text in files.items():
        path = folder / f"{name.replace('__', ' ')}.csv"
        path.write_text(text)
        paths.append(path)
    return paths


def test_files_named_after_weeks_are_assignments(tmp_path: Path) -> None:
    opened = interpret_class(written(tmp_path, week__1=FIRST, week__2=SECOND))
    assert not opened.interpretation.open_questions
    assert opened.reports.assignment_names == ("week 1", "week 2")
    assert len(opened.reports) == 8


def test_a_copy_is_left_out_and_named(tmp_path: Path) -> None:
    opened = interpret_class(written(tmp_path, one=FIRST, other=FIRST))
    assert len(opened.reports) == 4
    said = [one.text for one in opened.interpretation.decisions if one.part == "files"]
    assert said == ["'other.csv' has the same reviews as 'one.csv', and is left out."]


@pytest.mark.parametrize(
    ("answer", "reviews", "graders", "assignments"),
    [("assignments", 8, 3, 2), ("sections", 8, 6, 1), ("newest", 4, 3, 1)],
)
def test_files_that_repeat_reviews_are_asked_about(
    tmp_path: Path, answer: str, reviews: int, graders: int, assignments: int
) -> None:
    paths = written(tmp_path, north=FIRST, south=SECOND)
    [question] = interpret_class(paths).interpretation.open_questions
    assert question.key == "files"
    assert "4 reviews of the same submission by the same grader" in question.text
    opened = interpret_class(paths, answers={"files": answer})
    assert not opened.interpretation.open_questions
    found = len(opened.reports), opened.reports.graders, opened.reports.assignments
    assert found == (reviews, graders, assignments)


def test_files_of_different_people_are_one_class(tmp_path: Path) -> None:
    other = HEADER + "dora,t3,3\nemil,t3,4\n"
    opened = interpret_class(written(tmp_path, north=FIRST, south=other))
    assert not opened.interpretation.open_questions
    assert (len(opened.reports), opened.reports.assignments) == (6, 1)
