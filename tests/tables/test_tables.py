"""The three tables: valid input, errors, and immutability."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError, ScaleError, TableError
from peergauge.core.files import read_frame
from peergauge.tables import Reports, Rewards, Scale, Truth
from tests.generators import reports

NAN, INF = float("nan"), float("inf")

# Two homeworks of ada and bob, graded by kim and lee.
CLASS: dict[str, list[Any]] = {
    "assignment": ["hw1", "hw1", "hw1", "hw2", "hw2"],
    "submission": ["ada", "ada", "bob", "ada", "bob"],
    "grader": ["kim", "lee", "kim", "lee", "kim"],
    "grade": [7, 8, 5, 6, 9],
}


def small_class() -> Reports:
    return Reports.from_frame(CLASS)


def unnamed(grade: list[float], scale: Scale | None = None) -> Reports:
    """One grader's grades of as many submissions, without names."""
    rows = np.arange(len(grade), dtype=np.int32)
    return Reports(
        assignment=np.zeros_like(rows),
        submission=rows,
        grader=np.zeros_like(rows),
        grade=np.array(grade, dtype=np.float64),
        scale=scale or Scale(),
    )


def built(**columns: Any) -> Reports:
    """Reports of two graders and two submissions, with some columns exchanged."""
    table: dict[str, Any] = {
        "assignment": [0, 0, 0],
        "submission": [0, 0, 1],
        "grader": [0, 1, 0],
        "grade": [7.0, 8.0, 5.0],
    }
    return Reports(**(table | columns))


# ---------------------------------------------------------------------------------------- Scale


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("0..10", Scale(0, 10, 1)),
        ("-5..5", Scale(-5, 5, 1)),
        ("0..14:0.25", Scale(0, 14, 0.25)),
        ("0.5..1.5:any", Scale(0.5, 1.5, None)),
        ("1..6:0.1", Scale(1, 6, 0.1)),
    ],
)
def test_a_scale_is_read_from_its_text_and_written_back(text: str, scale: Scale) -> None:
    assert Scale.parse(text) == scale
    assert str(scale) == text
    assert repr(scale) == f"Scale('{text}')"


@pytest.mark.parametrize(
    "scale",
    [
        Scale(0, 1234567),
        Scale(0.1234567, 1, None),
        Scale(0, 1, 1 / 3),
        Scale(0, 0.0001, 0.00001),
    ],
    ids=["many", "precise", "thirds", "tiny"],
)
def test_writing_a_scale_loses_no_digits(scale: Scale) -> None:
    assert Scale.parse(str(scale)) == scale


def test_a_scale_parses_to_itself_and_blanks_do_not_matter() -> None:
    assert Scale.parse(Scale(1, 6)) == Scale(1, 6)
    assert Scale.parse(" 0 .. 14 : 0.25 ") == Scale(0, 14, 0.25)


@pytest.mark.parametrize("text", ["", "10", "0-10", "0..10:", "0..10:some", "nan..1", "a..b"])
def test_text_that_is_no_scale_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ScaleError, match=r"is not a scale.*0\.\.10"):
        Scale.parse(text)


@pytest.mark.parametrize(
    ("lowest", "highest", "step", "why"),
    [
        (10, 0, 1, "end higher"),
        (1, 1, 1, "end higher"),
        (0, INF, 1, "finite ends"),
        (NAN, 1, 1, "finite ends"),
        (0, 10, 3, "steps of 3"),
        (0, 10, 20, "steps of 20"),
        (0, 10, 0, "steps of 0"),
        (0, 10, -1, "steps of -1"),
        (0, 10, NAN, "steps of nan"),
        (0, 10, INF, "steps of inf"),
    ],
)
def test_scales_that_cannot_be_walked_are_refused(
    lowest: float, highest: float, step: float, why: str
) -> None:
    with pytest.raises(ScaleError, match=why):
        Scale(lowest, highest, step)


def test_levels_values_and_unit_of_a_scale() -> None:
    scale = Scale(1, 3, 0.5)
    assert scale.finite
    assert scale.levels == 5
    assert_array_equal(scale.values(), [1, 1.5, 2, 2.5, 3])
    assert_array_equal(scale.level(np.array([1, 2.5, 3])), [0, 3, 4])
    assert scale.unit == 0.2  # a tenth of 3 - 1


def test_the_nearest_grade_sends_halves_to_the_even_level() -> None:
    assert_array_equal(Scale(0, 10).nearest(np.array([0.5, 1.5, 2.5, 3.4, 9.6])), [0, 2, 2, 3, 10])
    # On 1..6 grade 1 is level 0, so 1.5 goes down to level 0 and 2.5 up to level 2.
    assert_array_equal(Scale(1, 6).nearest(np.array([1.5, 2.5])), [1, 3])


def test_the_nearest_grade_stays_between_the_ends() -> None:
    assert_array_equal(Scale(0, 10).nearest(np.array([-3, 10.5, -INF, INF])), [0, 10, 0, 10])
    assert_array_equal(Scale(0, 1, None).nearest(np.array([-1, 0.3, 2])), [0, 0.3, 1])


