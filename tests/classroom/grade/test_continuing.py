"""A class that continues an earlier run: scale, assignments and people."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peergauge.classroom.grade import Settings, grade
from peergauge.classroom.grade.audit import AUDIT_FILE, audit, read_earlier, write_audit
from peergauge.classroom.grade.continuing import digest_of, digests_of, interpret_class_after
from peergauge.classroom.grade.earlier import EarlierRun, GradedReview
from peergauge.core.errors import ConvergenceWarning, ParameterError, TableError
from peergauge.exports.open import interpret_class, open_class
from peergauge.exports.questions import OpenQuestionsError
from peergauge.models.posterior import PG1Posterior
from peergauge.tables import Reports, Scale

SETTINGS = Settings(model=PG1Posterior(draws=80, warmup=20), budget=1)
STUDENTS = [f"Student {number}" for number in range(1, 13)]


def written(
    path: Path,
    week: int,
    *,
    students: list[str] | None = None,
    grades: tuple[int, int] = (1, 5),
    assignment: str = "",
) -> Path:
    """A table in which every student reviews the next three, with random grades."""
    people = students or STUDENTS
    given = np.random.default_rng(week).integers(grades[0], grades[1] + 1, (len(people), 3))
    # Both ends of the scale occur.
    given[0, :2] = grades
    rows = ["reviewer,project,score" + ",assignment" * bool(assignment)]
    for place, name in enumerate(people):
        for step in range(3):
            project = f"Project {(place + step + 1) % len(people) + 1}"
            row = f'"{name}",{project},{given[place, step]}'
            rows.append(row + f",{assignment}" * bool(assignment))
    path.write_text("\n".join(rows) + "\n")
    return path


def run(folder: Path, path: Path, after: Path | None = None, **options: Any) -> EarlierRun | None:
    """Grade a week into a folder; return the earlier run that it continues."""
    earlier = None
    if after is None:
        opened = open_class(path, accept_defaults=True, **options)
    else:
        opened, earlier = interpret_class_after(path, read_earlier(after), **options)
    with warnings.catch_warnings():
        # So few draws settle by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        graded = grade(opened, SETTINGS, earlier=earlier)
    folder.mkdir()
    (folder / AUDIT_FILE).write_bytes(write_audit(audit(graded)))
    return earlier


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a first week, whose file names no assignment and states no scale."""
    folder = tmp_path_factory.mktemp("weeks")
    run(folder / "one", written(folder / "week1.csv", 1))
    return folder / "one"


def test_known_new_and_gone_graders_are_listed(first: Path, tmp_path: Path) -> None:
    people = [*STUDENTS[:-3], "Zoe", "Xaver"]
    path = written(tmp_path / "week2.csv", 2, students=people)
    opened, earlier = interpret_class_after(path, read_earlier(first), assignment="Week 2")
    assert earlier.continuation is not None
    assert list(earlier.continuation.lines()) == [
        "Graders: 9 known from the earlier run, 2 new (Xaver, Zoe), "
        "3 gone (Student 10, Student 11, Student 12)."
    ]
    told = [one.text for one in opened.interpretation.decisions if one.part == "people"]
    assert any("9 known" in text for text in told)


def test_renamed_graders_keep_their_results(first: Path, tmp_path: Path) -> None:
    new = ["student 01", "Student 02 (Smith)", *STUDENTS[2:]]
    path = written(tmp_path / "week2.csv", 2, students=new)
    opened, earlier = interpret_class_after(path, read_earlier(first), assignment="Week 2")
    assert earlier.continuation is not None
    renamed = {one.now: one.before for one in earlier.continuation.renamed}
    assert renamed == {"student 01": "Student 1", "Student 02 (Smith)": "Student 2"}
    reviews, _ = earlier.rewards_of(opened.reports)
    assert reviews.tolist() == [3] * 12


TWO_SPELLINGS = "same person: STUDENT 1 / student 01"
"""The question whether two spellings in one table are one person."""


