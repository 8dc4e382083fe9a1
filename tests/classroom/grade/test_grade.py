"""A whole grading: grades, explanations, tables, audit, and the next week."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass, Settings, grade
from peergauge.classroom.grade.audit import (
    AUDIT_FILE,
    audit,
    check_audit,
    read_earlier,
    write_audit,
)
from peergauge.classroom.grade.explain import (
    author_sentences,
    explain_grade,
    grader_sentences,
    in_shown_order,
    rounded_to_sum,
)
from peergauge.classroom.grade.tables import gradebook_marks, graders_table, grades_table
from peergauge.core.errors import ParameterError, TableError
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grade_folder import GradebookRequest, check_gradebooks, write_graded
from peergauge.simulate import Setting, simulate

FEW = PG1Posterior(draws=60, warmup=20)
pytestmark = pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
"""So few draws do not converge."""


def classroom(
    students: int = 12, assignments: int = 1, seed: int = 3, staff: bool = False
) -> OpenedClass:
    """A simulated class as it would be read from an export: with people and authors."""
    semester = simulate(Setting(students=students, assignments=assignments), seed)
    reports, truth = semester.reports.to_polars(), semester.truth.to_polars()
    as_text = pl.col("assignment", "submission").cast(pl.String)
    authors = truth.select(as_text, "author").with_columns(pl.col("author").cast(pl.String))
    people = [
        {"person": str(k), "name": f"=Name {k}", "lms": str(1000 + k)} for k in range(students)
    ]
    people.append({"person": "idle", "name": "Did Nothing", "lms": "1"})
    given = truth.head(3).select(as_text, "score") if staff else None
    return validate(
        Export(
            reviews=table("reviews", reports.rename({"grade": "score"})),
            submissions=table("submissions", authors),
            people=table("people", people),
            truth=table("truth") if given is None else table("truth", given),
            format="made",
        ),
        scale="0..10",
    )


@pytest.fixture(scope="module")
def graded() -> GradedClass:
    return grade(classroom(staff=True), Settings(model=FEW))


def test_reviews_and_mean_add_up_to_every_grade(graded: GradedClass) -> None:
    for place in range(graded.reports.submissions):
        why = explain_grade(graded, place)
        shares = why.class_mean_weight + sum(review.weight for review in why.reviews)
        assert shares == pytest.approx(1, abs=1e-12)
        if why.staff is not None:
            assert why.grade == why.staff
        elif why.truncated:
            assert why.grade in (0, 10)
            assert not 0 <= why.total <= 10
        else:
            assert why.total == pytest.approx(why.grade, abs=1e-9)


def test_reviews_are_explained_from_the_highest_grade_down_whoever_gave_them(
    graded: GradedClass,
) -> None:
    for place in range(graded.reports.submissions):
        reviews = explain_grade(graded, place).reviews
        given = [one.given for one in reviews]
        assert given == sorted(given, reverse=True)
        other_order = [one._replace(grader=-one.grader) for one in reversed(reviews)]
        shown = [one[1:] for one in in_shown_order(other_order)]
        assert shown == [one[1:] for one in reviews]


def test_the_numbers_in_an_authors_explanation_add_up(graded: GradedClass) -> None:
    for place in range(graded.reports.submissions):
        lines = author_sentences(graded, place)
        if len(lines) == 1:
            assert lines[0].startswith("Staff graded")
            continue
        told = [float(line.rsplit("contributes ", 1)[1].rstrip(".")) for line in lines[1:-1]]
        total = float(lines[-1].removeprefix("The sum is ").split(",")[0].rstrip("."))
        assert sum(told) == pytest.approx(total, abs=1e-9)


def test_the_numbers_in_a_graders_explanation_recombine(graded: GradedClass) -> None:
    earned = graded.reward_per_review
    for place in range(graded.reports.graders):
        lines = grader_sentences(graded, place)
        own, average = earned.own_mean[place], earned.class_mean
        weight, estimate = earned.weight[place], earned.estimate[place]
        digits = graded.payment.digits
        half_a_unit = 0.5 * 10.0**-digits + 1e-12
        assert weight * own + (1 - weight) * average == pytest.approx(estimate, abs=half_a_unit)
        assert f"{own:.{digits}f}" in " ".join(lines)
        assert f"{estimate:.{digits}f}" in lines[-2]
        points = graded.points[place]
        assert isinstance(points, float)
        assert lines[-1].startswith(f"For this you get {points:.2f} points")


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8))
def test_rounded_parts_add_up_to_the_rounded_sum(parts: list[float]) -> None:
    rounded = rounded_to_sum(parts)
    assert sum(rounded) == pytest.approx(round(sum(parts) * 100) / 100, abs=1e-9)
    assert np.abs(np.array(rounded) - parts).max() <= 0.01 + 1e-9


def test_tables_have_a_row_for_everything_and_everybody(graded: GradedClass) -> None:
    by_submission, by_grader = grades_table(graded), graders_table(graded)
    assert by_submission.height == graded.reports.submissions
    assert (by_submission["low"] <= by_submission["high"]).all()
    assert by_submission["staff"].is_not_null().sum() == 3
    assert set(by_submission["authors"]) == {str(k) for k in range(12)}
    idle = by_grader.filter(pl.col("grader") == "idle").to_dicts()[0]
    assert (idle["points"], idle["reviews"], idle["name"]) == (None, 0, "Did Nothing")
    assert by_grader["points"].drop_nulls().is_between(5, 10).all()
    sent = gradebook_marks(graded)
    assert set(sent.titles) == {"0 grade", "Peer review quality, 0"}
    assert sent.highest["Peer review quality, 0"] == 10


def test_headlines_separate_staff_grades_from_peer_grades(graded: GradedClass) -> None:
    told = list(graded.headlines())
    assert told[1].startswith("Staff graded 3 of them")
    low, high = graded.interval
    by_peers = np.isnan(graded.posterior.staff)
    assert told[2].startswith("On the 3 submissions that staff graded, grades by peers would be ")
    half_width = np.median((high - low)[by_peers]) / 2
    assert f"within {half_width:.2f} of the mean that many more such peers would give" in told[3]


def test_every_number_can_be_computed_again_from_the_audit(graded: GradedClass) -> None:
    told = json.loads(write_audit(audit(graded)))
    assert list(check_audit(told)) == []
    for change, words in (
        (("submissions", "grade"), "The grade of submission"),
        (("graders", "earned"), "The earned of grader"),
        (("graders", "points"), "The points of grader"),
        (("reviews", "earned"), "The earned of review"),
        (("comparison", "reference"), "The earned of review"),
    ):
        other = copy.deepcopy(told)
        column = other[change[0]][change[1]]
        column[4] = column[4] + 0.01
        # Numbers that are computed from the changed one differ, too.
        assert next(check_audit(other)).startswith(words)
    del told["class"]["digits"]
    assert "older version" in next(check_audit(told))


def test_the_same_seed_gives_the_same_audit(graded: GradedClass) -> None:
    again = grade(classroom(staff=True), Settings(model=FEW))
    assert write_audit(audit(again)) == write_audit(audit(graded))
    other = grade(classroom(staff=True), Settings(model=FEW, seed=1))
    assert audit(other)["submissions"] != audit(graded)["submissions"]


@pytest.mark.slow
def test_a_folder_has_all_of_it_and_no_formula(graded: GradedClass, tmp_path: Path) -> None:
    done = write_graded(
        graded,
        tmp_path / "out",
        to=[GradebookRequest("canvas"), GradebookRequest("csv")],
        handouts=True,
    )
    names = {path.name for path in done.files if path.parent == tmp_path / "out"}
    assert names == {
        "grades.csv", "graders.csv", "grades.xlsx", "audit.json", "import.txt", "report.html",
        "settings.toml", "gradebook-canvas.csv", "gradebook-csv.csv", "handouts.csv",
    }  # fmt: skip
    assert any(f"in {tmp_path / 'out' / 'students'}" in sentence for sentence in done.notes)
    assert len(list((tmp_path / "out" / "students").iterdir())) >= 12
    assert not any(path.name.endswith(".part") for path in (tmp_path / "out").iterdir())
    names_column = pl.read_csv(tmp_path / "out" / "graders.csv")["name"].drop_nulls()
    assert not names_column.str.starts_with("=").any()
    (tmp_path / "out" / "gradebook-csv.csv").write_text("changed by somebody\n")
    notes = write_graded(graded, tmp_path / "out", to=[GradebookRequest("canvas")]).notes
    (listed,) = (one for one in notes if "is not of this run" in one)
    assert "handouts.csv" in listed
    (pages,) = (one for one in notes if "of an earlier run" in one)
    assert str(tmp_path / "out" / "students") in pages


def test_graders_are_looked_up_in_a_gradebook_before_anything_is_computed(tmp_path: Path) -> None:
    opened = classroom()
    header = "Student,ID,SIS User ID,SIS Login ID,Section,Essay (1)\n"
    own, other, kind = tmp_path / "own.csv", tmp_path / "other.csv", GradebookRequest
    own.write_text(header + "".join(f"Name {k},{1000 + k},,,A,\n" for k in range(6)))
    check_gradebooks(opened, [kind("canvas", own), kind("canvas"), kind("csv")])
    # The idle person of the class is in the gradebook, but no grader is.
    other.write_text(header + "Did Nothing,1,,,A,\n" + "Name 3,1003,,,A,\n")
    with pytest.raises(TableError, match=r"Only 1 of 12 graders is in .*other\.csv: .*'ID'"):
        check_gradebooks(opened, [kind("canvas", own), kind("canvas", other)])


@pytest.mark.slow
def test_the_next_week_continues_the_last(tmp_path: Path) -> None:
    whole = classroom(assignments=2, seed=5)
    frame = whole.reports.to_polars()
    first = replace(whole, reports=whole.reports.first(1))
    one = grade(first, Settings(model=FEW))
    write_graded(one, tmp_path / "week1")
    earlier = read_earlier(tmp_path / "week1")
    two = grade(whole, Settings(model=FEW), earlier=earlier)
    # The first assignment is not graded again, although the export has it.
    assert two.reports.assignments == 1
    assert len(two.reports) == frame.filter(pl.col("assignment") == "1").height
    # Both at once are estimated from the same streams, so the second has the same grades.
    both = grade(whole, Settings(model=FEW))
    assert two.posterior.score == pytest.approx(both.posterior.score[-two.reports.submissions :])
    # Points are for the second week; rewards of the first count in those of the semester.
    assert (two.reward_per_review.reviews == one.reward_per_review.reviews).all()
    both_weeks = two.semester_reward_per_review
    assert (both_weeks.reviews == 2 * one.reward_per_review.reviews).all()
    with pytest.raises(TableError, match="nothing new"):
        grade(first, Settings(model=FEW), earlier=earlier)
    with pytest.raises(ParameterError, match="keep the earlier mechanism"):
        grade(whole, Settings(model=FEW, mechanism="mse"), earlier=earlier)
    (tmp_path / "week1" / AUDIT_FILE).write_text("{}")
    with pytest.raises(TableError, match="not the audit"):
        read_earlier(tmp_path / "week1")
    with pytest.raises(TableError, match="give the folder"):
        read_earlier(tmp_path / "none")


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.integers(4, 9), st.integers(1, 3))
def test_any_class_is_graded(seed: int, students: int, assignments: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [
        {"assignment": f"A{a}", "submission": f"s{s}", "grader": f"g{k}",
         "score": float(rng.choice(np.array([0, 5, 10, rng.integers(11)])))}
        for a in range(assignments) for s in range(students) for k in range(students)
        if s != k and rng.random() < 0.5
    ]  # fmt: skip
    if not rows:
        return
    opened = validate(Export(reviews=table("reviews", rows), format="made"), scale="0..10")
    found = grade(opened, Settings(model=replace(FEW, draws=20)))
    assert np.isfinite(found.posterior.score).all()
    assert list(check_audit(json.loads(write_audit(audit(found))))) == []
    assert all(line for line in found.headlines())
    assert grades_table(found).height == opened.reports.submissions


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"level": 1.5}, "between 0 and 1"),
        ({"budget": -1}, "budget"),
        ({"points": "many"}, "not a rule for points"),
        ({"mechanism": "msep"}, "did you mean"),
    ],
)
def test_invalid_settings_are_refused(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(Exception, match=words):
        Settings(**wrong)  # type: ignore[arg-type]
