"""Validation: every review is kept or accounted for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import ScaleError, TableError, UnknownNameError
from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Export, Note, Role, State, table
from peergauge.exports.validate import (
    UNCOUNTED_NOTE,
    OpenedClass,
    first_rows,
    shape_of,
    true_scores,
    validate,
    validate_each,
)
from peergauge.testing.classes import class_of


def review(submission: str | None, grader: str | None, score: float | None, **more: Any) -> Any:
    return {"submission": submission, "grader": grader, "score": score, **more}


def room(*reviews: Any, **more: Any) -> OpenedClass:
    numbered = [{"row": number, **one} for number, one in enumerate(reviews, 2)]
    export = Export(
        reviews=table("reviews", numbered),
        submissions=table("submissions", more.pop("submissions", ())),
        truth=table("truth", more.pop("truth", ())),
        format="made",
    )
    return validate(export, **more)


FOUR = (review("s", "x", 7), review("s", "y", 5), review("t", "x", 3), review("t", "y", 10))


def told(found: OpenedClass) -> dict[str, tuple[int, ...]]:
    return {note.text: note.rows for note in found.report.notes}


def test_a_clean_class_is_kept_whole() -> None:
    found = room(*FOUR)
    assert found.report.read == found.report.shape.reviews == 4
    assert found.report.notes == ()
    assert found.reports.grade.tolist() == [7, 5, 3, 10]
    assert found.truth is None


def test_what_is_left_out_is_told_with_its_rows() -> None:
    found = room(
        *FOUR,
        review(None, "x", 7),
        review("s", None, 7),
        review("t", "z", None, state=State.ASSIGNED.value),
        review("s", "z", None),
        review("s", "x", 7, role=Role.SELF.value),
        review("s", "w", 7, role=Role.CALIBRATION.value),
        scale="0..10",
    )
    assert told(found) == {
        "1 review: no submission is named": (6,),
        "1 review: no grader is named": (7,),
        "1 review: assigned, but not done": (8,),
        "1 review: no score is given": (9,),
        "1 review: a review of one's own work": (10,),
        "1 review: a review for practice": (11,),
    }
    assert found.report.dropped == 6


def test_reviews_that_are_given_again() -> None:
    found = room(*FOUR, review("s", "x", 7), review("t", "y", 9))
    assert told(found) == {
        "1 review: given twice with the same score; once is kept": (2,),
        "1 review: given again with another score; the last one is kept": (5,),
    }
    assert found.reports.grade.tolist() == [7, 5, 3, 9]


def test_ones_own_work_is_found_by_its_author_and_by_its_group() -> None:
    authors = [{"submission": "s", "author": "x"}, {"submission": "s", "author": "z"}]
    found = room(*FOUR, review("s", "z", 9), submissions=authors)
    assert told(found) == {"2 reviews: a review of one's own work": (2, 6)}


def test_grades_off_the_scale_are_left_out() -> None:
    found = room(*FOUR, review("s", "z", 11), review("t", "z", 4.5), scale="0..10")
    assert told(found) == {"2 reviews: off the scale 0..10": (6, 7)}


@pytest.mark.parametrize(
    ("scores", "scale"),
    [
        ((7, 5, 3, 10), "0..10"),
        ((3, 5, 1, 4), "0..5"),
        ((85, 92, 77, 64), "0..100"),
        ((7.5, 5, 3, 10), "0..10:0.5"),
        ((7.1, 5, 3, 10), "0..10:0.1"),
        ((7.13, 5, 3, 10), "0..10:any"),
        ((-1, 0, 1, 1), "-1..1"),
        ((23, 25, 12, 9), "0..25"),
        ((0, 0, 0, 0), "0..1"),
    ],
)
def test_a_scale_is_guessed_from_the_grades(scores: tuple[float, ...], scale: str) -> None:
    reviews = [{**one, "score": score} for one, score in zip(FOUR, scores, strict=True)]
    found = room(*reviews)
    assert found.report.scale == scale
    assert found.report.scale_from == "guessed from the grades"


def test_where_many_graded_and_nobody_gave_0_a_scale_begins_at_1() -> None:
    stars = [review(f"s{n}", f"g{n % 7}", 1 + n % 5) for n in range(40)]
    assert room(*stars).report.scale == "1..5"
    assert room(*stars[:10]).report.scale == "0..5"
    assert room(*stars, review("s", "g", 0)).report.scale == "0..5"


def test_a_scale_that_the_export_tells_is_taken() -> None:
    found = room(*({**one, "highest": 20.0} for one in FOUR))
    assert (found.report.scale, found.report.scale_from) == ("0..20", "as the export says")


def test_maxima_that_differ_make_percents_of_grades_and_true_scores() -> None:
    first = [{**one, "assignment": "A", "highest": 10.0} for one in FOUR]
    second = [{**one, "assignment": "B", "highest": 20.0} for one in FOUR]
    truth = [
        {"assignment": "A", "submission": "s", "score": 6.0},
        {"assignment": "B", "submission": "s", "score": 6.0},
    ]
    found = room(*first, *second, truth=truth)
    assert found.report.scale == "0..100:any"
    assert found.reports.grade.tolist() == [70, 50, 30, 100, 35, 25, 15, 50]
    assert found.truth is not None
    assert found.truth.score.tolist() == [60, 30]


def test_a_true_score_may_have_a_highest_of_its_own() -> None:
    grades = [{**one, "highest": top} for one, top in zip(FOUR, (10.0, 20.0) * 2, strict=True)]
    truth = [
        {"submission": "s", "score": 12.0, "highest": 20.0},
        {"submission": "t", "score": 3.0},
    ]
    found = room(*grades, truth=truth)
    assert found.reports.grade.tolist() == [70, 25, 30, 50]
    assert found.truth is not None
    assert found.truth.score.tolist() == [60, 30]


def test_a_grade_without_a_maximum_cannot_be_put_beside_maxima_that_differ() -> None:
    tops = (10.0, 20.0, None, 20.0)
    grades = [{**one, "highest": top} for one, top in zip(FOUR, tops, strict=True)]
    assert told(room(*grades)) == {
        "1 review: other grades say out of how much, and differ": (4,),
    }
    assert len(room(*grades, scale="0..10").reports) == 4


def test_no_reviews_at_all_are_told_from_none_that_are_left() -> None:
    with pytest.raises(TableError, match=r"^There are no reviews of peers in the export"):
        room(truth=[{"submission": "s", "score": 3.0}])


def rubric(grader: str, *scores: float | None) -> list[Any]:
    return [
        review("s", grader, score, criterion=name, highest=10.0)
        for name, score in zip(("idea", "style"), scores, strict=True)
    ]


def test_criteria_are_summed_or_scored_one_by_one() -> None:
    reviews = [*rubric("x", 6, 3), *rubric("y", 8, 9)]
    found = room(*reviews)
    assert found.reports.grade.tolist() == [9, 17]
    assert found.report.scale == "0..20"
    assert found.report.criteria == ("idea", "style")
    assert room(*reviews, criterion="style").reports.grade.tolist() == [3, 9]
    with pytest.raises(UnknownNameError, match="did you mean 'style'"):
        room(*reviews, criterion="stile")


def test_each_criterion_is_a_class_and_their_sums_are_the_total() -> None:
    rng = np.random.default_rng(5)
    names = ("idea", "style", "form")
    given = {
        (f"s{s}", f"g{g}"): rng.integers(0, 6, len(names))
        for s in range(6)
        for g in range(5)
        if (s + g) % 3
    }
    reviews = [
        review(work, grader, float(score), criterion=name, highest=5.0)
        for (work, grader), scores in given.items()
        for name, score in zip(names, scores, strict=True)
    ]
    staff = [
        review("s0", "ta", score, criterion=name, role=Role.STAFF.value)
        for name, score in zip(names, (1.0, 2.0, 4.0), strict=True)
    ]
    export = Export(reviews=table("reviews", [*reviews, *staff]))
    each = validate_each(export)
    assert list(each) == list(names)
    for place, name in enumerate(names):
        found = each[name].reports.to_polars()
        scores = {row[1:3]: row[3] for row in found.iter_rows()}
        assert scores == {key: scores[place] for key, scores in given.items()}
        assert each[name].report.scale == "0..5"
    whole = validate(export)
    assert whole.report.scale == "0..15"
    sums = np.sum([one.reports.grade for one in each.values()], axis=0)
    assert np.array_equal(sums, whole.reports.grade)
    truths = [one.truth.score.tolist() for one in each.values() if one.truth is not None]
    assert truths == [[1.0], [2.0], [4.0]]
    assert whole.truth is not None
    assert whole.truth.score.tolist() == [7.0]


def test_a_criterion_that_no_peer_scored_is_told() -> None:
    only_staff = review("s", "ta", 3, criterion="secret", role=Role.STAFF.value)
    export = Export(reviews=table("reviews", [*rubric("x", 6, 3), *rubric("y", 8, 9), only_staff]))
    each = validate_each(export)
    assert list(each) == ["idea", "style"]
    assert all(
        "No peer has a score on the criterion 'secret'." in told(one) for one in each.values()
    )


def test_a_class_without_a_rubric_has_no_criteria() -> None:
    with pytest.raises(TableError, match="No review has scores by criterion"):
        validate_each(Export(reviews=table("reviews", FOUR)))


def test_a_criterion_is_not_blamed_for_another() -> None:
    reviews = [*rubric("x", 6, None), *rubric("y", 8, 9), review("s", "z", 7, highest=10.0)]
    found = room(*reviews, criterion="idea")
    assert found.reports.grade.tolist() == [6, 8]
    assert told(found) == {"1 review: has a total, but no score on the criterion": (6,)}


def test_reviews_of_weight_0_are_kept_and_told() -> None:
    reviews = [{**one, "weight": 0.0 if one["grader"] == "x" else 2.0} for one in FOUR]
    found = room(*reviews)
    assert found.reports.grade.tolist() == [7, 5, 3, 10]
    assert told(found) == {f"2 reviews: {UNCOUNTED_NOTE}": (2, 4)}


def test_a_rubric_of_weight_0_is_one_review_in_the_note() -> None:
    uncounted = [{**one, "weight": 0.0} for one in rubric("x", 6, 3)]
    found = room(*uncounted, *rubric("y", 8, 9))
    assert told(found) == {f"1 review: {UNCOUNTED_NOTE}": (2,)}


def test_a_class_of_truth_alone_is_refused() -> None:
    with pytest.raises(TableError, match="There are no reviews of peers in the export"):
        room(truth=[{"submission": "s", "score": 6.0}])


def test_a_scale_that_the_export_tells_whole_is_taken_unless_one_is_given() -> None:
    export = Export(reviews=table("reviews", FOUR), scale="0..20:0.5")
    assert validate(export).report.scale == "0..20:0.5"
    assert validate(export, scale="0..10").report.scale == "0..10"


def test_a_total_goes_before_the_sum_of_its_criteria() -> None:
    found = room(
        *rubric("x", 6, 3), review("s", "x", 7, highest=10.0), review("s", "y", 5, highest=10.0)
    )
    assert found.reports.grade.tolist() == [7, 5]


def test_staff_may_grade_only_what_no_peer_has_graded() -> None:
    staff = [review(work, "t", 3, role=Role.STAFF.value, highest=9.0) for work in ("s8", "s9")]
    found = room(review("s", "x", 2, highest=9.0), review("s", "y", 4, highest=9.0), *staff)
    assert found.report.truth == 2


def test_criteria_beside_totals_leave_the_scale_as_it_is_stated() -> None:
    """Nothing is guessed or asked about criteria that only make up a total."""
    rows = [
        one
        for number, grader in enumerate("uvwxyz")
        for one in (*rubric(grader, number, 70), review("s", grader, number, highest=9.0))
    ]
    found = room(*rows)
    assert (found.report.scale, found.report.scale_from) == ("0..9", "as the export says")
    assert found.interpretation.questions == ()


def test_half_a_rubric_beside_totals_is_no_review() -> None:
    """The criteria of reviews that have totals say how many criteria a rubric has."""
    whole = [*rubric("x", 6, 3), review("s", "x", 9), *rubric("y", 8, 1), review("s", "y", 9)]
    found = room(*whole, *rubric("z", 8, None))
    assert found.reports.graders == 2
    assert "1 review: a criterion of the rubric has no score" in told(found)


def test_a_rubric_that_is_not_filled_in_is_no_review() -> None:
    found = room(*rubric("x", 6, 3), *rubric("y", 8, 9), *rubric("z", 8, None))
    assert found.reports.graders == 2
    assert "1 review: a criterion of the rubric has no score" in told(found)


def test_staff_tell_the_truth() -> None:
    staff = [
        review("s", "ta", 8, role=Role.STAFF.value),
        review("s", "prof", 9, role=Role.STAFF.value),
    ]
    found = room(*FOUR, *staff)
    assert found.truth is not None
    assert found.truth.scores_of(found.reports)[0] == 8.5
    assert np.isnan(found.truth.scores_of(found.reports)[1])
    assert told(found) == {"2 reviews: by staff, taken for the true score": (6, 7)}


def test_a_table_of_true_scores_goes_before_staffs_reviews() -> None:
    staff = review("s", "ta", 8, role=Role.STAFF.value)
    found = room(*FOUR, staff, truth=[{"submission": "s", "score": 6.0}])
    assert found.truth is not None
    assert found.truth.score.tolist() == [6.0]


def test_how_a_class_hangs_together() -> None:
    found = room(*FOUR, review("u", "z", 7), review("v", "w", 7), review("v", "q", 8))
    shape = found.report.shape
    assert (shape.thin_submissions, shape.lone_graders, shape.parts) == (1, 1, (2, 2, 1))
    text = "\n".join(found.report.lines())
    assert "With a single grader: 1 submission." in text
    assert "falls into 3 parts" in text


def test_a_class_without_any_review_is_refused_with_the_reason() -> None:
    with pytest.raises(TableError, match="2 that were read; 2 reviews: assigned, but not done"):
        room(
            review("s", "x", None, state=State.ASSIGNED.value),
            review("s", "y", None, state=State.ASSIGNED.value),
        )


names = st.sampled_from(["a", "b", "c", None])


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "submission": names,
                "grader": names,
                "score": st.sampled_from([0.0, 3.0, 7.5, 12.0, None]),
                "role": st.sampled_from([one.value for one in Role]),
                "state": st.sampled_from([one.value for one in State]),
            }
        ),
        max_size=25,
    )
)
def test_every_review_is_kept_or_in_a_note(reviews: list[Any]) -> None:
    try:
        found = room(*reviews, scale="0..10:0.5")
    except TableError:
        return
    noted = [row for note in found.report.notes for row in note.rows]
    assert len(noted) == len(set(noted))
    assert len(noted) + found.report.shape.reviews == len(reviews) == found.report.read


def test_the_report_is_told_to_machines_too() -> None:
    told = room(*FOUR, review(None, "x", 7)).report.as_json()
    assert told["shape"]["graders"] == 2
    assert told["notes"][0]["rows"] == (6,)


def test_lone_graders_are_told_and_only_where_there_are_any() -> None:
    clean = "\n".join(room(*FOUR).report.lines())
    assert "no submission with anybody" not in clean
    assert "With a single grader" not in clean
    assert "falls into" not in clean
    lone = "\n".join(room(*FOUR, review("u", "z", 7)).report.lines())
    assert "Sharing no submission with anybody: 1 grader." in lone


def test_a_platform_is_believed_where_a_typed_table_is_asked_about_units() -> None:
    """Platforms refuse a grade off the scale, so 8 out of 100 is what somebody gave there."""
    percents = [review(f"s{n}", f"g{n % 5}", 50.0 + n, highest=100.0) for n in range(20)]
    tenths = [review(f"s{n}", f"h{n}", float(6 + n), highest=100.0) for n in range(3)]
    rows = table("reviews", [*percents, *tenths])
    asked = {
        kind: [
            one.key
            for one in validate(Export(reviews=rows, format=kind)).interpretation.open_questions
        ]
        for kind in ("table", "people+table", "made")
    }
    assert asked == {"table": ["mixed scales"], "people+table": ["mixed scales"], "made": []}


def test_grades_and_true_scores_on_scales_that_begin_at_1_are_made_percents() -> None:
    """On 1..5 a 3 is half of the way, and on 1..9 a 5; a true score has no lowest of its own."""
    first = [
        {**one, "lowest": 1.0, "highest": 5.0, "score": s}
        for one, s in zip(FOUR, (1, 3, 5, 2), strict=True)
    ]
    second = [
        {**one, "assignment": "B", "lowest": 1.0, "highest": 9.0, "score": s}
        for one, s in zip(FOUR, (1, 5, 9, 3), strict=True)
    ]
    found = room(*({**one, "assignment": "A"} for one in first), *second)
    assert found.report.scale == "0..100:any"
    assert found.reports.grade.tolist() == [0, 50, 100, 25] * 2


def test_true_scores_on_a_scale_that_begins_at_1_are_taken_as_they_are() -> None:
    """Also the lowest one. Where the lowest grade is the best, they are turned with the grades."""
    stars = [review(f"s{n}", f"g{k}", 1.0 + (n + k) % 5) for n in range(10) for k in range(3)]
    truth = [{"submission": f"s{n}", "score": 1.0 + n % 5} for n in range(10)]
    found = room(*stars, truth=truth, scale="1..5")
    assert found.truth is not None
    assert found.truth.scores_of(found.reports).tolist() == [1, 2, 3, 4, 5] * 2
    export = Export(
        reviews=table("reviews", stars),
        truth=table("truth", truth),
        lowest_is_best=frozenset({""}),
        format="made",
    )
    turned = validate(export, scale="1..5")
    assert turned.truth is not None
    np.testing.assert_array_equal(
        turned.truth.scores_of(turned.reports), 6 - found.truth.scores_of(found.reports)
    )


def test_no_grade_on_the_given_scale_is_refused() -> None:
    with pytest.raises(TableError, match=r"No review lies on the scale 20\.\.30; give another"):
        room(*FOUR, scale="20..30")


def test_a_class_of_practice_alone_is_refused_with_that_reason() -> None:
    practice = [{**one, "role": Role.CALIBRATION.value} for one in FOUR]
    with pytest.raises(TableError, match="4 that were read; 4 reviews: a review for practice"):
        room(*practice)


def test_long_notes_name_the_first_rows_and_count_the_others() -> None:
    off = [review(f"s{n}", "z", 11.0) for n in range(10)]
    found = room(*FOUR, *off, scale="0..10")
    (line,) = (one for one in found.report.lines(most=3) if "off the scale" in one)
    assert line == "dropped: 10 reviews: off the scale 0..10 (rows 6, 7, 8 and 7 more)"


# --- boundaries, each worked by hand

INF, NAN = float("inf"), float("nan")
STATED = "as the export says"


def stated(off: int, on: int, **more: Any) -> list[Any]:
    """Reviews out of 10 of which *off* have an 11."""
    scores = [11.0] * off + [float(n % 11) for n in range(on)]
    return [
        review(f"s{n}", f"g{n % 9}", score, highest=10.0, **more) for n, score in enumerate(scores)
    ]


@pytest.mark.parametrize(
    ("off", "on", "asked"),
    [(2, 0, False), (2, 8, False), (3, 8, True), (3, 57, True), (3, 58, False), (4, 76, True)],
)
def test_a_stated_scale_is_in_doubt_from_three_grades_and_a_twentieth_on(
    off: int, on: int, asked: bool
) -> None:
    """A twentieth of 60 is three, and of 61 more than three."""
    found = room(*stated(off, max(on, 1)))
    open_keys = [one.key for one in found.interpretation.open_questions]
    assert open_keys == (["off the scale"] if asked else [])
    assert found.report.dropped == off


def test_the_question_about_a_stated_scale_names_numbers_and_rows() -> None:
    (question,) = room(*stated(3, 8)).interpretation.open_questions
    assert question.text == (
        "3 of 11 grades are off the scale 0..10 that the files state, up to 11 (rows 2, 3, 4). "
        "Which scale is it?"
    )
    assert [one.meaning for one in question.choices] == [
        "the scale is 0..10, and 3 are left out",
        "the scale is 0..20, and all 11 are kept",
    ]


def test_grades_at_both_ends_of_a_scale_and_between_its_steps() -> None:
    scores = (2, 4, 2.5, 3.0000001, 3.00001, 1.999, 4.001)
    reviews = [review("s", f"g{n}", score) for n, score in enumerate(scores)]
    found = room(*reviews, review("t", "g0", 3), scale="2..4")
    # 2.5 lies between steps, and 3.00001 further from a step than rounding takes it.
    assert told(found) == {"4 reviews: off the scale 2..4": (4, 6, 7, 8)}
    assert len(found.reports) == 4
    # A millionth of a step is rounding, too.
    assert told(room(*FOUR, review("s", "z", 1e-6), scale="0..10")) == {}
    steps = room(*FOUR, review("s", "z", 6.5), review("t", "z", 6.25), scale="3..10:0.5")
    assert told(steps) == {"1 review: off the scale 3..10:0.5": (7,)}
    assert len(room(*reviews, scale="2..4:any").reports) == 5


def test_what_was_left_out_most_is_named_in_a_refusal_three_reasons_at_most() -> None:
    given = [
        review(None, "x", 7),
        review("s", None, 7),
        review("s", "x", 7, role=Role.SELF.value),
        review("s", "y", 7, role=Role.CALIBRATION.value),
    ]
    with pytest.raises(TableError) as refused:
        room(*given)
    assert str(refused.value) == (
        "No review of a peer is left of the 4 that were read; 1 review: no submission is named; "
        "1 review: no grader is named; 1 review: a review of one's own work."
    )
    with pytest.raises(TableError, match="that were read; they are of staff or for practice"):
        room(review("s", "ta", 7, role=Role.STAFF.value))


def test_a_class_is_shown_by_its_first_eight_reviews() -> None:
    reviews = [review(f"s{n}", f"g{n % 3}", 5.0) for n in range(12)]
    rows = first_rows(table("reviews", reviews))
    assert [row["submission"] for row in rows] == [f"s{n}" for n in range(8)]
    assert len(room(*reviews).interpretation.sample) == 8


@pytest.mark.parametrize(
    ("rows", "where"),
    [
        ((), ""),
        ((3,), " (row 3)"),
        ((3, 4), " (rows 3, 4)"),
        (tuple(range(2, 10)), " (rows 2, 3, 4, 5, 6, 7, 8, 9)"),
        (tuple(range(2, 11)), " (rows 2, 3, 4, 5, 6, 7, 8, 9 and 1 more)"),
    ],
)
def test_a_note_has_at_most_eight_row_numbers(rows: tuple[int, ...], where: str) -> None:
    report = replace(room(*FOUR).report, notes=(Note("read", "Something.", rows),))
    assert f"read: Something.{where}" in list(report.lines())


def test_the_lines_of_a_report() -> None:
    found = room(*FOUR, review(None, "x", 7), truth=[{"submission": "s", "score": 6.0}])
    assert list(found.report.lines()) == [
        "Read as made: 5 reviews, 4 of peers kept.",
        "2 graders, 2 submissions, 1 assignment; grades on 0..10 (guessed from the grades).",
        "True scores: 1.",
        "dropped: 1 review: no submission is named (row 6)",
    ]
    assert found.report.files == ()
    assert found.scale_is_guessed
    assert not room(*FOUR, scale="0..10").scale_is_guessed
    parts = [review(f"s{n}", grader, 5.0) for n in range(10) for grader in (f"a{n}", f"b{n}")]
    lines = list(room(*parts).report.lines())
    assert lines[-1] == (
        "The class falls into 10 parts that share no grader (2, 2, 2, 2, 2, 2, 2, 2 graders); "
        "grades of different parts cannot be compared."
    )


def test_the_shape_of_a_class_counts_thin_submissions_and_lone_graders() -> None:
    found = shape_of(
        class_of(
            {"a": {"x": 1, "y": 2, "z": 3}, "b": {"x": 1}, "c": {"w": 1}, "d": {"v": 1, "u": 2}}
        )
    )
    assert (found.reviews, found.graders, found.submissions, found.assignments) == (7, 6, 4, 1)
    assert (found.thin_submissions, found.lone_graders, found.parts) == (2, 1, (3, 2, 1))


CORRELATION = "peergauge.exports.validate.correlation_with"


def contradicting(submissions: int) -> tuple[list[Any], list[Any]]:
    """Grades by peers and true scores in the opposite order."""
    grades = [review(f"s{n}", f"g{k}", 1.0 + n % 5) for n in range(submissions) for k in range(5)]
    return grades, [{"submission": f"s{n}", "score": 5.0 - n % 5} for n in range(submissions)]


@pytest.mark.parametrize(("submissions", "asked"), [(7, False), (8, True)])
def test_the_direction_is_in_doubt_from_eight_submissions_on(submissions: int, asked: bool) -> None:
    grades, truth = contradicting(submissions)
    found = room(*grades, truth=truth, scale="1..5")
    keys = [one.key for one in found.interpretation.open_questions]
    assert keys == (["direction"] if asked else [])
    assert (found.reports.grade[0] == 5) == asked


@pytest.mark.parametrize(
    ("shared", "correlation", "asked"),
    [(8, -0.5, True), (8, -0.49, False), (7, -1.0, False), (8, 0.5, False), (100, -0.51, True)],
)
def test_the_direction_is_in_doubt_up_to_a_correlation_of_minus_one_half(
    shared: int, correlation: float, asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CORRELATION, lambda *_: (shared, correlation))
    found = room(*FOUR, truth=[{"submission": "s", "score": 6.0}], scale="3..10")
    questions = [one for one in found.interpretation.open_questions if one.key == "direction"]
    assert len(questions) == asked
    # On 3..10, a 7 becomes a 6.
    assert found.reports.grade.tolist() == ([6, 8, 10, 3] if asked else [7, 5, 3, 10])
    if asked:
        assert f"true scores of {shared} submissions contradict" in questions[0].text
        assert f"(correlation {correlation:.2f})" in questions[0].text
        assert questions[0].choices[1].meaning.endswith("turned around: 3 becomes 10")
        assert any("3 becomes 10" in note.text for note in found.report.notes)


@pytest.mark.parametrize(
    ("shared", "correlation", "score"),
    [(8, -0.5, 6.0), (8, -0.49, 7.0), (7, -1.0, 7.0), (8, 0.9, 7.0)],
)
def test_true_scores_that_contradict_turned_grades_are_turned_back(
    shared: int, correlation: float, score: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On 3..10 a true score of 6 becomes 7 together with the grades."""
    monkeypatch.setattr(CORRELATION, lambda *_: (shared, correlation))
    export = Export(
        reviews=table("reviews", FOUR),
        truth=table("truth", [{"submission": "s", "score": 6.0}]),
        lowest_is_best=frozenset({""}),
    )
    found = validate(export, scale="3..10")
    assert found.truth is not None
    assert found.truth.score.tolist() == [score]
    assert found.reports.grade.tolist() == [6, 8, 10, 3]