def test_a_scale_holds_its_steps_and_nothing_else() -> None:
    grade = np.array([0, 0.25, 0.3, 1, 1.25, -0.25, NAN])
    assert_array_equal(Scale(0, 1, 0.25).holds(grade), [1, 1, 0, 1, 0, 0, 0])
    assert_array_equal(Scale(0, 1, None).holds(grade), [1, 1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("text", ["0..10", "1..6:0.1", "0..14:0.25", "0..0.3:0.1", "1..4.3:0.1"])
def test_a_scale_holds_all_of_its_own_values(text: str) -> None:
    scale = Scale.parse(text)
    values = scale.values()
    assert scale.holds(values).all()
    assert_array_equal(scale.nearest(values), values)
    assert values[-1] == scale.highest


def test_counting_grades_on_a_scale_without_steps_is_refused_with_a_way_out() -> None:
    scale = Scale(0, 1, None)
    assert not scale.finite
    asks: list[Callable[[], object]] = [
        lambda: scale.levels,
        scale.values,
        lambda: scale.level(np.array([0.5])),
    ]
    for ask in asks:
        with pytest.raises(ScaleError, match=r"0\.\.1:any.*coarsen.*0\.\.1:0\.1"):
            ask()


# -------------------------------------------------------------------------- Reports: their rows


@given(reports(), st.integers(0, 2**32 - 1))
def test_any_row_order_gives_equal_reports(some: Reports, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(some))
    shuffled = Reports(
        assignment=some.assignment[order],
        submission=some.submission[order],
        grader=some.grader[order],
        grade=some.grade[order],
        scale=some.scale,
        assignments=some.assignments,
        submissions=some.submissions,
        graders=some.graders,
    )
    assert shuffled == some


def test_names_are_numbered_in_their_order_and_submissions_within_assignments() -> None:
    some = Reports.from_frame({name: column[::-1] for name, column in CLASS.items()})
    assert_array_equal(some.assignment, [0, 0, 0, 1, 1])
    assert_array_equal(some.submission, [0, 0, 1, 2, 3])
    assert_array_equal(some.grader, [0, 1, 0, 1, 0])
    assert_array_equal(some.grade, [7, 8, 5, 6, 9])
    assert some.assignment_names == ("hw1", "hw2")
    assert some.submission_names == ("ada", "bob", "ada", "bob")
    assert some.grader_names == ("kim", "lee")


def test_rows_are_found_by_submission_by_assignment_and_by_grader() -> None:
    some = small_class()
    assert_array_equal(some.submission_bounds, [0, 2, 3, 4, 5])
    assert_array_equal(some.assignment_bounds, [0, 3, 5])
    rows, bounds, place = some.tasks
    # kim and lee on hw1: rows 0, 2 and row 1; on hw2: row 4 and row 3.
    assert_array_equal(rows, [0, 2, 1, 4, 3])
    assert_array_equal(bounds, [0, 2, 3, 4, 5])
    assert_array_equal(rows[place], range(5))


def test_a_grader_without_reports_counts_if_the_count_includes_them() -> None:
    assert built().graders == 2
    assert built(graders=4).graders == 4


def test_a_class_without_assignments_has_one() -> None:
    some = Reports.from_frame({"submission": ["x"], "grader": ["kim"], "grade": [3]})
    assert some.assignments == 1
    assert_array_equal(some.assignment, [0])


def test_the_columns_of_reports_are_read_only() -> None:
    some = small_class()
    columns = (
        *(some.assignment, some.submission, some.grader, some.grade, some.level),
        *(some.submission_bounds, some.assignment_bounds, *some.tasks),
    )
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_making_reports_leaves_the_arrays_of_the_caller_alone() -> None:
    rows = np.arange(2, dtype=np.int32)
    zeros = np.zeros(2, dtype=np.int32)
    grade = np.array([7.0, 8.0])
    some = Reports(assignment=zeros, submission=rows, grader=zeros, grade=grade)
    grade[0] = 1.0
    zeros[:] = 1
    assert_array_equal(some.grade, [7, 8])
    assert_array_equal(some.grader, [0, 0])


def test_later_changes_behind_a_view_do_not_show_in_reports() -> None:
    table = np.array([7.0, 8.0, 9.0])
    some = built(grade=table[:])
    table[0] = 1.0
    assert some.grade[0] == 7.0


# -------------------------------------------------------------------- Reports: what they refuse


@pytest.mark.parametrize(
    ("column", "value", "error", "message"),
    [
        ("grade", [7.0, 11.0, 5.0], ScaleError, r"^Report 1 has grade 11, .* scale 0\.\.10;"),
        ("grade", [7.0, 8.0, 5.5], ScaleError, r"^Report 2 has grade 5\.5, "),
        ("grade", [7.0, -1.0, 5.5], ScaleError, r"^Report 1 has grade -1.*\(2 such grades"),
        ("grade", [7.0, NAN, 5.0], TableError, r"^Report 1 has no finite grade \(nan\)"),
        ("grade", [7.0, INF, 5.0], TableError, r"^Report 1 has no finite grade \(inf\)"),
        ("grade", [7.0, 8.0, -INF], TableError, r"^Report 2 has no finite grade \(-inf\)"),
        ("grader", [0, 0, 0], TableError, r"^Report 1 repeats Report 0: .*\(1 repeated"),
        ("grader", [0, -1, 0], TableError, r"^Report 1 has grader -1, "),
        ("submission", [0, 0, -2], TableError, r"^Report 2 has submission -2, "),
        ("submission", [1, 1, 0], TableError, r"^Report \d .*order of .*assignments"),
        ("assignment", [0, 1, 1], TableError, r"^Report \d .*one assignment"),
    ],
)
def test_a_bad_report_is_refused_by_its_row(
    column: str, value: list[float], error: type[Exception], message: str
) -> None:
    good = {"assignment": [0, 0, 1]} if column == "submission" else {}
    with pytest.raises(error, match=message):
        built(**good, **{column: value})


def test_numbers_beyond_the_given_count_are_refused() -> None:
    with pytest.raises(TableError, match=r"^Report 1 has grader 1, but the 1 graders are"):
        built(graders=1)


@pytest.mark.parametrize("column", ["assignment", "submission", "grader"])
def test_numbers_that_are_not_whole_are_refused(column: str) -> None:
    with pytest.raises(TableError, match=f"{column} 0.5"):
        built(**{column: [0, 0.5, 1]})


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(TableError, match="same length"):
        built(grade=[7.0, 8.0])


@pytest.mark.parametrize("names", ["assignment_names", "submission_names", "grader_names"])
def test_a_name_too_many_is_refused(names: str) -> None:
    with pytest.raises(TableError, match="name"):
        built(**{names: ("x", "y", "z")})


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ("ada,kim,7\nbob,kim,11", ScaleError, r"^Row 3 of .*class\.csv has grade 11"),
        ("ada,kim,7\nbob,kim,", TableError, r"^Row 3 of .*class\.csv has no grade"),
        ("ada,kim,7\nbob,,5", TableError, r"^Row 3 of .*class\.csv has no grader"),
        ("ada,kim,7\nbob,kim,inf", TableError, r"^Row 3 of .*class\.csv has no finite grade"),
        ("ada,kim,7\nbob,kim,absent", TableError, r"^Row 3 of .*class\.csv has grade 'absent'"),
        ("bob,kim,7\nada,kim,5\nbob,kim,6", TableError, r"^Row 4 of .* repeats Row 2 of .*csv"),
    ],
)
def test_a_bad_row_of_a_file_is_named_as_a_spreadsheet_counts(
    tmp_path: Path, rows: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "class.csv"
    path.write_text(f"submission,grader,grade\n{rows}\n", encoding="utf-8")
    with pytest.raises(error, match=message):
        Reports.read(path)


def test_a_blank_assignment_is_refused_like_any_other_blank() -> None:
    with pytest.raises(TableError, match="Row 1 of the reports has no assignment"):
        Reports.from_frame(CLASS | {"assignment": ["hw1", None, "hw1", "hw2", "hw2"]})


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    with pytest.raises(TableError, match=r"no column 'grader'; .* it has submission, grade\.$"):
        Reports.from_frame({"submission": [1], "grade": [1]})


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(TableError, match="no rows"):
        Reports.from_frame({"submission": [], "grader": [], "grade": []})


# ------------------------------------------------------------------ Reports: others from them


def test_other_grades_keep_everything_but_the_grades() -> None:
    some = small_class()
    assert_array_equal(some.level, [7, 8, 5, 6, 9])
    other = some.with_grades([1, 2, 3, 4, 5])
    assert other == Reports.from_frame(CLASS | {"grade": [1, 2, 3, 4, 5]})
    assert_array_equal(other.level, [1, 2, 3, 4, 5])
    assert some == small_class()


def test_other_grades_do_not_follow_the_array_that_they_came_from() -> None:
    grade = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    other = small_class().with_grades(grade)
    grade[:] = 9.0
    assert_array_equal(other.grade, [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    ("grade", "error", "message"),
    [
        ([1, 2], TableError, "5 grades are needed"),
        ([1, 2, 3, 4, 11], ScaleError, "Report 4 has grade 11"),
        ([1, NAN, 3, 4, 5], TableError, "Report 1 has no finite grade"),
    ],
)
def test_other_grades_are_checked_too(
    grade: list[float], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        small_class().with_grades(grade)


@given(reports(), st.data())
def test_the_first_assignments_are_what_building_from_them_gives(
    some: Reports, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, some.assignments))
    early = some.assignment < count
    assert some.first(count) == Reports(
        assignment=some.assignment[early],
        submission=some.submission[early],
        grader=some.grader[early],
        grade=some.grade[early],
        scale=some.scale,
        assignments=count,
        graders=some.graders,
    )


def test_the_first_assignments_keep_their_names() -> None:
    first = small_class().first(1)
    assert first.to_polars().rows() == [
        ("hw1", "ada", "kim", 7),
        ("hw1", "ada", "lee", 8),
        ("hw1", "bob", "kim", 5),
    ]
    assert first.assignment_names == ("hw1",)


@pytest.mark.parametrize("count", [-1, 3])
def test_more_assignments_than_there_are_cannot_be_first(count: int) -> None:
    with pytest.raises(TableError, match="assignment"):
        small_class().first(count)


def test_relabelling_moves_numbers_and_names_together() -> None:
    swapped = small_class().relabel([1, 0])
    assert swapped.grader_names == ("lee", "kim")
    # Within ada's hw1, lee is now grader 0 and comes first.
    assert_array_equal(swapped.grader, [0, 1, 1, 0, 1])
    assert_array_equal(swapped.grade, [8, 7, 5, 6, 9])
    assert swapped.relabel([1, 0]) == small_class()
    assert sorted(swapped.to_polars().rows()) == sorted(small_class().to_polars().rows())


def test_relabelling_follows_a_cycle_in_the_right_direction() -> None:
    three = Reports.from_frame(
        {"submission": ["x"] * 3, "grader": ["ann", "ben", "cy"], "grade": [1, 2, 3]}
    )
    turned = three.relabel([1, 2, 0])
    assert turned.grader_names == ("cy", "ann", "ben")
    assert_array_equal(turned.grade, [3, 1, 2])


@pytest.mark.parametrize("new", [[0, 0], [0, 2], [0], [0, 1, 2]])
def test_relabelling_needs_each_number_once(new: list[int]) -> None:
    with pytest.raises(TableError, match="exactly once"):
        small_class().relabel(new)


def test_coarsening_maps_in_proportion_to_the_nearest_level() -> None:
    # 7, 8, 5, 6, 9 of 10 are 1.4, 1.6, 1.0, 1.2, 1.8 of 2.
    coarse = small_class().coarsen("0..2")
    assert_array_equal(coarse.grade, [1, 2, 1, 1, 2])
    assert coarse == Reports.from_frame(CLASS | {"grade": [1, 2, 1, 1, 2]}, "0..2")
    # 1 + 4 * 0.7 = 3.8, then 4.2, 3.0, 3.4, 4.6.
    assert_array_equal(small_class().coarsen(Scale(1, 5)).grade, [4, 4, 3, 3, 5])


def test_coarsening_to_a_scale_without_steps_rounds_nothing() -> None:
    assert_allclose(small_class().coarsen("0..1:any").grade, [0.7, 0.8, 0.5, 0.6, 0.9])


def test_the_highest_grade_coarsens_to_the_highest_grade() -> None:
    assert unnamed([0.0, 10.0]).coarsen("0..0.3:0.1").grade[1] == 0.3


# ----------------------------------------------------------------------- Reports: in and out

TRIPS: dict[str, Callable[[Reports, Path], Reports]] = {
    "polars": lambda some, _: Reports.from_frame(some.to_polars(), some.scale),
    "pandas": lambda some, _: Reports.from_frame(some.to_pandas(), some.scale),
    "arrow": lambda some, _: Reports.from_frame(some.to_arrow(), some.scale),
    "csv": lambda some, folder: Reports.read(some.write(folder / "class.csv"), some.scale),
    "parquet": lambda some, folder: Reports.read(some.write(folder / "class.parquet"), some.scale),
}
CLASSES: dict[str, dict[str, list[Any]]] = {
    "text": CLASS,
    "integers": {
        "assignment": [3, 3, 7],
        "submission": [12, 15, 12],
        "grader": [100, 100, 2],
        "grade": [1, 2, 3],
    },
    "fractions": CLASS | {"grade": [0.25, 7.5, 0.1 + 0.2, 10.0, 1 / 3]},
    "emoji": CLASS | {"grader": ["🦊", "👩‍🏫", "🦊", "👩‍🏫", "🦊"]},
    "right-to-left": CLASS | {"grader": ["שרה", "ليلى", "שרה", "ليلى", "שרה"]},
    "punctuation": CLASS | {"submission": ['a,"b"', 'a,"b"', " x\ny ", 'a,"b"', " x\ny "]},
    "leading-zeros": CLASS | {"grader": ["007", "7", "007", "7", "007"]},
}


@pytest.mark.parametrize("columns", CLASSES.values(), ids=CLASSES.keys())
@pytest.mark.parametrize("trip", TRIPS.values(), ids=TRIPS.keys())
def test_reports_survive_a_trip_through_frames_and_files(
    trip: Callable[[Reports, Path], Reports], columns: dict[str, list[Any]], tmp_path: Path
) -> None:
    some = Reports.from_frame(columns, "0..10:any")
    again = trip(some, tmp_path)
    assert again == some
    rows = zip(*columns.values(), strict=True)
    assert sorted(again.to_polars().rows()) == sorted(rows)


@given(reports())
def test_reports_made_from_a_frame_are_read_back_from_it(some: Reports) -> None:
    read = Reports.from_frame(some.to_polars(), some.scale)
    assert Reports.from_frame(read.to_polars(), some.scale) == read
    assert read.to_polars().rows() == some.to_polars().rows()


@given(reports())
def test_a_pickle_of_reports_is_equal_and_read_only(some: Reports) -> None:
    again = pickle.loads(pickle.dumps(some))
    assert again == some
    assert not again.grade.flags.writeable


def test_a_pickle_of_reports_does_not_grow_with_what_was_derived() -> None:
    some = small_class()
    before = len(pickle.dumps(some))
    assert len(some.level) == len(some.tasks[0]) == some.submission_bounds[-1] == 5
    assert len(pickle.dumps(some)) == before


def test_cached_results_are_computed_again_for_another_object() -> None:
    some, one, other = small_class(), object(), object()
    made = iter(range(9))
    told = [some.derived("key", lambda: next(made), of=thing) for thing in (one, one, other, one)]
    assert told == [0, 0, 1, 2]


def test_reports_with_other_grades_share_only_cached_results_of_the_design() -> None:
    some = small_class()
    other = some.with_grades([7, 8, 5, 6, 8])
    assert some.layout is other.layout
    assert some.derived("grades", some.grade.tolist) == [7, 8, 5, 6, 9]
    assert other.derived("grades", other.grade.tolist) == [7, 8, 5, 6, 8]


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937])
def test_cached_draws_are_drawn_again_only_for_another_generator_state(kind: type[Any]) -> None:
    some = small_class()

    def draw(table: Reports, rng: np.random.Generator) -> tuple[float, float]:
        return table.drawn("key", rng, rng.random), rng.random()

    first = draw(some, np.random.Generator(kind(1)))
    rng = np.random.Generator(kind(1))
    assert first == (rng.random(), rng.random())
    # What comes after the draws is the same too, whether they were made or remembered.
    assert draw(some.with_grades([7, 8, 5, 6, 8]), np.random.Generator(kind(1))) == first
    assert draw(some, np.random.Generator(kind(2))) != first
    assert draw(some, np.random.Generator(kind(1))) == first


