"""Final marks: hand-worked cases, every kind of missing part, deductions, and whole classes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass, Settings
from peergauge.classroom.grade.final_mark import (
    FinalMark,
    FinalMarks,
    OwedReviews,
    PersonParts,
    WorkGrade,
    check_final_marks,
    final_mark,
    final_marks,
    final_sentences,
    work_grade,
)
from peergauge.classroom.grade.settings import FinalRules, GradeRules, OwedRules
from peergauge.classroom.grade.tables import gradebook_marks, marks_table
from peergauge.core.errors import ParameterError
from peergauge.exports.records import table
from peergauge.tables import Scale
from tests.classroom.grade import classes

SCALE = Scale(0, 10)
HIGHEST_POINTS = 10.0
pytestmark = pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")


def settings(*, owed: OwedRules | None = None, grades: GradeRules | None = None,
             points: str = "5..10", **final: Any) -> Settings:  # fmt: skip
    """Settings with final marks."""
    return Settings(
        points=points,
        final=FinalRules(use=True, **final),
        owed=owed or OwedRules(),
        grades=grades or GradeRules(),
    )


def parts(
    *grades: float | None,
    points: float | str | None = 9.0,
    reviews: int = 4,
    excluded: int = 0,
    reviewing: OwedReviews | None = None,
    submissions: Sequence[int] = (0,),
) -> PersonParts:
    """A person with a grade for each assignment; None for no submission."""
    work = tuple(
        WorkGrade(f"A{place}", tuple(submissions) if grade is not None else (), grade)
        for place, grade in enumerate(grades, 1)
    )
    return PersonParts(
        "ann", work, points, reviews if points is not None else 0, excluded, reviewing
    )


def mark(some: PersonParts, chosen: Settings, scale: Scale = SCALE) -> FinalMark:
    """The final mark of a person."""
    return final_mark(some, chosen, scale, HIGHEST_POINTS)


def test_eighty_twenty_by_hand() -> None:
    found = mark(parts(7.5, points=9.0), settings())
    assert (found.work_percent, found.work_part) == (75, 60)
    assert (found.reviewing_percent, found.reviewing_part) == (90, 18)
    assert (found.mark, found.missing, found.deduction) == (78, (), 0)


def test_a_mark_out_of_another_maximum_is_rounded_and_has_a_letter() -> None:
    chosen = settings(out_of=20, round_to=0.5, letters="A>=80%,B>=14,C".replace(">=14", ">=70%"))
    found = mark(parts(7.5, points=9.0), chosen)
    # 12 + 3.6 = 15.6 becomes 15.5, which is 77.5 percent.
    assert (found.total, found.mark, found.letter) == (15.6, 15.5, "B")


def test_percentages_from_the_lowest_grade() -> None:
    chosen = settings(work=100, reviewing=0, grades=GradeRules(percent_of="range"))
    assert mark(parts(4, points=None), chosen, Scale(1, 5)).mark == 75


def test_several_assignments_count_alike() -> None:
    assert mark(parts(6, 8, 10), settings(work=100, reviewing=0)).mark == 80


def test_letters_for_reviewing_are_worth_percentages() -> None:
    chosen = settings(points="A:50,B:50", letter_percent="A:100,B:70")
    found = mark(parts(5, points="B"), chosen)
    assert (found.reviewing_percent, found.mark) == (70, 54)
    assert "your letter is B, which is 70.00 %" in told(chosen, found)


@pytest.mark.parametrize(
    ("some", "missing", "said", "expected"),
    [
        (parts(None), "empty", "no submission", None),
        (parts(None), "zero", "no submission", 18.0),
        (parts(None), "ignore", "no submission", 90.0),
        (parts(7, points=None), "empty", "no review", None),
        (parts(7, points=None), "zero", "no review", 56.0),
        (parts(7, points=None), "ignore", "no review", 70.0),
        (parts(None, points=None), "empty", "no review", None),
        (parts(None, points=None), "zero", "no review", 0.0),
        (parts(None, points=None), "ignore", "no review", None),
        (parts(7, None), "empty", "no submission in A2", None),
        (parts(7, None), "zero", "no submission in A2", 46.0),
        (parts(7, None), "ignore", "no submission in A2", 74.0),
    ],
)
def test_a_missing_part_is_listed_and_never_silently_zero(
    some: PersonParts, missing: str, said: str, expected: float | None
) -> None:
    found = mark(some, settings(missing=missing))
    assert said in found.missing
    assert found.mark == expected


@pytest.mark.parametrize("missing", ["zero", "ignore"])
def test_nobody_gets_a_zero_for_reviews_that_were_never_assigned(missing: str) -> None:
    for known in (OwedReviews(0, 0), OwedReviews(2, 0, 2)):
        found = mark(parts(7, points=None, reviewing=known), settings(missing=missing))
        assert (found.mark, found.work_share, found.reviewing_share) == (70, 100, 0)
    not_rewarded = PersonParts("ann", (WorkGrade("A", (0,), 7.0),), None, 3)
    assert mark(not_rewarded, settings(missing=missing)).mark == 70
    assert mark(not_rewarded, settings()).missing == ("no rewarded review",)


def test_nobody_gets_a_zero_for_a_submission_without_a_grade() -> None:
    ungraded = PersonParts("ann", (WorkGrade("A", (0,), None),), 9.0, 4)
    unreviewed = PersonParts("ann", (WorkGrade("A", (), None, unreviewed=1),), 9.0, 4)
    for one in (ungraded, unreviewed):
        found = mark(one, settings(missing="zero"))
        assert (found.mark, found.missing) == (None, ("submission without a grade",))
        assert mark(one, settings(missing="ignore")).mark == 90


def test_nobody_gains_by_doing_none_of_the_assigned_reviews() -> None:
    lazy = parts(7, points=None, reviewing=OwedReviews(4, 0))
    assert mark(lazy, settings(missing="ignore")).mark is None
    assert mark(lazy, settings(missing="zero")).mark == 56
    in_proportion = settings(owed=OwedRules("proportion"))
    assert mark(lazy, in_proportion).mark == 56
    cheat = parts(7, points=None, excluded=4)
    assert mark(cheat, settings(missing="ignore")).mark is None
    assert mark(cheat, settings()).missing == ("all reviews excluded",)


@pytest.mark.parametrize(
    ("owed", "deduction"),
    [
        (OwedRules(), 0.0),
        (OwedRules("proportion"), 13.5),
        (OwedRules("per review", each=5, unit="percent"), 3.0),
        (OwedRules("per review", each=5, unit="points"), 15.0),
        (OwedRules("per review", each=5, unit="points", most=8), 8.0),
        (OwedRules("per review", each=9, unit="points"), 18.0),
        (OwedRules("per review", each=9, unit="points", taken_from="mark"), 27.0),
        (OwedRules("per review", each=9, unit="percent", taken_from="mark"), 27.0),
        (OwedRules("per review", each=50, unit="points", taken_from="mark"), 78.0),
    ],
)
def test_assigned_four_did_one(owed: OwedRules, deduction: float) -> None:
    some = parts(7.5, points=9.0, reviews=1, reviewing=OwedReviews(4, 1))
    found = mark(some, settings(owed=owed))
    assert (found.deduction, found.mark) == (deduction, 78 - deduction)


def test_declined_and_extra_reviews_are_not_owed() -> None:
    assert OwedReviews(4, 1, 1).owed == 2
    assert OwedReviews(2, 5).owed == 0


def test_several_submissions_count_by_their_mean_or_the_best_one() -> None:
    assert work_grade([6, 9, np.nan], settings()) == 7.5
    assert work_grade([6, 9, np.nan], settings(several="best")) == 9
    assert work_grade([np.nan], settings()) is None


# ----------------------------------------------------------------------------- printed numbers


def told(chosen: Settings, row: FinalMark) -> str:
    """The explanation of a mark."""
    marks = FinalMarks((row,), "Final mark", chosen, SCALE, HIGHEST_POINTS)
    return " ".join(final_sentences(marks, row))


@given(
    grade=st.floats(0, 10),
    points=st.floats(5, 10),
    work=st.integers(0, 100),
    out_of=st.sampled_from([6, 20, 100]),
    done=st.integers(0, 4),
    rule=st.sampled_from(["none", "per review", "proportion"]),
)
def test_the_printed_numbers_give_the_printed_mark(
    grade: float, points: float, work: int, out_of: float, done: int, rule: Any
) -> None:
    chosen = settings(
        work=float(work), reviewing=100.0 - work, out_of=out_of, owed=OwedRules(rule, each=7)
    )
    some = parts(round(grade, 4), points=round(points, 4), reviewing=OwedReviews(4, done))
    row = mark(some, chosen)
    text = told(chosen, row).replace("−", "-")
    found = re.search(
        r"([0-9.]+)(?: \+ ([0-9.]+))?(?: - ([0-9.]+))? = ([0-9.]+),.*: ([0-9.]+)\.$", text
    )
    assert found, text
    one, two, minus, total, final = (float(number or 0) for number in found.groups())
    assert one + two - minus == pytest.approx(total, abs=1e-9)
    assert abs(total - final) <= 0.005 + 1e-9
    shares = {
        "work": (work, row.parts.work[0].grade or 0.0, 10),
        "reviewing": (100 - work, some.points, 10),
    }
    for share, printed_value, highest in shares.values():
        assert isinstance(printed_value, float)
        part = out_of * share / 100 * round(100 * printed_value / highest, 4) / 100
        assert not share or any(abs(part - other) <= 5.1e-5 for other in (one, two))


def test_an_open_mark_says_what_is_missing() -> None:
    chosen = settings()
    assert told(chosen, mark(parts(None), chosen)) == (
        "There is no final mark yet, because something is missing: no submission."
    )


def test_owed_reviews_and_missing_parts_are_explained() -> None:
    chosen = settings(owed=OwedRules("per review", each=5))
    some = parts(7.5, reviews=1, reviewing=OwedReviews(4, 1))
    text = told(chosen, mark(some, chosen))
    assert "You were assigned 4 reviews, did 1, so that 3 are missing: 3 × 5 percent of the" in text
    assert "60.00 + 18.00 − 3.00 = 75.00, rounded to steps of 0.01, halves up: 75.00." in text
    ignoring = settings(missing="ignore")
    text = told(ignoring, mark(parts(7, points=None), ignoring))
    assert "Missing: no review. It does not count, and the rest counts for the whole mark." in text
    zero = settings(missing="zero")
    text = told(zero, mark(parts(7, points=None), zero))
    assert "Missing: no review. It counts as zero." in text


# --------------------------------------------------------------------------------- whole classes


def graded_class(**options: Any) -> GradedClass:
    """A small class with final marks."""
    rules = replace(classes.SETTINGS, final=FinalRules(use=True), **options.pop("rules", {}))
    return classes.graded(settings=rules, gaming=None, **options)


def assigned(*rows: tuple[str, str, int, int, int]) -> pl.DataFrame:
    """A table of assigned reviews."""
    names = ["assignment", "person", "assigned", "done", "declined"]
    return pl.DataFrame(rows, schema=names, orient="row")


def test_everybody_has_a_row_and_the_gradebook_a_title() -> None:
    graded = graded_class(names={3: "Ada"})
    marks = graded.final
    assert marks is not None
    assert marks.title == "Final mark, A1"
    assert {row.person for row in marks.rows} == {f"p{k}" for k in range(12)}
    found = marks_table(graded)
    assert found is not None
    assert found.filter(pl.col("person") == "p3")["name"].to_list() == ["Ada"]
    book = gradebook_marks(graded)
    assert book.highest[marks.title] == 100
    assert sorted(x for x in book.of(marks.title) if x is not None) == sorted(
        row.mark for row in marks.rows if row.mark is not None
    )
    assert next(iter(marks.lines())).startswith("Final marks out of 100: 12 people; their mean is")


def test_members_of_a_group_share_a_grade_and_others_have_none() -> None:
    graded = graded_class()
    both = pl.concat(
        [graded.opened.submissions.head(1),
         table("submissions", [{"assignment": "A1", "submission": "s0", "author": "guest"}]),
         table("submissions", [{"assignment": "A1", "submission": "nobody-saw", "author": "late"}])]
    )  # fmt: skip
    opened = replace(graded.opened, submissions=both)
    marks = final_marks(replace(graded, opened=opened))
    author = graded.opened.submissions["author"][0]
    one, other = marks.of(author), marks.of("guest")
    assert one is not None
    assert other is not None
    assert one.parts.work == other.parts.work
    assert other.missing == ("no review",)
    late = marks.of("late")
    assert late is not None
    assert late.missing == ("submission without a grade", "no review")
    assert marks.of("nobody") is None


def test_assigned_reviews_are_added_up_over_the_assignments_of_the_run() -> None:
    graded = graded_class(assignments=2)
    marks = final_marks(
        graded,
        assigned(("A1", "p0", 3, 2, 0), ("A2", "p0", 3, 3, 0), ("A9", "p0", 7, 0, 0),
                 ("A1", "gone", 3, 0, 0)),
    )  # fmt: skip
    row, gone, other = marks.of("p0"), marks.of("gone"), marks.of("p1")
    assert row is not None
    assert row.parts.reviewing == OwedReviews(6, 5, 0)
    assert gone is not None
    assert gone.parts.reviewing == OwedReviews(3, 0, 0)
    assert other is not None
    assert other.parts.reviewing == OwedReviews(0, 0, 0)
    assert any("assigned 6, did 5" in line for line in marks.lines())
    found = marks_table(replace(graded, assigned=assigned(("A1", "p0", 3, 2, 0))))
    assert found is not None
    assert found.filter(pl.col("person") == "p0")["owed"].to_list() == [1]


def test_where_assigned_reviews_are_not_known_nobody_owes_any() -> None:
    graded = graded_class(assignments=2)
    unknown = pl.DataFrame(
        {"person": ["p0", "p0", "p1"], "assignment": ["A1", "A2", "A2"],
         "assigned": [4, None, None], "done": [3, 3, 3], "declined": [0, None, None]}
    )  # fmt: skip
    marks = final_marks(graded, unknown)
    first, second = marks.of("p0"), marks.of("p1")
    assert first is not None
    assert second is not None
    assert first.parts.reviewing == OwedReviews(4, 3, 0)
    assert second.parts.reviewing is None
    nothing = unknown.filter(pl.col("assigned").is_null())
    with pytest.raises(ParameterError, match="give --assigned FILE"):
        check_final_marks(graded.opened, settings(owed=OwedRules("proportion")), nothing)


def test_staff_get_no_mark() -> None:
    graded = graded_class()
    people = table("people", [{"person": "prof", "role": "staff"}, {"person": "idle"}])
    marks = final_marks(replace(graded, opened=replace(graded.opened, people=people)))
    assert marks.of("prof") is None
    assert marks.of("idle") is not None
    zero = replace(graded.settings, final=FinalRules(use=True, missing="zero"))
    opened = replace(graded.opened, people=people)
    told = list(final_marks(replace(graded, opened=opened, settings=zero)).lines())
    assert "1 person has neither a submission nor a review and gets 0: idle." in told


def test_a_class_without_authors_or_assigned_reviews_is_refused_before_computing() -> None:
    opened = graded_class(authors=False).opened
    with pytest.raises(ParameterError, match="who wrote which submission"):
        check_final_marks(opened, settings(), None)
    check_final_marks(opened, Settings(), None)
    check_final_marks(opened, settings(work=0, reviewing=100), None)
    with pytest.raises(ParameterError, match="give --assigned FILE"):
        check_final_marks(graded_class().opened, settings(owed=OwedRules("proportion")), None)


@pytest.mark.parametrize("out_of", [0.0, -1.0, float("nan"), float("inf"), 1e308])
def test_an_impossible_maximum_of_the_mark_is_refused(out_of: float) -> None:
    with pytest.raises(ParameterError, match=r"^The final mark is out of a number above 0, and at"):
        settings(out_of=out_of)