def test_scores_by_staff_are_turned_by_the_scale_of_their_criterion() -> None:
    """On 1..5 a 2 becomes a 4, on 0..10 it stays a 2, and on a scale from 1 by default a 5."""

    def export(lowest: float | None, inverted: frozenset[str]) -> Export:
        rows = [
            review("s", grader, score, criterion=name, lowest=low, highest=high, role=role)
            for name, low, high in (("style", lowest, 5.0), ("idea", 0.0, 10.0))
            for grader, score, role in (("x", 1, "peer"), ("y", 3, "peer"), ("ta", 2, "staff"))
        ]
        return Export(reviews=table("reviews", rows), lowest_is_best=inverted)

    for lowest, inverted, expected in (
        (1.0, frozenset({"style"}), 4.0 + 2.0),
        (None, frozenset({"style"}), 4.0 + 2.0),
        (0.0, frozenset({"style"}), 3.0 + 2.0),
        (1.0, frozenset[str](), 2.0 + 2.0),
    ):
        found = validate(export(lowest, inverted))
        assert found.truth is not None
        assert found.truth.score.tolist() == [expected]


def test_a_table_of_our_own_with_a_grade_off_its_scale_is_refused() -> None:
    def own(*reviews: Any) -> Export:
        rows = [{"row": n, "source": "reports.csv", **one} for n, one in enumerate(reviews, 2)]
        return Export(reviews=table("reviews", rows), exact=True)

    one, two = review("u", "x", 12), review("u", "y", 11.5)
    with pytest.raises(ScaleError) as refused:
        validate(own(*FOUR, one), scale="0..10")
    assert str(refused.value) == (
        "Row 6 of reports.csv has grade 12, which is not on the scale 0..10 (as given); correct "
        "it, or give the scale of this class with --scale."
    )
    with pytest.raises(ScaleError, match=r"^Row 6 of .* \(as given\) \(2 such grades in all: rows"):
        validate(own(*FOUR, one, two), scale="0..10")
    without_source = Export(
        reviews=table("reviews", [{"row": 9, **one}, {"row": 10, **FOUR[0]}]), exact=True
    )
    with pytest.raises(ScaleError, match=r"^Row 9 has grade 12"):
        validate(without_source, scale="0..10")
    assert len(validate(own(*FOUR), scale="0..10").reports) == 4