def test_reports_are_equal_if_all_that_they_say_is_equal() -> None:
    assert small_class() == small_class()
    assert small_class() != small_class().with_grades([7, 8, 5, 6, 8])
    assert small_class() != Reports.from_frame(CLASS, "0..12")
    assert built() != built(graders=3)
    assert built() != built(grader_names=("kim", "lee"))
    assert built() != "reports"


def test_reports_describe_themselves() -> None:
    assert repr(small_class()) == (
        "<Reports: 5 grades on 0..10 by 2 graders of 4 submissions in 2 assignments>"
    )


# --------------------------------------------------------------------------------------- Truth

SCORES: dict[str, list[Any]] = {
    "assignment": ["hw1", "hw1", "hw2", "hw2"],
    "submission": ["ada", "bob", "ada", "bob"],
    "score": [7.5, 5.0, 6.0, 9.0],
}
PEOPLE: dict[str, list[Any]] = {
    "grader": ["kim", "lee", "max"],
    "effort": [0.1, 0.2, 0.3],
    "bias": [1.0, -1.0, 0.0],
    "active": [True, False, True],
    "strategy": ["truthful", "hedge", "truthful"],
}


def test_scores_follow_the_names_whatever_their_order() -> None:
    backwards = {name: column[::-1] for name, column in SCORES.items()}
    assert_array_equal(Truth.from_frame(backwards).scores_of(small_class()), [7.5, 5, 6, 9])


