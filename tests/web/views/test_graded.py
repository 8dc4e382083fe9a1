"""Views of grades and graders: the numbers of the graded class, and nothing that names a grader."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.core.errors import ParameterError
from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.store import NewFile
from peergauge.web.store.records import Week
from peergauge.web.views.graded import (
    grader_view,
    graders_view,
    grades_view,
    marks_view,
    submission_view,
    summary_view,
)
from tests.web.kit import (
    HEADER,
    NAMES,
    STUDENTS,
    class_file,
    class_rows,
    opened_context,
    table_bytes,
)


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


@pytest.fixture
def week(context: Context) -> Week:
    return changes.new_course(context, "Logic", [class_file()])[1]


def test_the_summary_counts_the_class(context: Context, week: Week) -> None:
    view = summary_view(context, week)
    graded = context.workbench.graded(week)
    assert view.mean == pytest.approx(graded.grades.score.mean(), abs=1e-6)
    assert sum(one.count for one in view.histogram) == STUDENTS
    assert sum(one.count for one in view.points) == STUDENTS
    assert view.marks == []
    assert (view.submissions, view.graders, view.reviews) == (STUDENTS, STUDENTS, 48)


def test_final_marks_appear_with_their_setting(context: Context, week: Week) -> None:
    assert marks_view(context, week) == []
    week = changes.set_settings(context, week.id, week.revision, {"final.use": True})
    rows = marks_view(context, week)
    assert {row["label"] for row in rows} == set(NAMES)
    assert sum(one.count for one in summary_view(context, week).marks) == STUDENTS


def test_grades_are_sorted_searched_and_in_pages(context: Context, week: Week) -> None:
    lines = grades_view(context, week).lines
    grades = [one.grade for one in lines]
    assert grades == sorted(grades, key=lambda grade: -(grade or 0))
    assert {one.submission for one in lines} == set(NAMES)
    found = grades_view(context, week, search="  gRÜn ").lines
    assert [one.submission for one in found] == ["Gita Grün"]
    assert grades_view(context, week, search="nobody").lines == []
    assert grades_view(context, week, page=10**6).page.number == 1


def test_assignments_are_filtered(context: Context) -> None:
    rows = [(f"A{number}", *row) for number in (1, 2) for row in class_rows(number)]
    file = NewFile("both.csv", table_bytes(("Assignment", *HEADER), *rows))
    _, week = changes.new_course(context, "Logic", [file])
    assert summary_view(context, week).assignments == ["A1", "A2"]
    assert {one.assignment for one in grades_view(context, week, assignment="A2").lines} == {"A2"}
    assert grades_view(context, week).page.rows == 2 * STUDENTS


def test_sections_are_filtered(context: Context) -> None:
    files = [
        NewFile(f"Section {name}.csv", table_bytes(HEADER, *class_rows(number)))
        for number, name in ((1, "North"), (2, "South"))
    ]
    _, week = changes.new_course(context, "Logic", files)
    (asked,) = context.workbench.opened(week).opened.interpretation.open_questions
    week = changes.answer(context, week.id, week.revision, {asked.key: "sections"})
    north, south = summary_view(context, week).sections
    assert ("North" in north, "South" in south) == (True, True)
    found = grades_view(context, week, section=north).lines
    assert {one.section for one in found} == {north}
    assert len(found) == STUDENTS
    assert grades_view(context, week).page.rows == 2 * STUDENTS


def test_a_submission_adds_up_to_its_grade(context: Context, week: Week) -> None:
    author = class_rows()[0][0]
    view = submission_view(context, week, "", author)
    assert len(view.reviews) == sum(row[0] == author for row in class_rows())
    given = sorted(one.grade for one in view.reviews)
    assert given == sorted(float(row[2]) for row in class_rows() if row[0] == author)
    parts = [float(one.contribution.replace("−", "-")) for one in view.reviews]
    parts += [float(one.rpartition(" ")[2].replace("−", "-")) for one in view.base]
    assert sum(parts) == pytest.approx(float(view.total), abs=0.005 * len(parts))


def test_an_excluded_review_is_shown_and_not_counted(context: Context, week: Week) -> None:
    author, reviewer, _ = class_rows()[0]
    before = submission_view(context, week, "", author)
    said = Decision(Action.EXCLUDE_REVIEW, submission=author, grader=reviewer, reason="copied")
    week = changes.decide(context, week.id, week.revision, said)
    after = submission_view(context, week, "", author)
    assert [one.grader for one in after.reviews if one.excluded] == [reviewer]
    assert len(after.reviews) == len(before.reviews)
    assert after.line.reviews == before.line.reviews - 1
    assert any("copied" in line for line in after.decisions)


def test_sentences_for_students_name_no_grader(context: Context, week: Week) -> None:
    for author in NAMES:
        view = submission_view(context, week, "", author)
        said = " ".join([*view.sentences, *view.base])
        assert said
        assert not [name for name in NAMES if name != author and name in said]


def test_a_grader_has_the_points_of_the_class(context: Context, week: Week) -> None:
    graded = context.workbench.graded(week)
    lines = graders_view(context, week).lines
    rewards = [
        graded.reward_per_review.estimate[
            [one.id for one in graded.names.graders].index(line.grader)
        ]
        for line in lines
    ]
    assert not np.isnan(rewards).any()
    assert rewards == sorted(rewards, reverse=True)
    assert grader_view(context, week, NAMES[0]).line.name in (NAMES[0], "")
    assert [one.grader for one in graders_view(context, week, search="holm").lines] == ["Hugo Holm"]


def test_a_grader_is_seen_with_the_reviews_that_count(context: Context, week: Week) -> None:
    author, reviewer, _ = class_rows()[0]
    own = {row[0]: float(row[2]) for row in class_rows() if row[1] == reviewer}
    reviews = grader_view(context, week, reviewer).reviews
    assert {one.submission: one.given for one in reviews} == own
    for one in reviews:
        grade = submission_view(context, week, "", one.submission).line.grade
        assert one.grade == grade
        assert one.difference == pytest.approx(one.given - (grade or 0), abs=1e-5)
    said = Decision(Action.EXCLUDE_REVIEW, submission=author, grader=reviewer, reason="copied")
    week = changes.decide(context, week.id, week.revision, said)
    left = grader_view(context, week, reviewer).reviews
    assert {one.submission for one in left} == set(own) - {author}


def test_comments_stand_beside_the_reviews_of_their_grader(context: Context) -> None:
    rows = [(*row, f"{row[1]} about {row[0]}") for row in class_rows()]
    file = NewFile("reviews.csv", table_bytes((*HEADER, "Comments"), *rows))
    _, week = changes.new_course(context, "Logic", [file])
    for one in grader_view(context, week, NAMES[0]).reviews:
        assert one.comments == [f"{NAMES[0]} about {one.submission}"]


@pytest.mark.parametrize("name", ["Nobody", "", "ada ames"])
def test_unknown_names_are_refused(context: Context, week: Week, name: str) -> None:
    with pytest.raises(ParameterError, match="There is no submission"):
        submission_view(context, week, "", name)
    with pytest.raises(ParameterError, match="There is no grader"):
        grader_view(context, week, name)