def test_an_export_without_grades_names_its_files() -> None:
    ungraded = review("s", "x", None)
    with pytest.raises(TableError, match="give the file that says who gave which grade"):
        validate(Export(files=("a.txt", "b.txt")))
    with pytest.raises(TableError, match=r"in a\.txt, b\.txt"):
        validate(Export(files=("a.txt", "b.txt")))
    with pytest.raises(TableError, match="of the 1 that were read"):
        validate(Export(reviews=table("reviews", [ungraded])))


def test_reviews_by_criteria_are_counted_once() -> None:
    found = room(*rubric("x", 6, 3), *rubric("y", 8, 9), *rubric("z", 8, None))
    assert (found.report.read, found.report.shape.reviews, found.report.dropped) == (3, 2, 1)
    assert found.criterion_scores.height == 4
    assert found.reports.grade.tolist() == [9, 17]
    assert room(*FOUR).criterion_scores.height == 0


def test_the_number_of_true_scores_is_that_of_known_ones() -> None:
    found = room(
        *FOUR, truth=[{"submission": "s", "score": 6.0}, {"submission": "t", "score": None}]
    )
    assert found.report.truth == 1
    assert room(*FOUR).report.truth == 0
    assert "True scores: none." in list(room(*FOUR).report.lines())


def test_true_scores_of_an_export_are_those_of_staff_or_its_table() -> None:
    staff = review("s", "ta", 8, role=Role.STAFF.value)
    found = true_scores(Export(reviews=table("reviews", [*FOUR, staff])))
    assert found is not None
    assert found.score.tolist() == [8.0]
    assert true_scores(Export(reviews=table("reviews", FOUR))) is None