def test_scores_that_the_truth_does_not_have_are_nan() -> None:
    known = {name: [column[3], column[0]] for name, column in SCORES.items()}
    assert_array_equal(Truth.from_frame(known).scores_of(small_class()), [7.5, NAN, NAN, 9])


def test_scores_of_unnamed_submissions_go_by_number() -> None:
    truth = Truth(score=np.array([1.0, 2.0]), assignment=np.zeros(2, dtype=np.int32))
    assert_array_equal(truth.scores_of(unnamed([5.0])), [1])
    assert_array_equal(truth.scores_of(unnamed([5.0, 6.0])), [1, 2])
    assert_array_equal(truth.scores_of(unnamed([5.0, 6.0, 7.0])), [1, 2, NAN])


def test_a_submission_without_reports_is_not_given_the_score_of_another() -> None:
    truth = Truth.from_frame(SCORES)
    later = truth.scores_of(small_class().first(1))[2:]
    # ada's and bob's second homework scored 6 and 9, their first 7.5 and 5.
    assert all(score in {6, 9} or np.isnan(score) for score in later)


def test_a_trait_follows_the_names_of_the_graders() -> None:
    truth = Truth.from_frame(SCORES, PEOPLE)
    assert_array_equal(truth.trait("effort", small_class()), [0.1, 0.2])
    assert_array_equal(truth.trait("effort", small_class().relabel([1, 0])), [0.2, 0.1])
    assert_array_equal(truth.trait("strategic", small_class()), [False, True])


