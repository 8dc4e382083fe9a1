"""Awarded grades, final marks and decisions in the audit, and in the next week."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.classroom.grade import GradedClass, Settings, grade
from peergauge.classroom.grade.audit import audit, check_audit, read_earlier, write_audit
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.recomputed import AuditedNumbers
from peergauge.classroom.grade.settings import FinalRules, GradeRules, OwedRules
from peergauge.classroom.grade.settings_file import earlier_settings, merged_settings
from peergauge.classroom.grade.tables import (
    decisions_table,
    gradebook_marks,
    graders_table,
    grades_table,
    marks_table,
)
from peergauge.core.errors import TableError
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grade_folder import write_graded
from peergauge.simulate import Setting, simulate

pytestmark = pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")

SETTINGS = Settings(
    model=PG1Posterior(draws=60, warmup=20),
    budget=2,
    grades=GradeRules(round_to=0.5, letters="A>=80%,B>=60%,C", curve_mean=7.0, curve_sd=1.0),
    final=FinalRules(use=True, letters="A>=80%,B>=60%,C"),
    owed=OwedRules("per review", each=5),
)


def classroom(weeks: int) -> OpenedClass:
    """The first weeks of a simulated class, as they would be read from an export."""
    semester = simulate(Setting(students=12, assignments=2), 3)
    week = pl.format("W{}", pl.col("assignment") + 1)
    people = pl.format("stud{}", pl.col("author"))
    reports = semester.reports.to_polars().filter(pl.col("assignment") < weeks)
    truth = semester.truth.to_polars().filter(pl.col("assignment") < weeks)
    reviews = reports.select(
        assignment=week,
        submission=pl.format("s{}", pl.col("submission") % 12),
        grader=pl.format("stud{}", pl.col("grader")),
        score=pl.col("grade"),
    )
    wrote = truth.select(
        assignment=week, submission=pl.format("s{}", pl.col("submission") % 12), author=people
    )
    return validate(
        Export(
            reviews=table("reviews", reviews),
            submissions=table("submissions", wrote),
            format="made",
        ),
        scale="0..10",
    )


def reviewers(opened: OpenedClass, assignment: str, submission: str) -> list[str]:
    """Who reviewed a submission."""
    rows = opened.reports.to_polars()
    here = (pl.col("assignment") == assignment) & (pl.col("submission") == submission)
    return [str(one) for one in rows.filter(here)["grader"]]


def decisions_of(opened: OpenedClass) -> Decisions:
    """All reviews of s2 and one grader are excluded; s3 has a staff grade, and s4 an appeal."""
    graders = reviewers(opened, "W1", "s2")
    other = next(f"stud{k}" for k in range(12) if f"stud{k}" not in graders)
    rows = [
        *(Decision(Action.EXCLUDE_REVIEW, "W1", "s2", one, reason="leaked") for one in graders),
        Decision(Action.EXCLUDE_GRADER, "W1", grader=other, reason="absent"),
        Decision(Action.STAFF_GRADE, "W1", "s3", grade=6.5, date="2026-11-01"),
        Decision(Action.APPEAL, "W1", "s4", "", None, "rejected", "all agree", "2026-11-02"),
    ]
    return Decisions(tuple(one._replace(row=k) for k, one in enumerate(rows, 2)), "d.csv")


@pytest.fixture(scope="module")
def graded() -> GradedClass:
    opened = classroom(1)
    assigned = pl.DataFrame(
        {"assignment": ["W1"] * 12, "person": [f"stud{k}" for k in range(12)],
         "assigned": [6] * 12, "done": [4] * 12, "declined": [0] * 12}
    )  # fmt: skip
    return grade(opened, SETTINGS, decisions=decisions_of(opened), assigned=assigned)


@pytest.fixture(scope="module")
def content(graded: GradedClass) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(write_audit(audit(graded)))
    return found


def test_every_awarded_grade_and_mark_can_be_computed_again(content: dict[str, Any]) -> None:
    assert list(check_audit(content)) == []


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("mark", "The mark of"),
        ("work_part", "The work part of"),
        ("reviewing_percent", "The reviewing percent of"),
        ("deduction", "The deduction of"),
        ("points", "The points of"),
    ],
)
def test_a_changed_number_of_a_final_mark_is_found(
    content: dict[str, Any], field: str, said: str
) -> None:
    other = copy.deepcopy(content)
    row = next(one for one in other["final"]["marks"] if one["mark"] is not None)
    row[field] += 0.01
    (found,) = check_audit(other)
    assert found.startswith(f"{said} {row['person']} should be")


def test_a_changed_letter_or_awarded_grade_is_found(content: dict[str, Any]) -> None:
    other = copy.deepcopy(content)
    other["submissions"]["letter"][5] = "Z"
    (found,) = check_audit(other)
    assert found.startswith("The letter of submission")
    other = copy.deepcopy(content)
    other["submissions"]["awarded"][5] += 0.5
    first, *more = check_audit(other)
    assert first.startswith("The awarded grade of submission")
    assert more, "the marks of its authors are computed from it"


def test_an_older_audit_has_neither(content: dict[str, Any]) -> None:
    old = {key: value for key, value in content.items() if key not in ("final", "decisions")}
    old = {**old, "submissions": {**content["submissions"]}}
    del old["submissions"]["awarded"]
    assert list(check_audit(old)) == []


def test_a_submission_without_reviews_has_no_grade_and_says_so(graded: GradedClass) -> None:
    row = grades_table(graded).filter(pl.col("submission") == "s2").to_dicts()[0]
    assert (row["grade"], row["awarded"], row["letter"], row["reviews"]) == (None, None, "", 0)
    assert row["assignment"] == "W1"
    assert row["why"].startswith("This submission has no grade")
    assert "Staff excluded 4 reviews of this work" in row["why"]
    author = graded.names.authors[graded.names.submissions.index("s2")][0].id
    marks = marks_table(graded)
    assert marks is not None
    mine = marks.filter(pl.col("person") == author).to_dicts()[0]
    assert mine["mark"] is None
    assert "submission without a grade" in mine["missing"]


def test_excluded_reviews_are_neither_paid_nor_owed(graded: GradedClass) -> None:
    gone = next(one.decision.grader for one in graded.decisions.log if one.reviews > 1)  # type: ignore[union-attr]
    row = graders_table(graded).filter(pl.col("grader") == gone).to_dicts()[0]
    assert (row["points"], row["reviews"]) == (None, 0)
    assert "Staff excluded 4 reviews of yours" in row["why"]
    assert graded.final is not None
    mark = graded.final.of(gone)
    assert mark is not None
    assert mark.missing == ("all reviews excluded",)
    # Everybody was assigned six reviews and did four; exclusion does not change that.
    owed = {row.parts.reviewing.owed for row in graded.final.rows if row.parts.reviewing}
    assert owed == {2}


def test_a_staff_grade_is_the_grade_and_is_curved_like_all_others(graded: GradedClass) -> None:
    place = graded.names.submissions.index("s3")
    assert graded.grades.score[place] == 6.5
    better = graded.grades.score > 6.5
    assert (graded.awarded.grade[better] >= graded.awarded.grade[place]).all()


def test_gradebooks_get_awarded_grades(graded: GradedClass) -> None:
    sent = [one for one in gradebook_marks(graded).of("W1 grade") if one is not None]
    assert sorted(sent) == sorted(x for x in graded.awarded.grade.tolist() if not math.isnan(x))
    assert all((2 * one).is_integer() or one == 10 for one in sent)


def test_the_folder_has_marks_settings_and_the_log(graded: GradedClass, tmp_path: Path) -> None:
    written = write_graded(graded, tmp_path / "out")
    names = {path.name for path in written.files}
    assert {"marks.csv", "settings.toml", "decision-log.csv"} <= names
    log = pl.read_csv(tmp_path / "out" / "decision-log.csv")
    assert log["action"].to_list()[-1] == "appeal"
    table_of_log = decisions_table(graded)
    assert table_of_log is not None
    assert table_of_log.height == 7
    without = replace(graded, settings=replace(SETTINGS, final=FinalRules()), decisions=None)
    notes = write_graded(without, tmp_path / "out").notes
    assert sum("is not of this run" in one for one in notes) == 2


def test_the_next_week_knows_settings_decisions_and_excluded_reviews(
    graded: GradedClass, tmp_path: Path
) -> None:
    write_graded(graded, tmp_path / "one")
    earlier = read_earlier(tmp_path / "one")
    settings = merged_settings(earlier_settings(earlier.settings))
    assert replace(settings, model=SETTINGS.model) == SETTINGS
    assert len(earlier.decisions) == 7
    assert len(earlier.graded_reviews["W1"]) == len(classroom(1).reports)
    both = classroom(2)
    weeks = replace(SETTINGS, owed=OwedRules())
    rows = decisions_of(classroom(1)).rows
    more = Decision(Action.STAFF_GRADE, "W2", "s2", grade=9.0, row=9)
    second = grade(both, weeks, earlier=earlier, decisions=Decisions((*rows, more), "d.csv"))
    assert second.decisions is not None
    assert [one.status for one in second.decisions.log] == ["earlier"] * 7 + ["applied"]
    assert not any("not counted" in one.text for one in second.opened.interpretation.decisions)
    content = json.loads(write_audit(audit(second)))
    assert list(check_audit(content)) == []
    assert {one["of"] for one in content["earlier"]["decisions"]} == {"W1"}
    assert list(second.decided())[-1].startswith("Staff grade of s2 in W2: 9.")
    new = Decision(Action.STAFF_GRADE, "W1", "s5", grade=9.0, row=2)
    with pytest.raises(TableError, match="which the earlier run graded without this decision"):
        grade(both, weeks, earlier=earlier, decisions=Decisions((new,), "d.csv"))


def test_points_of_earlier_weeks_do_not_count_in_the_mark_of_this_week(tmp_path: Path) -> None:
    settings = replace(SETTINGS, owed=OwedRules(), points_over="semester")
    write_graded(grade(classroom(1), settings), tmp_path / "one")
    found = grade(classroom(2), settings, earlier=read_earlier(tmp_path / "one"))
    week = dict(zip((one.id for one in found.names.graders), found.points_by_period["week"],
                    strict=True))  # fmt: skip
    assert list(found.points) != list(week.values())
    assert found.final is not None
    for row in found.final.rows:
        assert row.parts.points == pytest.approx(week[row.person], abs=5.1e-5)
    assert list(check_audit(json.loads(write_audit(audit(found))))) == []


def test_an_exclusion_that_is_not_given_again_is_mentioned(tmp_path: Path) -> None:
    always = Decisions((Decision(Action.EXCLUDE_GRADER, grader="stud3", reason="absent"),))
    settings = replace(SETTINGS, owed=OwedRules())
    write_graded(grade(classroom(1), settings, decisions=always), tmp_path / "one")
    earlier = read_earlier(tmp_path / "one")
    (told,) = grade(classroom(2), settings, earlier=earlier).decided()
    assert told.startswith("The earlier run excluded all reviews by stud3, and this run counts")
    (told,) = grade(classroom(2), settings, earlier=earlier, decisions=always).decided()
    assert told.startswith("Excluded: all reviews by stud3 (4 reviews).")


def test_staff_grades_of_the_export_are_ignored_and_those_of_decisions_hold() -> None:
    opened = classroom(1)
    entered = Decisions((Decision(Action.STAFF_GRADE, "W1", "s3", grade=6.5),))
    with_truth, _ = _with_truth(opened)
    found = grade(with_truth, replace(SETTINGS, ignore_staff=True, owed=OwedRules()),
                  decisions=entered)  # fmt: skip
    assert found.staff_graded.sum() == 1
    assert found.grades.staff[found.names.submissions.index("s3")] == 6.5


def _with_truth(opened: OpenedClass) -> tuple[OpenedClass, Any]:
    """The class with a staff grade for its first submission."""
    from peergauge.classroom.grade.deciding import apply_decisions

    return apply_decisions(
        opened, Decisions((Decision(Action.STAFF_GRADE, "W1", "s0", grade=1.0),))
    )


def test_gradebooks_are_computed_again_from_awarded_grades(
    graded: GradedClass, content: dict[str, Any]
) -> None:
    sent = gradebook_marks(graded)
    people = [one["person"] for one in sent.people()]
    columns = {title: sent.of(title) for title in sent.titles}
    authors = [[one.id for one in those] for those in graded.names.authors]
    submissions = {**content["submissions"], "authors": authors}
    marks = {"person": people, **columns}
    audited = AuditedNumbers({**content, "submissions": submissions, "marks": marks})
    for title in ("W1 grade", "Final mark, W1"):
        rule = audited.rules["marks", title]
        assert rule(audited) == sent.of(title)