def test_rounds_of_reviews_are_not_assigned() -> None:
    known = room(*FOUR, review("s", "z", None, state=State.ASSIGNED.value))
    assert known.assigned is not None
    assert known.left_out.height == 0
    off = room(*FOUR, review("s", "z", 11), scale="0..10")
    assert off.left_out.height == 1


def test_a_scale_is_as_given_stated_or_guessed() -> None:
    def origin(**more: Any) -> tuple[str, str]:
        report = validate(Export(reviews=table("reviews", more.pop("rows", FOUR)), **more)).report
        return report.scale, report.scale_from

    assert origin() == ("0..10", "guessed from the grades")
    assert origin(scale="0..20") == ("0..20", "as the export says")
    tens = [{**one, "highest": 12.0, "lowest": 2.0} for one in FOUR]
    assert origin(rows=tens) == ("2..12", "as the export says")
    two = [{**one, "highest": top} for one, top in zip(FOUR, (10.0, 10.0, 20.0, 20.0), strict=True)]
    assert origin(rows=two) == ("0..100:any", "percent, since the maxima differ")


def test_a_score_that_is_no_number_is_no_score() -> None:
    odd = [review("s", name, value) for name, value in zip("uvw", (INF, -INF, NAN), strict=True)]
    found = room(*FOUR, *odd, scale="0..10")
    assert told(found) == {"3 reviews: no score is given": (6, 7, 8)}