def test_a_trait_of_unnamed_graders_goes_by_number() -> None:
    people = {"grader": [2, 0, 1], "effort": [0.3, 0.1, 0.2]}
    truth = Truth.from_frame({"submission": [0], "score": [5]}, people)
    assert_array_equal(truth.trait("effort", built()), [0.1, 0.2])


def test_a_trait_that_is_not_known_is_refused() -> None:
    with pytest.raises(NeedsTruthError, match="'effort' of every grader"):
        Truth.from_frame(SCORES).trait("effort", small_class())


def test_a_grader_whose_trait_is_not_known_is_named() -> None:
    people = {name: column[1:] for name, column in PEOPLE.items()}
    with pytest.raises(NeedsTruthError, match=r"'effort' of grader kim .*\(1 in all\)"):
        Truth.from_frame(SCORES, people).trait("effort", small_class())


def test_the_columns_of_truth_are_copies_that_cannot_be_changed() -> None:
    score = np.array([1.0, 2.0])
    truth = Truth(score=score, assignment=np.zeros(2, dtype=np.int32))
    score[0] = 9.0
    assert truth.score[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        truth.score[0] = 9.0


TRUTH_TRIPS: dict[str, Callable[[Truth, Path, Any], Truth]] = {
    "polars": lambda truth, _, people: Truth.from_frame(truth.to_polars(), people),
    "pandas": lambda truth, _, people: Truth.from_frame(truth.to_polars().to_pandas(), people),
    "csv": lambda truth, folder, people: Truth.from_frame(
        read_frame(truth.write(folder / "t.csv")), people
    ),
    "parquet": lambda truth, folder, people: Truth.from_frame(
        read_frame(truth.write(folder / "t.parquet")), people
    ),
}
any_truth_trip = pytest.mark.parametrize("trip", TRUTH_TRIPS.values(), ids=TRUTH_TRIPS.keys())


@any_truth_trip
def test_truth_survives_a_trip_without_the_graders(
    trip: Callable[[Truth, Path, Any], Truth], tmp_path: Path
) -> None:
    truth = Truth.from_frame(SCORES)
    assert trip(truth, tmp_path, None) == truth


@any_truth_trip
def test_truth_survives_a_trip_with_the_graders(
    trip: Callable[[Truth, Path, Any], Truth], tmp_path: Path
) -> None:
    truth = Truth.from_frame(SCORES | {"author": ["max", "kim", "max", "kim"]}, PEOPLE)
    assert truth.author is not None
    assert_array_equal(truth.author, [2, 0, 2, 0])
    assert trip(truth, tmp_path, PEOPLE) == truth


@any_truth_trip
def test_an_unknown_score_survives_a_trip(
    trip: Callable[[Truth, Path, Any], Truth], tmp_path: Path
) -> None:
    truth = Truth.from_frame(SCORES | {"score": [7.5, NAN, 6.0, 9.0]})
    assert trip(truth, tmp_path, None) == truth


def test_truth_is_read_from_two_files(tmp_path: Path) -> None:
    truth = Truth.from_frame(SCORES)
    people = tmp_path / "graders.csv"
    people.write_text("grader,effort\nlee,0.2\nkim,0.1\n", encoding="utf-8")
    read = Truth.read(truth.write(tmp_path / "truth.csv"), people)
    assert read.grader_names == ("kim", "lee")
    assert_array_equal(read.trait("effort", small_class()), [0.1, 0.2])
    assert_array_equal(read.score, truth.score)


def test_an_author_who_grades_nothing_is_not_taken_for_another() -> None:
    truth = Truth.from_frame(SCORES | {"author": ["kim", "lee", "zoe", "kim"]}, PEOPLE)
    assert truth.to_polars()["author"].to_list()[2] not in PEOPLE["grader"]


def test_a_score_that_is_no_number_is_refused_by_the_row_where_it_stands() -> None:
    with pytest.raises(TableError, match="Row 0 of the truth has score 'lost'"):
        Truth.from_frame({"submission": ["zoe", "ada"], "score": ["lost", "7"]})


def test_two_scores_of_one_submission_are_refused() -> None:
    twice = {"submission": ["bob", "ada", "bob"], "score": [5, 7, 6]}
    with pytest.raises(
        TableError, match="Row 2 of the truth scores submission bob of assignment 0 again"
    ):
        Truth.from_frame(twice)


def test_two_rows_of_one_grader_are_refused() -> None:
    with pytest.raises(TableError, match="kim"):
        Truth.from_frame(SCORES, PEOPLE | {"grader": ["kim", "kim", "max"]})


def test_truth_needs_as_many_assignments_as_scores() -> None:
    with pytest.raises(TableError, match="one score and one assignment"):
        Truth(score=np.array([1.0, 2.0]), assignment=np.zeros(1, dtype=np.int32))


def test_truth_is_equal_if_all_that_it_says_is_equal() -> None:
    truth = Truth.from_frame(SCORES | {"score": [7.5, NAN, 6.0, 9.0]}, PEOPLE)
    assert pickle.loads(pickle.dumps(truth)) == truth
    assert truth != Truth.from_frame(SCORES, PEOPLE)
    assert Truth.from_frame(SCORES) != Truth.from_frame(SCORES, PEOPLE)
    assert repr(truth) == "<Truth: 3 of 4 submissions scored>"


# ------------------------------------------------------------------------------------- Rewards


def paid(part: list[float], *, mean: bool = False) -> Rewards:
    """Parts for the small class: kim, lee and kim on hw1, then lee and kim on hw2."""
    return Rewards.from_parts(small_class(), np.array(part, dtype=np.float64), mean=mean)


def test_amounts_are_the_sums_of_the_parts() -> None:
    rewards = paid([1, 2, 3, 4, 9])
    assert_array_equal(rewards.amount, [[1 + 3, 2], [9, 4]])
    assert rewards.part is not None
    assert_array_equal(rewards.part, [1, 2, 3, 4, 9])


def test_amounts_are_the_means_of_the_parts_if_asked() -> None:
    rewards = paid([1, 2, 3, 4, 9], mean=True)
    assert_array_equal(rewards.amount, [[(1 + 3) / 2, 2], [9, 4]])
    # Each of kim's two reports on hw1 adds half of its part.
    assert rewards.part is not None
    assert_array_equal(rewards.part, [0.5, 2, 1.5, 4, 9])


def test_a_part_that_is_not_payable_counts_neither_in_the_sum_nor_in_the_mean() -> None:
    for mean in (False, True):
        rewards = paid([NAN, 2, 3, 4, 9], mean=mean)
        assert_array_equal(rewards.amount, [[3, 2], [9, 4]])
        assert rewards.part is not None
        assert_array_equal(rewards.part, [NAN, 2, 3, 4, 9])


def test_an_amount_is_nan_where_nothing_is_payable() -> None:
    for mean in (False, True):
        assert_array_equal(paid([1, NAN, 1, 4, NAN], mean=mean).amount[:, 1], [NAN, 4])
        assert_array_equal(paid([1, NAN, 1, 4, NAN], mean=mean).amount[1], [NAN, 4])


def some_parts(rows: int) -> st.SearchStrategy[Floats]:
    part = st.integers(-20, 20).map(float) | st.just(NAN)
    return st.lists(part, min_size=rows, max_size=rows).map(np.array)


@given(reports(), st.data(), st.booleans())
def test_parts_add_up_to_the_amounts(some: Reports, data: st.DataObject, mean: bool) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))), mean=mean)
    assert rewards.part is not None
    sums: dict[tuple[int, int], float] = {}
    for a, k, part in zip(some.assignment, some.grader, rewards.part, strict=True):
        if not np.isnan(part):
            sums[a, k] = sums.get((a, k), 0.0) + part
    for (a, k), amount in np.ndenumerate(rewards.amount):
        # Means of at most six parts are not exact: 1/3 + 1/3 + 1/3.
        assert amount == pytest.approx(sums.get((a, k), NAN), abs=1e-12, nan_ok=True)