def test_a_name_that_fits_two_people_is_asked(first: Path, tmp_path: Path) -> None:
    new = ["student 01", "STUDENT 1", *STUDENTS[1:]]
    path = written(tmp_path / "week2.csv", 2, students=new)
    options: dict[str, Any] = {"assignment": "Week 2"}
    opened, _ = interpret_class_after(path, read_earlier(first), **options)
    keys = [one.key for one in opened.interpretation.open_questions]
    assert sorted(keys) == ["renamed: STUDENT 1", "renamed: student 01", TWO_SPELLINGS]
    apart = {TWO_SPELLINGS: "different"}
    answers = {"renamed: student 01": "Student 1", "renamed: STUDENT 1": "new person", **apart}
    opened, earlier = interpret_class_after(path, read_earlier(first), answers=answers, **options)
    assert not opened.interpretation.open_questions
    assert earlier.continuation is not None
    assert earlier.continuation.new == ("STUDENT 1",)
    both = {**dict.fromkeys(answers, "Student 1"), **apart}
    with pytest.raises(ParameterError, match="are said to be 'Student 1'"):
        interpret_class_after(path, read_earlier(first), answers=both, **options)


def test_grading_without_an_answer_is_refused(first: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "week2.csv", 2, students=["student 01", "STUDENT 1", *STUDENTS[1:]])
    apart = {TWO_SPELLINGS: "different"}
    opened = open_class(path, scale="1..5", assignment="Week 2", answers=apart)
    with pytest.raises(OpenQuestionsError, match="renamed"):
        grade(opened, SETTINGS, earlier=read_earlier(first))


def test_answers_hold_in_the_next_week(first: Path, tmp_path: Path) -> None:
    two = written(tmp_path / "2.csv", 2, students=["Stud. 1", *STUDENTS[1:]])
    answers = {"renamed: Stud. 1": "Student 1"}
    run(tmp_path / "two", two, first, assignment="Week 2", answers=answers)
    earlier = read_earlier(tmp_path / "two")
    assert earlier.answers == answers
    three = written(tmp_path / "3.csv", 3)
    opened, continued = interpret_class_after(three, earlier, assignment="Week 3")
    # The name of the first week is still known.
    assert not opened.interpretation.open_questions
    assert continued.continuation is not None
    assert len(continued.continuation.places) == 12
    assert not continued.continuation.new


def test_a_grader_who_misses_a_week_keeps_the_results(first: Path, tmp_path: Path) -> None:
    two = written(tmp_path / "2.csv", 2, students=STUDENTS[:-1])
    run(tmp_path / "two", two, first, assignment="Week 2")
    three = written(tmp_path / "3.csv", 3)
    opened, earlier = interpret_class_after(
        three, read_earlier(tmp_path / "two"), assignment="Week 3"
    )
    assert earlier.continuation is not None
    assert len(earlier.continuation.places) == 12
    reviews, rewards = earlier.rewards_of(opened.reports)
    names = list(opened.reports.grader_names or ())
    assert reviews[names.index("Student 12")] == 3
    assert reviews[names.index("Student 1")] == 6
    assert np.isfinite(rewards).all()
    traits = earlier.traits_of(opened.reports)
    assert np.isfinite(traits.bias_mean).all()


def test_an_assignment_without_a_name_is_not_mistaken_for_the_last(
    first: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "week2.csv", 2)
    with pytest.raises(
        TableError, match=r"only .* of 36 are the same; name the .* with --assignment"
    ):
        interpret_class_after(path, read_earlier(first))


def test_the_same_file_under_another_name_is_not_counted_twice(first: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "week1.csv", 1)
    with pytest.raises(TableError, match=r"Are they the same reviews\?.*'repeated: Week 2=new'"):
        interpret_class_after(path, read_earlier(first), assignment="Week 2")
    with pytest.raises(TableError, match="nothing new"):
        interpret_class_after(path, read_earlier(first))
    answers = {"repeated: Week 2": "new"}
    opened, _ = interpret_class_after(
        path, read_earlier(first), assignment="Week 2", answers=answers
    )
    assert len(opened.reports) == 36