def test_an_author_who_is_not_named_is_nobody() -> None:
    authors = [{"submission": "s", "author": None}, {"submission": "t", "author": "x"}]
    found = room(*FOUR, submissions=authors)
    assert told(found) == {"1 review: a review of one's own work": (4,)}


def test_reviews_that_count_are_not_noted() -> None:
    weighted = [
        {**one, "weight": weight} for one, weight in zip(FOUR, (1.0, 0.5, 2.0, 1), strict=True)
    ]
    assert told(room(*weighted)) == {}


@pytest.mark.parametrize(
    ("more", "evidence"),
    [({"scale": "0..10"}, "as given"), ({}, None), ({"top": 10.0}, "as the export says")],
)
def test_a_scale_that_is_known_is_a_certain_decision(
    more: dict[str, Any], evidence: str | None
) -> None:
    top = more.pop("top", None)
    found = room(*({**one, "highest": top} for one in FOUR), **more)
    certain = [
        one for one in found.interpretation.decisions if one.evidence in ("as given", STATED)
    ]
    assert [one.evidence for one in certain] == ([] if evidence is None else [evidence])
    assert all(one.text == "The scale is 0..10." for one in certain)
    assert all(one.confidence == "certain" for one in certain)


def test_a_rubric_is_that_of_whole_reviews(monkeypatch: pytest.MonkeyPatch) -> None:
    rubric_of_all = object()
    monkeypatch.setattr("peergauge.exports.validate.rubric_of", lambda _: rubric_of_all)
    reviews = [*rubric("x", 6, 3), *rubric("y", 8, 9)]
    assert room(*reviews).rubric is rubric_of_all
    assert room(*reviews, criterion="style").rubric is None