def test_running_totals_start_with_the_first_payment() -> None:
    rewards = paid([1, NAN, 3, 4, 9])
    assert_array_equal(rewards.running, [[4, NAN], [4 + 9, 4]])
    assert_array_equal(rewards.total, [13, 4])


def test_a_grader_who_was_never_paid_has_no_total() -> None:
    rewards = paid([1, NAN, 3, NAN, NAN])
    assert_array_equal(rewards.running, [[4, NAN], [4, NAN]])
    assert_array_equal(rewards.total, [4, NAN])


@given(reports(), st.data())
def test_the_first_rewards_total_what_was_running_by_then(
    some: Reports, data: st.DataObject
) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))))
    for count in range(1, some.assignments + 1):
        first = rewards.first(count)
        assert first.reports == some.first(count)
        assert first.part is not None
        assert len(first.part) == len(first.reports)
        assert_array_equal(first.total, rewards.running[count - 1])


@given(reports(), st.data())
def test_some_graders_keep_their_reports_pay_and_names(some: Reports, data: st.DataObject) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))))
    chosen = sorted(data.draw(st.sets(st.integers(0, some.graders - 1))))
    few = rewards.among(chosen)
    assert_array_equal(few.total, rewards.total[chosen])
    assert_array_equal(few.paid_reports, rewards.paid_reports[chosen])
    ours = some.to_polars().filter(pl.Series(np.isin(some.grader, chosen)))
    assert few.reports.to_polars().rows() == ours.rows()