def test_a_repeated_assignment_among_new_ones_is_a_question(first: Path, tmp_path: Path) -> None:
    one = written(tmp_path / "a.csv", 1, assignment="Essay 1").read_text()
    two = written(tmp_path / "b.csv", 2, assignment="Essay 2").read_text().splitlines()[1:]
    both = tmp_path / "both.csv"
    both.write_text(one + "\n".join(two) + "\n")
    opened, earlier = interpret_class_after(both, read_earlier(first))
    (question,) = opened.interpretation.open_questions
    assert question.key == "repeated: Essay 1"
    assert question.text.startswith("36 of the 36 reviews of 'Essay 1'")
    assert opened.reports.assignment_names == ("Essay 2",)
    assert earlier.continuation is not None
    assert earlier.continuation.assignments_left_out == ("Essay 1",)


def test_a_guessed_scale_is_that_of_the_earlier_run(tmp_path: Path) -> None:
    run(tmp_path / "one", written(tmp_path / "1.csv", 1, grades=(1, 7)), scale="1..7")
    # Nobody gives more than 5, so that 1..5 would be guessed.
    path = written(tmp_path / "2.csv", 2, grades=(1, 5))
    assert str(interpret_class(path).scale) == "1..5"
    opened, _ = interpret_class_after(path, read_earlier(tmp_path / "one"), assignment="Week 2")
    assert str(opened.scale) == "1..7"
    assert opened.report.scale_from == "as in the earlier run"
    assert not opened.interpretation.open_questions
    assert len(opened.reports) == 36


def test_grades_are_turned_around_as_in_the_earlier_run(tmp_path: Path) -> None:
    low: dict[str, Any] = {"scale": "1..5", "answers": {"direction": "low"}}
    run(tmp_path / "one", written(tmp_path / "1.csv", 1), **low)
    earlier = read_earlier(tmp_path / "one")
    assert earlier.turned
    path = written(tmp_path / "2.csv", 2)
    plain = interpret_class(path, scale="1..5").reports
    opened, _ = interpret_class_after(path, earlier, assignment="Week 2")
    assert not opened.interpretation.open_questions
    assert opened.reports.grade.tolist() == (6 - plain.grade).tolist()
    # The answer of this week wins.
    high = {"direction": "high"}
    opened, _ = interpret_class_after(path, earlier, assignment="Week 2", answers=high)
    assert opened.reports.grade.tolist() == plain.grade.tolist()
    # If nobody answered last week, this week is asked.
    opened, _ = interpret_class_after(path, earlier._replace(answers={}), assignment="Week 2")
    (question,) = opened.interpretation.open_questions
    assert (question.key, question.default) == ("direction", "low")
    assert opened.reports.grade.tolist() == (6 - plain.grade).tolist()


def test_grades_off_the_earlier_scale_are_a_question(first: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "week2.csv", 2, grades=(1, 9))
    options: dict[str, Any] = {"assignment": "Week 2"}
    opened, _ = interpret_class_after(path, read_earlier(first), **options)
    (question,) = opened.interpretation.open_questions
    assert question.key == "scale"
    assert question.default == "1..5"
    high = str(question.choices[1].value)
    with pytest.raises(TableError, match="cannot be added"):
        interpret_class_after(path, read_earlier(first), answers={"scale": high}, **options)
    with pytest.raises(TableError, match="cannot be added"):
        interpret_class_after(path, read_earlier(first), scale="0..10", **options)


def test_grades_in_a_small_part_of_the_earlier_scale_are_a_question(tmp_path: Path) -> None:
    run(tmp_path / "one", written(tmp_path / "1.csv", 1, grades=(0, 100)), scale="0..100")
    path = written(tmp_path / "2.csv", 2, grades=(0, 10))
    opened, _ = interpret_class_after(path, read_earlier(tmp_path / "one"), assignment="Week 2")
    (question,) = opened.interpretation.open_questions
    assert question.key == "scale"
    assert "between 0 and 10" in question.text


def test_half_points_in_the_second_week_continue_the_first(first: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "2.csv", 2)
    lines = path.read_text().splitlines()
    lines[5] = ",".join([*lines[5].split(",")[:2], "3.5"])
    path.write_text("\n".join(lines) + "\n")
    opened, _ = interpret_class_after(path, read_earlier(first), assignment="Week 2")
    assert str(opened.scale) == "1..5:0.5"
    assert len(opened.reports) == 36


