"""Validation: every review is kept or accounted for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError, UnknownNameError
from peergauge.exports.records import Export, Role, State, table
from peergauge.exports.validate import UNCOUNTED_NOTE, OpenedClass, validate, validate_each


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