def test_graders_who_are_not_there_are_refused() -> None:
    with pytest.raises(TableError, match="numbered from 0"):
        paid([1, 2, 3, 4, 5]).among([7])


def test_paid_reports_are_those_with_a_part() -> None:
    assert_array_equal(paid([1, NAN, NAN, 4, 9]).paid_reports, [2, 1])


def test_without_parts_all_reports_behind_a_payment_are_paid() -> None:
    # kim has two reports on hw1 and one on hw2, which is not payable; lee has one on each.
    rewards = Rewards(np.array([[5.0, 2.0], [NAN, 4.0]]), small_class())
    assert_array_equal(rewards.paid_reports, [2, 2])


def test_pay_by_report_is_divided_by_the_reports_that_were_paid() -> None:
    # kim's two reports on hw1 earn 1 and nothing payable, the one on hw2 earns 9; lee's earn 4.
    assert_array_equal(paid([1, NAN, NAN, 4, 9]).per_report, [5, 4])
    assert_array_equal(paid([1, NAN, NAN, NAN, 9]).per_report, [5, NAN])
    judged = Rewards(np.array([[5.0, 2.0], [NAN, 4.0]]), small_class(), whole=True)
    assert_array_equal(judged.per_report, [5, 6])


def test_a_grader_without_reports_has_no_reward_per_report() -> None:
    rewards = Rewards(np.ones((1, 3)), built(graders=3))
    assert_array_equal(rewards.total, [1, 1, 1])
    assert_array_equal(rewards.per_report, [1 / 2, 1, NAN])