def test_a_class_without_a_known_grader_is_refused(first: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "2.csv", 2, students=["Ada", "Ben", "Cleo", "Dora", "Emil"])
    with pytest.raises(TableError, match="None of the 5 graders was in the earlier run"):
        interpret_class_after(path, read_earlier(first), assignment="Week 2")


def test_a_class_with_few_known_graders_is_a_question_every_week(
    first: Path, tmp_path: Path
) -> None:
    people = ["Ada", "Ben", "Cleo", "Dora", "Emil", *STUDENTS[:3]]
    path = written(tmp_path / "2.csv", 2, students=people)
    options: dict[str, Any] = {"assignment": "Week 2"}
    opened, _ = interpret_class_after(path, read_earlier(first), **options)
    assert [one.key for one in opened.interpretation.open_questions] == ["new graders"]
    with pytest.raises(TableError, match="5 of 8 graders"):
        interpret_class_after(path, read_earlier(first), answers={"new graders": "no"}, **options)
    run(tmp_path / "two", path, first, answers={"new graders": "yes"}, **options)
    assert not read_earlier(tmp_path / "two").answers


def test_an_audit_of_an_older_version_is_continued(first: Path, tmp_path: Path) -> None:
    content = json.loads((first / AUDIT_FILE).read_text())
    del content["interpretation"], content["assignments"]["digest"]
    del content["graders"]["details"], content["graders"]["also_called"]
    (tmp_path / AUDIT_FILE).write_text(json.dumps(content))
    path = written(tmp_path / "2.csv", 2)
    opened, earlier = interpret_class_after(path, read_earlier(tmp_path), assignment="Week 2")
    assert earlier.rewards_of(opened.reports)[0].tolist() == [3] * 12


def test_places_in_a_list_are_nobody_who_could_be_known(first: Path, tmp_path: Path) -> None:
    places = [f"Reviewer 1 of Project {number + 2}" for number in range(12)]
    rows = [f"{name},{name.partition(' of ')[2]},{1 + number % 5}"
            for number, name in enumerate(places)]  # fmt: skip
    head, *named = written(tmp_path / "1.csv", 1).read_text().splitlines()
    both = tmp_path / "both.csv"
    both.write_text("\n".join([head, *named, *rows]) + "\n")
    run(tmp_path / "one", both, scale="1..5")
    again = [*written(tmp_path / "2.csv", 2).read_text().splitlines()[1:], *rows]
    both.write_text("\n".join([head, *again]) + "\n")
    opened, earlier = interpret_class_after(
        both, read_earlier(tmp_path / "one"), scale="1..5", assignment="Week 2"
    )
    assert earlier.continuation is not None
    assert list(earlier.continuation.lines()) == [
        "Graders: 12 known from the earlier run, 0 new, 0 gone, 12 without a name."
    ]
    counts = dict(zip(opened.reports.grader_names or (), earlier.rewards_of(opened.reports)[0],
                      strict=True))  # fmt: skip
    assert counts[places[0]] == 0
    assert counts["Student 1"] == 3
    two = [
        row.replace("Reviewer 1", "Reviewer 2")[:-1] + str(1 + (2 * number) % 5)
        for number, row in enumerate(rows)
    ]
    both.write_text("\n".join([head, *rows, *two]) + "\n")
    with pytest.raises(TableError, match="places in a list"):
        interpret_class_after(both, read_earlier(first), scale="1..5", assignment="Week 2")