def test_the_criteria_are_named_where_there_are_any() -> None:
    lines = list(room(*rubric("x", 6, 3), *rubric("y", 8, 9)).report.lines())
    assert "Rubric: idea, style." in lines
    assert not any(line.startswith("Rubric") for line in room(*FOUR).report.lines())


def test_only_criteria_without_scores_are_missed() -> None:
    only_staff = review("s", "ta", 3, criterion="secret", role=Role.STAFF.value)
    whole = [review("t", "x", 9, highest=20.0), review("t", "y", 7, highest=20.0)]
    reviews = [*rubric("x", 6, 3), *rubric("y", 8, 9), *whole, only_staff]
    each = validate_each(Export(reviews=table("reviews", reviews)))
    missed = [note.text for note in each["idea"].report.notes if note.kind == "missed"]
    assert missed == ["No peer has a score on the criterion 'secret'."]


def test_the_ends_of_criteria_make_those_of_their_sum_if_all_are_known() -> None:
    """Out of 10 and out of 10 is out of 20, from 1 and 1 is from 2."""
    rows = [
        review("s", grader, score, criterion=name, lowest=1.0, highest=10.0)
        for grader, scores in (("x", (6, 3)), ("y", (8, 9)))
        for name, score in zip(("idea", "style"), scores, strict=True)
    ]
    assert room(*rows).report.scale == "2..20"
    assert room(*rows, criterion="idea").report.scale == "1..10"


def test_a_direction_that_was_answered_is_asked_only_once() -> None:
    grades, truth = contradicting(10)
    asked = {
        answer: validate(
            Export(
                reviews=table("reviews", grades),
                truth=table("truth", truth),
                dialogue=Dialogue({"direction": answer}),
            ),
            scale="1..5",
        )
        for answer in ("low", "high")
    }
    for answer, first in (("low", 5.0), ("high", 1.0)):
        found = asked[answer]
        assert [one.key for one in found.interpretation.questions] == ["direction"]
        assert found.interpretation.questions[0].text.startswith("Is the highest or the lowest")
        assert found.reports.grade[0] == first


def test_a_class_in_which_nobody_filled_in_a_whole_rubric_is_refused_with_that_reason() -> None:
    with pytest.raises(TableError) as refused:
        room(*rubric("x", 6, None), *rubric("y", None, 9))
    assert str(refused.value).endswith("2 reviews: a criterion of the rubric has no score.")