def test_minus_infinity_is_kept(tmp_path: Path) -> None:
    rewards = paid([-INF, 2, 3, 4, 9])
    assert_array_equal(rewards.amount, [[-INF, 2], [9, 4]])
    assert_array_equal(rewards.running, [[-INF, 2], [-INF, 6]])
    assert_array_equal(rewards.total, [-INF, 6])
    assert_array_equal(rewards.paid_reports, [3, 2])
    read = Rewards.from_frame(read_frame(rewards.write(tmp_path / "r.csv")), small_class())
    assert_array_equal(read.amount, rewards.amount)


def test_rewards_are_written_with_names_and_holes() -> None:
    assert paid([1, NAN, 3, 4, 9]).to_polars().rows() == [
        ("hw1", "kim", 4.0),
        ("hw1", "lee", None),
        ("hw2", "kim", 9.0),
        ("hw2", "lee", 4.0),
    ]


def test_parts_are_written_beside_their_reports() -> None:
    frame = paid([1, NAN, 3, 4, 9]).parts_to_polars()
    assert frame["part"].to_list() == [1, None, 3, 4, 9]
    assert frame.drop("part").equals(small_class().to_polars())
    with pytest.raises(TableError, match="by assignment"):
        Rewards(np.zeros((2, 2)), small_class()).parts_to_polars()


@given(reports(), st.data())
def test_rewards_are_read_back_from_their_frame(some: Reports, data: st.DataObject) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))))
    read = Rewards.from_frame(rewards.to_polars(), some)
    assert read == Rewards(rewards.amount, some)


@pytest.mark.parametrize("kind", ["to_polars", "to_pandas", "to_arrow"])
def test_named_rewards_are_read_back_from_every_kind_of_frame(kind: str) -> None:
    rewards = paid([1, NAN, 3, 4, 9])
    read = Rewards.from_frame(getattr(rewards, kind)(), small_class())
    assert_array_equal(read.amount, rewards.amount)


def test_rewards_of_somebody_else_are_refused() -> None:
    frame = {"assignment": ["hw1"], "grader": ["zoe"], "reward": [1.0]}
    with pytest.raises(TableError, match="assignment hw1 and grader zoe"):
        Rewards.from_frame(frame, small_class())


def test_a_reward_that_is_no_number_is_refused() -> None:
    frame = {"assignment": ["hw1"], "grader": ["kim"], "reward": ["lots"]}
    with pytest.raises(TableError, match="lots"):
        Rewards.from_frame(frame, small_class())


@pytest.mark.parametrize("shape", [(2, 3), (1, 2)])
def test_rewards_of_another_shape_than_the_class_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(TableError, match="assignments"):
        Rewards(np.zeros(shape), small_class())


def test_the_columns_of_rewards_are_read_only() -> None:
    rewards = paid([1, 2, 3, 4, 9])
    assert rewards.part is not None
    for column in (rewards.amount, rewards.part, rewards.total):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0.0


@pytest.mark.parametrize("mean", [False, True])
def test_paying_leaves_the_parts_of_the_caller_alone(mean: bool) -> None:
    part = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    rewards = Rewards.from_parts(small_class(), part, mean=mean)
    part[1] = 50.0
    assert rewards.part is not None
    assert rewards.part[1] == 2.0


def test_paying_leaves_the_amounts_of_the_caller_alone() -> None:
    amount = np.zeros((2, 2))
    rewards = Rewards(amount, small_class())
    amount[0, 0] = 50.0
    assert rewards.amount[0, 0] == 0.0


def test_rewards_are_equal_if_all_that_they_say_is_equal() -> None:
    rewards = paid([1, NAN, 3, 4, 9])
    assert pickle.loads(pickle.dumps(rewards)) == rewards
    assert rewards != paid([1, NAN, 3, 4, 8])
    assert rewards != Rewards(rewards.amount, small_class())
    assert repr(rewards) == "<Rewards: 2 assignments x 2 graders>"


def test_a_bad_file_of_graders_is_named(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("submission,score\na,5\n")
    (tmp_path / "graders.csv").write_text("grader,bias\nkim,0\nkim,1\n")
    with pytest.raises(TableError, match=r"Row 3 of .*graders\.csv lists grader kim again"):
        Truth.read(tmp_path / "truth.csv", tmp_path / "graders.csv")