def test_an_answer_of_last_week_that_is_impossible_now_is_asked_again(tmp_path: Path) -> None:
    def with_two(name: str, week: int, other: str) -> Path:
        path = written(tmp_path / name, week)
        head, *rows = path.read_text().splitlines()
        more = [f"{row},{1 + place % 5}" for place, row in enumerate(rows)]
        path.write_text("\n".join([f"{head},{other}", *more]) + "\n")
        return path

    one = with_two("1.csv", 1, "grade")
    options: dict[str, Any] = {"scale": "1..5"}
    asked = interpret_class(one, **options).interpretation.open_questions
    assert [(one.key, one.default) for one in asked] == [("grades", "grade")]
    run(tmp_path / "one", one, answers={"grades": "score"}, assignment="1", **options)
    earlier = read_earlier(tmp_path / "one")
    two = with_two("2.csv", 2, "grade")
    opened, _ = interpret_class_after(two, earlier, assignment="2", **options)
    assert not opened.interpretation.open_questions
    assert opened.interpretation.answers["grades"] == "score"
    # The flag wins over the answer of last week.
    opened, _ = interpret_class_after(
        two, earlier, assignment="2", answers={"grades": "grade"}, **options
    )
    assert opened.interpretation.answers["grades"] == "grade"
    three = with_two("3.csv", 3, "grade")
    three.write_text(three.read_text().replace("score", "rating"))
    opened, _ = interpret_class_after(three, earlier, assignment="3", **options)
    assert [one.key for one in opened.interpretation.open_questions] == ["grades"]


def test_late_reviews_of_a_graded_assignment_are_named_and_not_counted(tmp_path: Path) -> None:
    one = written(tmp_path / "1.csv", 1, assignment="Essay 1")
    run(tmp_path / "one", one, scale="1..5")
    two = written(tmp_path / "2.csv", 2, assignment="Essay 2").read_text().splitlines()[1:]
    late = '"Student 1",Project 9,4,Essay 1'
    both = tmp_path / "both.csv"
    both.write_text("\n".join([one.read_text().strip(), *two, late]) + "\n")
    opened, _ = interpret_class_after(both, read_earlier(tmp_path / "one"))
    assert opened.reports.assignment_names == ("Essay 2",)
    told = [one.text for one in opened.interpretation.decisions if one.part == "submissions"]
    assert any(text.startswith("1 review is not counted: the earlier run graded 'Essay 1'")
               for text in told)  # fmt: skip


def test_assignments_named_by_emoji_are_told_apart(tmp_path: Path) -> None:
    run(tmp_path / "one", written(tmp_path / "1.csv", 1, assignment="🙂"), scale="1..5")
    two = written(tmp_path / "2.csv", 2, assignment="👍")
    opened, earlier = interpret_class_after(two, read_earlier(tmp_path / "one"))
    assert opened.reports.assignment_names == ("👍",)
    assert earlier.continuation is not None
    assert not earlier.continuation.assignments_left_out


def test_pseudonyms_are_a_question(tmp_path: Path) -> None:
    people = [f"p{number:02}" for number in range(1, 13)]
    run(tmp_path / "one", written(tmp_path / "1.csv", 1, students=people), scale="1..5")
    path = written(tmp_path / "2.csv", 2, students=people)
    options: dict[str, Any] = {"assignment": "Week 2"}
    earlier = read_earlier(tmp_path / "one")
    opened, _ = interpret_class_after(path, earlier, **options)
    assert [one.key for one in opened.interpretation.open_questions] == ["pseudonyms"]
    with pytest.raises(TableError, match="mean different people"):
        interpret_class_after(path, earlier, answers={"pseudonyms": "other"}, **options)


def test_digests_of_columns_are_those_of_single_reviews() -> None:
    """An earlier version wrote digests of single reviews, by which this one knows an assignment."""
    reports = Reports(
        assignment=np.array([0, 0, 0, 1], np.int32),
        submission=np.array([0, 0, 1, 2], np.int32),
        grader=np.array([0, 2, 1, 0], np.int32),
        grade=np.array([7, 6.5, 9, 3]),
        assignments=3,
        assignment_names=("Week 1", "Week 2", "Week 3"),
        submission_names=("Project 07", "Été", "work"),
        grader_names=("Lovelace, Ada", "7", "007"),
        scale=Scale(0, 10, 0.5),
    )
    excluded = GradedReview("Project 07", "Bob", 4.0)
    first = [
        GradedReview("ETE", "7.0", 9.0),
        GradedReview("project 7", "ada lovelace", 7.0),
        excluded,
        GradedReview("Project 07", "7", 6.5),
    ]
    found = digests_of(reports, {"Week 1": [excluded], "Week 4": [excluded]})
    assert found == {
        "Week 1": digest_of(first),
        "Week 2": digest_of([GradedReview("work", "Ada Lovelace", 3.0)]),
        "Week 4": digest_of([excluded]),
    }
